package lsptest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// take holds one message of the server's against the rules, and does with it what
// an editor does.
func (e *Editor) take(body []byte) {
	var m message
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(&m); err != nil || m.JSONRPC != "2.0" {
		e.update(func() { e.violation("not a message: %.200s", body) })
		return
	}
	switch {
	case m.Method == "":
		e.takeAnswer(m)
	case m.ID == nil:
		e.update(func() { e.takeNotification(m) })
	default:
		e.takeRequest(m)
	}
}

func (e *Editor) takeAnswer(m message) {
	e.update(func() {
		id := string(m.ID)
		r, waits := e.waiting[id]
		if !waits {
			if string(m.ID) != "null" || m.Error == nil {
				e.violation("an answer to no request: id %s", m.ID)
			}
			return
		}
		if m.Error != nil && m.Result != nil {
			e.violation("an answer with a result and an error: id %s", id)
		}
		delete(e.waiting, id)
		e.heard.answer(*r, m.Result)
		r.answer <- m
	})
}

// takeNotification takes what the server tells. e.mu is held.
func (e *Editor) takeNotification(m message) {
	if e.life == fresh && m.Method != "window/showMessage" && m.Method != "window/logMessage" {
		e.violation("%s before the editor is initialized", m.Method)
	}
	if e.life >= shutDown {
		e.violation("%s after the shutdown", m.Method)
	}
	switch m.Method {
	case "textDocument/publishDiagnostics":
		e.takeDiagnostics(m.Params)
	case "$/progress":
		e.takeProgress(m.Params)
	case "window/showMessage", "window/logMessage":
		var p Message
		if json.Unmarshal(m.Params, &p) != nil || p.Type < 1 || p.Type > 5 || p.Message == "" {
			e.violation("%s: %s", m.Method, m.Params)
		} else if m.Method == "window/logMessage" {
			e.logs = append(e.logs, p.Message)
		} else {
			e.messages = append(e.messages, p)
		}
	case "autocoder/status":
		var p Status
		if json.Unmarshal(m.Params, &p) != nil || p.State != "running" && p.State != "idle" {
			e.violation("status: %s", m.Params)
		}
		e.statuses = append(e.statuses, p)
	default:
		e.violation("an unknown notification: %s", m.Method)
	}
}

func (e *Editor) takeDiagnostics(params json.RawMessage) {
	var p struct {
		URI         string        `json:"uri"`
		Version     *int          `json:"version"`
		Diagnostics *[]Diagnostic `json:"diagnostics"`
	}
	if json.Unmarshal(params, &p) != nil || p.Diagnostics == nil || Path(p.URI) == "" {
		e.violation("diagnostics: %.300s", params)
		return
	}
	path := Path(p.URI)
	text, _ := e.textOf(path)
	b := e.buffers[path]
	late := p.Version != nil && *p.Version <= e.closed[path] // they were sent before that was heard
	if p.Version != nil && b == nil && !late {
		e.violation("diagnostics of a version of %s, which is not open", path)
	}
	if p.Version != nil && b != nil && !late {
		e.heard.proven.raise(versions{b: *p.Version})
	}
	for _, d := range *p.Diagnostics {
		if d.Source == "" || d.Message == "" || d.Severity < 1 || d.Severity > 4 {
			e.violation("a diagnostic without source, message or severity: %+v", d)
		}
		if late || p.Version != nil && b != nil && *p.Version != b.Version {
			continue // made for a text that is no longer there
		}
		for _, at := range []Position{d.Range.Start, d.Range.End} {
			if _, err := e.offset(text, at); err != nil && p.Version != nil {
				e.violation("a diagnostic outside of %s: %v", path, err)
			}
		}
	}
	e.diagnostics[path] = *p.Diagnostics
}

