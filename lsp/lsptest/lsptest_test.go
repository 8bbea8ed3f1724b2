package lsptest

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// scripted is a server that says what a test wants, whatever it is asked.
type scripted struct {
	stream io.ReadWriteCloser
	in     *bufio.Reader
}

func (s *scripted) say(t *testing.T, text string) {
	t.Helper()
	if _, err := s.stream.Write(Frame([]byte(text))); err != nil {
		t.Fatal(err)
	}
}

// hear waits for a message with that method, or for an answer when it is "".
func (s *scripted) hear(t *testing.T, method string) message {
	t.Helper()
	for {
		body, err := readFrame(s.in)
		if err != nil {
			t.Fatal(err)
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			t.Fatal(err)
		}
		if m.Method == method {
			return m
		}
	}
}

// talk begins a conversation between an editor with a file a.txt and a server that
// breaks rules.
func talk(t *testing.T, can map[string]any) (*Editor, *scripted, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("first\nsecond\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ours, theirs := Pipe()
	s := &scripted{stream: theirs, in: bufio.NewReader(theirs)}
	e := Start(ours, Options{Can: can})
	t.Cleanup(func() { _ = e.HangUp() })
	done := make(chan error, 1)
	go func() { done <- e.Initialize() }()
	s.hear(t, "initialize")
	s.say(t, `{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"positionEncoding":"utf-16"}}}`)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	e.Open(path)
	return e, s, URI(path)
}

// TestBrokenRulesAreViolations has a server break each rule that the editor holds
// it to; the last message of each is followed by a question, so that the answer
// comes when all was heard.
func TestBrokenRulesAreViolations(t *testing.T) {
	t.Parallel()
	const (
		create = `{"jsonrpc":"2.0","id":90,"method":"window/workDoneProgress/create","params":{"token":"p"}}`
		begin  = `{"jsonrpc":"2.0","method":"$/progress","params":{"token":"p","value":{"kind":"begin","title":"x"}}}`
		report = `{"jsonrpc":"2.0","method":"$/progress","params":{"token":"p","value":{"kind":"report","message":"x"}}}`
		end    = `{"jsonrpc":"2.0","method":"$/progress","params":{"token":"p","value":{"kind":"end"}}}`
		sample = `{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"URI","version":1,"diagnostics":[{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":6}},"severity":1,"source":"s","message":"m"}]}}`
		edit   = `{"jsonrpc":"2.0","id":91,"method":"workspace/applyEdit","params":{"label":"l","edit":{"documentChanges":[{"textDocument":{"uri":"URI","version":1},"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":5}},"newText":"x"}]}]}}}`
	)
	for _, c := range []struct {
		name     string
		messages []string
		// want is part of the violation; "" is none.
		want string
	}{
		{"progress as it should be", []string{create, begin, report, end}, ""},
		{"progress that was never made", []string{begin}, "was never made"},
		{"progress that begins twice", []string{create, begin, begin}, "begins twice"},
		{"progress that ends twice", []string{create, begin, end, end}, "ends twice"},
		{"a report after the end", []string{create, begin, end, report}, "after it ended"},
		{"a token for two", []string{create, create}, "a token of its own"},
		{"diagnostics as they should be", []string{sample}, ""},
		{"a range outside of the text", []string{strings.Replace(sample, `"line":1,"character":6`, `"line":7,"character":0`, 1)}, "a diagnostic outside"},
		{"no list of diagnostics", []string{`{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"URI","diagnostics":null}}`}, "diagnostics:"},
		{"a diagnostic of nobody", []string{strings.Replace(sample, `"source":"s"`, `"source":""`, 1)}, "without source"},
		{"an edit as it should be", []string{edit}, ""},
		{"an edit of another version", []string{strings.Replace(edit, `"version":1`, `"version":7`, 1)}, "which is another one"},
		{"an edit of no such character", []string{strings.Replace(edit, `"character":5`, `"character":9`, 1)}, "character 9"},
		{"an edit without a label", []string{strings.Replace(edit, `"label":"l",`, ``, 1)}, "applyEdit"},
		{"edits that overlap", []string{strings.Replace(edit, `"edits":[`, `"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":2}},"newText":"y"},`, 1)}, "overlap"},
		{"a message of no kind", []string{`{"jsonrpc":"2.0","method":"window/showMessage","params":{"type":9,"message":"x"}}`}, "window/showMessage"},
		{"an unknown request", []string{`{"jsonrpc":"2.0","id":92,"method":"window/dance"}`}, "an unknown request"},
		{"an answer that nobody waits for", []string{`{"jsonrpc":"2.0","id":77,"result":1}`}, "an answer to no request"},
		{"no message", []string{`{"jsonrpc":"1.0"}`}, "not a message"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, s, uri := talk(t, Capable())
			for _, m := range c.messages {
				s.say(t, strings.ReplaceAll(m, "URI", uri))
			}
			s.say(t, `{"jsonrpc":"2.0","id":99,"method":"workspace/configuration","params":{"items":[{}]}}`)
			for string(s.hear(t, "").ID) != "99" {
			}
			check(t, e.Violations(), c.want)
		})
	}
}

