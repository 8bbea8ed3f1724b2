package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"autocoder/engine/config"
	"autocoder/engine/report"
	"autocoder/engine/sandbox"
	"autocoder/engine/testresult"
)

// Compare is Doctor, with the tests run once more outside of any sandbox: on a
// copy still, but with the user's environment, home folder and network. Whoever
// calls it has asked the user.
func (w *Workspace) Compare(ctx context.Context) (report.Doctor, error) {
	d, err := w.Doctor(ctx)
	if err != nil || len(d.Units) == 0 {
		return d, err
	}
	tier, _, err := w.chooseSandbox(ctx)
	if err != nil {
		return d, err
	}
	var scrap report.Doctor // what is found is the same
	inside, err := w.examine(ctx, tier, &scrap)
	if err != nil {
		return d, err
	}
	free := *w
	free.options.Consent = true
	free.settings.Sandbox, free.settings.Network, free.settings.Env = config.SandboxSupervised, []string{"on"}, nil
	for _, kv := range w.options.Environ {
		name, _, _ := strings.Cut(kv, "=")
		free.settings.Env = append(free.settings.Env, name)
	}
	outside, err := free.examine(ctx, sandbox.Supervised, &scrap)
	if err != nil {
		return d, err
	}
	d.Sandbox.Compared = differences(inside, outside)
	return d, nil
}

// differences lists the tests that end in two ways.
func differences(inside, outside testresult.Result) []report.Difference {
	before, after := tests(inside), tests(outside)
	list := []report.Difference{}
	for id, in := range before {
		out, ok := after[id]
		if ok && in.Status == out.Status {
			continue
		}
		d := report.Difference{ID: id.Native, Inside: in.Status.String(), Outside: "not run"}
		if ok {
			d.Outside = out.Status.String()
		}
		d.Why = explain(in)
		list = append(list, d)
	}
	for id, out := range after {
		if _, ok := before[id]; !ok {
			list = append(list, report.Difference{ID: id.Native, Inside: "not run", Outside: out.Status.String()})
		}
	}
	slices.SortFunc(list, func(a, b report.Difference) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

func tests(r testresult.Result) map[testresult.ID]testresult.Test {
	all := map[testresult.ID]testresult.Test{}
	for _, u := range r.Units {
		for _, t := range u.Tests {
			all[t.ID] = t
		}
	}
	return all
}

// explain says what the sandbox refused a test, or what the test itself said.
func explain(t testresult.Test) string {
	switch f := t.Failure; {
	case f == nil:
		return ""
	case f.Thing != "":
		return "it was refused " + f.Thing + ", which " + f.Setting + " allows"
	default:
		first, _, _ := strings.Cut(f.Message, "\n")
		return first
	}
}
