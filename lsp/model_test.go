package lsp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autocoder/engine/chat"
	"autocoder/engine/llm/llmtest"
	"autocoder/lsp/lsptest"
	"autocoder/lsp/realtest"
)

// TestModelInTheEditor lets a language model repair through the editor: what it
// wrote arrives in the buffer, and the status tells what it cost.
func TestModelInTheEditor(t *testing.T) {
	t.Parallel()
	s := llmtest.Start(llmtest.Script(llmtest.Turn{Text: "The word was wrong.\n\ncalc.txt\n```\nfirst\nplus\n```\n"}))
	defer s.Close()
	w := newWorld(t, files(`
-- calc.txt --
first
minus
-- calc.check --
add calc.txt plus
one calc.txt first
`))
	e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: lsptest.Capable(), Settings: map[string]any{
		"proposer": "model", "model": "openai:gpt-4o", "base_url": s.URL + "/v1",
	}})
	must(t, e.Initialize())
	e.Open(w.path("calc.txt"))
	e.Open(w.path("calc.check"))
	must(t, e.Execute("autocoder.fix", map[string]string{"uri": lsptest.URI(w.path("calc.check"))}, nil))
	must(t, e.WaitText(w.path("calc.txt"), "first\nplus\n"))
	last, err := e.WaitIdle(1)
	must(t, err)
	if last.Outcome != "fixed" || !strings.HasPrefix(last.Spent, "Turns: 1/30 | Tokens: ") {
		t.Errorf("status %+v", last)
	}
	if n := len(s.Requests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	must(t, e.Undo())
	must(t, e.WaitText(w.path("calc.txt"), "first\nminus\n"))
	must(t, e.Quit())
}

// TestModelOnSave lets a model prepare a fix when a file is saved, where the settings
// allow that and nowhere else.
func TestModelOnSave(t *testing.T) {
	t.Parallel()
	for allowed, turns := range map[bool]int{false: 0, true: 1} {
		s := llmtest.Start(llmtest.Script(llmtest.Turn{Text: "The word was wrong.\n\ncalc.txt\n```\nfirst\nplus\n```\n"}))
		w := newWorld(t, files("-- calc.txt --\nfirst\nminus\n-- calc.check --\nadd calc.txt plus\none calc.txt first\n"))
		e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: lsptest.Capable(), Settings: map[string]any{
			"background": "fix", "background_model": allowed, "proposer": "model", "model": "openai:gpt-4o", "base_url": s.URL + "/v1",
		}})
		must(t, e.Initialize())
		calc := w.path("calc.txt")
		e.Open(calc)
		must(t, e.Save(calc))
		must(t, e.WaitStatus("the end of what nobody asked for", func(last lsptest.Status) bool { return last.State == "idle" }))
		if n := len(s.Requests()); n != turns {
			t.Errorf("allowed %t: the model was asked %d times", allowed, n)
		}
		if allowed {
			_, err := e.WaitDiagnostic(calc, 2, func(d lsptest.Diagnostic) bool { return d.Code == "fix_ready" })
			must(t, err)
			must(t, e.WaitText(calc, "first\nminus\n"))
			must(t, e.ChooseTitled(calc, 2, "Apply the prepared fix (1 file, +1 −1)"))
			must(t, e.WaitText(calc, "first\nplus\n"))
		}
		w.quit(e)
		s.Close()
	}
}

