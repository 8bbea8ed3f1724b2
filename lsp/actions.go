package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"autocoder/engine/outcome"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// kindFixTests is the kind of the action that is there wherever a project is.
const kindFixTests protocol.CodeActionKind = "source.fixTests"

// codeAction answers from memory. It never runs a test, and reads a file only for an
// editor that takes edits in no other way.
func (s *Server) codeAction(ctx context.Context, p *protocol.CodeActionParams) (any, error) {
	path := pathOf(p.TextDocument.URI)
	actions := []protocol.CommandOrCodeAction{}
	if path == "" {
		return actions, nil
	}
	all, caps := s.menuAt(path, p)
	for _, a := range all {
		if !wanted(*a.Kind, p.Context.Only) {
			continue
		}
		if len(a.Data) > 0 && !caps.resolveEdit {
			if _, err := s.resolveCodeAction(ctx, &a); err != nil {
				continue // a file changed that is not open
			}
			a.Data = nil
		}
		if caps.literals {
			actions = append(actions, &a)
		} else if a.Command.Command != "" {
			actions = append(actions, &a.Command)
		}
	}
	return actions, nil
}

func (s *Server) menuAt(path string, p *protocol.CodeActionParams) ([]protocol.CodeAction, clientCaps) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := menu{s: s, path: path, params: p, docs: s.docs, project: s.projectAt(path)}
	return m.actions(), s.caps
}

// projectAt is what is known of the project of a file; nil when nothing is. It
// looks at no disk. s.mu is held.
func (s *Server) projectAt(path string) *project {
	if root := s.folderOf(path); root != "" {
		return s.projects[root]
	}
	var best *project
	for root, p := range s.projects {
		if _, in := within(root, path); in && (best == nil || len(root) > len(best.root)) {
			best = p
		}
	}
	return best
}

// wanted reports whether an editor asked for a kind.
func wanted(kind protocol.CodeActionKind, only []protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o protocol.CodeActionKind) bool {
		return o == "" || kind == o || strings.HasPrefix(string(kind), string(o)+".")
	})
}

// menu makes the code actions for one place. s.mu is held.
type menu struct {
	s       *Server
	path    string
	params  *protocol.CodeActionParams
	docs    documents
	project *project
}

func (m menu) actions() []protocol.CodeAction {
	automatic := m.params.Context.TriggerKind == protocol.CodeActionTriggerKindAutomatic
	here := m.marksHere()
	var all []protocol.CodeAction
	if len(here) > 0 {
		all = append(all, m.fixes(here)...)
	} else if !automatic {
		all = append(all, m.action(kindFixTests, "Fix failing tests", CommandFix, m.place()))
	}
	if m.project != nil && (len(here) > 0 || !automatic) {
		all = append(all, m.offers()...)
		all = append(all, m.ends()...)
	}
	return all
}

// marksHere are our diagnostics at the place.
func (m menu) marksHere() []mark {
	if m.project == nil {
		return nil
	}
	var here []mark
	for _, k := range m.project.marks {
		r := k.diagnostic.Range
		if k.path == m.path && r.Start.Line <= m.params.Range.End.Line && m.params.Range.Start.Line <= r.End.Line {
			here = append(here, k)
		}
	}
	return here
}

func (m menu) place() Arguments { return Arguments{URI: string(m.params.TextDocument.URI)} }

// fixes are the fixes of diagnostics.
func (m menu) fixes(here []mark) []protocol.CodeAction {
	all := m.action(protocol.CodeActionKindQuickFix, "Fix failing tests", CommandFix, m.place())
	var each []protocol.CodeAction
	for _, k := range here {
		d := k.shown(m.s.caps)
		all.Diagnostics = append(all.Diagnostics, d)
		if k.test == "" {
			continue
		}
		args := m.place()
		args.Only = []string{k.test}
		a := m.action(protocol.CodeActionKindQuickFix, "Fix this test: "+k.test, CommandFix, args)
		a.Diagnostics = []protocol.Diagnostic{d}
		each = append(each, a)
	}
	return append([]protocol.CodeAction{all}, each...)
}

