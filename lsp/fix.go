package lsp

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"autocoder/engine"
	"autocoder/engine/config"
	"autocoder/engine/outcome"
	"autocoder/engine/report"

	"go.lsp.dev/protocol"
)

// largerBy is how much larger the budget is of a run that is tried again.
const largerBy = 4

// mostRebases is how often a fix is made anew for what the user typed meanwhile.
const mostRebases = 2

// fix starts the loop on a project.
func (s *Server) fix(ctx context.Context, at place) (any, error) {
	if err := at.needsRoot(); err != nil {
		return nil, err
	}
	title := "Fix failing tests"
	if len(at.Only) == 1 {
		title = "Fix " + at.Only[0]
	}
	return s.startFix(ctx, at, title, engine.FixRequest{Only: at.Only}), nil
}

func (s *Server) startFix(ctx context.Context, at place, title string, req engine.FixRequest) started {
	return s.start(ctx, jobSpec{title: title, root: at.root, from: at.from, docs: at.docs, rank: fixing, run: func(ctx context.Context, j *job) (ending, error) {
		return s.runFix(ctx, j, at, req)
	}})
}

// runFix runs the loop on what the editor shows, and brings its edit there.
func (s *Server) runFix(ctx context.Context, j *job, at place, req engine.FixRequest) (ending, error) {
	ws, err := s.open(ctx, j, at)
	if err != nil {
		return ending{}, err
	}
	defer s.close(ws)
	return s.fixWith(ctx, ws, j, at, req)
}

// fixWith is runFix in a workspace that is open.
func (s *Server) fixWith(ctx context.Context, ws *engine.Workspace, j *job, at place, req engine.FixRequest) (ending, error) {
	r, err := ws.Fix(ctx, req)
	if r.Outcome == outcome.Invalid {
		return ending{}, err
	}
	if err != nil {
		r.Warnings = append(r.Warnings, err.Error())
	}
	s.warn(r.Warnings)
	made := offersOf(r, ws.Offers())
	s.remember(at.root, r, made)
	if r.Outcome != outcome.Fixed || len(made) == 0 {
		s.showEnd(j, r, nil)
		if unconfined(r) && s.askConsent(ctx, ws, at.root) {
			return s.runFix(ctx, j, at, req)
		}
		return endOf(r, ""), nil
	}
	var result brought
	if names := s.movedSince(j, at); len(names) > 0 {
		result = outdated(names)
	} else {
		result = s.bring(made[0], at.root, "Fix failing tests")
	}
	if result.answer == stale && at.rebased < mostRebases {
		if end, ok, err := s.rebase(ctx, ws, j, at, r, made[0]); ok || err != nil {
			return end, err
		}
	}
	return s.brought(j, r, made[0], result), nil
}

// rebase makes an edit anew for what the user typed meanwhile, when both touch
// different lines, and verifies it there. ok is false when there is no such edit.
func (s *Server) rebase(ctx context.Context, ws *engine.Workspace, j *job, at place, r report.Report, o offer) (end ending, ok bool, err error) {
	s.mu.Lock()
	at.docs = s.docs.snapshot()
	disk := s.project(at.root).disk
	s.mu.Unlock()
	placed := at.docs.placed(at.root)
	patch, err := engine.Rebase(o.files, shown(at.root, placed))
	if err != nil {
		s.note("the fix can't be laid over what changed meanwhile: %v", err)
		return end, false, nil
	}
	at.rebased++
	s.mu.Lock()
	j.docs, j.disk = at.docs, disk
	s.mu.Unlock()
	ws.Update(placed.buffers(at.root))
	end, err = s.fixWith(ctx, ws, j, at, engine.FixRequest{Only: ids(r.Baseline.Failing), Patch: &patch})
	var unknown *engine.UsageError
	if errors.As(err, &unknown) {
		return end, false, nil // a test that was to be repaired is no longer there
	}
	return end, true, err
}

func ids(list []report.Failing) []string {
	var names []string
	for _, f := range list {
		names = append(names, f.ID)
	}
	return names
}

