package llm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"autocoder/engine/budget"
	"autocoder/engine/chat"
	"autocoder/engine/event"
	"autocoder/engine/llm"
	"autocoder/engine/propose"
	"autocoder/engine/redact"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// world is a project in memory, with a clock that sleeping moves.
type world struct {
	files  map[string]string
	tests  []testresult.Test
	events []event.Event
	meter  *budget.Meter
	now    time.Time
	slept  []time.Duration
	// changes are what was changed lately.
	changes map[string][]propose.Change
}

func newWorld(files map[string]string, tests ...testresult.Test) *world {
	w := &world{files: files, tests: tests, now: time.Unix(0, 0)}
	w.meter = budget.NewMeter(budget.Default(), w.clock)
	return w
}

func (w *world) clock() time.Time { return w.now }

func (w *world) sleep(_ context.Context, d time.Duration) error {
	w.slept = append(w.slept, d)
	w.now = w.now.Add(d)
	return nil
}

func (w *world) view() propose.View {
	v := propose.View{
		Result: testresult.Result{Units: []testresult.UnitRun{{Tests: w.tests}}},
		Units:  []propose.Unit{{Root: "."}},
		Read: func(p string) (textedit.File, error) {
			text, ok := w.files[p]
			if !ok {
				return textedit.File{}, nil
			}
			return textedit.File{Kind: textedit.Regular, Content: []byte(text), Mode: 0o644}, nil
		},
		Editable: func(p string) error {
			if strings.Contains(p, "test") {
				return errors.New(p + " is protected")
			}
			return nil
		},
		Changes: func(_ context.Context, p string) []propose.Change { return w.changes[p] },
		Hold:    w.meter.Hold, Reserve: w.meter.Reserve,
		Emit: func(e event.Event) { w.events = append(w.events, e) },
	}
	for p := range w.files {
		v.Files = append(v.Files, p)
	}
	slices.Sort(v.Files)
	for _, t := range w.tests {
		if t.Status != testresult.Passed {
			v.Targets = append(v.Targets, t.ID)
		}
	}
	return v
}

// completer answers as a function says, and keeps what it was asked.
type completer struct {
	answer func(n int) (chat.Reply, error)
	asked  []chat.Request
}

func (c *completer) Complete(_ context.Context, r chat.Request) (chat.Reply, error) {
	c.asked = append(c.asked, r)
	return c.answer(len(c.asked) - 1)
}

func (w *world) model(c llm.Completer) *llm.Model {
	price, known, err := llm.PriceOf(nil, "openai", "gpt-4o")
	if err != nil || !known {
		panic("gpt-4o has a price")
	}
	return llm.New(llm.Options{
		Completer: c, Provider: "openai", Model: "gpt-4o", Price: price, Priced: true, Mark: "k3x9", Root: "/work/project",
		Redact: redact.New([]string{"DB_PASSWORD=tr0ub4dor&3"}), Now: w.clock, Sleep: w.sleep,
	})
}

func says(text string) (chat.Reply, error) {
	return chat.Reply{Text: text, Stop: chat.Finished}, nil
}

// calc is a project with one failing test.
func calc() *world {
	return newWorld(map[string]string{
		"AGENTS.md":     "Use four blanks.\n",
		"src/calc.py":   "from src.rates import RATE\n\nPASSWORD = \"tr0ub4dor&3\"\n\n\ndef add(a, b):\n    return a - b\n",
		"src/rates.py":  "RATE = 3\n",
		"src/other.py":  "def unrelated():\n    return 1\n",
		"tests/test.py": "from src.calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
	}, failing("tests/test.py::test_add", "assert -1 == 3", 5, testresult.Frame{File: "src/calc.py", Line: 7, Func: "add"}),
		testresult.Test{ID: testresult.ID{Native: "tests/test.py::test_other"}, Status: testresult.Passed, Part: "tests/test.py"})
}

func failing(id, message string, line int, frames ...testresult.Frame) testresult.Test {
	return testresult.Test{
		ID: testresult.ID{Native: id}, Status: testresult.Failed, Part: "tests/test.py",
		Failure: &testresult.Failure{
			Kind: "AssertionError", Message: message, At: testresult.Frame{File: "tests/test.py", Line: line},
			Frames: frames, Expected: "3", Actual: "-1", Output: "computing 1 and 2\n",
		},
	}
}

// big is a project of ten thousand files, one failure in it.
func big() *world {
	files := map[string]string{"tests/test.py": "from pkg7.mod7 import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"}
	var long strings.Builder
	for n := range 400 {
		fmt.Fprintf(&long, "def helper_%d(a, b):\n    \"\"\"Help number %d with what it has to do.\"\"\"\n    return a * %d + b\n\n\n", n, n, n)
	}
	for n := range 10_000 {
		files[fmt.Sprintf("pkg%d/mod%d.py", n%100, n)] = long.String()
	}
	files["pkg7/mod7.py"] = long.String() + "def add(a, b):\n    return a - b\n"
	return newWorld(files, failing("tests/test.py::test_add", "assert -1 == 3", 5, testresult.Frame{File: "pkg7/mod7.py", Line: 2002, Func: "add"}))
}

// forgetful answers and keeps nothing.
type forgetful struct {
	text  string
	asked int
}

func (f *forgetful) Complete(context.Context, chat.Request) (chat.Reply, error) {
	f.asked++
	return says(f.text)
}
