package lsp

import (
	"context"
	"fmt"
	"slices"
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
	backgroundTurns    = 6
	backgroundTokens   = 50_000
	backgroundCost     = 0.5 // dollars
)

// codeReady is the code of the diagnostic of a fix that was prepared in the
// background.
const codeReady = "fix_ready"

// fixIsReady is what the status line tells of one.
const fixIsReady = "a fix is ready"

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
			s.safely("after a save", func() { s.unasked(root) })
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
		case <-s.answering.Done():
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
	req := OpenRequest{Root: root, Layers: s.editorLayers(s.answering, root)}
	mode, err := s.cfg.Background(req)
	if err != nil {
		s.note("settings of %s: %v", root, err)
		return
	}
	s.mu.Lock()
	at := place{root: root, docs: s.docs.snapshot()}
	s.mu.Unlock()
	var run func(context.Context, *job, place, *engine.Workspace, string) (string, error)
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
		text, err := s.inBackground(ctx, j, at, run)
		return ending{text: text, quiet: true}, err
	}})
}

// inBackground opens a project for a run that nobody asked for, unless its tree
// was looked at before: then what was found is shown again. It returns what the
// status line is to say.
func (s *Server) inBackground(ctx context.Context, j *job, at place, run func(context.Context, *job, place, *engine.Workspace, string) (string, error)) (string, error) {
	s.catchUp(j)
	ws, err := s.cfg.Open(ctx, OpenRequest{
		Root: at.root, Layers: s.editorLayers(ctx, at.root), Adjust: small, Unasked: true,
		Sink: j.progress.sink, Warn: func(text string) { s.note("warning: %s", text) },
	})
	if err != nil {
		return "", err
	}
	defer s.close(ws)
	ws.Update(at.docs.placed(at.root).buffers(at.root))
	print, err := ws.Fingerprint(ctx)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	p := s.project(at.root)
	seen, tests := p.seen == print, p.tests
	o, prepared := p.prepared[print]
	upToDate := slices.ContainsFunc(p.marks, func(m mark) bool { return !m.stale })
	if !seen {
		p.seen, p.tests = print, nil
	}
	s.mu.Unlock()
	switch {
	case prepared:
		return s.offerUnasked(j, at, print, o), nil
	case seen && tests != nil && !upToDate:
		s.showTests(j, *tests)
		return testsEnd(*tests).text, nil
	case seen:
		return "", nil
	}
	if earlier, tried := ws.Tried(print); tried {
		if o, ok := s.earlier(earlier); ok {
			s.prepare(at.root, print, o)
			return s.offerUnasked(j, at, print, o), nil
		}
		if len(earlier.Fix) == 0 {
			return "", nil
		}
	}
	text, err := run(ctx, j, at, ws, print)
	if err != nil {
		s.mu.Lock()
		p.seen = "" // it came to no end
		s.mu.Unlock()
	}
	return text, err
}

// small makes the budget of a run that nobody asked for. Only the repair engine
// works unasked unless the settings let a model, and never below the tiers that confine.
func small(c *config.Settings) {
	c.MaxAttempts = min(c.MaxAttempts, backgroundAttempts)
	c.MaxTime = min(c.MaxTime, backgroundTime)
	c.MaxTurns = min(c.MaxTurns, backgroundTurns)
	c.MaxTokens = min(c.MaxTokens, backgroundTokens)
	c.MaxCost = min(c.MaxCost, backgroundCost)
	if (c.Proposer == "auto" || c.Proposer == "model") && !c.BackgroundModel {
		c.Proposer = "repair"
	}
	if c.Sandbox == config.SandboxSupervised {
		c.Sandbox = config.SandboxBest
	}
}

// testUnasked shows what fails.
func (s *Server) testUnasked(ctx context.Context, j *job, _ place, ws *engine.Workspace, _ string) (string, error) {
	tests, err := ws.RunTests(ctx)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	s.project(j.root).tests = &tests
	s.mu.Unlock()
	s.showTests(j, tests)
	return testsEnd(tests).text, nil
}

// mostPrepared is how many fixes are kept that nobody asked for.
const mostPrepared = 16

