package agent

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// ruledSuite is a Suite whose verdict follows from the files by rules.
type ruledSuite struct {
	// tree gives the files of a state, and what to call when they are read.
	tree   func(ctx context.Context, state textedit.State) (textedit.Reader, func(), error)
	rules  []rule
	counts map[string]int
	// broken is a phase in which no run can be made.
	broken string
}

// rule says what a test, a part or the unit shows under a condition; of the
// rules of one name the first whose condition holds is taken. A line reads
//
//	NAME STATUS [if PATH has "TEXT"] [on run N …] [alone] [together]
//
// STATUS is pass, fail, skip, xfail, hang, lost or blocked, or the reason of a
// NAME that is "unit" or begins with "part:". "on run" counts the runs that
// the name is in; "alone" and "together" are runs of a selection and of all.
type rule struct {
	name, status    string
	path, text      string
	runs            []int
	alone, together bool
	line            string
}

func parseRules(t *testing.T, text string) []rule {
	var rules []rule
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		words := strings.Fields(s.Text())
		if len(words) == 0 {
			continue
		}
		r := rule{name: words[0], status: words[1], line: s.Text()}
		rest := words[2:]
		for len(rest) > 0 {
			switch rest[0] {
			case "if":
				r.path = rest[1]
				quoted := s.Text()[strings.Index(s.Text(), `"`) : strings.LastIndex(s.Text(), `"`)+1]
				var err error
				if r.text, err = strconv.Unquote(quoted); err != nil {
					t.Fatalf("rule %q: %v", s.Text(), err)
				}
				rest = rest[3+len(strings.Fields(quoted)):]
			case "on":
				for rest = rest[2:]; len(rest) > 0; rest = rest[1:] {
					n, err := strconv.Atoi(rest[0])
					if err != nil {
						break
					}
					r.runs = append(r.runs, n)
				}
			case "alone":
				r.alone, rest = true, rest[1:]
			case "together":
				r.together, rest = true, rest[1:]
			default:
				t.Fatalf("rule %q: what is %q?", s.Text(), rest[0])
			}
		}
		rules = append(rules, r)
	}
	return rules
}

func (s *ruledSuite) Run(ctx context.Context, r Request) (testresult.Result, error) {
	if s.broken == r.Phase.String() {
		return testresult.Result{}, errors.New("no space left on device")
	}
	read, done, err := s.tree(ctx, r.State)
	if err != nil {
		return testresult.Result{}, err
	}
	defer done()
	unit := testresult.UnitRun{}
	selected := testresult.Set(r.IDs)
	skipped := testresult.Set(r.Skip)
	all := r.IDs == nil || slices.Contains(r.Whole, "")
	decided := map[string]bool{}
	counted := map[string]bool{}
	for _, rule := range s.rules {
		id := testresult.ID{Native: rule.name}
		isPart := strings.HasPrefix(rule.name, "part:") || rule.name == "unit"
		if decided[rule.name] || skipped[id] || (!isPart && !all && !selected[id]) {
			continue
		}
		if !counted[rule.name] {
			counted[rule.name] = true
			s.counts[rule.name]++
		}
		holds, err := s.holds(rule, read, all)
		if err != nil {
			return testresult.Result{}, err
		}
		if !holds {
			continue
		}
		decided[rule.name] = true
		if err := add(&unit, rule, r.TestLimit); err != nil {
			return testresult.Result{}, err
		}
	}
	broken := map[string]bool{}
	for _, p := range unit.Unusable {
		broken[p.Name] = true
	}
	unit.Tests = slices.DeleteFunc(unit.Tests, func(t testresult.Test) bool { return broken[t.Part] || unit.Reason != testresult.NoReason })
	slices.SortFunc(unit.Tests, func(a, b testresult.Test) int { return a.ID.Compare(b.ID) })
	if len(unit.Tests) == 0 && len(unit.Unusable) == 0 && unit.Reason == testresult.NoReason {
		return testresult.Result{}, nil
	}
	return testresult.Result{Units: []testresult.UnitRun{unit}}, nil
}

func (s *ruledSuite) holds(r rule, read textedit.Reader, all bool) (bool, error) {
	if (r.alone && all) || (r.together && !all) || (len(r.runs) > 0 && !slices.Contains(r.runs, s.counts[r.name])) {
		return false, nil
	}
	if r.path == "" {
		return true, nil
	}
	f, err := read(r.path)
	return bytes.Contains(f.Content, []byte(r.text)), err
}

// add puts what a rule says into the run.
func add(unit *testresult.UnitRun, r rule, limit time.Duration) error {
	if name, ok := strings.CutPrefix(r.name, "part:"); ok || r.name == "unit" {
		var reason testresult.Reason
		if err := reason.UnmarshalText([]byte(strings.TrimPrefix(r.status, "ok"))); err != nil {
			return err
		}
		switch {
		case reason == testresult.NoReason:
		case ok:
			unit.Unusable = append(unit.Unusable, testresult.Part{Name: name, Reason: reason, Detail: "as the rules say"})
		default:
			unit.Reason, unit.Detail = reason, "as the rules say"
		}
		return nil
	}
	statuses := map[string]testresult.Status{
		"pass": testresult.Passed, "fail": testresult.Failed, "skip": testresult.Skipped, "xfail": testresult.XFailed,
		"hang": testresult.Hung, "lost": testresult.Missing, "blocked": testresult.Blocked,
	}
	status, ok := statuses[r.status]
	if !ok {
		return fmt.Errorf("rule %q: what is %q?", r.line, r.status)
	}
	if status == testresult.Missing {
		return nil
	}
	part, _, _ := strings.Cut(r.name, "::")
	test := testresult.Test{ID: testresult.ID{Native: r.name}, Status: status, Part: part, Duration: time.Millisecond}
	if status.Failing() {
		test.Failure = &testresult.Failure{Kind: "assertion", Message: "as the rules say"}
	}
	if status == testresult.Blocked {
		test.Failure.Thing, test.Failure.Setting = "a connection to example.org:443", "--network example.org:443"
	}
	if status == testresult.Hung {
		test.Duration = limit
	}
	unit.Tests = append(unit.Tests, test)
	return nil
}
