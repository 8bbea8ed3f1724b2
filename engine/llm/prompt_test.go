package llm_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/chat"
	"autocoder/engine/outcome"
	"autocoder/engine/propose"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"

	gocmp "github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden prompts")

// TestPrompts holds whole prompts against golden files.
func TestPrompts(t *testing.T) {
	t.Parallel()
	wrong := propose.Attempt{
		Proposal: propose.Proposal{Patch: textedit.Patch{Ops: []textedit.Op{{Kind: textedit.OpEdit, Path: "src/calc.py", Edits: []textedit.Edit{{Start: 1, End: 2, New: "a * b"}}}}}},
		Verdict:  outcome.RolledBack, Note: "it breaks tests/test.py::test_other",
	}
	kept := wrong
	kept.Verdict, kept.Note = outcome.Applied, "the same tests fail"
	for _, c := range []struct {
		name    string
		world   *world
		history []propose.Attempt
		learn   bool
	}{
		{"first", calc(), nil, false},
		{"learnt", calc(), nil, true},
		{"again", calc(), []propose.Attempt{wrong, kept}, false},
		{"changed", changed(), nil, false},
		{"many", many(), nil, false},
		{"covered", covered(), nil, false},
	} {
		k := &completer{answer: func(int) (chat.Reply, error) { return says("GIVE UP: enough") }}
		m := c.world.model(k)
		if c.name == "covered" {
			m.Learn(propose.Coverage{
				Suspects: []propose.Suspect{{File: "src/deep.py", Line: 302, Score: 1, Why: "run by 1 of 1 failing and no passing"}},
				Lines:    map[string][]int{"src/deep.py": {300, 301, 302}, "src/calc.py": {6, 7}},
			}, "")
		}
		if c.learn {
			m.Learn(propose.Coverage{Suspects: []propose.Suspect{{File: "src/calc.py", Line: 7, Score: 0.9, Why: "all failing tests run it"}}}, "17 single edits were tried")
		}
		if _, err := m.Propose(t.Context(), c.world.view(), c.history); !errors.Is(err, propose.ErrNothingLeft) {
			t.Fatalf("%s: %v", c.name, err)
		}
		var got strings.Builder
		for _, message := range k.asked[0].Messages {
			fmt.Fprintf(&got, "=== %s (stable: %v)\n%s\n", message.Role, message.Stable, message.Text)
		}
		golden(t, filepath.Join("testdata", "prompt-"+c.name+".txt"), got.String())
		if strings.Contains(got.String(), "tr0ub4dor") {
			t.Errorf("%s: a secret is in the prompt", c.name)
		}
	}
}

// covered has its fault in a long file that neither the test nor a traceback names:
// only what ran tells of it.
func covered() *world {
	w := calc()
	var long strings.Builder
	for n := range 100 {
		fmt.Fprintf(&long, "def step_%d(a, b):\n    return a * %d + b\n\n", n, n)
	}
	w.files["src/deep.py"] = long.String() + "def subtract(a, b):\n    return a - b\n"
	return w
}

// changed broke by its last commit, which also changed what is told of nobody: a file
// that can't be edited, and a piece that is too large to be a slip.
func changed() *world {
	w := calc()
	w.changes = map[string][]propose.Change{
		"src/calc.py":   {{Line: 1, After: strings.Repeat("x = 1\n", 400)}, {Line: 7, Before: "    # the sum\n    return a + b\n", After: "    return a - b\n"}},
		"src/rates.py":  {{Line: 0, Before: "PASSWORD = \"tr0ub4dor&3\"\n"}},
		"tests/test.py": {{Line: 1, After: "import os\n"}},
	}
	return w
}

// many has more failures than a prompt can show, of few kinds.
func many() *world {
	w := calc()
	for n := range 500 {
		w.tests = append(w.tests, failing(fmt.Sprintf("tests/test.py::test_%d", n), fmt.Sprintf("assert %d == %d", n, n+1), 5))
	}
	w.tests = append(w.tests, failing("tests/test.py::test_zero", "ZeroDivisionError: division by zero", 9))
	return w
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// TestHangsAreShown: a test that hangs has no frames, and the prompt shows it and the
// code that it names all the same.
func TestHangsAreShown(t *testing.T) {
	t.Parallel()
	for _, root := range []string{"", "back/"} {
		w := newWorld(map[string]string{
			root + "go.mod": "module example.com/sums\n", root + "sub/sum.go": "package sub\n\nfunc Sum(n int) int { return Sum(n) }\n",
			root + "sub/other.go": "package sub\n\nfunc Unrelated() {}\n", root + "sub/sum_test.go": "package sub\n\nfunc TestSum(t *testing.T) { Sum(1) }\n",
			root + "sub/other_test.go": "package sub\n\nfunc TestOther(t *testing.T) {}\n", root + "sum_test.go": "package sums\n\nfunc TestSum(t *testing.T) {}\n",
		}, testresult.Test{
			ID: testresult.ID{Native: "example.com/sums/sub.TestSum/a case"}, Status: testresult.Hung, Part: "example.com/sums/sub",
			Failure: &testresult.Failure{Kind: "hang", Message: "still running at the time limit"},
		})
		k := &completer{answer: func(int) (chat.Reply, error) { return says("GIVE UP: enough") }}
		v := w.view()
		v.Units[0].Root = cmp.Or(strings.TrimSuffix(root, "/"), ".")
		if _, err := w.model(k).Propose(t.Context(), v, nil); !errors.Is(err, propose.ErrNothingLeft) {
			t.Fatal(err)
		}
		prompt := ""
		for _, m := range k.asked[0].Messages {
			prompt += m.Text
		}
		for _, want := range []string{"func Sum(n int) int { return Sum(n) }", "func TestSum(t *testing.T) { Sum(1) }"} {
			if !strings.Contains(prompt, want) {
				t.Errorf("in %q: the prompt lacks %q:\n%s", root, want, prompt)
			}
		}
		if strings.Contains(prompt, "func TestOther") || strings.Contains(prompt, "package sums\n\nfunc TestSum") {
			t.Errorf("in %q: the prompt shows other tests:\n%s", root, prompt)
		}
	}
}

// TestGoImports: what a test of Go imports of its own module is shown, where nothing
// else tells of it.
func TestGoImports(t *testing.T) {
	t.Parallel()
	w := newWorld(map[string]string{
		"back/go.mod": "module example.com/shop\n", "back/price/price.go": "package price\n\nfunc Of(n int) int { return -n }\n",
		"back/price/price_test.go": "package price\n", "back/other/other.go": "package other\n",
		"back/shop_test.go": "package shop\n\nimport (\n\t\"testing\"\n\n\t\"example.com/shop/price\"\n)\n\nfunc TestPrice(t *testing.T) { price.Of(1) }\n",
	}, testresult.Test{
		ID: testresult.ID{Native: "example.com/shop.TestPrice"}, Status: testresult.Failed, Part: "example.com/shop",
		Failure: &testresult.Failure{Kind: "failure", Message: "got -1", At: testresult.Frame{File: "back/shop_test.go", Line: 9}},
	})
	k := &completer{answer: func(int) (chat.Reply, error) { return says("GIVE UP: enough") }}
	if _, err := w.model(k).Propose(t.Context(), w.view(), nil); !errors.Is(err, propose.ErrNothingLeft) {
		t.Fatal(err)
	}
	prompt := k.asked[0].Messages[1].Text
	if !strings.Contains(prompt, "func Of(n int) int") || strings.Contains(prompt, "package other") || strings.Contains(prompt, "price_test.go") {
		t.Errorf("the prompt:\n%s", prompt)
	}
}