func (m menu) action(kind protocol.CodeActionKind, title, command string, args Arguments) protocol.CodeAction {
	return protocol.CodeAction{
		Title: title, Kind: ptr(kind),
		Command: protocol.Command{Title: title, Command: command, Arguments: argument(args)},
	}
}

// offers apply edits that were found before. An edit whose open files changed is
// left out.
func (m menu) offers() []protocol.CodeAction {
	var all []protocol.CodeAction
	p := m.project
	for _, o := range p.offers {
		if m.outdated(o) {
			continue
		}
		args := Arguments{Root: p.root, Run: o.run, Partial: o.partial}
		a := m.action(protocol.CodeActionKindQuickFix, o.title, CommandApply, args)
		if caps := m.s.caps; caps.literals && (!caps.applyEdit || caps.resolveEdit && o.unasked) {
			a.Command = protocol.Command{}
			a.Data = argument(args)[0]
		}
		if m.s.caps.tags && byModel(o.report) {
			a.Tags = []protocol.CodeActionTag{protocol.CodeActionTagLLMGenerated}
		}
		all = append(all, a)
	}
	if p.last == nil {
		return all
	}
	for i, alt := range p.last.Alternatives {
		title := fmt.Sprintf("Verify and apply alternative %d: %s", i+1, alt.Why)
		all = append(all, m.action(protocol.CodeActionKindQuickFix, title, CommandApply, Arguments{Root: p.root, Alternative: alt.ID}))
	}
	return all
}

// outdated reports whether an open document is no longer what an offer was made
// for.
func (m menu) outdated(o offer) bool {
	for _, f := range o.files {
		if doc, open := m.docs.at(m.project.absolute(f.Path)); open && bare(doc.text) != bare(string(f.Base.Content)) {
			return true
		}
	}
	return false
}

// ends are what can be done after a run.
func (m menu) ends() []protocol.CodeAction {
	p := m.project
	if p.last == nil {
		return nil
	}
	at := Arguments{Root: p.root, Run: p.last.Run}
	all := []protocol.CodeAction{m.action(protocol.CodeActionKindQuickFix, "Show the report", CommandReport, at)}
	switch p.last.Outcome {
	case outcome.NoProgress, outcome.Budget, outcome.GaveUp:
		again := Arguments{Root: p.root, Larger: true}
		all = append(all, m.action(protocol.CodeActionKindQuickFix, "Try again with a larger budget", CommandFix, again))
	case outcome.Fixed, outcome.AlreadyGreen, outcome.Cancelled, outcome.Unrunnable, outcome.Invalid:
	default:
		panic(fmt.Sprintf("lsp: outcome %v", p.last.Outcome))
	}
	return append(all, m.action(protocol.CodeActionKindQuickFix, "Dismiss", CommandDiscard, Arguments{Root: p.root}))
}

// resolveCodeAction gives an action its edit when it is chosen. An action that
// has nothing to resolve goes back as it came: some editors ask for all.
func (s *Server) resolveCodeAction(_ context.Context, a *protocol.CodeAction) (any, error) {
	if len(a.Data) == 0 {
		return a, nil
	}
	var args Arguments
	if err := json.Unmarshal(a.Data, &args); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "data of the action: %v", err)
	}
	o, ok := s.offered(place{Arguments: args, root: args.Root})
	if !ok {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "that fix is gone")
	}
	docs := s.documents(args.Root)
	if now, names := o.standingIn(shown(args.Root, docs)); now != ready {
		return nil, jsonrpc2.Errorf(protocol.CodeContentModified, "the fix is stale: %s changed", strings.Join(names, ", "))
	}
	s.mu.Lock()
	caps, confirm := s.caps, s.project(args.Root).confirm
	s.mu.Unlock()
	edit, err := editOf(o, args.Root, docs, caps, confirm)
	if err != nil {
		return nil, err
	}
	a.Edit = edit
	return a, nil
}

// rawJSON encodes what is ours and not the protocol's.
func rawJSON(v any) (protocol.LSPAny, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode an answer: %w", err)
	}
	return raw, nil
}
