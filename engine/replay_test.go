package engine_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"autocoder/engine"
	"autocoder/engine/event"
	"autocoder/engine/llm/llmtest"
	"autocoder/engine/outcome"
)

// TestReplayOfCancelledRuns cancels a run at each of its steps, and in the middle of
// a model's answer; its replay ends there, too.
func TestReplayOfCancelledRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		kind  event.Kind
		text  string
		calls int
	}{
		{"reading", event.PhaseChanged, "reading the project", 0},
		{"looking", event.PhaseChanged, "looking for a fix", 0},
		{"asked", event.Turned, "", 1},
		{"proposed", event.Proposed, "", 1},
		{"verifying", event.PhaseChanged, "verifying", 1},
		{"in the middle of an answer", event.Invalid, "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newSum(t)
			ctx, cancel := context.WithCancel(t.Context())
			s := serve(t, func(int, llmtest.Request) llmtest.Turn {
				turn := said(sumFixed)
				if c.kind == event.Invalid {
					turn.Cut, turn.Stall = 2, true
					cancel()
				}
				return turn
			})
			p.askModel(s, "openai:gpt-4o")
			note := p.options.Sink
			p.options.Sink = func(e event.Event) {
				if e.Kind == c.kind && strings.Contains(e.Text, c.text) {
					cancel()
				}
				note(e)
			}
			first, err := p.open(t).Fix(ctx, engine.FixRequest{})
			if err != nil || first.Outcome != outcome.Cancelled {
				t.Fatalf("%s: %s, %v", first.Outcome, first.Reason, err)
			}
			s.Close()
			p.options.Sink = note
			_, settings, err := engine.RecordedSettings(filepath.Join(p.state, "runs"), first.Run)
			if err != nil {
				t.Fatal(err)
			}
			p.settings = settings
			again, err := p.open(t).Replay(t.Context(), first.Run)
			if err != nil || !again.Same || again.Report.Outcome != outcome.Cancelled {
				t.Errorf("replayed: %s: %s, %v", again.Report.Outcome, again.Report.Reason, err)
			}
			if n := len(s.Requests()); n != c.calls {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

// TestReplayOfRunsThatEndedEarly replays runs that a provider's failures ended, and the
// time: before the model was asked, while it answered, and after it.
func TestReplayOfRunsThatEndedEarly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		turn   llmtest.Turn
		kind   event.Kind
		text   string
		left   time.Duration
		want   outcome.Outcome
		reason string
	}{
		{"tools that the server does not know", failed(400, "it does not support tools"), event.Invalid, "", 0, outcome.Fixed, ""},
		{"failures", failed(500, "boom"), event.Invalid, "", 0, outcome.GaveUp, "Circuit breaker triggered: openai failed 3 times"},
		{"before it was asked", said(sumFixed), event.PhaseChanged, "looking for a fix", -time.Minute, outcome.Budget, "10m0s of time"},
		{"while it answered", llmtest.Turn{Text: sumFixed, Cut: 2, Stall: true}, event.PhaseChanged, "looking for a fix", 2 * time.Second, outcome.Budget, "10m0s of time"},
		{"after it", said(strings.ReplaceAll(sumFixed, "+", "*")), event.AttemptFinished, "", -time.Minute, outcome.Budget, "10m0s of time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newSum(t)
			s := serve(t, llmtest.Script(c.turn))
			if c.want == outcome.Fixed {
				s = serve(t, llmtest.Script(c.turn, said(sumFixed)))
				tools(p)
			}
			p.askModel(s, "openai:gpt-4o")
			p.settings.MaxTime = 10 * time.Minute
			began, note := time.Now(), p.options.Sink
			var later atomic.Int64
			p.options.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
			p.options.Sink = func(e event.Event) {
				if e.Kind == c.kind && strings.Contains(e.Text, c.text) {
					later.Store(int64(p.settings.MaxTime - time.Since(began) - c.left))
				}
				note(e)
			}
			first := p.fix(t, engine.FixRequest{})
			if first.Outcome != c.want || !strings.Contains(first.Reason, c.reason) {
				t.Fatalf("%s: %s", first.Outcome, first.Reason)
			}
			s.Close()
			p.options.Sink, p.options.Now = note, time.Now
			again, err := p.open(t).Replay(t.Context(), first.Run)
			if err != nil || !again.Same || again.Report.Reason != first.Reason {
				t.Errorf("replayed: %s: %s, %v", again.Report.Outcome, again.Report.Reason, err)
			}
		})
	}
}
