// Package budget limits what a run may spend and meters what it has spent.
//
// Everything is checked before it is spent, the meter never goes back, and a
// price that is not known is unknown rather than nothing. It is pure but for
// the clock, which is given.
package budget

import (
	"fmt"
	"sync"
	"time"
)

// Limits bound a run. A limit of 0 allows nothing of that kind.
type Limits struct {
	Attempts   int
	Candidates int
	TestRuns   int
	Time       time.Duration
	Turns      int
	Tokens     int
	// Cost is in US dollars.
	Cost float64
}

// Default returns the limits of DESIGN: 10 attempts, 10 minutes, 30 turns,
// 200,000 tokens, $5. Candidates and test runs are held by time.
func Default() Limits {
	return Limits{
		Attempts: 10, Candidates: 1_000_000, TestRuns: 10_000, Time: 10 * time.Minute,
		Turns: 30, Tokens: 200_000, Cost: 5,
	}
}

// Cost is an amount to spend, or spent.
type Cost struct {
	Attempts   int
	Candidates int
	TestRuns   int
	Turns      int
	Tokens     int
	// Dollars is the price; Unpriced means that it is not known.
	Dollars  float64
	Unpriced bool
}

// Resource is something that a run spends.
type Resource uint8

// The resources.
const (
	InvalidResource Resource = iota
	Attempts
	Candidates
	TestRuns
	Time
	Turns
	Tokens
	Money
)

// String names the resource as it follows an amount: "10 attempts".
func (r Resource) String() string {
	switch r {
	case Attempts:
		return "attempts"
	case Candidates:
		return "candidates"
	case TestRuns:
		return "test runs"
	case Time:
		return "of time"
	case Turns:
		return "model turns"
	case Tokens:
		return "tokens"
	case Money:
		return "of cost"
	case InvalidResource:
		return "invalid"
	default:
		return fmt.Sprintf("Resource(%d)", uint8(r))
	}
}

// Exceeded is the error of a reservation that does not fit.
type Exceeded struct {
	What Resource
	// Limit is the limit as people read it: "10", "$5.00", "10m0s".
	Limit string
}

// Error says which limit was reached.
func (e *Exceeded) Error() string {
	return fmt.Sprintf("the limit of %s %s is reached", e.Limit, e.What)
}

// Meter counts what a run spends against its limits. It is safe for use by
// several goroutines.
type Meter struct {
	limits Limits
	now    func() time.Time
	start  time.Time

	mu sync.Mutex
	// guarded by mu
	spent   Cost
	held    Cost
	reserve time.Duration
}

// NewMeter starts a meter at now().
func NewMeter(limits Limits, now func() time.Time) *Meter {
	return &Meter{limits: limits, now: now, start: now()}
}

// Limits returns the limits.
func (m *Meter) Limits() Limits { return m.limits }

// Elapsed returns the time since the start.
func (m *Meter) Elapsed() time.Duration { return m.now().Sub(m.start) }

// Keep sets aside time for the verification at the end: Reserve and Remaining
// leave it alone.
func (m *Meter) Keep(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reserve = d
}

// Remaining returns the time left for attempts, without what is kept; never
// negative.
func (m *Meter) Remaining() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return max(0, m.limits.Time-m.reserve-m.Elapsed())
}

// Deadline returns the end of all time, what is kept included.
func (m *Meter) Deadline() time.Time { return m.start.Add(m.limits.Time) }

// Reserve charges c when all of it fits within the limits and there is time
// left, and otherwise charges nothing and returns an *Exceeded.
func (m *Meter) Reserve(c Cost) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fits(c); err != nil {
		return err
	}
	m.spent = m.spent.plus(c)
	return nil
}

// Hold is Reserve for something whose price is known only afterwards: c is the
// most that it may cost. settle charges what it did cost, whether that fits or
// not, and frees the rest; it counts once.
func (m *Meter) Hold(c Cost) (settle func(Cost), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fits(c); err != nil {
		return nil, err
	}
	m.held = m.held.plus(c)
	var once sync.Once
	return func(actual Cost) {
		once.Do(func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.held = m.held.minus(c)
			m.spent = m.spent.plus(actual)
		})
	}, nil
}

// fits says whether there is room for c beside what is spent and held. The caller
// holds mu.
func (m *Meter) fits(c Cost) error {
	if m.limits.Time-m.reserve-m.Elapsed() <= 0 {
		return m.OutOfTime()
	}
	s := m.spent.plus(m.held)
	for _, x := range []struct {
		what         Resource
		spent, limit int
		more         int
	}{
		{Attempts, s.Attempts, m.limits.Attempts, c.Attempts},
		{Candidates, s.Candidates, m.limits.Candidates, c.Candidates},
		{TestRuns, s.TestRuns, m.limits.TestRuns, c.TestRuns},
		{Turns, s.Turns, m.limits.Turns, c.Turns},
		{Tokens, s.Tokens, m.limits.Tokens, c.Tokens},
	} {
		if x.more > 0 && x.spent+x.more > x.limit {
			return &Exceeded{What: x.what, Limit: fmt.Sprint(x.limit)}
		}
	}
	if c.Dollars > 0 && s.Dollars+c.Dollars > m.limits.Cost {
		return &Exceeded{What: Money, Limit: fmt.Sprintf("$%.2f", m.limits.Cost)}
	}
	return nil
}

// OutOfTime is the error of a run whose time ended.
func (m *Meter) OutOfTime() *Exceeded {
	return &Exceeded{What: Time, Limit: m.limits.Time.String()}
}

// Charge adds what was already spent, whether it fits or not: a hard fact that
// a later Reserve will run into.
func (m *Meter) Charge(c Cost) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spent = m.spent.plus(c)
}

// Spent returns what was spent so far.
func (m *Meter) Spent() Cost {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spent
}

func (c Cost) plus(d Cost) Cost {
	return Cost{
		Attempts: c.Attempts + d.Attempts, Candidates: c.Candidates + d.Candidates, TestRuns: c.TestRuns + d.TestRuns,
		Turns: c.Turns + d.Turns, Tokens: c.Tokens + d.Tokens,
		Dollars: c.Dollars + d.Dollars, Unpriced: c.Unpriced || d.Unpriced,
	}
}

func (c Cost) minus(d Cost) Cost {
	return Cost{
		Attempts: c.Attempts - d.Attempts, Candidates: c.Candidates - d.Candidates, TestRuns: c.TestRuns - d.TestRuns,
		Turns: c.Turns - d.Turns, Tokens: c.Tokens - d.Tokens,
		Dollars: max(0, c.Dollars-d.Dollars), Unpriced: c.Unpriced,
	}
}

// Text tells what was spent of a model's turns, tokens and money, in the words
// that are the same everywhere.
func (m *Meter) Text() string {
	s := m.Spent()
	cost := fmt.Sprintf("$%.3f", s.Dollars)
	if s.Unpriced {
		cost = "unknown"
	}
	return fmt.Sprintf("Turns: %d/%d | Tokens: %s/%s | Cost: %s/$%.2f",
		s.Turns, m.limits.Turns, thousands(s.Tokens), thousands(m.limits.Tokens), cost, m.limits.Cost)
}

// thousands writes n with a comma between groups of three digits.
func thousands(n int) string {
	digits := fmt.Sprint(n)
	var out []byte
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			out = append(out, ',')
		}
		out = append(out, digits[i])
	}
	return string(out)
}
