package lsp

import (
	"context"
	"fmt"
	"time"

	"autocoder/engine"
	"autocoder/engine/config"
	"autocoder/engine/outcome"

	"go.lsp.dev/protocol"
)

// The budget of a run that nobody asked for.
const (
	backgroundAttempts = 3
	backgroundTime     = 2 * time.Minute
)

// codeReady is the code of the diagnostic of a fix that was prepared in the
// background.
const codeReady = "fix_ready"

// afterSave waits until nothing more is saved, and then runs in the background
// what the settings want. The last save counts: what began for one before it
// ends.
func (s *Server) afterSave(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cfg.Background == nil || s.phase != running || s.base.Err() != nil {
		return
	}
	s.work.Go(func() {
		root := s.rootOf(path)
		s.mu.Lock()
		p := s.project(root)
		p.saved++
		mine := p.saved
		s.mu.Unlock()
		if s.quiet(root, mine) {
			s.unasked(root)
		}
	})
}

// quiet waits until nothing was saved for a while and no job that was asked for
// runs; it reports false when something is saved meanwhile.
func (s *Server) quiet(root string, mine int) bool {
	for {
		wait := time.NewTimer(s.cfg.Quiet)
		select {
		case <-wait.C:
		case <-s.base.Done():
			wait.Stop()
			return false
		}
		s.mu.Lock()
		latest := s.project(root).saved == mine && s.phase == running
		var busy *job
		for _, j := range s.jobs {
			if j.root == root && (j.rank == looking || j.rank == fixing) {
				busy = j
			}
		}
		s.mu.Unlock()
		if !latest {
			return false
		}
		if busy == nil {
			return true
		}
		<-busy.done
	}
}

// unasked starts what the settings want on a save.
func (s *Server) unasked(root string) {
	req := OpenRequest{Root: root, Layers: s.editorLayers(s.base, root)}
	mode, err := s.cfg.Background(req)
	if err != nil {
		s.note("settings of %s: %v", root, err)
		return
	}
	s.mu.Lock()
	at := place{root: root, docs: s.docs.snapshot()}
	s.mu.Unlock()
	var run func(context.Context, *job, place, *engine.Workspace) error
	switch mode {
	case config.BackgroundOff:
		return
	case config.BackgroundTest:
		run = s.testUnasked
	case config.BackgroundFix:
		run = s.fixUnasked
	default:
		panic(fmt.Sprintf("lsp: background mode %v", mode))
	}
	s.start(s.base, jobSpec{title: "In the background", root: root, docs: at.docs, rank: background, run: func(ctx context.Context, j *job) (ending, error) {
		return ending{quiet: true}, s.inBackground(ctx, j, at, run)
	}})
}

// inBackground opens a project for a run that nobody asked for, unless its tree
// was looked at before.
func (s *Server) inBackground(ctx context.Context, j *job, at place, run func(context.Context, *job, place, *engine.Workspace) error) error {
	ws, err := s.cfg.Open(ctx, OpenRequest{
		Root: at.root, Layers: s.editorLayers(ctx, at.root), Adjust: small, Unasked: true,
		Sink: j.progress.sink, Warn: func(text string) { s.note("warning: %s", text) },
	})
	if err != nil {
		return err
	}
	defer s.close(ws)
	ws.Update(at.docs.placed(at.root).buffers(at.root))
	print, err := ws.Fingerprint(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	p := s.project(at.root)
	seen := p.seen == print
	p.seen = print
	s.mu.Unlock()
	if seen || ws.Tried(print) {
		return nil
	}
	if err := run(ctx, j, at, ws); err != nil {
		s.mu.Lock()
		p.seen = "" // it came to no end
		s.mu.Unlock()
		return err
	}
	return nil
}

// small makes the budget of a run that nobody asked for. Only the repair engine
// works unasked, and never below the tiers that confine.
func small(c *config.Settings) {
	c.MaxAttempts = min(c.MaxAttempts, backgroundAttempts)
	c.MaxTime = min(c.MaxTime, backgroundTime)
	if c.Proposer == "auto" || c.Proposer == "model" {
		c.Proposer = "repair"
	}
	if c.Sandbox == config.SandboxSupervised {
		c.Sandbox = config.SandboxBest
	}
}

// testUnasked shows what fails.
func (s *Server) testUnasked(ctx context.Context, j *job, _ place, ws *engine.Workspace) error {
	tests, err := ws.RunTests(ctx)
	if err != nil {
		return err
	}
	s.showTests(j, tests)
	return nil
}

// fixUnasked prepares a fix and shows it as a hint. Whatever else it comes to is
// nobody's business.
func (s *Server) fixUnasked(ctx context.Context, j *job, at place, ws *engine.Workspace) error {
	print, err := ws.Fingerprint(ctx)
	if err != nil {
		return err
	}
	r, err := ws.Fix(ctx, engine.FixRequest{})
	switch r.Outcome {
	case outcome.Invalid:
		return err
	case outcome.Cancelled:
		return context.Canceled
	case outcome.Fixed, outcome.NoProgress, outcome.Budget, outcome.GaveUp, outcome.Unrunnable, outcome.AlreadyGreen:
	default:
		panic(fmt.Sprintf("lsp: outcome %v", r.Outcome))
	}
	if r.Outcome != outcome.AlreadyGreen {
		if err := ws.NoteTried(print); err != nil {
			s.note("%v", err)
		}
	}
	made := offersOf(r, ws.Offers())
	if r.Outcome != outcome.Fixed || len(made) == 0 {
		return nil
	}
	o := made[0]
	o.unasked = true
	if now, _ := o.standingIn(shown(at.root, s.documents(at.root))); now != ready {
		return nil
	}
	s.hint(j, o)
	return nil
}

// hint shows a fix that was prepared in the background.
func (s *Server) hint(j *job, o offer) {
	m := s.marker(j.root)
	f := o.files[0]
	mk := m.mark(f.Path, firstChange(string(f.Base.Content), string(f.New.Content)), protocol.DiagnosticSeverityHint,
		codeReady, joined("\n", "a fix of the failing tests is ready ("+sizeOf(o.report.Diff, len(o.files))+")", o.report.Why), Data{Run: o.run})
	mk.hint = true
	s.mu.Lock()
	var kept []mark
	for _, old := range m.p.marks {
		if !old.hint {
			kept = append(kept, old)
		}
	}
	m.p.marks = append(kept, mk)
	var offers []offer
	for _, old := range m.p.offers {
		if !old.unasked {
			offers = append(offers, old)
		}
	}
	m.p.offers = append(offers, o)
	s.mu.Unlock()
	s.publish()
}