func (e *Editor) takeProgress(params json.RawMessage) {
	var p struct {
		Token string `json:"token"`
		Value struct {
			Kind, Title, Message string
		} `json:"value"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		e.violation("progress: %s", params)
		return
	}
	at := e.progress[p.Token]
	if at == nil {
		e.violation("progress %s was never made", p.Token)
		return
	}
	switch p.Value.Kind {
	case "begin":
		if at.Begun || p.Value.Title == "" {
			e.violation("progress %s begins twice, or without a title", p.Token)
		}
		at.Begun, at.Title = true, p.Value.Title
		e.heard.begin(p.Token)
	case "report":
		if !at.Begun || at.Ended {
			e.violation("progress %s reports before it begins or after it ended", p.Token)
		}
		at.Reports = append(at.Reports, p.Value.Message)
		at.reportsByArrival = append(at.reportsByArrival, time.Now())
	case "end":
		if !at.Begun || at.Ended {
			e.violation("progress %s ends twice, or without a begin", p.Token)
		}
		at.Ended, at.End = true, p.Value.Message
	default:
		e.violation("progress %s: kind %q", p.Token, p.Value.Kind)
	}
}

// takeRequest answers what the server asks.
func (e *Editor) takeRequest(m message) {
	var result any
	var failed *Error
	e.update(func() {
		e.requests = append(e.requests, m.Method)
		if e.life != initialized {
			e.violation("the request %s comes before the initialized notification or after the shutdown", m.Method)
		}
		switch m.Method {
		case "window/workDoneProgress/create":
			failed = e.makeProgress(m.Params)
		case "workspace/configuration":
			e.must("workspace.configuration", "workspace", "configuration")
			result = e.takeConfiguration(m.Params)
		case "workspace/applyEdit":
			e.must("workspace.applyEdit", "workspace", "applyEdit")
		case "workspace/codeLens/refresh":
			e.must("codeLens.refreshSupport", "workspace", "codeLens", "refreshSupport")
		case "window/showMessageRequest":
			result = e.takeQuestion(m.Params)
		case "client/registerCapability":
			e.must("workspace.didChangeWatchedFiles.dynamicRegistration", "workspace", "didChangeWatchedFiles", "dynamicRegistration")
			if e.options.NoWatch {
				failed = &Error{-32601, "not after all"}
			} else {
				e.watches = true
			}
		case "window/showDocument":
			e.must("window.showDocument", "window", "showDocument", "support")
			var p struct{ URI string }
			if json.Unmarshal(m.Params, &p) != nil || Path(p.URI) == "" {
				e.violation("showDocument: %s", m.Params)
			}
			e.shown = append(e.shown, Path(p.URI))
			result = map[string]bool{"success": true}
		default:
			e.violation("an unknown request: %s", m.Method)
			failed = &Error{-32601, "not a method of this editor"}
		}
	})
	if slices.Contains(e.options.Silent, m.Method) {
		return
	}
	if m.Method == "workspace/applyEdit" {
		result, failed = e.takeEdit(m.Params)
	}
	answer := message{ID: m.ID, Error: failed}
	if failed == nil {
		answer.Result = json.RawMessage("null")
		if result != nil {
			answer.Result = raw(result)
		}
	}
	e.send(answer)
}

// takeConfiguration answers with the settings of the folder that is asked for.
func (e *Editor) takeConfiguration(params json.RawMessage) any {
	var p struct {
		Items []struct{ ScopeURI, Section string }
	}
	if json.Unmarshal(params, &p) != nil || len(p.Items) == 0 {
		e.violation("configuration: %s", params)
	}
	var answers []any
	for _, item := range p.Items {
		settings, own := e.options.SettingsOf[Path(item.ScopeURI)]
		if !own {
			settings = e.options.Settings
		}
		answers = append(answers, settings)
	}
	return answers
}

// takeQuestion answers a question with what the user was told to; nothing when
// that is none of its answers. e.mu is held.
func (e *Editor) takeQuestion(params json.RawMessage) any {
	var p struct {
		Message string
		Actions []struct{ Title string }
	}
	if json.Unmarshal(params, &p) != nil || p.Message == "" || len(p.Actions) == 0 {
		e.violation("a question: %s", params)
	}
	e.asked = append(e.asked, p.Message)
	for _, a := range p.Actions {
		if a.Title == e.answer {
			return map[string]string{"title": a.Title}
		}
	}
	return nil
}

// must notes a request for something that the editor did not say it can. e.mu is
// held.
func (e *Editor) must(what string, keys ...string) {
	var at any = e.options.Can
	for _, k := range keys {
		m, _ := at.(map[string]any)
		at = m[k]
	}
	if at != true {
		e.violation("the editor never said that it can %s", what)
	}
}

func (e *Editor) makeProgress(params json.RawMessage) *Error {
	e.must("window.workDoneProgress", "window", "workDoneProgress")
	var p struct{ Token string }
	if json.Unmarshal(params, &p) != nil || p.Token == "" || e.progress[p.Token] != nil {
		e.violation("a progress is made without a token of its own: %s", params)
		return &Error{-32602, "no token"}
	}
	e.progress[p.Token] = &Progress{}
	return nil
}

// takeEdit does with an edit what the user chose, and tells the server of the
// changes before the answer, as editors do.
func (e *Editor) takeEdit(params json.RawMessage) (any, *Error) {
	var p struct {
		Label string        `json:"label"`
		Edit  WorkspaceEdit `json:"edit"`
	}
	e.mu.Lock()
	how, typed := e.apply, e.typeBefore
	e.typeBefore = nil
	if err := json.Unmarshal(params, &p); err != nil || p.Label == "" {
		e.violation("applyEdit: %s", params)
	}
	e.mu.Unlock()
	if typed != nil {
		typed()
	}
	switch how {
	case Decline:
		return map[string]any{"applied": false, "failureReason": "the user said no"}, nil
	case Lie:
		return map[string]any{"applied": true}, nil
	case Fail:
		return nil, &Error{-32603, "the editor failed"}
	case Hide:
		if err := e.hide(p.Edit); err != nil && !errors.Is(err, errBehind) {
			e.update(func() { e.violation("an edit that can't be made: %v", err) })
		}
		return map[string]any{"applied": true}, nil
	case Take:
	default:
		panic(fmt.Sprintf("lsptest: apply %d", how))
	}
	if err := e.Make(p.Edit); err != nil {
		if !errors.Is(err, errBehind) {
			e.update(func() { e.violation("an edit that can't be made: %v", err) })
		}
		return map[string]any{"applied": false, "failureReason": err.Error()}, nil
	}
	return map[string]any{"applied": true}, nil
}

// textOf is what stands in a file as the editor has it. e.mu is held.
func (e *Editor) textOf(path string) (string, bool) {
	if b := e.buffers[path]; b != nil {
		return b.Text, true
	}
	return load(path)
}
