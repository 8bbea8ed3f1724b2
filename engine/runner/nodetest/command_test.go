package nodetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autocoder/engine/runner"
	"autocoder/engine/testresult"
)

func TestCommands(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "a [report] %41")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	unit := runner.Unit{
		Root: "sub", Interpreter: "/node", Version: "22.1.0", Parts: []string{"a.test.js", "b[1].test.js"},
		Command: []string{"node", "--import", "./x.mjs", "--test-name-pattern", "only", "--test", "*.test.js"},
	}
	before := "/node --require " + folder + "/preload.cjs --import ./x.mjs "
	reporter := "--test --test-reporter=file://" + strings.NewReplacer(" ", "%20", "[", "%5B", "]", "%5D", "%", "%25").Replace(folder) +
		"/reporter.mjs --test-reporter-destination=" + folder + "/report.jsonl "
	for name, test := range map[string]struct {
		sel  runner.Selection
		want []string
	}{
		"all": {want: []string{before + "--test-name-pattern only " + reporter + "./a.test.js ./b[[]1].test.js"}},
		"one": {
			sel:  runner.Selection{IDs: []string{"a.test.js > s > t.x"}},
			want: []string{before + reporter + `--test-name-pattern=^s > t\.x$ --test-name-pattern=^s$ --test-name-pattern=^t\.x$ ./a.test.js`},
		},
		"all but a file": {sel: runner.Selection{Skip: []string{"a.test.js", "b[1].test.js > x"}}, want: []string{before + "--test-name-pattern only " + reporter + "./b[[]1].test.js"}},
		"no ids of ours": {sel: runner.Selection{IDs: []string{"what", "c.test.js > x"}}},
	} {
		specs, err := commands(unit, test.sel, runner.Report{Folder: folder, Root: "/w"}, runner.Limits{Test: 2 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, spec := range specs {
			got = append(got, strings.Join(spec.Args, " "))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	if _, err := commands(unit, runner.Selection{Skip: []string{"a.test.js > s > t #2"}}, runner.Report{Folder: folder, Root: "/w"}, runner.Limits{Test: 2 * time.Second}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(folder, configFile))
	if err != nil {
		t.Fatal(err)
	}
	var got config
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want := config{Root: "/w", Limit: 2000, Load: 6000, Output: outputLimit, Skip: map[string][]string{"/w/sub/a.test.js": {"s > t #2"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("configuration: -want +got:\n%s", diff)
	}
}

func TestAccept(t *testing.T) {
	t.Parallel()
	unit := runner.Unit{Parts: []string{"a.js", "b.ts", "c.mts"}, Command: []string{"node", "--test"}}
	loader := unit
	loader.Command = []string{"node", "--import", "tsx", "--test"}
	only := unit
	only.Parts = []string{"b.ts"}
	for name, test := range map[string]struct {
		unit    runner.Unit
		version string
		parts   int
		reason  testresult.Reason
	}{
		"an old one":                     {unit, "20.20.2", 1, testresult.NoReason},
		"one that takes types away":      {unit, "22.18.0", 3, testresult.NoReason},
		"one between":                    {unit, "23.5.0", 1, testresult.NoReason},
		"a late one":                     {unit, "24.0.0", 3, testresult.NoReason},
		"an old one with a loader":       {loader, "20.20.2", 3, testresult.NoReason},
		"an old one and TypeScript only": {only, "20.20.2", 0, testresult.NotInstalled},
		"a late one and TypeScript only": {only, "24.0.0", 1, testresult.NoReason},
	} {
		got := accept(test.unit, node{Version: test.version, Path: "/usr/bin/node"})
		if len(got.Parts) != test.parts || got.Reason != test.reason {
			t.Errorf("%s: got %q, %s %s", name, got.Parts, got.Reason, got.Detail)
		}
	}
	if len(unit.Parts) != 3 || unit.Parts[1] != "b.ts" {
		t.Errorf("the unit that was given has changed: %q", unit.Parts)
	}
}
