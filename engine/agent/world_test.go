package agent

import (
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
	"autocoder/engine/workspace"

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
	// costAlone is the time of a run of a selection, when it is not that of all.
	costAlone time.Duration
	// costFirst is the time of the first run, when it is another.
	costFirst time.Duration
	got       played
}

// newWorld reads a scenario. Its project is a folder on disk with real copies of
// it, or a map when there is no disk.
func newWorld(t *testing.T, archive *txtar.Archive, disk bool) *world {
	w := &world{t: t, clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	project := map[string]textedit.File{}
	rules, script := "", "[]"
	settings := config.Default()
	limits := budget.Default()
	guarded := true
	var options [][]string
	for _, f := range archive.Files {
		name, isFile := strings.CutPrefix(f.Name, "project/")
		switch {
		case isFile:
			project[name] = textedit.File{Kind: textedit.Regular, Content: f.Data, Mode: 0o644}
		case f.Name == "links":
			for line := range strings.Lines(string(f.Data)) {
				fields := strings.Fields(line)
				project[fields[0]] = textedit.File{Kind: textedit.Symlink, Target: fields[1]}
			}
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
	trees := memory(project)
	if disk {
		trees = onDisk(t, project)
	}
	w.suite = &ruledSuite{tree: trees.tree, rules: parseRules(t, rules), counts: map[string]int{}}
	w.cfg = Config{ID: "run", Base: trees.base, Now: func() time.Time { return w.clock }}
	w.cfg.Proposer = scripted(t, script)
	for _, o := range options {
		w.option(o[0], o[1:], &settings, &limits, &guarded)
	}
	w.cfg.Settings = settings
	w.cfg.Meter = budget.NewMeter(limits, w.cfg.Now)
	editable := func(string) error { return nil }
	if guarded {
		guard, err := workspace.NewGuard(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		editable, w.cfg.Protected = guard.Editable, guard.Protected
		w.cfg.Guard = func(current textedit.State, p textedit.Patch) error {
			return guard.Check(current.Over(trees.base), trees.resolve(current), p)
		}
	}
	w.cfg.View = func(textedit.State) propose.View { return propose.View{Files: paths(project), Editable: editable} }
	return w
}

func (w *world) option(key string, args []string, s *config.Settings, l *budget.Limits, guarded *bool) {
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
	case "cost-alone": // of a run of a selection
		w.costAlone = duration()
	case "cost-first": // of the first run, which builds everything
		w.costFirst = duration()
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
		*guarded = false
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
	result.Duration = w.cost
	if r.IDs != nil && w.costAlone > 0 {
		result.Duration = w.costAlone
	}
	if w.got.runs == 1 && w.costFirst > 0 {
		result.Duration = w.costFirst
	}
	w.clock = w.clock.Add(result.Duration)
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

func paths(files map[string]textedit.File) []string {
	var list []string
	for p := range files {
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}
