package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine"
	"autocoder/engine/outcome"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// wordTests runs one test: calc.txt has the word plus.
func wordTests(_ context.Context, dir string, _ []string) (testresult.UnitRun, error) {
	text, err := os.ReadFile(filepath.Join(dir, "calc.txt"))
	test := testresult.Test{ID: testresult.ID{Native: "plus"}, Status: testresult.Passed}
	if err == nil && !strings.Contains(string(text), "plus") {
		test.Status, test.Failure = testresult.Failed, &testresult.Failure{Kind: "assertion", Message: "no plus", At: testresult.Frame{File: "calc.txt", Line: 1}}
	}
	return testresult.UnitRun{Tests: []testresult.Test{test, {ID: testresult.ID{Native: "always"}, Status: testresult.Passed}}}, err
}

func wordProject(t *testing.T) *project {
	t.Helper()
	p := newProjectAt(t, "project", []txtar.File{{Name: "calc.txt", Data: []byte("minus\n")}})
	p.options.Runners = []engine.Runner{{Name: "words", Run: wordTests}}
	p.script(t, `{"write": {"calc.txt": "plus\n"}}`)
	return p
}

func TestOffersAreTheEditsOfTheLastFix(t *testing.T) {
	t.Parallel()
	p := wordProject(t)
	w := p.open(t)
	w.Update(map[string][]byte{"calc.txt": []byte("unsaved\n")})
	r, err := w.Fix(t.Context(), engine.FixRequest{})
	if err != nil || r.Outcome != outcome.Fixed {
		t.Fatalf("%s, %v", r.Outcome, err)
	}
	fix := w.Offers().Fix
	if len(fix) != 1 || fix[0].Path != "calc.txt" || string(fix[0].Base.Content) != "unsaved\n" || string(fix[0].New.Content) != "plus\n" {
		t.Errorf("the offer is %+v", fix)
	}
	if p.read(t, "calc.txt") != "minus\n" {
		t.Error("the file was written")
	}
	w.Update(map[string][]byte{"calc.txt": []byte("plus\n")})
	if _, err := w.Fix(t.Context(), engine.FixRequest{}); err != nil || len(w.Offers().Fix) != 0 {
		t.Errorf("after a run without an edit: %+v, %v", w.Offers(), err)
	}
}

func TestAGivenPatchIsVerifiedAndNothingElse(t *testing.T) {
	t.Parallel()
	p := wordProject(t)
	for text, want := range map[string]outcome.Outcome{"more plus\n": outcome.Fixed, "useless\n": outcome.GaveUp} {
		patch := textedit.Patch{Ops: []textedit.Op{{Kind: textedit.OpCreate, Path: "calc.txt", AnyBase: true, Content: []byte(text)}}}
		r, err := p.open(t).Fix(t.Context(), engine.FixRequest{Patch: &patch, Only: []string{"plus"}})
		if err != nil || r.Outcome != want || len(r.Attempts) != 1 {
			t.Errorf("%q: %s, %d attempts, %v: %s", text, r.Outcome, len(r.Attempts), err, r.Reason)
		}
	}
}

