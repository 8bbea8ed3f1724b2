package gotest

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"autocoder/engine/runner"
)

func TestGiven(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{}
	for name, text := range map[string]string{
		"srv/go.mod": "module ex.com/srv\n", "srv/a_test.go": "package srv\n", "srv/calc/b_test.go": "package calc\n",
		"srv/calc/deep/c_test.go": "package deep\n", "srv/calculus/d_test.go": "package calculus\n",
	} {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for command, want := range map[string]string{
		"go test":                         "-json ex.com/srv",
		"go test ./...":                   "-json ./...",
		"go test .":                       "-json ex.com/srv",
		"go test ./calc":                  "-json ex.com/srv/calc",
		"go test ./calc/...":              "-json ex.com/srv/calc ex.com/srv/calc/deep",
		"go test ex.com/srv/calculus":     "-json ex.com/srv/calculus",
		"go test ex.com/srv/calc/... .":   "-json ex.com/srv ex.com/srv/calc ex.com/srv/calc/deep",
		"go test -tags x -race ./...":     "-json -tags=x -race ./...",
		"go test ./... -tags=x":           "-json -tags=x ./...",
		"go test --run TestA -v ./calc":   "-json --run=TestA ex.com/srv/calc",
		"go test -count 1 -failfast -p 2": "-json -p=2 ex.com/srv",
		"go test -cover -coverprofile c":  "-json ex.com/srv",
		"go test . -args -x ./y":          "-json ex.com/srv -args -x ./y",
		"/usr/local/go/bin/go test .":     "-json ex.com/srv",
		"go test ./none/...":              "",
		"go test -c .":                    "",
		"go test -C srv .":                "",
		"go vet ./...":                    "",
		"make test":                       "",
		"go":                              "",
	} {
		unit, ok, err := Given(tree, "srv", strings.Fields(command))
		if err != nil || ok != (want != "") {
			t.Errorf("%s: %t, %v", command, ok, err)
			continue
		}
		if !ok {
			continue
		}
		got := strings.Join(slices.DeleteFunc(built(t, unit, runner.Selection{}), func(arg string) bool {
			return slices.Contains([]string{"-count=1", "-fullpath", "-timeout=0"}, arg)
		}), " ")
		if got != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
	if _, ok, err := Given(tree, ".", []string{"go", "test"}); ok || err != nil {
		t.Errorf("a folder without a module: %t, %v", ok, err)
	}
}

// built is the only command of a selection, without "go test".
func built(t *testing.T, unit runner.Unit, sel runner.Selection) []string {
	t.Helper()
	specs, err := commands(unit, sel, runner.Report{Folder: "/scratch/report"}, runner.Limits{})
	if err != nil || len(specs) != 1 {
		t.Fatalf("commands: %v, %v", specs, err)
	}
	return specs[0].Args[2:]
}

// TestGivenAndChosen lays our own choice of tests over that of the command.
func TestGivenAndChosen(t *testing.T) {
	t.Parallel()
	unit := runner.Unit{
		Root: ".", Parts: []string{"m"}, Interpreter: "go",
		Command: []string{"go", "test", "-run", "TestA|TestB", "-skip=TestSlow", "-short", "."},
	}
	got := built(t, unit, runner.Selection{IDs: []string{"m.TestA"}})
	want := []string{"-json", "-count=1", "-fullpath", "-timeout=0", "-run=^TestA$", "-skip=TestSlow", "-short", "m"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a test chosen (-want +got):\n%s", diff)
	}
	got = built(t, unit, runner.Selection{Skip: []string{"m.TestA"}})
	want = []string{"-json", "-count=1", "-fullpath", "-timeout=0", "-skip=^TestA$|TestSlow", "-run=TestA|TestB", "-short", "m"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a test left out (-want +got):\n%s", diff)
	}
}