// parcel is a Go project, letter a Python project and ledger one for Node.js, each with
// a fault that no small edit repairs, and what repairs it.
var parcel, letter, ledger = task{
	files: `
-- go.mod --
module parcel

go 1.21
-- parcel.go --
package parcel

// Postage is what a parcel costs, in cents: the first two kilograms cost 500, each
// begun kilogram more 120, and from 20 kilograms on 300 more for carrying it.
func Postage(grams int) int {
	return grams
}
-- parcel_test.go --
package parcel

import "testing"

func TestPostage(t *testing.T) {
	for grams, want := range map[int]int{1: 500, 2000: 500, 2001: 620, 5000: 860, 19999: 2660, 20000: 2960} {
		if got := Postage(grams); got != want {
			t.Errorf("Postage(%d) = %d, want %d", grams, got, want)
		}
	}
}

func TestNothing(t *testing.T) {
	if got := Postage(0); got != 0 {
		t.Errorf("Postage(0) = %d", got)
	}
}
`,
	faulty: "parcel.go", test: "parcel_test.go", old: "\treturn grams\n",
	new: "\tif grams == 0 {\n\t\treturn 0\n\t}\n\tcost := 500 + 120*max(0, (grams-2000+999)/1000)\n\tif grams >= 20000 {\n\t\tcost += 300\n\t}\n\treturn cost\n",
}, task{
	files: `
-- letter.py --
def greeting(names):
    """Greet all names: "Dear A, dear B and dear C"; nobody is "To whom it may concern"."""
    return names
-- test_letter.py --
from letter import greeting


def test_greeting():
    assert greeting([]) == "To whom it may concern"
    assert greeting(["Ann"]) == "Dear Ann"
    assert greeting(["Ann", "Bo"]) == "Dear Ann and dear Bo"
    assert greeting(["Ann", "Bo", "Cy"]) == "Dear Ann, dear Bo and dear Cy"


def test_type():
    assert greeting is not None
`,
	faulty: "letter.py", test: "test_letter.py", old: "    return names\n",
	new: "    if not names:\n        return \"To whom it may concern\"\n    parts = [\"dear \" + name for name in names]\n    text = \" and \".join(parts[-2:])\n    text = \", \".join(parts[:-2] + [text])\n    return \"D\" + text[1:]\n",
}, task{
	files: `
-- package.json --
{"name": "ledger", "type": "commonjs"}
-- ledger.js --
/**
 * Sums what everybody owes: { Ann: -5, Bo: 5 } for [{ from: 'Ann', to: 'Bo', sum: 5 }].
 * Who is even is left out.
 */
const balances = (payments) => {
  return payments;
};

module.exports = { balances };
-- ledger.test.js --
const test = require('node:test');
const assert = require('node:assert');
const { balances } = require('./ledger.js');

test('sums', () => {
  assert.deepStrictEqual(balances([{ from: 'Ann', to: 'Bo', sum: 5 }]), { Ann: -5, Bo: 5 });
  assert.deepStrictEqual(balances([{ from: 'Ann', to: 'Bo', sum: 5 }, { from: 'Bo', to: 'Ann', sum: 5 }]), {});
});

test('is there', () => {
  assert.strictEqual(typeof balances, 'function');
});
`,
	faulty: "ledger.js", test: "ledger.test.js", old: "  return payments;\n",
	new: "  const all = {};\n  for (const { from, to, sum } of payments) {\n    all[from] = (all[from] ?? 0) - sum;\n    all[to] = (all[to] ?? 0) + sum;\n  }\n  return Object.fromEntries(Object.entries(all).filter(([, sum]) => sum !== 0));\n",
}

type task struct{ files, faulty, test, old, new string }

// search is the right edit as search and replace, whole as a file without its name,
// and tests one of the test, which must not come through.
func (k task) search() string {
	return "It did nothing of what it says.\n\n" + k.faulty + "\n```\n<<<<<<< SEARCH\n" + k.old + "=======\n" + k.new + ">>>>>>> REPLACE\n```\n"
}

func (k task) whole() string {
	for _, f := range files(k.files) {
		if f.Name == k.faulty {
			return "Here is the corrected file:\n\n```\n" + strings.Replace(string(f.Data), k.old, k.new, 1) + "```\n"
		}
	}
	return ""
}

func (k task) tests() string { return k.test + "\n```\nnothing\n```\n" }

// calls are the right edit by a tool, after one that is denied.
func (k task) calls(t *testing.T) []llmtest.Turn {
	call := func(name string, arguments map[string]string) llmtest.Turn {
		text, err := json.Marshal(arguments)
		must(t, err)
		return llmtest.Turn{Calls: []chat.Call{{ID: "c1", Name: name, Arguments: string(text)}}}
	}
	return []llmtest.Turn{
		call("read", map[string]string{"path": k.faulty}), call("bash", map[string]string{"command": "rm " + k.test}),
		call("edit_file_exact", map[string]string{"path": k.faulty, "old": k.old, "new": k.new}),
		{Text: "It did nothing of what it says."},
	}
}

