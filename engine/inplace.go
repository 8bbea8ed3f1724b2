package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autocoder/engine/event"
	"autocoder/engine/journal"
	"autocoder/engine/sandbox"
	"autocoder/engine/textedit"
	"autocoder/engine/workspace"
)

// runByGit are what git takes programs from, which it then runs for whoever uses it.
// What else is in its folder may be a person's work of this minute, which is left
// alone; isolated shows all of it read-only.
var runByGit = []string{".git/hooks", ".git/config", ".git/config.worktree", ".git/info"}

// inPlace lets attempts run in the user's folder itself, for suites that can run
// nowhere else. A journal outside the folder puts everything back.
type inPlace struct {
	root    string
	journal *journal.Journal
	shares  []workspace.Share
	ended   bool
}

// openInPlace begins the journal and moves the suite's bench into the folder.
func (x *world) openInPlace(ctx context.Context, run, saved string) (err error) {
	j, err := journal.Begin(ctx, journal.Config{
		Root: x.w.root, Dir: x.w.journalsDir(), ID: run, Saved: filepath.Join(saved, "saved"),
		Skip: x.snapshot.Shared(), Only: runByGit,
	})
	var closed *journal.ReadOnly
	if errors.As(err, &closed) {
		return &UsageError{Message: closed.Error() + ", which trying edits in place needs: without that, edits are tried on a copy"}
	}
	if err != nil {
		return err
	}
	x.place = &inPlace{root: x.w.root, journal: j, shares: x.snapshot.Shares()}
	git := filepath.Join(x.w.root, ".git")
	if info, err := os.Lstat(git); err == nil && info.IsDir() && x.tier == sandbox.Isolated {
		x.place.shares = append(slices.Clone(x.place.shares), workspace.Share{Path: ".git", Source: git})
	}
	if err := x.suite.close(); err != nil {
		return err
	}
	x.suite, err = x.benchOn(ctx, x.place)
	return err
}

// Dir is the folder.
func (p *inPlace) Dir() string { return p.root }

// Shared are the folders below it that no test run may write.
func (p *inPlace) Shared() []workspace.Share { return p.shares }

// Set lays a state into the folder.
func (p *inPlace) Set(ctx context.Context, state textedit.State) error {
	return p.journal.Set(ctx, state)
}

// Write is not for the user's folder: proposers work on forks.
func (p *inPlace) Write(path string, _ []byte) error {
	return fmt.Errorf("write %q: proposers don't write in place", path)
}

// Close leaves the folder alone: settle has put it in order.
func (p *inPlace) Close() error { return nil }

// around runs tests between two looks at the folder, so that the journal knows
// what they did.
func (p *inPlace) around(ctx context.Context, tests func() error) error {
	if err := p.journal.Running(); err != nil {
		return err
	}
	err := tests()
	return errors.Join(err, p.journal.Ran(context.WithoutCancel(ctx)))
}

// settle leaves keep in the folder, puts everything else back, and says what
// could not be. It does so also when the run was cancelled.
func (p *inPlace) settle(ctx context.Context, keep textedit.State) ([]string, error) {
	if p == nil || p.ended {
		return nil, nil
	}
	p.ended = true
	ctx = context.WithoutCancel(ctx)
	var result journal.Result
	var err error
	if keep.Empty() {
		result, err = p.journal.Restore(ctx)
	} else {
		result, err = p.journal.Commit(ctx, keep)
	}
	return told(result), err
}

// putBack puts everything back that a run in place has changed, and tells what
// could not be.
func (x *world) putBack(ctx context.Context) error {
	lines, err := x.place.settle(ctx, textedit.State{})
	for _, line := range lines {
		x.w.emit(event.Event{Kind: event.Warned, Text: line})
	}
	return err
}

// told says what a journal could not put back, a sentence a file.
func told(r journal.Result) []string {
	var lines []string
	for _, l := range r.Left {
		line := fmt.Sprintf("%q was changed by somebody else during the run and was left as it is", l.Path)
		if l.Saved != "" {
			line += "; what stood there before is saved in " + l.Saved
		}
		lines = append(lines, line)
	}
	for _, d := range r.Discarded {
		lines = append(lines, fmt.Sprintf("%q was changed while the tests ran and is now as before; what was found there is saved in %s", d.Path, d.Saved))
	}
	return lines
}

// recoverInPlace puts back what killed runs left in folders, and tells.
func (w *Workspace) recoverInPlace(ctx context.Context) {
	found, err := journal.Recover(ctx, w.journalsDir())
	if err != nil {
		w.emit(event.Event{Kind: event.Warned, Text: err.Error()})
	}
	for _, r := range found {
		text := fmt.Sprintf("put back %d files in %q that a killed run had changed", len(r.Restored), r.Root)
		if lines := told(r.Result); len(lines) > 0 {
			text += ": " + strings.Join(lines, "; ")
		}
		w.emit(event.Event{Kind: event.Warned, Text: text})
	}
}

func (w *Workspace) journalsDir() string { return filepath.Join(w.options.StateDir, "journals") }

// asChanged gives files that changed meanwhile the error that Apply has for them.
func asChanged(err error) error {
	var changed *journal.Changed
	if errors.As(err, &changed) {
		return &workspace.ChangedError{Paths: changed.Paths}
	}
	return err
}
