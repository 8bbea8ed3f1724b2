// Package circuit stops a run that a failing provider, a failing tool or a model
// without measure would keep busy for ever.
//
// A Breaker knows things by their names: a provider, a tool, a task. Three
// failures of one open it; a success takes one off; a minute later one trial is
// let through, which closes and clears it or opens it again. It also holds how
// often a task calls tools and how large the context has grown. It only ever
// counts up but by a success, and has no way to be reset. It is pure but for its
// clock, which is given.
package circuit

import (
	"fmt"
	"sync"
	"time"
)

const (
	// mostFailures open a circuit, and wait is how long it stays so.
	mostFailures = 3
	wait         = 60 * time.Second
	// mostToolCalls is how often a task may call tools.
	mostToolCalls = 20
	// kept is how many contexts are remembered, of which the last recent may have
	// mostContext tokens in the mean.
	kept        = 100
	recent      = 10
	mostContext = 50_000
)

// Open is the error of a circuit that is open.
type Open struct{ Reason string }

// Error is what is told to people and in the record.
func (o *Open) Error() string { return "Circuit breaker triggered: " + o.Reason }

// Breaker is the circuit breaker of one run. It is safe for use by several
// goroutines.
type Breaker struct {
	now func() time.Time

	mu sync.Mutex
	// guarded by mu
	circuits map[string]*circuit
	calls    map[string]int
	contexts []int
}

// circuit is what is known of one thing.
type circuit struct {
	failures int
	last     string
	opened   time.Time
	open     bool
	// trying means that the one trial is under way.
	trying bool
}

// New returns a breaker whose circuits are closed.
func New(now func() time.Time) *Breaker {
	return &Breaker{now: now, circuits: map[string]*circuit{}, calls: map[string]int{}}
}

func (b *Breaker) circuit(name string) *circuit {
	c := b.circuits[name]
	if c == nil {
		c = &circuit{}
		b.circuits[name] = c
	}
	return c
}

// Allow says whether the thing may be used now: nil, or an *Open. It must be
// followed by Failure or Success.
func (b *Breaker) Allow(name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.circuit(name)
	if !c.open {
		return nil
	}
	if c.trying || b.now().Sub(c.opened) < wait {
		return &Open{fmt.Sprintf("%s failed %d times: %s", name, c.failures, c.last)}
	}
	c.trying = true
	return nil
}

// Failure notes that the thing failed, and why.
func (b *Breaker) Failure(name, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.circuit(name)
	c.failures++
	c.last = why
	if c.trying || c.failures >= mostFailures {
		c.open, c.trying, c.opened = true, false, b.now()
	}
}

// Success notes that the thing worked.
func (b *Breaker) Success(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.circuit(name)
	if c.trying {
		*c = circuit{}
		return
	}
	c.failures = max(0, c.failures-1)
}

// ToolCall notes that a task calls a tool, or says that it did so too often.
func (b *Breaker) ToolCall(task string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls[task] >= mostToolCalls {
		return &Open{fmt.Sprintf("more than %d tool calls", mostToolCalls)}
	}
	b.calls[task]++
	return nil
}

// Context notes how many tokens a call's context had, and says whether it grew
// too large.
func (b *Breaker) Context(tokens int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.contexts = append(b.contexts, tokens)
	b.contexts = b.contexts[max(0, len(b.contexts)-kept):]
	if len(b.contexts) < recent {
		return nil
	}
	sum := 0
	for _, n := range b.contexts[len(b.contexts)-recent:] {
		sum += n
	}
	if mean := sum / recent; mean > mostContext {
		return &Open{fmt.Sprintf("the context had %d tokens in the mean of the last %d calls, more than %d", mean, recent, mostContext)}
	}
	return nil
}
