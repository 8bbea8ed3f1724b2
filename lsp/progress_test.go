package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"autocoder/engine/event"

	"go.lsp.dev/protocol"
)

// TestProgressIsToldAtMostTwiceASecond has a run tell more than anyone can read.
func TestProgressIsToldAtMostTwiceASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told []string
		var times []time.Time
		log := slog.New(slog.NewTextHandler(io.Discard, nil))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := newServer(ctx, Config{Now: time.Now, Log: log})
		s.out = newOutbox(func(_ context.Context, method string, params any) error {
			if method == protocol.MethodProgress {
				var v struct{ Kind, Message string }
				if err := json.Unmarshal(params.(*protocol.ProgressParams).Value, &v); err != nil {
					return err
				}
				told, times = append(told, v.Kind+" "+v.Message), append(times, time.Now())
			}
			return nil
		}, log)
		go s.out.run(ctx)
		p := s.newProgress(&job{id: "1", jobSpec: jobSpec{title: "Fix", root: "/r"}})
		p.shown = true
		p.last = time.Now()
		for i := range 1000 { // ten seconds
			p.sink(event.Event{Kind: event.CandidatesTried, N: i})
			time.Sleep(10 * time.Millisecond)
		}
		p.end("done")
		p.say("late")
		time.Sleep(time.Minute)
		s.out.close()
		synctest.Wait()
		if n := len(told); n < 19 || n > 21 || told[n-1] != "end done" {
			t.Errorf("%d were told: %q", n, told)
		}
		for i := 1; i < len(times)-1; i++ {
			if gap := times[i].Sub(times[i-1]); gap < reportEvery {
				t.Errorf("report %d came %s after the one before", i, gap)
			}
		}
		if want := fmt.Sprintf("report looking for a fix: %d candidates tried", 50); len(told) > 0 && told[0] != want && told[0] != "report looking for a fix: 49 candidates tried" {
			t.Errorf("the first report is %q, want the newest, %q", told[0], want)
		}
	})
}