// solve is a model that answers as a competent one does, from what it is shown.
func (k task) solve(turns ...llmtest.Turn) func(int, llmtest.Request) llmtest.Turn {
	return func(n int, r llmtest.Request) llmtest.Turn {
		if prompt := r.Prompt(); !strings.Contains(prompt, k.old) || !strings.Contains(prompt, k.test+" (protected") {
			return llmtest.Turn{Text: "GIVE UP: I was shown neither the code nor the test"}
		}
		return turns[min(n, len(turns)-1)]
	}
}

// TestModelInTheRealServer lets a model repair real projects, with their real tests,
// through the real server, with each protocol. The key is in no byte that the server
// wrote to the editor, to its log or to a file.
func TestModelInTheRealServer(t *testing.T) {
	t.Parallel()
	const key = "sk-real-0123456789abcdefghijklmn"
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	must(t, err)
	for _, c := range []struct {
		model string
		task  task
		turns []llmtest.Turn
	}{
		{"openai:gpt-4o", parcel, []llmtest.Turn{{Text: parcel.tests()}, {Text: parcel.search()}}},
		{"anthropic:claude-3-7-sonnet", letter, []llmtest.Turn{{Text: "It does nothing."}, {Text: letter.whole()}}},
		{"ollama:qwen2.5-coder:7b", ledger, ledger.calls(t)},
	} {
		s := llmtest.Start(c.task.solve(c.turns...))
		root := filepath.Join(t.TempDir(), "project")
		for _, f := range files(c.task.files) {
			must(t, os.MkdirAll(root, 0o755))
			must(t, os.WriteFile(filepath.Join(root, f.Name), f.Data, 0o644))
		}
		url := s.URL
		if strings.HasPrefix(c.model, "openai:") {
			url += "/v1"
		}
		cmd := exec.Command(program.Path(t), "serve")
		cmd.Env = append(realtest.Environ(os.Environ(), filepath.Dir(root)),
			"GOCACHE="+strings.TrimSpace(string(cache)), "OPENAI_API_KEY="+key, "ANTHROPIC_API_KEY="+key)
		var log bytes.Buffer
		cmd.Stderr = &log
		in, err := cmd.StdinPipe()
		must(t, err)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		var wire bytes.Buffer
		e := lsptest.Start(pipes{io.TeeReader(out, &wire), in}, lsptest.Options{
			Folders: []string{root}, Can: lsptest.Capable(), Timeout: 5 * time.Minute, Settings: map[string]any{
				"proposer": "model", "model": c.model, "base_url": url, "max_time": "5m", "model_tools": len(c.turns) > 2,
				"interpreter": map[string]string{"pytest": realtest.Python(t)},
			},
		})
		must(t, e.Initialize())
		faulty := filepath.Join(root, c.task.faulty)
		e.Open(faulty)
		e.Open(filepath.Join(root, c.task.test))
		must(t, e.Execute("autocoder.fix", map[string]string{"uri": lsptest.URI(faulty)}, nil))
		last, err := e.WaitIdle(1)
		must(t, err)
		text, err := os.ReadFile(faulty)
		must(t, err)
		if last.Outcome != "fixed" || !strings.HasPrefix(last.Spent, fmt.Sprintf("Turns: %d/30 | Tokens: ", len(c.turns))) {
			t.Errorf("%s: %+v\n%s", c.model, last, log.Bytes())
		} else {
			must(t, e.WaitText(faulty, strings.Replace(string(text), c.task.old, c.task.new, 1)))
		}
		must(t, e.Quit())
		must(t, cmd.Wait())
		s.Close()
		// A machine that does much else may need longer for Go's coverage than a run waits.
		if prompt := s.Requests()[0].Prompt(); c.task.faulty == letter.faulty && !strings.Contains(prompt, "Lines that failing tests run more than passing ones") {
			t.Errorf("%s: the model is not told what the tests run:\n%s", c.model, prompt)
		}
		if bytes.Contains(wire.Bytes(), []byte(key)) || bytes.Contains(log.Bytes(), []byte(key)) {
			t.Errorf("%s: the server told the key", c.model)
		}
	}
}
