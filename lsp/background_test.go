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

// TestBudgetOfWhatNobodyAskedFor makes settings those of a run in the background.
func TestBudgetOfWhatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		proposer, want string
		model          bool
	}{
		{"auto", "repair", false},
		{"model", "repair", false},
		{"auto", "auto", true},
		{"model", "model", true},
		{"null", "null", true},
		{"script:a.json", "script:a.json", false},
	} {
		given := config.Default()
		given.Proposer, given.BackgroundModel, given.Sandbox = c.proposer, c.model, config.SandboxSupervised
		got := given
		small(&got)
		if got.Proposer != c.want || got.Sandbox != config.SandboxBest {
			t.Errorf("%+v: proposer %q, sandbox %v", c, got.Proposer, got.Sandbox)
		}
		if got.MaxAttempts >= given.MaxAttempts || got.MaxTime >= given.MaxTime || got.MaxTurns >= given.MaxTurns || got.MaxTokens >= given.MaxTokens || got.MaxCost >= given.MaxCost {
			t.Errorf("%+v: the budget is not small: %+v", c, got)
		}
		again := got
		again.MaxAttempts, again.MaxCost = 1, 0.01
		small(&again)
		if again.MaxAttempts != 1 || again.MaxCost != 0.01 {
			t.Errorf("%+v: a smaller budget is made larger: %+v", c, again)
		}
	}
}