// open opens the project of a job, with the editor's settings and buffers.
func (s *Server) open(ctx context.Context, j *job, at place) (*engine.Workspace, error) {
	req := OpenRequest{
		Root: at.root, Layers: s.editorLayers(ctx, at.root), Sink: j.progress.sink,
		Warn: func(text string) { s.note("warning: %s", text) },
	}
	if at.Larger {
		req.Adjust = enlarge
	}
	s.catchUp(j)
	ws, err := s.cfg.Open(ctx, req)
	if err != nil {
		return nil, err
	}
	ws.Update(at.docs.placed(at.root).buffers(at.root))
	return ws, nil
}

func (s *Server) close(ws *engine.Workspace) {
	if err := ws.Close(); err != nil {
		s.cfg.Log.Warn("close the workspace", "error", err)
	}
}

// enlarge makes a budget larger.
func enlarge(c *config.Settings) {
	c.MaxAttempts *= largerBy
	c.MaxTime *= largerBy
	c.MaxTurns *= largerBy
	c.MaxTokens *= largerBy
	c.MaxCost *= largerBy
	c.Patience *= 2
}

func (s *Server) warn(warnings []string) {
	for _, w := range warnings {
		s.note("warning: %s", w)
	}
}

// remember takes what a run came to as the newest that is known of a project.
func (s *Server) remember(root string, r report.Report, made []offer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.project(root)
	p.last, p.offers, p.awaited = &r, made, nil
}

// offersOf are the edits of a run that a code action can apply.
func offersOf(r report.Report, o engine.Offers) []offer {
	var made []offer
	if len(o.Fix) > 0 {
		made = append(made, offer{run: r.Run, report: r, files: o.Fix, title: "Apply the prepared fix (" + sizeOf(r.Diff, len(o.Fix)) + ")"})
	}
	if len(o.Partial) > 0 && r.Partial != nil {
		made = append(made, offer{
			run: r.Run, report: r, files: o.Partial, partial: true,
			title: fmt.Sprintf("Apply the partial fix (%d of %d)", len(r.Partial.Fixed), len(r.Partial.Fixed)+len(r.Partial.Left)),
		})
	}
	return made
}

