package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"autocoder/engine/report"
)

// TestCompare has a test that can only pass outside of the sandbox.
func TestCompare(t *testing.T) {
	t.Parallel()
	p := newProject(t, "-- a.txt --\na\n")
	key := filepath.Join(p.options.Home, "notes")
	mkdir(t, p.options.Home)
	if err := os.WriteFile(key, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.settings.Report = "tap"
	p.settings.TestCommand = `sh -c 'echo 1..2; echo ok 1 - same; test -e ` + key + ` && echo ok 2 - notes || { echo not ok 2 - notes; exit 1; }'`
	d, err := p.open(t).Compare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []report.Difference{{ID: "notes", Inside: "failed", Outside: "passed"}}
	for i := range d.Sandbox.Compared {
		d.Sandbox.Compared[i].Why = ""
	}
	if diff := gocmp.Diff(want, d.Sandbox.Compared); diff != "" || d.Sandbox.Tier != "isolated" {
		t.Errorf("%s in %s", diff, d.Sandbox.Tier)
	}
}
