package propose

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"autocoder/engine/outcome"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"

	"github.com/google/go-cmp/cmp"
)

// ask asks p until it has nothing left, as the loop does, and returns the
// proposals and the last error.
func ask(t *testing.T, p Proposer, view View) ([]Proposal, error) {
	t.Helper()
	var history []Attempt
	var got []Proposal
	for range 20 {
		proposal, err := p.Propose(t.Context(), view, history)
		if err != nil {
			return got, err
		}
		got = append(got, proposal)
		history = append(history, Attempt{Proposal: proposal, Verdict: outcome.Applied})
	}
	return got, nil
}

func TestScripted(t *testing.T) {
	t.Parallel()
	script := `[
  {"write": {"b.py": "b", "a.py": "a\r\n"}, "title": "first", "why": "because", "comment": {"ignored": true}},
  {"delete": ["x"], "symlink": {"l": "a.py"}},
  {}
]`
	p, err := Scripted("edits.json", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	if p.Name() != "script:edits.json" {
		t.Errorf("it is called %q", p.Name())
	}
	got, err := ask(t, p, View{})
	if !errors.Is(err, ErrNothingLeft) {
		t.Errorf("the end is %v", err)
	}
	want := []Proposal{
		{Title: "first", Why: "because", Origin: "script", Patch: textedit.Patch{Ops: []textedit.Op{
			{Kind: textedit.OpCreate, Path: "a.py", AnyBase: true, Content: []byte("a\r\n")},
			{Kind: textedit.OpCreate, Path: "b.py", AnyBase: true, Content: []byte("b")},
		}}},
		{Origin: "script", Patch: textedit.Patch{Ops: []textedit.Op{
			{Kind: textedit.OpDelete, Path: "x", AnyBase: true},
			{Kind: textedit.OpSymlink, Path: "l", AnyBase: true, Target: "a.py"},
		}}},
		{Origin: "script"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestScriptedTakesOneEdit(t *testing.T) {
	t.Parallel()
	for _, script := range []string{`{"write": {"a": "x"}}`, "\ufeff \n{\"write\": {\"a\": \"x\"}}", `[{"write": {"a": "x"}}]`} {
		p, err := Scripted("s", []byte(script))
		if err != nil {
			t.Errorf("%q: %v", script, err)
			continue
		}
		if got, _ := ask(t, p, View{}); len(got) != 1 || len(got[0].Patch.Ops) != 1 {
			t.Errorf("%q: %d proposals", script, len(got))
		}
	}
}

func TestScriptedTellsWhereItIsWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ script, want string }{
		{"", "s:1:1: not valid JSON"},
		{"[\n  {\"write\": }\n]", "s:2:13: not valid JSON"},
		{"[{}", "s:1:3: not valid JSON"},
		{`"x"`, `is a JSON string, and must be a list of edits`},
		{"[\n {\"write\": [\"a\"]}]", `s:2:`},
		{`{"write": {"a": 1}}`, `"write" is a JSON number, and must be a map from paths to texts`},
		{`{"delete": "a"}`, `"delete" is a JSON string, and must be a list of paths`},
		{`{"symlink": 1}`, `must be a map from paths to texts`},
		{`{"why": 1}`, `must be a text`},
	} {
		_, err := Scripted("s", []byte(c.script))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "read script s:") {
			t.Errorf("%q: %v, want %q", c.script, err, c.want)
		}
	}
}

func only(name string, n int) Proposer {
	return Func(name, func(_ context.Context, _ View, h []Attempt) (Proposal, error) {
		done := 0
		for _, a := range h {
			if a.Proposal.Origin == name {
				done++
			}
		}
		if done == n {
			return Proposal{}, fmt.Errorf("%d tried: %w", n, ErrNothingLeft)
		}
		return Proposal{Origin: name, Title: fmt.Sprint(done + 1)}, nil
	})
}

func TestChain(t *testing.T) {
	t.Parallel()
	c := Chain(only("cheap", 2), Once("empty", Proposal{}), only("dear", 1))
	if c.Name() != "cheap+empty+dear" {
		t.Errorf("it is called %q", c.Name())
	}
	got, err := ask(t, c, View{})
	var order []string
	for _, p := range got {
		order = append(order, p.Origin+p.Title)
	}
	if diff := cmp.Diff([]string{"cheap1", "cheap2", "dear1"}, order); diff != "" {
		t.Error(diff)
	}
	if want := "cheap: 2 tried; dear: 1 tried: nothing left to propose"; !errors.Is(err, ErrNothingLeft) || err.Error() != want {
		t.Errorf("the end is %v, want %s", err, want)
	}
	if _, err := Chain().Propose(t.Context(), View{}, nil); !errors.Is(err, ErrNothingLeft) {
		t.Errorf("an empty chain: %v", err)
	}
	down := errors.New("the provider is down")
	fails := Func("fails", func(context.Context, View, []Attempt) (Proposal, error) { return Proposal{}, down })
	if _, err := Chain(fails, only("dear", 1)).Propose(t.Context(), View{}, nil); !errors.Is(err, down) {
		t.Errorf("an error gives way: %v", err)
	}
}

// nullView is a view of a red test of test/test_calc.py.
func nullView(files map[string]string, frames ...string) View {
	id := testresult.ID{Native: "test/test_calc.py::test_add"}
	failure := &testresult.Failure{At: testresult.Frame{File: "test/test_calc.py", Line: 3}}
	for _, f := range frames {
		failure.Frames = append(failure.Frames, testresult.Frame{File: f, Line: 1})
	}
	v := View{
		Targets: []testresult.ID{id},
		Result: testresult.Result{Units: []testresult.UnitRun{{Tests: []testresult.Test{
			{ID: id, Status: testresult.Failed, Part: "test/test_calc.py", Failure: failure},
		}}}},
		Read: func(p string) (textedit.File, error) {
			content, ok := files[p]
			if !ok {
				return textedit.File{}, nil
			}
			return textedit.File{Kind: textedit.Regular, Content: []byte(content), Mode: 0o644}, nil
		},
		Editable: func(p string) error {
			if strings.HasPrefix(p, "test/") {
				return errors.New("protected")
			}
			return nil
		},
	}
	for _, p := range []string{"README", "other.py", "src/calc.py", "test/test_calc.py"} {
		if _, ok := files[p]; ok {
			v.Files = append(v.Files, p)
		}
	}
	return v
}

func TestNullEditsTheNearestFile(t *testing.T) {
	t.Parallel()
	all := map[string]string{"README": "", "other.py": "", "src/calc.py": "", "test/test_calc.py": ""}
	for _, c := range []struct {
		name   string
		files  map[string]string
		frames []string
		want   string
	}{
		{"the deepest frame", all, []string{"test/test_calc.py", "src/calc.py", "other.py"}, "other.py"},
		{"a frame that may be edited", all, []string{"other.py", "test/test_calc.py"}, "other.py"},
		{"a name like the test's", all, nil, "src/calc.py"},
		{"any source", map[string]string{"README": "", "other.py": "", "test/test_calc.py": ""}, nil, "other.py"},
		{"anything", map[string]string{"README": "", "test/test_calc.py": ""}, nil, "README"},
	} {
		got, _ := ask(t, Null(), nullView(c.files, c.frames...))
		if len(got) == 0 || got[0].Patch.Paths()[0] != c.want {
			t.Errorf("%s: %+v, want an edit of %s", c.name, got, c.want)
		}
	}
	_, err := Null().Propose(t.Context(), nullView(map[string]string{"test/test_calc.py": ""}), nil)
	if !errors.Is(err, ErrNothingLeft) || !strings.Contains(err.Error(), "no model configured") {
		t.Errorf("without a file to edit: %v", err)
	}
}

// TestNullIsHarmless holds that its edits are comments, each another, and keep
// line ends and a missing final newline.
func TestNullIsHarmless(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, content, first string }{
		{"src/calc.py", "a\n", "a\n# no model configured (1)\n"},
		{"src/calc.py", "a", "a\n# no model configured (1)"},
		{"src/calc.py", "", "# no model configured (1)\n"},
		{"src/calc.py", "a\r\nb", "a\r\nb\r\n# no model configured (1)"},
		{"src/calc.go", "package a\n", "package a\n// no model configured (1)\n"},
		{"src/calc.lua", "x\n", "x\n-- no model configured (1)\n"},
		{"README", "text\n", "text\n\n"},
	} {
		files := map[string]string{c.path: c.content}
		view := nullView(files, c.path)
		var history []Attempt
		seen := map[string]bool{c.content: true}
		for n := range 3 {
			p, err := Null().Propose(t.Context(), view, history)
			if err != nil {
				t.Fatal(err)
			}
			if p.Why != "no model configured" {
				t.Errorf("the note is %q", p.Why)
			}
			s, err := textedit.State{}.Apply(view.Read, p.Patch)
			if err != nil {
				t.Fatal(err)
			}
			f, _ := s.Lookup(c.path)
			text := string(f.Content)
			if n == 0 && text != c.first {
				t.Errorf("%s %q becomes %q, want %q", c.path, c.content, text, c.first)
			}
			if seen[text] || !strings.HasPrefix(text, c.content) {
				t.Errorf("edit %d gives %q", n+1, text)
			}
			seen[text] = true
			files[c.path] = text
			history = append(history, Attempt{Proposal: p, Verdict: outcome.Applied})
		}
	}
}
