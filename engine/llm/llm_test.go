package llm_test

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"autocoder/engine/chat"
	"autocoder/engine/event"
	"autocoder/engine/llm"
	"autocoder/engine/propose"
	"autocoder/engine/textedit"

	gocmp "github.com/google/go-cmp/cmp"
)

const whole = "The sign was wrong.\n\nsrc/calc.py\n```\nPASSWORD = \"[secret-1]\"\n\n\ndef add(a, b):\n    return a + b\n```\n"

// TestSecretsComeBack edits a file whose secret the model never saw.
func TestSecretsComeBack(t *testing.T) {
	t.Parallel()
	w := calc()
	k := &completer{answer: func(int) (chat.Reply, error) { return says(whole) }}
	p, err := w.model(k).Propose(t.Context(), w.view(), nil)
	if err != nil {
		t.Fatal(err)
	}
	state, err := textedit.State{}.Apply(w.view().Read, p.Patch)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := state.Lookup("src/calc.py")
	if !strings.Contains(string(f.Content), `PASSWORD = "tr0ub4dor&3"`) {
		t.Errorf("the file is now\n%s", f.Content)
	}
	if p.Why != "The sign was wrong." || p.Origin != "openai:gpt-4o" {
		t.Errorf("%q by %q", p.Why, p.Origin)
	}
}

// TestThinking: a model whose thoughts take up all of its answer may think longer, up
// to a bound; one that writes too much may not.
func TestThinking(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []int
	}{
		{"", []int{8192, 16384, 32768}},
		{strings.Repeat("I write and write. ", 1600), []int{8192, 8192, 8192}},
	} {
		w := calc()
		k := &completer{}
		k.answer = func(n int) (chat.Reply, error) {
			return chat.Reply{Text: c.text, Stop: chat.Length, Usage: chat.Usage{Prompt: 1000, Completion: k.asked[n].MaxTokens, Known: true}}, nil
		}
		if _, err := w.model(k).Propose(t.Context(), w.view(), nil); !errors.Is(err, propose.ErrNothingLeft) {
			t.Fatal(err)
		}
		var got []int
		for _, r := range k.asked {
			got = append(got, r.MaxTokens)
		}
		if diff := gocmp.Diff(c.want, got); diff != "" {
			t.Errorf("%.20q: asked for %s", c.text, diff)
		}
	}
}

// TestEcho: a model that repeats the question before it answers has answered, also
// when what the tests printed looks like an edit.
func TestEcho(t *testing.T) {
	t.Parallel()
	w := calc()
	w.tests[0].Failure.Output = "--- Expected\n+++ Actual\n@@ -1 +1 @@\n-3\n+-1\n"
	for _, from := range []int{0, 400} {
		k := &completer{}
		k.answer = func(n int) (chat.Reply, error) {
			echo := ""
			for _, m := range k.asked[n].Messages {
				echo += m.Text + "\n"
			}
			return says(echo[from:] + "\nAnswer:\n\n" + whole)
		}
		p, err := w.model(k).Propose(t.Context(), w.view(), nil)
		if err != nil {
			t.Errorf("from %d: %v", from, err)
			continue
		}
		if diff := gocmp.Diff([]string{"src/calc.py"}, p.Patch.Paths()); diff != "" || len(k.asked) != 1 {
			t.Errorf("from %d: asked %d times, edited %s", from, len(k.asked), diff)
		}
	}
}

