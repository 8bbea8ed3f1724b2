package repair

import (
	"context"
	"testing"
	"time"
)

// A turn begins nothing when its share is over; what it has begun may last until the
// whole search is over.
func TestShare(t *testing.T) {
	t.Parallel()
	start := time.Now()
	now := start
	c := clock{now: func() time.Time { return now }, start: start, deadline: start.Add(time.Hour), end: start.Add(time.Hour)}
	part := c.share(.25)
	now = start.Add(20 * time.Minute)
	if c.over() || !part.over() {
		t.Errorf("over: the search %v, its part %v", c.over(), part.over())
	}
	limited, cancel := part.limit(context.Background())
	defer cancel()
	if end, ok := limited.Deadline(); !ok || end.Before(start.Add(30*time.Minute)) {
		t.Errorf("the batch of a turn ends at %v after the start", end.Sub(start))
	}
}
