package neighbours

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"autocoder/engine/runner/gotest"
	"autocoder/engine/scratch"
)

// How much is asked of Go code.
const (
	goFunctions = 24   // that are asked
	goGiven     = 16   // inputs of the tests of one function
	goChanged   = 6    // functions that are looked at closely
	goMoved     = 5    // inputs of each
	goNear      = 1800 // inputs near those of the tests, in all
	goTurns     = 40   // calls until something that counts them shows itself
	goDeaths    = 3    // calls of one list that may end the program
)

// Golang looks at an edit of Go code whose tests run under go test. The tests of a
// package are built twice, with the code as it was and as it is. Nothing in the
// workspace is changed for it: what notes the calls is laid over the sources.
func Golang(ctx context.Context, cell Cell, work Work) ([]Function, error) {
	limited, cancel := context.WithTimeout(ctx, time.Duration(work.Seconds*float64(time.Second)))
	defer cancel()
	var all []Function
	for _, tests := range goTests(work.Tests) {
		b, err := newGoBuild(cell, work, tests)
		if err != nil {
			return nil, err
		}
		found, err := b.look(limited)
		if err != nil {
			return nil, fmt.Errorf("ask near the inputs of the tests of %s: %w", tests.pkg, err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// goPackage are tests of one package.
type goPackage struct {
	pkg   string
	names []string
}

// goTests sorts the ids of tests by their packages.
func goTests(ids []string) []goPackage {
	var out []goPackage
	for _, id := range ids {
		pkg, name, ok := gotest.SplitID(id)
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, "/")
		at := slices.IndexFunc(out, func(p goPackage) bool { return p.pkg == pkg })
		if at < 0 {
			at, out = len(out), append(out, goPackage{pkg: pkg})
		}
		if !slices.Contains(out[at].names, name) {
			out[at].names = append(out[at].names, name)
		}
	}
	return out
}

// goCall is a call that was noted or is to be made.
type goCall struct {
	Name  string   `json:"name"`
	Entry bool     `json:"entry"`
	Args  []goNode `json:"args"`
}

// text is the call as people write it.
func (c goCall) text() string {
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = a.text()
	}
	name := goName(c.Name)
	if receiver, method, ok := strings.Cut(name, "."); ok && len(args) > 0 && receiver != "" {
		return args[0] + "." + method + "(" + strings.Join(args[1:], ", ") + ")"
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// goName is how people call a function: its name, behind that of its receiver's type.
func goName(id string) string { return id[strings.LastIndexByte(id, '#')+1:] }

// goFunction is one of the project's functions.
type goFunction struct {
	id    string
	entry bool
	// names are what its arguments are called.
	names    []string
	given    []*goInput
	unsteady bool
}

// goInput is a call of the tests, with what is near it.
type goInput struct {
	goCall
	goAnswers
	later *string
	near  []*goNeighbour
}

type goNeighbour struct {
	goCall
	goAnswers
	place, text string
	at          *float64
}

// goAnswers are what a call gives before and after the edit.
type goAnswers struct{ before, after goAnswer }

// goAnswer is what a call gives, nil when that can't be told, and by which way.
type goAnswer struct {
	Text *string `json:"text"`
	Way  string  `json:"way"`
}

func (a goAnswers) told() Answers {
	return Answers{Before: a.before.Text, After: a.after.Text, Ways: []string{a.before.Way, a.after.Way}}
}

// look asks before and after the edit, first for the tests' own inputs.
func (b *goBuild) look(ctx context.Context) ([]Function, error) {
	if err := b.build(ctx, after); err != nil {
		return nil, err
	}
	all, err := b.record(ctx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	if err := b.build(ctx, before); err != nil {
		return nil, err
	}
	for _, entry := range []bool{true, false} {
		list := slices.DeleteFunc(slices.Clone(all), func(f *goFunction) bool { return f.entry != entry })
		changed, err := b.changed(ctx, list[:min(len(list), goFunctions)])
		if err != nil {
			return nil, err
		}
		if len(changed) == 0 {
			continue
		}
		var told []Function
		for _, f := range changed {
			told = append(told, f.told(b.files[f.id]))
		}
		return told, nil
	}
	return nil, nil
}

// record runs the tests and returns what they called.
func (b *goBuild) record(ctx context.Context) ([]*goFunction, error) {
	calls, err := b.file("calls", nil)
	if err != nil {
		return nil, err
	}
	if _, err := b.run(ctx, after, b.pattern(), "AUTOCODER_NEAR_CALLS="+calls); err != nil {
		return nil, err
	}
	var out []*goFunction
	err = b.lines("calls", func(line []byte) {
		var c goCall
		if json.Unmarshal(line, &c) != nil || !c.Entry && !b.edited[c.Name] {
			return
		}
		i := slices.IndexFunc(out, func(f *goFunction) bool { return f.id == c.Name && f.entry == c.Entry })
		if i < 0 {
			i, out = len(out), append(out, &goFunction{id: c.Name, entry: c.Entry, names: b.parameters[c.Name]})
		}
		if f := out[i]; len(f.given) < goGiven {
			f.given = append(f.given, &goInput{goCall: c})
		}
	})
	return out, err
}

// lines reads a file of ours that the program has written.
func (b *goBuild) lines(name string, each func([]byte)) error {
	f, err := scratch.Open(b.cell.Scratch(), b.place(name))
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReader(io.LimitReader(f, most))
	for {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %q: %w", name, err)
		}
		each(bytes.TrimSpace(line))
	}
}

// changed are those that give something else for an input of the tests, or no longer
// the same when they are asked again, with what is near.
func (b *goBuild) changed(ctx context.Context, functions []*goFunction) ([]*goFunction, error) {
	var given []*goInput
	var of []*goFunction
	for _, f := range functions {
		for _, in := range f.given {
			given, of = append(given, in), append(of, f)
		}
	}
	if len(given) == 0 {
		return nil, nil
	}
	order := turns(len(given))
	calls := make([]goCall, len(order))
	for i, k := range order {
		calls[i] = given[k].goCall
	}
	was, err := b.ask(ctx, before, calls)
	if err != nil {
		return nil, err
	}
	is, err := b.ask(ctx, after, calls)
	if err != nil {
		return nil, err
	}
	again, err := b.ask(ctx, after, calls[:len(given)])
	if err != nil {
		return nil, err
	}
	for k, in := range given {
		in.before, in.after = was[k], is[k]
		of[k].unsteady = of[k].unsteady || !equal(again[k].Text, is[k].Text)
		for at, which := range order {
			if which != k {
				continue
			}
			of[k].unsteady = of[k].unsteady || !equal(was[at].Text, was[k].Text)
			if is[at].Text != nil && !equal(is[at].Text, is[k].Text) && in.later == nil {
				in.later = is[at].Text
			}
		}
	}
	changed := slices.DeleteFunc(slices.Clone(functions), func(f *goFunction) bool {
		return f.unsteady || len(f.moved()) == 0 && !slices.ContainsFunc(f.given, func(in *goInput) bool { return in.later != nil })
	})
	changed = changed[:min(len(changed), goChanged)]
	return changed, b.closely(ctx, changed)
}

// closely asks for what is near.
func (b *goBuild) closely(ctx context.Context, functions []*goFunction) error {
	var near []*goNeighbour
	var calls []goCall
	for _, f := range functions {
		f.derive(goNear / len(functions))
		for _, in := range f.given {
			for _, n := range in.near {
				near, calls = append(near, n), append(calls, n.goCall)
			}
		}
	}
	was, err := b.ask(ctx, before, calls)
	if err != nil {
		return err
	}
	is, err := b.ask(ctx, after, calls)
	if err != nil {
		return err
	}
	for i, n := range near {
		n.before, n.after = was[i], is[i]
	}
	return nil
}

// turns says in which order n calls are made again and again: what counts them, or
// knows in which order the tests make them, shows itself.
func turns(n int) []int {
	var out []int
	for range max(2, min(goTurns, goTurns/n+1)) {
		for k := range n {
			out = append(out, k)
		}
	}
	for k := range n {
		out = append(out, n-1-k)
	}
	for k := range n {
		out = append(out, k, k)
	}
	return out
}

func equal(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// ask is what calls give.
func (b *goBuild) ask(ctx context.Context, v goVersion, calls []goCall) ([]goAnswer, error) {
	told := make([]goAnswer, 0, len(calls))
	for died := 0; len(told) < len(calls) && died <= goDeaths && ctx.Err() == nil; died++ {
		text, err := json.Marshal(map[string]any{"calls": calls[len(told):]})
		if err != nil {
			return nil, fmt.Errorf("write calls down: %w", err)
		}
		order, err := b.file("order", text)
		if err != nil {
			return nil, err
		}
		answer, err := b.file("answer", nil)
		if err != nil {
			return nil, err
		}
		ended, err := b.run(ctx, v, "^TestAutocoderNear$", "AUTOCODER_NEAR_ORDER="+order, "AUTOCODER_NEAR_ANSWER="+answer)
		if err != nil {
			return nil, err
		}
		err = b.lines("answer", func(line []byte) {
			var answer goAnswer
			if json.Unmarshal(line, &answer) == nil && len(told) < len(calls) {
				told = append(told, answer)
			}
		})
		if err != nil {
			return nil, err
		}
		// One that ended the program by its own end has told so already.
		if len(told) < len(calls) && !ended {
			told = append(told, goAnswer{})
		}
	}
	return append(told, make([]goAnswer, len(calls)-len(told))...), nil
}

func (f *goFunction) moved() []*goInput {
	moved := slices.DeleteFunc(slices.Clone(f.given), func(in *goInput) bool {
		return in.before.Text == nil || in.after.Text == nil || equal(in.before.Text, in.after.Text)
	})
	return moved[:min(len(moved), goMoved)]
}

// told is what was seen of a function.
func (f *goFunction) told(file string) Function {
	out := Function{File: file, Name: goName(f.id)}
	for _, in := range f.given {
		told := Input{Text: in.text(), Answers: in.goAnswers.told(), Later: in.later, Places: f.values(in)}
		for _, n := range in.near {
			told.Near = append(told.Near, Neighbour{Place: n.place, Value: Value{Text: n.text, At: n.at}, Answers: n.goAnswers.told()})
		}
		out.Inputs = append(out.Inputs, told)
	}
	return out
}