// TestTries holds which failures of a call are tried again, and how the run ends.
func TestTries(t *testing.T) {
	t.Parallel()
	fault := func(f chat.Fault, after time.Duration) error {
		return &chat.Error{Fault: f, Provider: "openai", Endpoint: "http://x", After: after}
	}
	for _, c := range []struct {
		name   string
		errs   []error
		slept  []time.Duration
		ends   string
		is     error
		passes bool
	}{
		{"once limited", []error{fault(chat.Limited, 7*time.Second)}, []time.Duration{7 * time.Second}, "", nil, true},
		{"twice overloaded", []error{fault(chat.Overloaded, 0), fault(chat.Overloaded, 0)}, []time.Duration{time.Second, 2 * time.Second}, "", nil, true},
		{"three times", []error{fault(chat.Stalled, 0), fault(chat.Broken, 0), fault(chat.Unreachable, 0)}, []time.Duration{time.Second, 2 * time.Second}, "Circuit breaker triggered: openai failed 3 times: can't be reached: openai at http://x", propose.ErrNothingLeft, false},
		{"a wrong key", []error{fault(chat.WrongKey, 0)}, nil, "does not accept the key", nil, false},
		{"too long a wait", []error{fault(chat.Limited, time.Hour)}, nil, "it would be asked again only in 1h0m0s", nil, false},
	} {
		w := calc()
		k := &completer{}
		k.answer = func(n int) (chat.Reply, error) {
			if n < len(c.errs) {
				return chat.Reply{}, c.errs[n]
			}
			return says(whole)
		}
		_, err := w.model(k).Propose(t.Context(), w.view(), nil)
		if c.passes != (err == nil) || err != nil && !strings.Contains(err.Error(), c.ends) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := gocmp.Diff(c.slept, w.slept); diff != "" {
			t.Errorf("%s: slept %s", c.name, diff)
		}
		if spent := w.meter.Spent(); spent.Turns != 1 {
			t.Errorf("%s: %+v", c.name, spent)
		}
	}
}

// TestShorterAnswers: a server that can't give answers that long is asked for
// shorter ones, in the words of those that say so.
func TestShorterAnswers(t *testing.T) {
	t.Parallel()
	for _, detail := range []string{
		"max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.",
		"max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307",
	} {
		w := calc()
		k := &completer{}
		k.answer = func(n int) (chat.Reply, error) {
			if k.asked[n].MaxTokens > 4096 {
				return chat.Reply{}, &chat.Error{Fault: chat.Rejected, Detail: detail}
			}
			return says(whole)
		}
		m := w.model(k)
		for range 2 {
			if _, err := m.Propose(t.Context(), w.view(), nil); err != nil {
				t.Error(err)
			}
		}
		if len(k.asked) != 3 || k.asked[2].MaxTokens != 4096 {
			t.Errorf("asked %d times, last for %d tokens", len(k.asked), k.asked[len(k.asked)-1].MaxTokens)
		}
	}
	w := calc()
	k := &completer{answer: func(int) (chat.Reply, error) { return chat.Reply{}, &chat.Error{Fault: chat.Rejected, Detail: "bad"} }}
	if _, err := w.model(k).Propose(t.Context(), w.view(), nil); err == nil || len(k.asked) != 1 {
		t.Errorf("another complaint: %v, asked %d times", err, len(k.asked))
	}
}

