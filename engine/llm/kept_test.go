package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"autocoder/engine/chat"
	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// run lets a model propose as the loop does: edits that repair nothing stay. It
// returns what the files are in the end.
func (w *world) run(t *testing.T, answers ...string) map[string]string {
	t.Helper()
	k := &completer{answer: func(n int) (chat.Reply, error) { return says(answers[min(n, len(answers)-1)]) }}
	m := w.model(k)
	var history []propose.Attempt
	for range answers {
		v := w.view()
		v.Evaluate = func(_ context.Context, patches []textedit.Patch, _ propose.Scope) ([]testresult.Result, error) {
			var all []testresult.Result
			for _, p := range patches {
				all = append(all, w.test(t, w.with(t, p)))
			}
			return all, nil
		}
		p, err := m.Propose(t.Context(), v, history)
		if err != nil {
			t.Fatal(err)
		}
		w.files = w.with(t, p.Patch)
		result := w.test(t, w.files)
		if len(result.NotPassing(v.Targets)) == 0 {
			return w.files
		}
		history = append(history, propose.Attempt{Proposal: p, Verdict: outcome.Applied, Result: &result})
	}
	return w.files
}

// with is the files with a patch.
func (w *world) with(t *testing.T, p textedit.Patch) map[string]string {
	t.Helper()
	read := w.view().Read
	state, err := textedit.State{}.Apply(read, p)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for path, text := range w.files {
		files[path] = text
	}
	for _, path := range state.Paths() {
		f, _ := state.Lookup(path)
		if files[path] = string(f.Content); f.Kind == textedit.Absent {
			delete(files, path)
		}
	}
	return files
}

// test passes when the sum is one, and when the helper is there if it is imported.
func (w *world) test(t *testing.T, files map[string]string) testresult.Result {
	t.Helper()
	tests := append([]testresult.Test{}, w.tests...)
	text := files["src/calc.py"]
	if strings.Contains(text, "a + b") && (files["src/help.py"] != "" || !strings.Contains(text, "src.help")) {
		tests[0].Status, tests[0].Failure = testresult.Passed, nil
	}
	return testresult.Result{Units: []testresult.UnitRun{{Tests: tests}}}
}

func replace(path, old, repl string) string {
	return path + "\n```\n<<<<<<< SEARCH\n" + old + "\n=======\n" + repl + "\n>>>>>>> REPLACE\n```\n"
}

// TestLeftovers: what wrong tries left in the files is not part of the right edit,
// unless that needs it, and an edit of the text before them is understood.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	whole := calc().files["src/calc.py"]
	right := strings.Replace(whole, "a - b", "a + b", 1)
	fix := replace("src/calc.py", "    return a - b", "    return a + b")
	for _, c := range []struct {
		name    string
		answers []string
		want    map[string]string
	}{
		{"a file that is no use", []string{"src/help.py\n```\nHELP = 1\n```\n", fix}, map[string]string{"src/calc.py": right, "src/help.py": ""}},
		{"lines elsewhere", []string{replace("src/calc.py", "from src.rates import RATE", "from src.rates import RATE  # rates"), fix}, map[string]string{"src/calc.py": right}},
		{"another file", []string{replace("src/rates.py", "RATE = 3", "RATE = 4"), fix}, map[string]string{"src/calc.py": right, "src/rates.py": "RATE = 3\n"}},
		{"the same line", []string{replace("src/calc.py", "    return a - b", "    return a * b"), replace("src/calc.py", "    return a * b", "    return a + b")}, map[string]string{"src/calc.py": right}},
		{"the same line, as it was", []string{replace("src/calc.py", "    return a - b", "    return a * b"), fix}, map[string]string{"src/calc.py": right}},
		{"two tries", []string{"src/help.py\n```\nHELP = 1\n```\n", replace("src/rates.py", "RATE = 3", "RATE = 4"), fix}, map[string]string{"src/calc.py": right, "src/help.py": "", "src/rates.py": "RATE = 3\n"}},
		{
			"a file that it needs",
			[]string{"src/help.py\n```\nHELP = 1\n```\n", replace("src/calc.py", "    return a - b", "    import src.help\n    return a + b")},
			map[string]string{"src/calc.py": strings.Replace(whole, "    return a - b", "    import src.help\n    return a + b", 1), "src/help.py": "HELP = 1\n"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := calc().run(t, c.answers...)
			for path, want := range c.want {
				if files[path] != want {
					t.Errorf("%s is\n%s\nand not\n%s", path, files[path], want)
				}
			}
		})
	}
}

// TestNothingIsKept is the control: edits that the loop threw away leave nothing.
func TestNothingIsKept(t *testing.T) {
	t.Parallel()
	w := calc()
	k := &completer{answer: func(n int) (chat.Reply, error) {
		return says([]string{replace("src/calc.py", "    return a - b", "    return a * b"), replace("src/calc.py", "    return a * b", "    return a + b")}[min(n, 1)])
	}}
	m := w.model(k)
	p, err := m.Propose(t.Context(), w.view(), nil)
	if err != nil {
		t.Fatal(err)
	}
	history := []propose.Attempt{{Proposal: p, Verdict: outcome.RolledBack}}
	if _, err := m.Propose(t.Context(), w.view(), history); !errors.Is(err, propose.ErrNothingLeft) || !strings.Contains(err.Error(), "does not stand") {
		t.Errorf("an edit of what was thrown away: %v", err)
	}
}