// fixUnasked prepares a fix and shows it as a hint. Whatever else it comes to is
// nobody's business.
func (s *Server) fixUnasked(ctx context.Context, j *job, at place, ws *engine.Workspace, print string) (string, error) {
	r, err := ws.Fix(ctx, engine.FixRequest{})
	switch r.Outcome {
	case outcome.Invalid:
		return "", err
	case outcome.Cancelled:
		return "", context.Canceled
	case outcome.Fixed, outcome.NoProgress, outcome.Budget, outcome.GaveUp, outcome.Unrunnable, outcome.AlreadyGreen:
	default:
		panic(fmt.Sprintf("lsp: outcome %v", r.Outcome))
	}
	if r.Outcome != outcome.AlreadyGreen {
		if err := ws.NoteTried(print, engine.Earlier{Run: r.Run, Fix: ws.Offers().Fix}); err != nil {
			s.note("%v", err)
		}
	}
	made := offersOf(r, ws.Offers())
	if r.Outcome != outcome.Fixed || len(made) == 0 {
		return "", nil
	}
	o := made[0]
	o.unasked = true
	s.prepare(at.root, print, o)
	return s.offerUnasked(j, at, print, o), nil
}

// prepare keeps a fix that was prepared for a tree.
func (s *Server) prepare(root, print string, o offer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.project(root)
	if p.prepared == nil || len(p.prepared) >= mostPrepared {
		p.prepared = map[string]offer{}
	}
	p.prepared[print] = o
}

// earlier is the fix that an earlier server prepared for a tree; there is none when
// its run is no longer kept.
func (s *Server) earlier(e engine.Earlier) (offer, bool) {
	if len(e.Fix) == 0 {
		return offer{}, false
	}
	r, err := s.cfg.Report(e.Run)
	if err != nil {
		return offer{}, false
	}
	o := offersOf(r, engine.Offers{Fix: e.Fix})[0]
	o.unasked = true
	return o, true
}

// offerUnasked shows a fix that nobody asked for, unless files changed since it was
// verified: it comes back with them.
func (s *Server) offerUnasked(j *job, at place, print string, o offer) string {
	if !s.offerIfReady(j, at, o) {
		return ""
	}
	s.mu.Lock()
	saved := s.project(at.root).saved
	s.mu.Unlock()
	s.work.Go(func() { s.safely("offer a fix again", func() { s.offerAgain(j, at, print, saved) }) })
	return fixIsReady
}

// offerIfReady shows a prepared fix if the files are what it was verified for.
func (s *Server) offerIfReady(j *job, at place, o offer) bool {
	m := s.marker(at.root)
	now, _ := o.standingIn(shown(at.root, m.docs))
	return now == ready && !m.changedSince(at.docs, nil) && len(s.movedSince(j, at)) == 0 && s.hint(m, o)
}

// offerAgain shows a prepared fix whenever the documents are again what it was verified
// for: who types and takes that back may have nothing to save. It ends when something is
// saved, after which all is looked at anew, or the fix is dismissed.
func (s *Server) offerAgain(j *job, at place, print string, saved int) {
	for {
		s.mu.Lock()
		p := s.project(at.root)
		moved := s.moved
		o, kept := p.prepared[print]
		offered := p.ready()
		s.mu.Unlock()
		if !kept {
			return
		}
		if !offered {
			s.offerIfReady(j, at, o)
		}
		select {
		case <-moved:
		case <-s.answering.Done():
			return
		}
		if !s.quiet(at.root, saved) {
			return
		}
	}
}

// hint shows a fix that was prepared in the background, unless files changed since m
// looked at them.
func (s *Server) hint(m marker, o offer) bool {
	f := o.files[0]
	mk := m.mark(f.Path, firstChange(string(f.Base.Content), string(f.New.Content)), protocol.DiagnosticSeverityHint,
		codeReady, joined("\n", "a fix of the failing tests is ready ("+sizeOf(o.report.Diff, len(o.files))+")", o.report.Why), Data{Run: o.run})
	mk.hint = true
	s.mu.Lock()
	_, changed := m.meanwhile([]mark{mk})
	if !changed {
		m.p.withdraw()
		m.p.marks = append(m.p.marks, mk)
		m.p.offers = append(m.p.offers, o)
	}
	s.mu.Unlock()
	s.publish()
	return !changed
}
