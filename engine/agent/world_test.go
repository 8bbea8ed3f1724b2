package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"autocoder/engine/budget"
	"autocoder/engine/config"
	"autocoder/engine/event"
	"autocoder/engine/propose"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
	"autocoder/engine/verify"

	"golang.org/x/tools/txtar"
)

// world is one scenario: settings ("run"), files ("project/…"), rules and
// proposals.
type world struct {
	t     *testing.T
	suite *ruledSuite
	cfg   Config
	// cancelAt ends the context in the nth run of that phase, or at the nth
	// question when the phase is "asking".
	cancelAt string
	cancelN  int
	cancel   context.CancelFunc
	clock    time.Time
	cost     time.Duration
	got      played
}

func newWorld(t *testing.T, archive *txtar.Archive) *world {
	w := &world{t: t, clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	project := map[string]textedit.File{}
	rules, script := "", "[]"
	settings := config.Default()
	limits := budget.Default()
	guarded := []string{"tests/"}
	var options [][]string
	for _, f := range archive.Files {
		name, isFile := strings.CutPrefix(f.Name, "project/")
		switch {
		case isFile:
			project[name] = textedit.File{Kind: textedit.Regular, Content: f.Data, Mode: 0o644}
		case f.Name == "rules":
			rules = string(f.Data)
		case f.Name == "proposals":
			script = string(f.Data)
		case f.Name == "run":
			for line := range strings.Lines(string(f.Data)) {
				if json, ok := strings.CutPrefix(line, "choose "); ok {
					options = append(options, []string{"choose", json})
				} else if fields := strings.Fields(line); len(fields) > 0 {
					options = append(options, fields)
				}
			}
		case strings.HasPrefix(f.Name, "want"):
		default:
			t.Fatalf("unknown section %q", f.Name)
		}
	}
	w.suite = &ruledSuite{base: reader(project), rules: parseRules(t, rules), counts: map[string]int{}}
	w.cfg = Config{ID: "run", Base: w.suite.base, Now: func() time.Time { return w.clock }}
	w.cfg.Proposer = scripted(t, script)
	for _, o := range options {
		w.option(o[0], o[1:], &settings, &limits, &guarded)
	}
	w.cfg.Settings = settings
	w.cfg.Meter = budget.NewMeter(limits, w.cfg.Now)
	guard := testGuard(guarded)
	w.cfg.Guard = guard.check
	w.cfg.Protected = guard.protected
	w.cfg.View = func(textedit.State) propose.View {
		return propose.View{Files: paths(project), Editable: guard.editable}
	}
	return w
}

func (w *world) option(key string, args []string, s *config.Settings, l *budget.Limits, guarded *[]string) {
	number := func() int {
		n, err := strconv.Atoi(args[0])
		if err != nil {
			w.t.Fatalf("%s: %v", key, err)
		}
		return n
	}
	duration := func() time.Duration {
		d, err := time.ParseDuration(args[0])
		if err != nil {
			w.t.Fatalf("%s: %v", key, err)
		}
		return d
	}
	switch key {
	case "attempts":
		l.Attempts = number()
	case "testruns":
		l.TestRuns = number()
	case "patience":
		s.Patience = number()
	case "time":
		l.Time = duration()
	case "cost": // of each run of the suite
		w.cost = duration()
	case "only":
		w.cfg.Only = append(w.cfg.Only, args[0])
	case "want":
		want := Want{Part: args[0]}
		for _, native := range args[1:] {
			want.IDs = append(want.IDs, testresult.ID{Native: native})
		}
		w.cfg.Want = append(w.cfg.Want, want)
	case "keep-regressions":
		s.RevertOnRegression = false
	case "allow-unverified":
		s.AllowUnverified = true
	case "ambiguous":
		if err := s.Ambiguous.UnmarshalText([]byte(args[0])); err != nil {
			w.t.Fatal(err)
		}
	case "unprotected":
		*guarded = nil
	case "cancel":
		w.cancelAt, w.cancelN = args[0], 1
		if len(args) > 1 {
			args = args[1:]
			w.cancelN = number()
		}
	case "proposer":
		w.cfg.Proposer = standIn(w.t, args[0])
	case "choose":
		var edit struct{ Path, Base, Text string }
		if err := json.Unmarshal([]byte(args[0]), &edit); err != nil {
			w.t.Fatal(err)
		}
		w.cfg.Choose = &textedit.Patch{Ops: []textedit.Op{{
			Kind: textedit.OpCreate, Path: edit.Path, Base: textedit.HashContent([]byte(edit.Base)), Content: []byte(edit.Text),
		}}}
	case "layer": // NAME VERDICT
		w.cfg.Layers = append(w.cfg.Layers, layer(args[0], args[1]))
	case "disk-full": // in that phase
		w.suite.broken = args[0]
	default:
		w.t.Fatalf("unknown setting %q", key)
	}
}

// play runs the scenario and checks what is true of every run.
func (w *world) play() played {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	w.cancel = cancel
	w.cfg.Suite = w
	w.cfg.Sink = func(e event.Event) { w.got.events = append(w.got.events, e) }
	inner := w.cfg.Proposer
	w.cfg.Proposer = propose.Func(inner.Name(), func(ctx context.Context, v propose.View, h []propose.Attempt) (propose.Proposal, error) {
		w.got.asked++
		w.maybeCancel("asking")
		if ctx.Err() != nil {
			return propose.Proposal{}, ctx.Err()
		}
		return inner.Propose(ctx, v, h)
	})
	w.got.result, w.got.err = Run(ctx, w.cfg)
	w.got.check(w.t)
	return w.got
}

// Run makes the world a Suite that counts, costs time and can be interrupted.
func (w *world) Run(ctx context.Context, r Request) (testresult.Result, error) {
	w.got.runs++
	w.maybeCancel(r.Phase.String())
	if ctx.Err() != nil {
		return testresult.Result{}, ctx.Err()
	}
	result, err := w.suite.Run(ctx, r)
	w.clock = w.clock.Add(w.cost)
	result.Duration = w.cost
	return result, err
}

func (w *world) maybeCancel(phase string) {
	if w.cancelAt != phase {
		return
	}
	w.cancelN--
	if w.cancelN == 0 {
		w.cancel()
	}
}

// scripted is the script proposer with what a script can't say: alternatives and
// doubts.
func scripted(t *testing.T, text string) propose.Proposer {
	script, err := propose.Scripted("proposals", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var more []struct {
		Unsure        bool
		Why           string
		Input, Output string
		Alternatives  []json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &more); err != nil {
		t.Fatal(err)
	}
	return propose.Func("script", func(ctx context.Context, v propose.View, h []propose.Attempt) (propose.Proposal, error) {
		p, err := script.Propose(ctx, v, h)
		if err != nil {
			return p, err
		}
		extra := more[len(h)]
		p.Unsure, p.Input, p.Output = extra.Unsure, extra.Input, extra.Output
		for _, raw := range extra.Alternatives {
			var say struct{ Why, Input, Output string }
			if err := json.Unmarshal(raw, &say); err != nil {
				return p, err
			}
			one, err := propose.Scripted("alternative", raw)
			if err != nil {
				return p, err
			}
			alternative, err := one.Propose(ctx, v, nil)
			if err != nil {
				return p, err
			}
			p.Alternatives = append(p.Alternatives, propose.Alternative{Patch: alternative.Patch, Why: say.Why, Input: say.Input, Output: say.Output})
		}
		return p, nil
	})
}

// standIn is a proposer that misbehaves, or has no ideas.
func standIn(t *testing.T, name string) propose.Proposer {
	behaviours := map[string]func(propose.View) (propose.Proposal, error){
		"panics": func(propose.View) (propose.Proposal, error) { panic("out of ideas") },
		"fails": func(propose.View) (propose.Proposal, error) {
			return propose.Proposal{}, errors.New("the provider answered 529")
		},
		"overspends": func(v propose.View) (propose.Proposal, error) {
			return propose.Proposal{}, v.Reserve(budget.Cost{Turns: 31})
		},
	}
	if name == "null" {
		return propose.Null()
	}
	f, ok := behaviours[name]
	if !ok {
		t.Fatalf("unknown proposer %q", name)
	}
	return propose.Func(name, func(_ context.Context, v propose.View, _ []propose.Attempt) (propose.Proposal, error) { return f(v) })
}

func layer(name, verdict string) verify.Layer {
	return verify.Layer{Name: name, Check: func(context.Context, verify.Subject) (verify.Verdict, string, error) {
		for v := verify.Confirmed; v <= verify.Unplaceable; v++ {
			if v.String() == verdict {
				return v, "as the scenario says", nil
			}
		}
		return verify.Invalid, "", fmt.Errorf("the scenario says %s", verdict)
	}}
}

// testGuard protects what lies below its prefixes.
type testGuard []string

func (g testGuard) protected(path string) bool {
	return slices.ContainsFunc(g, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

func (g testGuard) editable(path string) error {
	if g.protected(path) {
		return fmt.Errorf("%s is protected", path)
	}
	return nil
}

func (g testGuard) check(_ textedit.State, p textedit.Patch) error {
	for _, path := range p.Paths() {
		if err := g.editable(path); err != nil {
			return err
		}
	}
	return nil
}

func reader(files map[string]textedit.File) textedit.Reader {
	return func(path string) (textedit.File, error) { return files[path], nil }
}

func paths(files map[string]textedit.File) []string {
	var list []string
	for p := range files {
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}

// ruledSuite is a Suite whose verdict follows from the files by rules.
type ruledSuite struct {
	base   textedit.Reader
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

func (s *ruledSuite) Run(_ context.Context, r Request) (testresult.Result, error) {
	if s.broken == r.Phase.String() {
		return testresult.Result{}, errors.New("no space left on device")
	}
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
		holds, err := s.holds(rule, r.State, all)
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

func (s *ruledSuite) holds(r rule, state textedit.State, all bool) (bool, error) {
	if (r.alone && all) || (r.together && !all) || (len(r.runs) > 0 && !slices.Contains(r.runs, s.counts[r.name])) {
		return false, nil
	}
	if r.path == "" {
		return true, nil
	}
	f, err := state.Over(s.base)(r.path)
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
