package circuit_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"autocoder/engine/circuit"
)

type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

// TestBreaker plays letters: f a failure, s a success, w a minute's wait, and then
// asks.
func TestBreaker(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		play string
		open bool
	}{
		{"", false},
		{"ff", false},
		{"fff", true},
		{"ffsf", false},
		{"ffsff", true},
		{"ssssfff", true}, // success in advance counts for nothing
		{"fffw", false},
		{"fffwf", true},
		{"fffws", false},
		{"fffwsff", false}, // the trial cleared it
		{"fffwsfff", true},
		{"fffs", true}, // a success that was under way does not close it
	} {
		k := &clock{time.Unix(0, 0)}
		b := circuit.New(k.now)
		for _, x := range c.play {
			switch x {
			case 'f':
				b.Failure("openai", "HTTP 500")
			case 's':
				b.Success("openai")
			case 'w':
				k.t = k.t.Add(time.Minute)
				if err := b.Allow("openai"); err != nil {
					t.Errorf("%s: no trial after a minute: %v", c.play, err)
				}
			}
		}
		if strings.HasSuffix(c.play, "w") {
			b.Success("openai")
		}
		err := b.Allow("openai")
		var open *circuit.Open
		if errors.As(err, &open) != c.open {
			t.Errorf("%s: %v", c.play, err)
		}
		if c.open && err.Error() != "Circuit breaker triggered: "+open.Reason {
			t.Errorf("%s: %v", c.play, err)
		}
		if err := b.Allow("anthropic"); err != nil {
			t.Errorf("%s: another provider is open, too: %v", c.play, err)
		}
	}
}

func TestOneTrial(t *testing.T) {
	t.Parallel()
	k := &clock{time.Unix(0, 0)}
	b := circuit.New(k.now)
	for range 3 {
		b.Failure("x", "why")
	}
	k.t = k.t.Add(59 * time.Second)
	if b.Allow("x") == nil {
		t.Error("a trial before the minute is over")
	}
	k.t = k.t.Add(time.Second)
	if err := b.Allow("x"); err != nil {
		t.Error(err)
	}
	if b.Allow("x") == nil {
		t.Error("a second trial beside the first")
	}
}

func TestToolCalls(t *testing.T) {
	t.Parallel()
	b := circuit.New(time.Now)
	for n := range 20 {
		if err := b.ToolCall("task"); err != nil {
			t.Fatalf("call %d: %v", n+1, err)
		}
	}
	if err := b.ToolCall("task"); err == nil || err.Error() != "Circuit breaker triggered: more than 20 tool calls" {
		t.Errorf("got %v", err)
	}
	if err := b.ToolCall("another"); err != nil {
		t.Error(err)
	}
}

func TestContext(t *testing.T) {
	t.Parallel()
	b := circuit.New(time.Now)
	for n := range 9 {
		if err := b.Context(1_000_000); err != nil {
			t.Fatalf("call %d: %v", n+1, err)
		}
	}
	if b.Context(1) == nil {
		t.Error("ten large contexts are let through")
	}
	for range 9 {
		_ = b.Context(50_000)
	}
	if err := b.Context(50_000); err != nil {
		t.Errorf("50,000 in the mean: %v", err)
	}
	if b.Context(50_011) == nil {
		t.Error("50,001 in the mean is let through")
	}
}
