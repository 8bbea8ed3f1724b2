package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autocoder/engine"
	"autocoder/engine/outcome"
)

// TestFaults has tests that do harm beside one that an edit repairs. Whatever
// they do, the run ends with an outcome, the folder is as it was, and nothing is
// left; the repairable test is repaired where the others let it.
func TestFaults(t *testing.T) {
	t.Parallel()
	const repairable = "from sum import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
	for name, c := range map[string]struct {
		test string
		// want is Fixed where the harm is bounded by itself; elsewhere any ending will
		// do, as the harm may be found anywhere.
		want outcome.Outcome
	}{
		"writes a gigabyte": {`import os

def test_harm():
    block = b"x" * (1 << 20)
    for _ in range(1024):
        os.write(1, block)
`, outcome.Fixed},
		"never ends": {`def test_harm():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
`, outcome.Fixed},
		"detaches twice": {`import os, signal, time

def test_harm():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(3600)
        os._exit(0)
    os.wait()
`, outcome.Fixed},
		"fills its folder": {`import os

def test_harm():
    for folder in (".", os.environ["HOME"], os.environ.get("TMPDIR", "/tmp")):
        for n in range(50):
            with open(os.path.join(folder, "fill%d" % n), "wb") as f:
                f.write(b"x" * (1 << 20))
`, outcome.GaveUp},
		"leaves hooks and caches": {`import os, stat

def test_harm():
    home = os.environ["HOME"]
    for path in (".git/hooks/pre-commit", ".git/config", "node_modules/.bin/pytest", "__pycache__/sum.cpython-311.pyc", ".venv/bin/python3",
                 home + "/.local/bin/python3", home + "/.bashrc", home + "/.config/git/config", home + "/.cache/go-build/trim.txt"):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write("#!/bin/sh\nexit 0\n")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
`, outcome.Fixed},
		"removes everything": {`import os, shutil

def test_harm():
    here = os.getcwd()
    for folder in (os.environ["HOME"], os.path.expanduser("~"), here):
        shutil.rmtree(folder, ignore_errors=True)
`, outcome.GaveUp},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, "-- sum.py --\ndef add(a, b):\n    return a - b\n-- test_sum.py --\n"+repairable+"-- test_zharm.py --\n"+c.test)
			p.need(t, "pytest")
			p.settings.TestTimeout = 3 * time.Second
			p.script(t, `{"write": {"sum.py": "def add(a, b):\n    return a + b\n"}}`)
			r := p.fix(t, engine.FixRequest{Only: []string{"test_sum.py::test_add"}})
			if r.Outcome != c.want && c.want == outcome.Fixed || r.Outcome == outcome.Invalid {
				t.Errorf("outcome %s: %s; warnings %q", r.Outcome, r.Reason, r.Warnings)
			}
			wholeReport(t, r)
		})
	}
}

// TestAStateFolderThatCantBeWritten holds that a run says what it could not
// write, and works all the same where it can.
func TestAStateFolderThatCantBeWritten(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"runs", "locks", "journals"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := redSums(t)
			mkdir(t, p.state)
			file := filepath.Join(p.state, name)
			// A file in the place of a folder can't be written by anybody, root included.
			if err := os.WriteFile(file, nil, 0o400); err != nil {
				t.Fatal(err)
			}
			before := tree(t, p.root)
			w, err := engine.Open(t.Context(), p.root, p.settings, p.options)
			if err != nil {
				t.Fatal(err)
			}
			r, err := w.Fix(t.Context(), engine.FixRequest{})
			switch {
			case err == nil && r.Outcome != outcome.Fixed:
				t.Errorf("outcome %s: %s", r.Outcome, r.Reason)
			case err == nil && !strings.Contains(strings.Join(r.Warnings, " ")+p.warned(), file):
				t.Errorf("nothing says that %s can't be written: %q", file, r.Warnings)
			case err != nil && !strings.Contains(err.Error(), file):
				t.Errorf("it does not say what can't be written: %v", err)
			}
			p.untouched(t, before)
			p.nothingLeft(t)
		})
	}
}
