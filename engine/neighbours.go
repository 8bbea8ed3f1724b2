package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"autocoder/engine/runner/gotest"
	"autocoder/engine/runner/nodetest"
	"autocoder/engine/runner/pytest"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
	"autocoder/engine/verify"
	"autocoder/engine/verify/neighbours"
)

// Looking near the tests' inputs may take usualNear from the beginning of a
// verification, or half as long again as all its other checks together where these take
// longer; never more than mostNear.
const (
	usualNear = 3 * time.Second
	mostNear  = 2 * time.Minute
)

// lookers are the languages in which an edit is looked at near the tests' inputs, by
// their runners.
var lookers = map[string]neighbours.Look{
	pytest.Name: neighbours.Python, nodetest.Name: neighbours.JavaScript, gotest.Name: neighbours.Golang,
}

// nearTests is the check that warns of an edit which answers the tests' own inputs
// alone. It is begun beside the suite, so that it costs no time where there is a
// second core, and what keeps it from telling is no finding.
func (x *world) nearTests() verify.Layer {
	var begun time.Time
	var said []string
	var done chan struct{}
	return verify.Layer{
		Name: verify.NeighboursCheck,
		Begin: func(ctx context.Context, s verify.Subject) func() {
			ctx, stop := context.WithCancel(ctx)
			begun, said, done = x.w.options.Now(), nil, make(chan struct{})
			go func() { // ends with the verification
				defer close(done)
				said = x.lookNear(ctx, s)
			}()
			return func() { stop(); <-done }
		},
		Check: func(ctx context.Context, _ verify.Subject) (verify.Verdict, string, error) {
			took := x.w.options.Now().Sub(begun)
			limited, cancel := context.WithTimeout(ctx, max(usualNear-took, took/2))
			defer cancel()
			select {
			case <-done:
				return verify.Confirmed, strings.Join(said, "\n"), nil
			case <-limited.Done():
				return verify.Confirmed, "", nil
			}
		},
	}
}

// lookNear says what is to be said of an edit.
func (x *world) lookNear(ctx context.Context, s verify.Subject) []string {
	var said []string
	for _, u := range x.units {
		ids := ofUnit(s.Targets, u.Name)
		look := lookers[u.Runner]
		if look == nil || u.plain != nil || u.Reason != testresult.NoReason || len(ids) == 0 {
			continue
		}
		u = x.leased(u)
		work := neighbours.Work{
			Root: u.Root, Interpreter: u.Interpreter, Env: u.Env, Tests: native(ids, u.Name),
			Before: x.before(s.State), Seconds: mostNear.Seconds(),
			Files: slices.Concat(x.shadow.Sources(), s.State.Paths()),
			Read:  func(path string) []byte { return regular(s.State.Over(x.shadow.Read), path) },
		}
		if u.Runner == nodetest.Name {
			work.Options = nodetest.Options(u.Unit)
		}
		if found, err := x.lookIn(ctx, s.State, look, work); err == nil {
			said = append(said, neighbours.Judge(found)...)
		}
	}
	return said
}

// lookIn looks on a fresh copy.
func (x *world) lookIn(ctx context.Context, state textedit.State, look neighbours.Look, work neighbours.Work) ([]neighbours.Function, error) {
	b, err := x.newBench(ctx, state)
	if err != nil {
		return nil, err
	}
	defer b.close()
	ctx, cancel := context.WithTimeout(ctx, mostNear+time.Second)
	defer cancel()
	return look(ctx, b.cell, work)
}

// before are the files that a state changes, as they were; nil for one that was not
// there.
func (x *world) before(state textedit.State) map[string][]byte {
	out := map[string][]byte{}
	for _, p := range state.Paths() {
		out[p] = regular(x.shadow.Read, p)
	}
	return out
}

// regular is the content of a file, nil for what is none.
func regular(read textedit.Reader, path string) []byte {
	f, err := read(path)
	if err != nil || f.Kind != textedit.Regular {
		return nil
	}
	return append([]byte{}, f.Content...)
}
