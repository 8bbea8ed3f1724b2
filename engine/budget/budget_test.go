package budget

import (
	"errors"
	"sync"
	"testing"
	"time"
)

type clock struct{ now time.Time }

func (c *clock) read() time.Time { return c.now }

func TestReserve(t *testing.T) {
	t.Parallel()
	limits := Limits{Attempts: 2, Candidates: 2, TestRuns: 2, Time: time.Minute, Turns: 2, Tokens: 2, Cost: 2}
	for _, c := range []struct {
		name  string
		cost  Cost
		what  Resource
		limit string
	}{
		{"attempts", Cost{Attempts: 1}, Attempts, "2"},
		{"candidates", Cost{Candidates: 1}, Candidates, "2"},
		{"test runs", Cost{TestRuns: 1}, TestRuns, "2"},
		{"turns", Cost{Turns: 1}, Turns, "2"},
		{"tokens", Cost{Tokens: 1}, Tokens, "2"},
		{"money", Cost{Dollars: 1}, Money, "$2.00"},
	} {
		m := NewMeter(limits, (&clock{}).read)
		for range 2 {
			if err := m.Reserve(c.cost); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		before := m.Spent()
		var exceeded *Exceeded
		if err := m.Reserve(c.cost); !errors.As(err, &exceeded) || exceeded.What != c.what || exceeded.Limit != c.limit {
			t.Errorf("%s: the third is answered by %v", c.name, err)
		}
		if m.Spent() != before {
			t.Errorf("%s: what did not fit was charged", c.name)
		}
		if err := m.Reserve(Cost{}); err != nil {
			t.Errorf("%s: nothing does not fit: %v", c.name, err)
		}
	}
}

func TestReserveIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	m := NewMeter(Limits{Attempts: 5, Turns: 1, Time: time.Minute}, (&clock{}).read)
	if err := m.Reserve(Cost{Attempts: 1, Turns: 2}); err == nil {
		t.Error("two turns of one fit")
	}
	if m.Spent() != (Cost{}) {
		t.Errorf("charged %+v", m.Spent())
	}
}

func TestTimeIsKept(t *testing.T) {
	t.Parallel()
	c := &clock{}
	m := NewMeter(Limits{Time: 10 * time.Minute}, c.read)
	m.Keep(3 * time.Minute)
	c.now = c.now.Add(6 * time.Minute)
	if got := m.Remaining(); got != time.Minute {
		t.Errorf("remaining %v", got)
	}
	if err := m.Reserve(Cost{}); err != nil {
		t.Error(err)
	}
	c.now = c.now.Add(time.Minute)
	var exceeded *Exceeded
	if err := m.Reserve(Cost{}); !errors.As(err, &exceeded) || exceeded.What != Time || m.Remaining() != 0 {
		t.Errorf("%v, remaining %v", err, m.Remaining())
	}
	m.Keep(0)
	if err := m.Reserve(Cost{}); err != nil || m.Remaining() != 3*time.Minute {
		t.Errorf("after giving back: %v, remaining %v", err, m.Remaining())
	}
	if m.Elapsed() != 7*time.Minute || !m.Deadline().Equal(time.Time{}.Add(10*time.Minute)) {
		t.Errorf("elapsed %v, deadline %v", m.Elapsed(), m.Deadline())
	}
}

func TestChargeIsAFact(t *testing.T) {
	t.Parallel()
	m := NewMeter(Limits{Tokens: 10, Time: time.Minute}, (&clock{}).read)
	m.Charge(Cost{Tokens: 25, Unpriced: true})
	if m.Spent().Tokens != 25 {
		t.Errorf("spent %+v", m.Spent())
	}
	if err := m.Reserve(Cost{Tokens: 1}); err == nil {
		t.Error("more fits")
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	m := NewMeter(Default(), (&clock{}).read)
	m.Charge(Cost{Turns: 3, Tokens: 12345, Dollars: 0.123})
	if got, want := m.Text(), "Turns: 3/30 | Tokens: 12,345/200,000 | Cost: $0.123/$5.00"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	m.Charge(Cost{Tokens: 1_000_000, Unpriced: true})
	if got, want := m.Text(), "Turns: 3/30 | Tokens: 1,012,345/200,000 | Cost: unknown/$5.00"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestHold(t *testing.T) {
	t.Parallel()
	m := NewMeter(Limits{Time: time.Minute, Turns: 10, Tokens: 100, Cost: 1}, (&clock{}).read)
	settle, err := m.Hold(Cost{Turns: 1, Tokens: 80, Dollars: 0.8})
	if err != nil {
		t.Fatal(err)
	}
	var exceeded *Exceeded
	for _, c := range []Cost{{Tokens: 30}, {Dollars: 0.3}} {
		if err := m.Reserve(c); !errors.As(err, &exceeded) {
			t.Errorf("what is held is spent again: %v, %v", c, err)
		}
	}
	if spent := m.Spent(); spent != (Cost{}) {
		t.Errorf("what is held is spent: %+v", spent)
	}
	settle(Cost{Turns: 1, Tokens: 20, Dollars: 0.1})
	settle(Cost{Turns: 1, Tokens: 20, Dollars: 0.1})
	if spent, want := m.Spent(), (Cost{Turns: 1, Tokens: 20, Dollars: 0.1}); spent != want {
		t.Errorf("spent %+v, want %+v", spent, want)
	}
	if err := m.Reserve(Cost{Tokens: 80, Dollars: 0.8}); err != nil {
		t.Errorf("what was freed can't be spent: %v", err)
	}
	if _, err := m.Hold(Cost{Tokens: 1}); !errors.As(err, &exceeded) || exceeded.What != Tokens {
		t.Errorf("held beyond the limit: %v", err)
	}
}

// TestHoldInParallel: calls that are made at the same time never hold more than the
// limits together, and what a liar says that they cost is what later ones run into.
func TestHoldInParallel(t *testing.T) {
	t.Parallel()
	limits := Limits{Time: time.Hour, Turns: 1000, Tokens: 10_000, Cost: 1}
	m := NewMeter(limits, func() time.Time { return time.Unix(0, 0) })
	var mu sync.Mutex // guards open and most
	var open, most int
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for range 50 {
				settle, err := m.Hold(Cost{Turns: 1, Tokens: 900, Dollars: 0.09})
				if err != nil {
					continue
				}
				mu.Lock()
				open++
				most = max(most, open)
				mu.Unlock()
				mu.Lock()
				open--
				mu.Unlock()
				settle(Cost{Turns: 1, Tokens: 10, Dollars: 0.001})
				settle(Cost{Tokens: -5000}) // a second time counts nothing
			}
		})
	}
	all.Wait()
	spent := m.Spent()
	if most > 11 || spent.Tokens != 10*spent.Turns || spent.Tokens > limits.Tokens || spent.Dollars > limits.Cost || spent.Turns > limits.Turns {
		t.Errorf("%d at once; spent %+v", most, spent)
	}
	settle, err := m.Hold(Cost{Tokens: 900})
	if err != nil {
		t.Fatal(err)
	}
	settle(Cost{Tokens: 50_000}) // more than was held: it is spent all the same
	if _, err := m.Hold(Cost{Tokens: 1}); err == nil {
		t.Error("there is room after everything was spent")
	}
}
