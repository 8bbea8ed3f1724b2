package engine_test

import (
	"testing"

	"autocoder/engine"
	"autocoder/engine/foldertest"
	"autocoder/engine/outcome"
)

// TestFoldersAreRenamed has a suite that renames a folder of the project, as an
// ordinary user, to whom the kernel refuses that on layers: it is run on a copy then,
// and the fix beside it is found, and confirmed, all the same.
func TestFoldersAreRenamed(t *testing.T) {
	if foldertest.AsOrdinaryUser(t) {
		return
	}
	p := newProject(t, `
-- sum.py --
def add(a, b):
    return a - b
-- data/old/a.txt --
a
-- test_sum.py --
import os, shutil
from sum import add

def test_add():
    assert add(2, 3) == 5

def test_rename():
    os.rename("data/old", "data/new")
    assert open("data/new/a.txt").read() == "a\n"
    shutil.move("data/new", "moved")
    assert os.path.exists("moved/a.txt")
`)
	p.need(t, "pytest")
	p.script(t, `{"write": {"sum.py": "def add(a, b):\n    return a + b\n"}}`)
	r := p.fix(t, engine.FixRequest{})
	if r.Outcome != outcome.Fixed || r.Baseline.Passed != 1 || r.Sandbox != "isolated" {
		t.Errorf("outcome %s in %s: %s, baseline %+v, warnings %q", r.Outcome, r.Sandbox, r.Reason, r.Baseline, r.Warnings)
	}
}