func check(t *testing.T, violations []string, want string) {
	t.Helper()
	switch {
	case want == "" && len(violations) > 0:
		t.Errorf("violations of no rule: %q", violations)
	case want != "" && !strings.Contains(strings.Join(violations, "\n"), want):
		t.Errorf("the violations %q lack %q", violations, want)
	}
}

// TestWhatAnEditorCanNotDo is a violation to ask for.
func TestWhatAnEditorCanNotDo(t *testing.T) {
	t.Parallel()
	e, s, _ := talk(t, map[string]any{})
	s.say(t, `{"jsonrpc":"2.0","id":99,"method":"workspace/configuration","params":{"items":[{}]}}`)
	s.hear(t, "")
	check(t, e.Violations(), "never said that it can workspace.configuration")
}

// TestUndoTakesAWholeEditBack makes an edit of two files and takes it back at once.
func TestUndoTakesAWholeEditBack(t *testing.T) {
	t.Parallel()
	e, _, uri := talk(t, Capable())
	other := filepath.Join(filepath.Dir(Path(uri)), "b.txt")
	if err := os.WriteFile(other, []byte("é𝒳x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	change := func(uri, version string, at int) DocumentChange {
		var c DocumentChange
		text := `{"textDocument":{"uri":"` + uri + `","version":` + version + `},"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":` + string(rune('0'+at)) + `}},"newText":"new"}]}`
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	if err := e.Make(WorkspaceEdit{DocumentChanges: []DocumentChange{change(uri, "1", 5), change(URI(other), "null", 3)}}); err != nil {
		t.Fatal(err)
	}
	texts := func() string {
		a, _ := e.Text(Path(uri))
		b, _ := e.Text(other)
		return a + b
	}
	if got := texts(); got != "new\nsecond\nnewx\n" {
		t.Errorf("after the edit: %q", got)
	}
	if err := e.Undo(); err != nil {
		t.Fatal(err)
	}
	if got := texts(); got != "first\nsecond\né𝒳x\n" {
		t.Errorf("after undo: %q", got)
	}
	if err := e.Make(WorkspaceEdit{DocumentChanges: []DocumentChange{change(uri, "2", 5), change(URI(other), "1", 2)}}); err == nil {
		t.Error("an edit in the middle of a character was made")
	}
}

// TestEditsForEarlierTexts are refused; they break a rule when the server had heard
// of the later text before it made the edit.
func TestEditsForEarlierTexts(t *testing.T) {
	t.Parallel()
	const (
		edit   = `{"jsonrpc":"2.0","id":91,"method":"workspace/applyEdit","params":{"label":"l","edit":{"documentChanges":[{"textDocument":{"uri":"URI","version":1},"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":5}},"newText":"x"}]}]}}}`
		create = `{"jsonrpc":"2.0","id":90,"method":"window/workDoneProgress/create","params":{"token":"j"}}`
		begin  = `{"jsonrpc":"2.0","method":"$/progress","params":{"token":"j","value":{"kind":"begin","title":"x"}}}`
		shown  = `{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"URI","version":2,"diagnostics":[]}}`
		job    = `{"jsonrpc":"2.0","id":2,"result":{"job":"j"}}`
		busy   = `{"jsonrpc":"2.0","id":2,"result":{"job":"j","running":true}}`
	)
	for _, c := range []struct {
		name string
		// says is what the server says after the user has typed and asked something.
		// "settle" is a call of Settle.
		says []string
		want string
	}{
		{"unheard", []string{edit}, ""},
		{"unheard when it was made", []string{job, edit}, ""},
		{"heard, as the answer proves, before it was made", []string{job, "settle", edit}, "had heard of version 2"},
		{"heard, as diagnostics prove, before it was made", []string{shown, "settle", edit}, "had heard of version 2"},
		{"not proven when it was made", []string{"settle", job, edit}, ""},
		{"made by a job that was started later", []string{job, create, begin, edit}, "had heard of version 2"},
		{"made by a job that was started later and began at once", []string{create, begin, job, edit}, "had heard of version 2"},
		{"made by a job that began before", []string{create, begin, busy, edit}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, s, uri := talk(t, Capable())
			if err := e.Replace(Path(uri), 0, 0, "typed "); err != nil {
				t.Fatal(err)
			}
			answer := e.Begin("workspace/executeCommand", map[string]string{"command": "c"})
			answered := strings.Contains(strings.Join(c.says, ""), `"id":2`)
			for _, m := range c.says {
				if m != "settle" {
					s.say(t, strings.ReplaceAll(m, "URI", uri))
					continue
				}
				s.say(t, `{"jsonrpc":"2.0","id":98,"method":"workspace/configuration","params":{"items":[{}]}}`)
				for string(s.hear(t, "").ID) != "98" {
				}
				e.Settle()
			}
			m := s.hear(t, "")
			for string(m.ID) != "91" {
				m = s.hear(t, "")
			}
			if !strings.Contains(string(m.Result), `"applied":false`) {
				t.Errorf("the edit is answered with %s", m.Result)
			}
			if answered {
				if err := e.End(answer, nil); err != nil {
					t.Error(err)
				}
			}
			check(t, e.Violations(), c.want)
		})
	}
}
