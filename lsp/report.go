package lsp

import (
	"context"
	"fmt"
	"strings"

	"autocoder/engine/outcome"
	"autocoder/engine/report"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// MethodReport is the request for the report of a run.
const MethodReport = "autocoder/report"

// ReportParams names a run; the last one when Run is "".
type ReportParams struct {
	Run string `json:"run"`
}

// ReportResult is a report for people and for programs.
type ReportResult struct {
	Markdown string        `json:"markdown"`
	Report   report.Report `json:"report"`
}

// reportRequest answers with the report of a run.
func (s *Server) reportRequest(_ context.Context, p *ReportParams) (any, error) {
	r, err := s.reportOf(p.Run)
	if err != nil {
		return nil, err
	}
	return rawJSON(ReportResult{Markdown: markdown(r), Report: r})
}

// reportOf finds the report of a run: in memory, or where runs are recorded.
func (s *Server) reportOf(run string) (report.Report, error) {
	s.mu.Lock()
	var newest *report.Report
	for _, p := range s.projects {
		if p.last == nil {
			continue
		}
		if p.last.Run == run || run == "" && (newest == nil || p.last.Run > newest.Run) {
			newest = p.last
		}
	}
	s.mu.Unlock()
	if newest != nil {
		return *newest, nil
	}
	if run == "" {
		return report.Report{}, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "there was no run yet")
	}
	r, err := s.cfg.Report(run)
	if err != nil {
		return r, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%v", err)
	}
	return r, nil
}

// showReport shows the report of a run in the editor, or as a message in one that
// can't show files.
func (s *Server) showReport(ctx context.Context, at place) (any, error) {
	s.mu.Lock()
	run := at.Run
	if p := s.projects[at.root]; run == "" && p != nil && p.last != nil {
		run = p.last.Run
	}
	s.mu.Unlock()
	return s.start(ctx, jobSpec{title: "Show the report", root: at.root, run: func(ctx context.Context, _ *job) (ending, error) {
		r, err := s.reportOf(run)
		if err != nil {
			return ending{}, err
		}
		text := markdown(r)
		s.note("%s", text)
		path, err := s.cfg.SaveReport(r.Run, text)
		if err != nil {
			return ending{}, err
		}
		return s.showFile(ctx, path, r.Root, "")
	}}), nil
}

// showFile shows a file of ours that tells of a project, or says where it is to an editor
// that can't. say is what its user is told beside that.
func (s *Server) showFile(ctx context.Context, path, root, say string) (ending, error) {
	s.mu.Lock()
	can := s.caps.showDocument
	s.written[path] = root
	s.mu.Unlock()
	if can {
		var result protocol.ShowDocumentResult
		params := &protocol.ShowDocumentParams{URI: uri.File(path), TakeFocus: ptr(true)}
		err := s.call(ctx, protocol.MethodWindowShowDocument, params, &result)
		if ctx.Err() != nil {
			return ending{}, ctx.Err()
		}
		if err == nil && result.Success {
			return ending{kind: protocol.MessageTypeInfo, text: joined("; ", say, "shown"), quiet: say == ""}, nil
		}
	}
	return ending{kind: protocol.MessageTypeInfo, text: joined("; ", say, "the whole is in "+path)}, nil
}

// markdown is a report for people who read it in an editor.
func markdown(r report.Report) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("# %s\n\n%s\n", r.Outcome, r.Reason)
	if next := nextOf(r); next != "" {
		say("Next: %s\n", next)
	}
	say("- run: `%s`\n- project: `%s`\n- sandbox: %s\n- test runs: %d", r.Run, r.Root, r.Sandbox, r.TestRuns)
	if r.Spent != "" {
		say("- %s", r.Spent)
	}
	say("\n## Tests\n\n| | status | passed | failed |\n|---|---|---|---|")
	say("| before | %s | %d | %d |", r.Baseline.Status, r.Baseline.Passed, r.Baseline.Failed)
	say("| after | %s | %d | %d |", r.Final.Status, r.Final.Passed, r.Final.Failed)
	if len(r.Attempts) > 0 {
		say("\n## Attempts\n")
	}
	for _, a := range r.Attempts {
		say("%d. %s: %s", a.N, strings.Join(a.Files, ", "), joined(", ", a.Verdict.String(), a.Result, a.Note))
	}
	for _, w := range r.Warnings {
		say("\n> warning: %s", w)
	}
	diff := func(title, text string) {
		if text != "" {
			say("\n## %s\n\n%sdiff\n%s%s", title, fence(text), text, fence(text))
		}
	}
	diff("Edit", r.Diff)
	if r.Partial != nil && r.Outcome != outcome.Fixed {
		diff(fmt.Sprintf("Partial fix: %d repaired, %d left", len(r.Partial.Fixed), len(r.Partial.Left)), r.Partial.Diff)
	}
	for _, a := range r.Alternatives {
		diff("Alternative "+a.ID+": "+a.Why, a.Diff)
	}
	return b.String()
}

// fence is a fence that no line of the text can end.
func fence(text string) string {
	f := "```"
	for strings.Contains(text, f) {
		f += "`"
	}
	return f
}

func doctorText(d report.Doctor) (string, error) {
	var b strings.Builder
	err := report.DoctorText(&b, d)
	return strings.TrimSpace(b.String()), err
}
