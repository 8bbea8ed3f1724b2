package nodetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"autocoder/engine/runner"
	"autocoder/engine/runner/runnertest"
	"autocoder/engine/testresult"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("not on this system: needs scripts with an interpreter line")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	tool := func(script string) string {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "node"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	path := os.Getenv("PATH")
	for name, test := range map[string]struct {
		path   string
		reason testresult.Reason
		detail string
	}{
		"the user's":              {path: path},
		"none":                    {path: t.TempDir(), reason: testresult.NotInstalled, detail: "node was not found in PATH"},
		"one that fails":          {path: tool("echo no node today >&2; exit 3"), reason: testresult.NotInstalled, detail: "exit code 3: no node today"},
		"another program":         {path: tool("echo hello"), reason: testresult.NotInstalled, detail: "did not answer as Node does"},
		"an old one":              {path: tool(`echo '{"Version":"16.20.2","Path":"/n"}'`), reason: testresult.NotInstalled, detail: "needs Node 18.13.0 or later"},
		"a shim that fails first": {path: tool("exit 1") + string(filepath.ListSeparator) + path},
	} {
		cell := runnertest.OpenCell(t, runnertest.Write(t, "p", []txtar.File{{Name: "a.test.js"}}))
		unit, err := probe(t.Context(), cell, runner.Unit{Root: ".", Parts: []string{"a.test.js"}}, []string{"PATH=" + test.path})
		if err != nil {
			t.Fatal(err)
		}
		if unit.Reason != test.reason || !strings.Contains(unit.Detail, test.detail) {
			t.Errorf("%s: got %s: %s, want %s: %s", name, unit.Reason, unit.Detail, test.reason, test.detail)
		}
		if unit.Reason == testresult.NoReason && !filepath.IsAbs(unit.Interpreter) {
			t.Errorf("%s: the interpreter is %q", name, unit.Interpreter)
		}
	}
}