// sizeOf is the size of a diff: "2 files, +3 −1".
func sizeOf(diff string, files int) string {
	added, removed := 0, 0
	for line := range strings.SplitSeq(diff, "\n") {
		switch {
		case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return fmt.Sprintf("%s, +%d −%d", plural(files, "file"), added, removed)
}

// showEnd shows the end of a run and what fails in the editor: as at first, unless an
// edit of the run is there. applied is that edit, nil for none.
func (s *Server) showEnd(j *job, r report.Report, applied *offer) {
	m := s.marker(j.root)
	now := r.Baseline
	if applied != nil && r.Final.Status != 0 {
		now = r.Final
	}
	var marks []mark
	if r.Outcome != outcome.AlreadyGreen || len(now.Failing) > 0 {
		marks = m.tests(now)
	}
	if mk, ok := m.end(r, applied, j.from); ok {
		marks = append(marks, mk)
	}
	s.show(m, j, marks, applied)
}

// show replaces what is shown of a project. It is stale from the start when the
// user changed more, while the job ran, than the edit that was applied.
func (s *Server) show(m marker, j *job, marks []mark, applied *offer) {
	stale := m.changedSince(j.docs, applied)
	s.mu.Lock()
	marks, changed := m.meanwhile(marks)
	for i := range marks {
		marks[i].stale = stale || changed || m.p.disk != j.disk
	}
	m.p.marks = marks
	s.mu.Unlock()
	s.publish()
	s.refreshLenses()
}

// endOf is the last word on a run. more says what became of its edit.
func endOf(r report.Report, more string) ending {
	end := ending{kind: messageOf(r.Outcome), text: joined("; ", fmt.Sprintf("%s: %s", r.Outcome, r.Reason), more, nextOf(r))}
	end.quiet = r.Outcome == outcome.Cancelled
	return end
}

// aFlag is a flag of the command line.
var aFlag = regexp.MustCompile(`--[a-z]+(-[a-z]+)*`)

// nextOf is what the user can do next, in an editor's words: there are no flags, but
// settings and code actions.
func nextOf(r report.Report) string {
	if len(r.Alternatives) > 0 {
		return "look at them in the report, and take one by its code action"
	}
	text := strings.ReplaceAll(r.Next, "with --apply --partial", "by its code action")
	text = strings.ReplaceAll(text, "--unit", "--exclude")
	return aFlag.ReplaceAllStringFunc(text, func(flag string) string {
		return "`" + strings.ReplaceAll(flag[2:], "-", "_") + "`"
	})
}

func messageOf(o outcome.Outcome) protocol.MessageType {
	switch o {
	case outcome.Fixed, outcome.AlreadyGreen, outcome.Cancelled:
		return protocol.MessageTypeInfo
	case outcome.NoProgress, outcome.Budget, outcome.GaveUp:
		return protocol.MessageTypeWarning
	case outcome.Unrunnable, outcome.Invalid:
		return protocol.MessageTypeError
	default:
		panic(fmt.Sprintf("lsp: outcome %v", o))
	}
}

// brought shows what became of an edit that was brought to the editor.
func (s *Server) brought(j *job, r report.Report, o offer, result brought) ending {
	switch result.answer {
	case applied:
		s.drop(j.root, o)
		if o.partial {
			r.Next = "" // it said to take this edit
		}
		s.showEnd(j, r, &o)
	case declined, stale, impossible:
		s.showEnd(j, r, nil)
	case unknown:
		s.showEnd(j, r, nil)
		s.await(j, r, o)
	default:
		panic(fmt.Sprintf("lsp: answer %d", result.answer))
	}
	end := endOf(r, result.text)
	if result.answer != applied {
		end.kind = protocol.MessageTypeWarning
	}
	return end
}

// drop forgets an offer that was taken.
func (s *Server) drop(root string, o offer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.project(root)
	p.landed = o.files
	var kept []offer
	for _, other := range p.offers {
		if other.run != o.run || other.partial != o.partial {
			kept = append(kept, other)
		}
	}
	p.offers = kept
	if p.last != nil && p.last.Run == o.run {
		r := *p.last
		r.Applied = true
		p.last = &r
	}
}

// apply brings an edit to the editor that was found before: the prepared fix, a
// partial one, or an alternative, which is verified first.
func (s *Server) apply(ctx context.Context, at place) (any, error) {
	if at.Alternative != "" {
		if at.root == "" {
			run, _, _ := cutLast(at.Alternative, ".")
			at.root = s.onlyRoot(run)
		}
		if err := at.needsRoot(); err != nil {
			return nil, err
		}
		return s.startFix(ctx, at, "Apply alternative "+at.Alternative, engine.FixRequest{Choose: at.Alternative}), nil
	}
	if err := at.needsRoot(); err != nil {
		return nil, err
	}
	return s.start(ctx, jobSpec{title: "Apply the fix", root: at.root, from: at.from, docs: at.docs, rank: fixing, run: func(_ context.Context, j *job) (ending, error) {
		o, ok := s.offered(at)
		if !ok {
			return ending{kind: protocol.MessageTypeWarning, text: "there is no fix to apply: run Fix failing tests"}, nil
		}
		return s.brought(j, o.report, o, s.bring(o, at.root, o.label())), nil
	}}), nil
}

func (o offer) label() string {
	if o.partial {
		return "Apply the partial fix"
	}
	return "Fix failing tests"
}

// offered finds the edit that a command is about.
func (s *Server) offered(at place) (offer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.projects[at.root]
	if p == nil {
		return offer{}, false
	}
	for _, o := range p.offers {
		if o.partial == at.Partial && (at.Run == "" || o.run == at.Run) {
			return o, true
		}
	}
	return offer{}, false
}

func cutLast(text, sep string) (before, after string, found bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}