// TestFormats holds which format a model is asked for, and what comes after one
// that failed.
func TestFormats(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x = 1\n", 200) + "def add(a, b):\n    return a - b\n"
	for _, c := range []struct {
		provider, model, text string
		want                  []string
	}{
		{"openai", "gpt-4o", "def add(a, b):\n    return a - b\n", []string{"whole", "search", "function"}},
		{"openai", "gpt-4o", long, []string{"search", "function", "whole"}},
		{"ollama", "qwen2.5-coder:7b", long, []string{"whole", "search", "function"}},
		{"openai", "Qwen2.5-Coder-32B-Instruct", long, []string{"whole", "search", "function"}},
		{"openai", "Llama-3.1-405B", long, []string{"search", "function", "whole"}},
		{"ollama", "qwen2.5-coder:7b", long + long, []string{"function", "whole", "search"}},
	} {
		w := calc()
		w.files["src/calc.py"] = c.text
		k := &completer{answer: func(int) (chat.Reply, error) { return says("Change the sign.") }}
		m := llm.New(llm.Options{Completer: k, Provider: c.provider, Model: c.model, Priced: true, Now: w.clock, Sleep: w.sleep})
		_, err := m.Propose(t.Context(), w.view(), nil)
		if !errors.Is(err, propose.ErrNothingLeft) {
			t.Errorf("%s: %v", c.model, err)
		}
		var got []string
		for _, e := range w.events {
			var turn llm.Turn
			if e.Kind == event.Turned && json.Unmarshal(e.Blob, &turn) == nil {
				got = append(got, turn.Format)
			}
		}
		if diff := gocmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.model, diff)
		}
	}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider, model    string
		prompt, completion float64
		known              bool
	}{
		{"anthropic", "claude-3-7-sonnet", 3, 15, true},
		{"anthropic", "claude-3-7-sonnet-20250219", 3, 15, true},
		{"anthropic", "claude-3-5-sonnet-latest", 3, 15, true},
		{"openai", "gpt-4o", 2.5, 10, true},
		{"openai", "gpt-4o-2024-08-06", 2.5, 10, true},
		{"openai", "gpt-4o-mini", 0.15, 0.6, true},
		{"openai", "deepseek-r1", 0.55, 2.19, true},
		{"openai", "deepseek/deepseek-r1", 0.55, 2.19, true},
		{"openai", "anthropic/claude-3.7-sonnet", 3, 15, true},
		{"openai", "gpt-5.5", 5, 30, true},
		{"openai", "openai/gpt-6-sol", 2, 10, true},
		{"anthropic", "claude-opus-5-5", 4, 20, true},
		{"openai", "gpt-5.9", 0, 0, false}, // another model, whatever it begins with
		{"openai", "gpt-4o-audio", 0, 0, false},
		{"openai", "homemade", 7, 8, true},
		{"ollama", "gpt-4o", 0, 0, true},
		{"ollama", "anything", 0, 0, true},
	} {
		p, known, err := llm.PriceOf(map[string]string{"openai:homemade": "7/8/1"}, c.provider, c.model)
		if err != nil || known != c.known || p.Prompt != c.prompt || p.Completion != c.completion {
			t.Errorf("%s:%s: %+v, %v, %v", c.provider, c.model, p, known, err)
		}
	}
	p, _, _ := llm.PriceOf(nil, "anthropic", "claude-3-7-sonnet")
	if got := p.Cost(chat.Usage{Prompt: 1e6, Cached: 1e6, Written: 1e6, Completion: 1e6}); got != 3+0.3+3.75+15 {
		t.Errorf("a million of each costs %v", got)
	}
	for _, bad := range []string{"", "1", "1/2/3/4", "a/b", "-1/2", "1/NaN"} {
		if _, _, err := llm.PriceOf(map[string]string{"m": bad}, "openai", "m"); err == nil || !strings.Contains(err.Error(), "dollars per million") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestBigProject bounds the prompt for one failure in a project of ten thousand
// files, and the files that are read for it.
func TestBigProject(t *testing.T) {
	t.Parallel()
	w := big()
	k := &completer{answer: func(int) (chat.Reply, error) { return says("GIVE UP: enough") }}
	reads := 0
	v := w.view()
	read := v.Read
	v.Read = func(p string) (textedit.File, error) { reads++; return read(p) }
	if _, err := w.model(k).Propose(t.Context(), v, nil); !errors.Is(err, propose.ErrNothingLeft) {
		t.Fatal(err)
	}
	text := ""
	for _, m := range k.asked[0].Messages {
		text += m.Text
	}
	// Code has more than three bytes for a token.
	if tokens := len(text) / 3; tokens > 8000 || !strings.Contains(text, "def add(a, b):\n    return a - b") {
		t.Errorf("the prompt has %d bytes:\n%s", len(text), text)
	}
	if reads > 200 {
		t.Errorf("%d files were read", reads)
	}
}

// TestLongRun bounds the memory of a run of a thousand turns.
func TestLongRun(t *testing.T) {
	w := calc()
	w.meter = nil
	v := w.view
	answer := strings.Repeat("A long answer that is no edit. ", 40)
	k := &forgetful{text: answer}
	m := w.model(k)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	view := v()
	view.Hold, view.Emit = nil, func(event.Event) {}
	for k.asked < 1000 {
		if _, err := m.Propose(t.Context(), view, nil); !errors.Is(err, propose.ErrNothingLeft) {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 50<<20 {
		t.Errorf("a thousand turns keep %d MB", grown>>20)
	}
}

func BenchmarkPrompt(b *testing.B) {
	w := big()
	v := w.view()
	k := &completer{answer: func(int) (chat.Reply, error) { return says("GIVE UP: enough") }}
	for b.Loop() {
		if _, err := w.model(k).Propose(b.Context(), v, nil); !errors.Is(err, propose.ErrNothingLeft) {
			b.Fatal(err)
		}
		k.asked = nil
	}
}

// BenchmarkTurn is what the harness adds to a turn: prompt, accounting, record and
// reading the answer.
func BenchmarkTurn(b *testing.B) {
	w := calc()
	v := w.view()
	k := &completer{answer: func(int) (chat.Reply, error) { return says(whole) }}
	v.Hold = nil
	for b.Loop() {
		if _, err := w.model(k).Propose(b.Context(), v, nil); err != nil {
			b.Fatal(err)
		}
		k.asked, w.events = nil, nil
	}
}
