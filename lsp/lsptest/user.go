package lsptest

import (
	"encoding/json"
	"fmt"
	"slices"
)

// OnEdit says what the editor does with the server's edits from now on. before is
// what the user does when the next one comes; nil is nothing.
func (e *Editor) OnEdit(how Apply, before func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.apply, e.typeBefore = how, before
}

// OnQuestion says what the user answers to questions from now on.
func (e *Editor) OnQuestion(answer string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answer = answer
}

// Asked are the questions so far.
func (e *Editor) Asked() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.asked)
}

// Execute runs a command of the server's with one argument.
func (e *Editor) Execute(command string, argument, result any) error {
	params := map[string]any{"command": command}
	if argument != nil {
		params["arguments"] = []any{argument}
	}
	return e.Call("workspace/executeCommand", params, result)
}

// WaitEdits waits until the server has sent so many edits.
func (e *Editor) WaitEdits(n int) error {
	return e.Wait(fmt.Sprintf("%d edits", n), func() bool { return len(e.edits) >= n })
}

// Menu asks for code actions at a line, from 1. Automatic is as an editor asks
// while the cursor moves.
func (e *Editor) Menu(path string, line int, automatic bool, only ...string) ([]Action, error) {
	context := map[string]any{"diagnostics": append([]Diagnostic{}, e.At(path, line)...), "triggerKind": 1}
	if automatic {
		context["triggerKind"] = 2
	}
	if len(only) > 0 {
		context["only"] = only
	}
	at := Position{Line: line - 1}
	var menu []menuItem
	err := e.Call("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": URI(path)}, "range": Range{at, at}, "context": context,
	}, &menu)
	var actions []Action
	for _, item := range menu {
		actions = append(actions, item.Action)
	}
	return actions, err
}

// menuItem is an action, or a bare command for an editor that knows no actions.
type menuItem struct{ Action }

func (m *menuItem) UnmarshalJSON(text []byte) error {
	var c Command
	if json.Unmarshal(text, &c) == nil && c.Command != "" {
		m.Action = Action{Title: c.Title, Command: &c}
		return nil
	}
	return json.Unmarshal(text, &m.Action)
}

// Choose does what a code action says: its edit first, then its command.
func (e *Editor) Choose(a Action) error {
	if a.Edit == nil && a.Data != nil {
		if err := e.Call("codeAction/resolve", a, &a); err != nil {
			return err
		}
	}
	if a.Edit != nil {
		if err := e.Make(*a.Edit); err != nil {
			return err
		}
	}
	if a.Command == nil {
		return nil
	}
	return e.Call("workspace/executeCommand", a.Command, nil)
}

// ChooseTitled chooses the action with that title.
func (e *Editor) ChooseTitled(path string, line int, title string) error {
	actions, err := e.Menu(path, line, false)
	if err != nil {
		return err
	}
	var titles []string
	for _, a := range actions {
		if a.Title == title {
			return e.Choose(a)
		}
		titles = append(titles, a.Title)
	}
	return fmt.Errorf("no action %q; there are %q", title, titles)
}

// Lenses asks for the code lenses of a file.
func (e *Editor) Lenses(path string) ([]Lens, error) {
	var lenses []Lens
	err := e.Call("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": URI(path)}}, &lenses)
	return lenses, err
}

// CancelProgress presses the button of every progress that is shown, and says
// how many there were.
func (e *Editor) CancelProgress() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := 0
	for token, p := range e.progress {
		if p.Begun && !p.Ended {
			p.CancelledByUser = true
			e.Notify("window/workDoneProgress/cancel", map[string]any{"token": token})
			n++
		}
	}
	return n
}

// At are the diagnostics that are shown at a line, from 1; all of a file for 0.
func (e *Editor) At(path string, line int) []Diagnostic {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.at(path, line)
}

func (e *Editor) at(path string, line int) []Diagnostic {
	var here []Diagnostic
	for _, d := range e.diagnostics[path] {
		if line == 0 || d.Range.Start.Line == line-1 {
			here = append(here, d)
		}
	}
	return here
}

// WaitDiagnostic waits for a diagnostic that fits.
func (e *Editor) WaitDiagnostic(path string, line int, fits func(Diagnostic) bool) (found Diagnostic, err error) {
	err = e.Wait(fmt.Sprintf("a diagnostic at %s:%d", path, line), func() bool {
		for _, d := range e.at(path, line) {
			if fits(d) {
				found = d
				return true
			}
		}
		return false
	})
	return found, err
}

// WaitNoDiagnostics waits until nothing is shown in a file.
func (e *Editor) WaitNoDiagnostics(path string) error {
	return e.Wait("no diagnostics of "+path, func() bool { return len(e.diagnostics[path]) == 0 })
}

// WaitMessage waits until the user was shown a message that fits.
func (e *Editor) WaitMessage(what string, fits func(Message) bool) error {
	return e.Wait("the message "+what, func() bool { return slices.ContainsFunc(e.messages, fits) })
}

// WaitProgress waits until some progress fits.
func (e *Editor) WaitProgress(what string, fits func(Progress) bool) error {
	return e.Wait("progress "+what, func() bool {
		for _, p := range e.progress {
			if fits(*p) {
				return true
			}
		}
		return false
	})
}

// WaitText waits until a file has a text, as the editor has it.
func (e *Editor) WaitText(path, want string) error {
	return e.Wait("the text of "+path, func() bool {
		text, _ := e.textOf(path)
		return text == want
	})
}

// WaitEnd waits until a job has ended, by its id.
func (e *Editor) WaitEnd(job string) error {
	return e.Wait("the end of the job "+job, func() bool {
		p := e.progress[job]
		return p != nil && p.Ended
	})
}

// WaitIdle waits until n jobs have ended, as the status says.
func (e *Editor) WaitIdle(n int) (last Status, err error) {
	err = e.Wait(fmt.Sprintf("%d ends of jobs", n), func() bool {
		ends := 0
		for _, s := range e.statuses {
			if s.State == "idle" {
				last = s
				ends++
			}
		}
		return ends >= n
	})
	return last, err
}

// WaitWatching waits until the server asked to be told of files on disk.
func (e *Editor) WaitWatching() error {
	return e.Wait("a request to watch files", func() bool { return e.watches })
}

// WaitStatus waits until the last status fits.
func (e *Editor) WaitStatus(what string, fits func(Status) bool) error {
	return e.Wait("the status "+what, func() bool { return len(e.statuses) > 0 && fits(e.statuses[len(e.statuses)-1]) })
}

// WaitAsked waits until the server made a request.
func (e *Editor) WaitAsked(method string) error {
	return e.Wait("the request "+method, func() bool { return slices.Contains(e.requests, method) })
}

// WaitShown waits until the server had the editor show a document.
func (e *Editor) WaitShown() (path string, err error) {
	err = e.Wait("a document to be shown", func() bool {
		if len(e.shown) > 0 {
			path = e.shown[len(e.shown)-1]
		}
		return path != ""
	})
	return path, err
}

// Report asks for the report of a run; "" is the last one.
func (e *Editor) Report(run string) (markdown string, report map[string]any, err error) {
	var result struct {
		Markdown string
		Report   json.RawMessage
	}
	if err := e.Call("autocoder/report", map[string]string{"run": run}, &result); err != nil {
		return "", nil, err
	}
	return result.Markdown, report, json.Unmarshal(result.Report, &report)
}
