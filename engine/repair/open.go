package repair

import (
	"context"
	"slices"
	"time"

	"autocoder/engine/propose"
)

// mostOpen is how many sessions are open at a time: each takes as long to open as many
// candidates do to try, and memory while it is.
const mostOpen = 3

// enter returns the hunt's session. It stays open for the next turn while not too many
// others are.
func (h *hunt) enter(ctx context.Context, view propose.View, left time.Duration) (Session, error) {
	s := h.search
	if h.session != nil {
		s.open = append(slices.DeleteFunc(s.open, func(o *hunt) bool { return o == h }), h)
		return h.session, nil
	}
	if len(s.open) == mostOpen {
		s.note(s.open[0].leave())
	}
	session, err := h.language.Open(ctx, Task{View: view, Unit: h.unit, Targets: h.targets, Passing: h.passing, Earlier: h.earlier, Time: left})
	if err != nil {
		return nil, err
	}
	h.session, h.earlier, h.pace = session, session, pace{}
	s.open = append(s.open, h)
	return session, nil
}

// leave closes the hunt's session if it is open.
func (h *hunt) leave() error {
	if h.session == nil {
		return nil
	}
	session := h.session
	h.session = nil
	h.search.open = slices.DeleteFunc(h.search.open, func(o *hunt) bool { return o == h })
	return session.Close()
}

// leave closes every session.
func (s *search) leave() {
	for len(s.open) > 0 {
		s.note(s.open[0].leave())
	}
}

// note keeps what went wrong for the summary.
func (s *search) note(err error) {
	if err != nil {
		s.notes = append(s.notes, err.Error())
	}
}
