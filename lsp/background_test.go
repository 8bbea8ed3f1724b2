package lsp

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"autocoder/engine/config"
)

// TestStormOfSaves counts how often something would run in the background for saves
// at some pace, by a clock of its own.
func TestStormOfSaves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		saves int
		every time.Duration
		most  int32
		least int32
	}{
		{"fifty in five seconds", 50, 100 * time.Millisecond, 2, 1},
		{"fifty at once", 50, 0, 2, 1},
		{"now and then", 3, 5 * time.Second, 3, 3}, // the control
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				var ran atomic.Int32
				log := slog.New(slog.NewTextHandler(io.Discard, nil))
				s := newServer(t.Context(), Config{Now: time.Now, Log: log, Background: func(OpenRequest) (config.BackgroundMode, error) {
					ran.Add(1)
					return config.BackgroundOff, nil
				}})
				s.out = newOutbox(func(context.Context, string, any) error { return nil }, log)
				s.phase, s.folders = running, []folder{{path: root}}
				for range c.saves {
					s.afterSave(filepath.Join(root, "a.txt"))
					time.Sleep(c.every)
				}
				s.work.Wait()
				if n := ran.Load(); n < c.least || n > c.most {
					t.Errorf("%d runs", n)
				}
			})
		})
	}
}