func TestRunTestsTellsAndTouchesNothing(t *testing.T) {
	t.Parallel()
	p := wordProject(t)
	before := tree(t, p.root)
	tests, err := p.open(t).RunTests(t.Context())
	if err != nil || tests.Status != testresult.Fail || len(tests.Failing) != 1 || tests.Failing[0].ID != "plus" || tests.Failing[0].Line != 1 {
		t.Errorf("%+v, %v", tests, err)
	}
	p.untouched(t, before)
	p.nothingLeft(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.open(t).RunTests(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestRebase(t *testing.T) {
	t.Parallel()
	const base = "one\ntwo\nthree\nfour\nfive\n"
	file := func(text string) textedit.File {
		return textedit.File{Kind: textedit.Regular, Content: []byte(text), Mode: 0o644}
	}
	for _, c := range []struct {
		name, edited, now, want string
	}{
		{"as it was", "one\nTWO\nthree\nfour\nfive\n", base, "one\nTWO\nthree\nfour\nfive\n"},
		{"typed before", "one\ntwo\nthree\nfour\nFIVE\n", "zero\n" + base, "zero\none\ntwo\nthree\nfour\nFIVE\n"},
		{"typed after", "ONE\ntwo\nthree\nfour\nfive\n", base + "six\n", "ONE\ntwo\nthree\nfour\nfive\nsix\n"},
		{"the same line", "one\nTWO\nthree\nfour\nfive\n", "one\n2\nthree\nfour\nfive\n", ""},
		{"the next line", "one\nTWO\nthree\nfour\nfive\n", "one\ntwo\n3\nfour\nfive\n", ""},
		{"both at one place", "one\ntwo\nours\nthree\nfour\nfive\n", "one\ntwo\ntheirs\nthree\nfour\nfive\n", ""},
	} {
		offered := []engine.OfferedFile{{Path: "a", Base: file(base), New: file(c.edited)}}
		now := func(string) (textedit.File, error) { return file(c.now), nil }
		patch, err := engine.Rebase(offered, now)
		if c.want == "" {
			if !errors.Is(err, engine.ErrOverlap) {
				t.Errorf("%s: %v, want an overlap", c.name, err)
			}
			continue
		}
		state, applied := textedit.State{}.Apply(now, patch)
		if got, _ := state.Lookup("a"); err != nil || applied != nil || string(got.Content) != c.want {
			t.Errorf("%s: %q, %v, %v", c.name, got.Content, err, applied)
		}
	}
}

func TestFingerprints(t *testing.T) {
	t.Parallel()
	p := wordProject(t)
	print := func(buffers map[string][]byte) string {
		t.Helper()
		w := p.open(t)
		w.Update(buffers)
		text, err := w.Fingerprint(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	first := print(nil)
	if print(map[string][]byte{"calc.txt": []byte("minus\n")}) != first {
		t.Error("a buffer with the file's text makes a difference")
	}
	if print(map[string][]byte{"calc.txt": []byte("other\n")}) == first || print(map[string][]byte{"new.txt": nil}) == first {
		t.Error("a buffer with another text makes none")
	}
	p.settings.MaxAttempts++
	if print(nil) == first {
		t.Error("a setting makes no difference")
	}
}

// TestTriedIsRememberedWithItsFix keeps what a run that nobody asked for came to.
func TestTriedIsRememberedWithItsFix(t *testing.T) {
	t.Parallel()
	p := wordProject(t)
	file := func(text string) textedit.File {
		return textedit.File{Kind: textedit.Regular, Content: []byte(text), Mode: 0o644}
	}
	fix := []engine.OfferedFile{
		{Path: "calc.txt", Base: file("minus\n"), New: file("plus\n")}, {Path: "new.txt", New: file("new\n")},
	}
	secret := []engine.OfferedFile{{Path: "new.txt", New: file("key = \"sk-ant-api03-" + strings.Repeat("a1B2", 20) + "\"\n")}}
	for _, c := range []struct {
		name    string
		noted   engine.Earlier
		buffers map[string][]byte
		known   bool
	}{
		{"no fix", engine.Earlier{Run: "run-1"}, nil, true},
		{"a fix", engine.Earlier{Run: "run-2", Fix: fix}, nil, true},
		{"other files", engine.Earlier{Run: "run-3", Fix: fix}, map[string][]byte{"calc.txt": []byte("other\n")}, false},
		{"a secret", engine.Earlier{Run: "run-4", Fix: secret}, nil, false},
	} {
		w := p.open(t)
		if err := w.NoteTried(c.name, c.noted); err != nil {
			t.Fatal(err)
		}
		w = p.open(t)
		w.Update(c.buffers)
		got, known := w.Tried(c.name)
		if known != c.known {
			t.Errorf("%s: known %t", c.name, known)
		}
		if diff := cmp.Diff(c.noted, got); known && diff != "" {
			t.Errorf("%s: (-noted +remembered)\n%s", c.name, diff)
		}
	}
	if _, known := p.open(t).Tried("another"); known {
		t.Error("what was never noted is known")
	}
}

func TestIsTestFile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"test_a.py": true, "a/b/c_test.go": true, "x.test.mjs": true, "a.py": false, "latest.py": false, "contest.go": false,
	} {
		if engine.IsTestFile(name) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}
