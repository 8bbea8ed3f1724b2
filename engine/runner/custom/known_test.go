package custom_test

import (
	"strings"
	"testing"

	"autocoder/engine/runner/custom"
)

func TestSuggest(t *testing.T) {
	t.Parallel()
	for manifest, want := range map[string]string{
		`{"scripts": {"test": "nyc mocha --exit"}}`:                                     "npx mocha --reporter tap",
		`{"scripts": {"test:unit": "vitest run"}}`:                                      "npx vitest run",
		`{"scripts": {"test": "c8 ava"}, "devDependencies": {"jest": "1"}}`:             "npx ava --tap",
		`{"scripts": {"test": "react-scripts test"}, "devDependencies": {"jest": "1"}}`: "npx jest",
		`{"scripts": {"build": "mocha-build"}}`:                                         "",
		`{"scripts": {"test": "mocha-like"}}`:                                           "",
		`{"scripts": {"test": ["mocha"]}}`:                                              "",
		`not JSON`:                                                                      "",
	} {
		got := custom.Suggest([]byte(manifest))
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("of %s: %q, want one with %q", manifest, got, want)
		}
	}
}
