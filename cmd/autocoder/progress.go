package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"autocoder/engine/event"
)

// progress shows a run as it goes: a line for each thing that is over and, on a
// terminal, a last line for what goes on. It writes from its own goroutine, so
// that a terminal that stands still never holds up a run.
type progress struct {
	events chan event.Event
	done   chan struct{}
}

const (
	// progressBacklog is how many events may wait; more are dropped.
	progressBacklog = 256
	// liveEvery is how often the last line is drawn.
	liveEvery = 100 * time.Millisecond
	// liveWidth is the most that a line may take without being wrapped.
	liveWidth = 78
	eraseLine = "\r\x1b[K"
)

// newProgress begins to show events. Close ends it.
func newProgress(to io.Writer, live bool, now func() time.Time) *progress {
	p := &progress{events: make(chan event.Event, progressBacklog), done: make(chan struct{})}
	s := &screen{to: to, live: live, now: now, since: now()}
	go p.show(s)
	return p
}

// sink takes an event of the run. It never blocks.
func (p *progress) sink(e event.Event) {
	select {
	case p.events <- e:
	default:
	}
}

// Close shows what is left and erases the last line.
func (p *progress) Close() {
	close(p.events)
	<-p.done
}

func (p *progress) show(s *screen) {
	defer close(p.done)
	ticks := time.NewTicker(liveEvery)
	defer ticks.Stop()
	for {
		select {
		case e, ok := <-p.events:
			if !ok {
				s.erase()
				return
			}
			s.take(e)
		case <-ticks.C:
			s.draw()
		}
	}
}

// screen is what is shown. It is used by one goroutine.
type screen struct {
	to    io.Writer
	live  bool
	now   func() time.Time
	since time.Time
	// phase is what goes on, and candidates how many were tried in it.
	phase      string
	candidates int
	drawn      bool
}

// take folds an event into what is shown.
func (s *screen) take(e event.Event) {
	switch e.Kind {
	case event.PhaseChanged:
		s.phase, s.candidates = e.Text, 0
		if !s.live {
			s.line(e.Text)
		}
	case event.TestsFinished:
		s.line("tests: " + e.Text)
	case event.Proposed:
		s.line(fmt.Sprintf("#%d %s: %s", e.N, strings.Join(e.Files, " "), e.Text))
	case event.AttemptFinished:
		s.line(strings.TrimRight(fmt.Sprintf("#%d %s  %s", e.N, e.Text, e.Detail), " "))
	case event.CandidatesTried:
		s.candidates = e.N
	case event.Turned:
		s.line("model: " + e.Detail + " | " + e.Text)
	case event.Verified:
		s.line("verified: " + e.Text)
	case event.Warned:
		s.line("warning: " + e.Text)
	case event.RunStarted, event.RunFinished, event.Before, event.Invalid:
	}
}

// line shows something that is over.
func (s *screen) line(text string) {
	s.erase()
	// Standard error may be gone; the result does not depend on it.
	_, _ = io.WriteString(s.to, printable(text)+"\n")
}

// draw shows what goes on, in the place of what was drawn before.
func (s *screen) draw() {
	if !s.live || s.phase == "" {
		return
	}
	text := s.phase
	if s.candidates > 0 {
		text += fmt.Sprintf(", %d candidates tried", s.candidates)
	}
	text = printable(fmt.Sprintf("%s (%.0fs)", text, s.now().Sub(s.since).Seconds()))
	for utf8.RuneCountInString(text) > liveWidth {
		_, last := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-last]
	}
	_, _ = io.WriteString(s.to, eraseLine+text)
	s.drawn = true
}

func (s *screen) erase() {
	if s.drawn {
		_, _ = io.WriteString(s.to, eraseLine)
		s.drawn = false
	}
}
