package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"autocoder/engine/budget"
	"autocoder/engine/chat"
	"autocoder/engine/llm"
	"autocoder/engine/propose"
	"autocoder/engine/textedit"
)

// engine is one that answers as a function says.
type engine struct {
	answer func(ctx context.Context) (propose.Proposal, error)
	asked  int
}

func (e *engine) Name() string { return "repair" }
func (e *engine) Learnt() propose.Coverage {
	return propose.Coverage{Suspects: []propose.Suspect{{File: "src/calc.py", Line: 7, Score: 1}}}
}

func (e *engine) Propose(ctx context.Context, _ propose.View, _ []propose.Attempt) (propose.Proposal, error) {
	e.asked++
	return e.answer(ctx)
}

func edit(text string) textedit.Patch {
	return textedit.Patch{Ops: []textedit.Op{{Kind: textedit.OpCreate, Path: "src/calc.py", AnyBase: true, Content: []byte(text)}}}
}

func three() propose.Proposal {
	return propose.Proposal{
		Patch: edit("one"), Title: "first", Why: "1", Input: "f(1)", Output: "1",
		Alternatives: []propose.Alternative{{Patch: edit("two"), Why: "2", Input: "f(1)", Output: "2"}, {Patch: edit("three"), Why: "3", Output: "3"}},
	}
}

func content(p textedit.Patch) string { return string(p.Ops[0].Content) }

// TestChoice: a model that is asked to choose only reorders.
func TestChoice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says string
		err  error
		want string
	}{
		{"CHOICE: 2", nil, "two one three"},
		{"The name says so.\n**CHOICE: 3**", nil, "three one two"},
		{"choice #1", nil, "one two three"},
		{"2", nil, "two one three"},
		{"CHOICE: 4", nil, "one two three"},
		{"CHOICE: 0", nil, "one two three"},
		{"src/calc.py\n```\nevil\n```\n", nil, "one two three"},
		{"", nil, "one two three"},
		{"", &chat.Error{Fault: chat.WrongKey}, "one two three"},
	} {
		w := calc()
		k := &completer{answer: func(int) (chat.Reply, error) { return chat.Reply{Text: c.says, Stop: chat.Finished}, c.err }}
		e := &engine{answer: func(context.Context) (propose.Proposal, error) { return three(), nil }}
		p, err := llm.Auto(e, w.model(k), w.clock).Propose(t.Context(), w.view(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := content(p.Patch)
		for _, a := range p.Alternatives {
			got += " " + content(a.Patch)
		}
		if got != c.want || len(k.asked) != 1 {
			t.Errorf("%q: %s, asked %d times", c.says, got, len(k.asked))
		}
		if prompt := k.asked[0].Messages[1].Text; !strings.Contains(prompt, "Edit 3:") || !strings.Contains(prompt, "for f(1) it gives 2") {
			t.Errorf("the question:\n%s", prompt)
		}
	}
}

// TestAfterTheEngine holds when the model is asked in the engine's place.
func TestAfterTheEngine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		err   error
		model bool
	}{
		{"an edit that leaves no doubt", nil, false},
		{"nothing left", propose.ErrNothingLeft, true},
		{"its share of the time is over", &budget.Exceeded{What: budget.Time, Limit: "1s"}, true},
		{"it does not work here", errors.New("no interpreter"), true},
		{"no more test runs", &budget.Exceeded{What: budget.TestRuns, Limit: "9"}, false},
	} {
		w := calc()
		k := &completer{answer: func(int) (chat.Reply, error) { return says(whole) }}
		e := &engine{answer: func(ctx context.Context) (propose.Proposal, error) {
			if end, ok := ctx.Deadline(); !ok || time.Until(end) > 21*time.Minute+time.Second {
				t.Errorf("the engine has the time until %v", end)
			}
			return propose.Proposal{Patch: edit("by the engine")}, c.err
		}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		w.now = time.Now()
		w.meter = budget.NewMeter(budget.Default(), w.clock)
		auto := llm.Auto(e, w.model(k), w.clock)
		p, err := auto.Propose(ctx, w.view(), nil)
		if asked := len(k.asked) > 0; asked != c.model || (err == nil) != (c.model || c.err == nil) {
			t.Errorf("%s: the model was asked: %v; %v", c.name, asked, err)
			continue
		}
		if !c.model {
			continue
		}
		if p.Origin != "openai:gpt-4o" || !strings.Contains(k.asked[0].Messages[2].Text, "src/calc.py:7 (1.00)") {
			t.Errorf("%s: by %q, told\n%s", c.name, p.Origin, k.asked[0].Messages[2].Text)
		}
		if _, err := auto.Propose(ctx, w.view(), nil); err != nil || e.asked != 1 {
			t.Errorf("%s: the engine was asked %d times: %v", c.name, e.asked, err)
		}
	}
}
