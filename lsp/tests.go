package lsp

import (
	"context"
	"fmt"
	"strings"

	"autocoder/engine/report"
	"autocoder/engine/testresult"

	"go.lsp.dev/protocol"
)

// runTests starts a run of the tests that only shows what fails.
func (s *Server) runTests(ctx context.Context, at place) (any, error) {
	if err := at.needsRoot(); err != nil {
		return nil, err
	}
	return s.start(ctx, jobSpec{
		title: "Run tests", root: at.root, from: at.from, docs: at.docs, rank: looking,
		run: func(ctx context.Context, j *job) (ending, error) { return s.lookAtTests(ctx, j, at) },
	}), nil
}

// lookAtTests runs the tests on what the editor shows.
func (s *Server) lookAtTests(ctx context.Context, j *job, at place) (ending, error) {
	ws, err := s.open(ctx, j, at)
	if err != nil {
		return ending{}, err
	}
	defer s.close(ws)
	tests, err := ws.RunTests(ctx)
	if err != nil {
		return ending{}, err
	}
	if unconfinedTests(tests) && s.askConsent(ctx, ws, at.root) {
		return s.lookAtTests(ctx, j, at)
	}
	s.showTests(j, tests)
	return testsEnd(tests), nil
}

// showTests shows what a run of the tests found; older ends of runs are no longer
// true.
func (s *Server) showTests(j *job, tests report.Tests) {
	m := s.marker(j.root)
	s.show(m, j, m.tests(tests), nil)
}

// testsEnd is the last word on a run of the tests.
func testsEnd(t report.Tests) ending {
	switch t.Status {
	case testresult.Pass:
		return ending{protocol.MessageTypeInfo, fmt.Sprintf("tests pass: %d passed", t.Passed), false}
	case testresult.Fail:
		return ending{protocol.MessageTypeWarning, fmt.Sprintf("tests fail: %d failed, %d passed", t.Failed, t.Passed), false}
	case testresult.Unusable, testresult.InvalidRun:
		end := ending{protocol.MessageTypeError, "the tests can't be run", false}
		if len(t.Unusable) > 0 {
			end.text += ": " + joined(": ", t.Unusable[0].Part, t.Unusable[0].Reason.String(), t.Unusable[0].Detail)
		}
		return end
	default:
		panic(fmt.Sprintf("lsp: run status %v", t.Status))
	}
}

// doctor starts a look at how the tests of a project would be run.
func (s *Server) doctor(ctx context.Context, at place) (any, error) {
	if err := at.needsRoot(); err != nil {
		return nil, err
	}
	return s.start(ctx, jobSpec{title: "Doctor", root: at.root, from: at.from, docs: at.docs, run: func(ctx context.Context, j *job) (ending, error) {
		ws, err := s.open(ctx, j, at)
		if err != nil {
			return ending{}, err
		}
		defer s.close(ws)
		d, err := ws.Doctor(ctx)
		if err != nil {
			return ending{}, err
		}
		text, err := doctorText(d)
		if err != nil {
			return ending{}, err
		}
		s.note("%s", text)
		path, err := s.cfg.SaveDoctor(text)
		if err != nil {
			return ending{}, err
		}
		return s.showFile(ctx, path, at.root, doctorSentence(d))
	}}), nil
}

// doctorSentence says in short how the tests of a project would be run.
func doctorSentence(d report.Doctor) string {
	var units []string
	for _, u := range d.Units {
		what := u.Runner
		if u.Root != "" && u.Root != "." {
			what += " in " + u.Root
		}
		if u.UnusableReason == testresult.NoReason {
			what += " (" + plural(u.Tests, "test") + ")"
		} else {
			what += " (" + u.UnusableReason.String() + ")"
		}
		units = append(units, what)
	}
	tests := "no tests that can be run"
	if len(units) > 0 {
		tests = strings.Join(units[:min(3, len(units))], ", ")
	}
	if len(units) > 3 {
		tests += fmt.Sprintf(" and %d more", len(units)-3)
	}
	return fmt.Sprintf("%s; sandbox: %s", tests, d.Sandbox.Tier)
}
