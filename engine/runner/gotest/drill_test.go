package gotest

import (
	"crypto/rand"
	goparser "go/parser"
	"go/token"
	"strings"
	"testing"

	"autocoder/engine/runner"
)

// TestDrillOfTwoPackages holds that tests of the same name in two packages are
// forced by one entry: the compiler refuses a key that is there twice.
func TestDrillOfTwoPackages(t *testing.T) {
	t.Parallel()
	d, err := runner.NewDrill(Adapter(), []string{"ex/a.TestRun", "ex/b.TestRun", "ex/b.TestStop"}, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text := canaryText(d, "hook", nil)
	if _, err := goparser.ParseFile(token.NewFileSet(), "canaries.go", text, 0); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{`"TestRun": true`, `"TestStop": true`} {
		if n := strings.Count(text, name); n != 1 {
			t.Errorf("%s is there %d times", name, n)
		}
	}
}
