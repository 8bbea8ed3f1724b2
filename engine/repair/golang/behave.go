package golang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"autocoder/engine/repair"
)

// mostDeaths is how many inputs may end the program before the comparison ends.
const mostDeaths = 5

// comparison is greens on the inputs of one package's tests: calls, and behind them
// the tests themselves with other values.
type comparison struct {
	*evaluation
	tests  *testPackage
	inputs []input
	stage  *stage
	scenes []scene
	// outputs are what each candidate returned, by input.
	outputs map[int]map[int]string
	// reached are the candidates whose code some input runs.
	reached map[int]bool
	// silent are inputs on which a candidate ended the program, and unsteady those on
	// which one did not do the same twice.
	silent   []int
	unsteady map[int]bool
}

// Behaviours runs greens on calls that the tests make and on some near them, and
// tells them apart by what they return. Where there are no such calls, or they don't
// come to what is changed, it plays the tests themselves with other values.
func (s *session) Behaviours(ctx context.Context, greens []repair.Candidate) ([]repair.Behaviour, error) {
	if err := s.measure(ctx); err != nil {
		return nil, err
	}
	var changes []*change
	for _, g := range greens {
		ch := s.see(g)
		if ch == nil {
			return nil, nil
		}
		changes = append(changes, ch)
	}
	var known []repair.Behaviour
	if tests, list := s.inputs(changes); len(list) > 0 {
		c := s.compare(tests)
		c.inputs = list
		if err := c.all(ctx, changes); err != nil {
			return nil, err
		}
		if c.tells(changes) {
			known = c.behaviours(greens)
			if c.different(changes[0].ID) >= telling {
				return known, nil
			}
		}
	}
	played, err := s.play(ctx, changes, greens)
	if played == nil {
		played = known
	}
	return played, err
}

func (s *session) compare(tests *testPackage) *comparison {
	return &comparison{evaluation: &evaluation{session: s}, tests: tests, outputs: map[int]map[int]string{}, reached: map[int]bool{}, unsteady: map[int]bool{}}
}

// play tells greens apart by what the targets look at when their values are others.
func (s *session) play(ctx context.Context, changes []*change, greens []repair.Candidate) ([]repair.Behaviour, error) {
	for _, root := range s.roots {
		c := s.compare(s.tests[root])
		var err error
		if c.stage, err = s.newStage(c.tests); err != nil || c.stage == nil {
			return nil, err
		}
		c.scenes = c.stage.scenes(s.targets[root])
		var broken *buildError
		if err := c.all(ctx, changes); errors.As(err, &broken) {
			continue // a test that can't be played
		} else if err != nil {
			return nil, err
		}
		if c.tells(changes) && c.different(changes[0].ID) >= telling {
			return c.behaviours(greens), nil
		}
	}
	return nil, nil
}

// tells reports whether the code of every change was run: what no input runs looks like
// everything else.
func (c *comparison) tells(changes []*change) bool {
	return !slices.ContainsFunc(changes, func(ch *change) bool { return !ch.alone && !c.reached[ch.ID] })
}

// different is how many different things a candidate did.
func (c *comparison) different(id int) int {
	seen := map[string]bool{}
	for i, text := range c.outputs[id] {
		if !c.unsteady[i] && !slices.Contains(c.silent, i) {
			seen[text] = true
		}
	}
	return len(seen)
}

// inputs are the inputs of the first package that has any: of the changed
// functions themselves, or else of all that the tests call.
func (s *session) inputs(changes []*change) (*testPackage, []input) {
	names := map[string]bool{}
	for _, c := range changes {
		if c.fn != nil && c.fn.Recv == nil {
			names[c.fn.Name.Name] = true
		}
	}
	for _, wanted := range []func(string) bool{
		func(n string) bool { return names[n] },
		func(string) bool { return true },
	} {
		for _, root := range s.roots {
			t := s.tests[root]
			var list []input
			for _, i := range vary(t.inputs(wanted)) {
				if t.internal.compiles(i.String()) {
					list = append(list, i)
				}
			}
			if len(list) > 0 {
				return t, list
			}
		}
	}
	return nil, nil
}

// all runs every change.
func (c *comparison) all(ctx context.Context, changes []*change) error {
	var together []*change
	for _, ch := range changes {
		if ch.alone || c.early(ch) {
			if err := c.some(ctx, []*change{ch}, func() (layer, error) { return c.replaced(ch) }); err != nil {
				return err
			}
			continue
		}
		together = append(together, ch)
	}
	if len(together) == 0 {
		return nil
	}
	return c.some(ctx, together, func() (layer, error) { return c.woven(together) })
}

// some runs changes that are in one program.
func (c *comparison) some(ctx context.Context, changes []*change, lay func() (layer, error)) error {
	woven, err := lay()
	if err != nil {
		return err
	}
	l := c.support(c.tests, 1)
	for path, content := range woven {
		l[path] = content
	}
	c.lay(l)
	path, err := c.build(ctx, c.tests, l)
	if err != nil {
		return err
	}
	var ids []int
	for _, ch := range changes {
		ids = append(ids, ch.ID)
		c.outputs[ch.ID] = map[int]string{}
	}
	if c.stage != nil {
		ids = append(ids, ids[0]) // tests may do something else each time
	}
	for len(ids) > 0 && len(c.silent) < mostDeaths {
		n, id, at := 0, 0, -1
		o := c.order(program{c.tests, path}, nil, false)
		o.ids, o.skips, o.behave = ids, c.silent, true
		err := c.run(ctx, o, func(f []string) {
			switch f[0] {
			case "J":
				now, _ := strconv.Atoi(f[1])
				input, _ := strconv.Atoi(f[2])
				if at >= 0 && input <= at { // they ascend within a candidate
					n++
				}
				id, at = now, input
			case "V":
				if at >= 0 && len(f) > 4 {
					c.take(id, at, f[3], f[4] == "true")
				}
			case "E":
				ids = nil
			}
		})
		if err != nil {
			return err
		}
		if at < 0 {
			return nil
		}
		if len(ids) > 0 {
			c.silent = append(c.silent, at)
			ids = ids[n:]
		}
	}
	return nil
}

// take takes what a candidate did.
func (c *comparison) take(id, input int, text string, reached bool) {
	if old, twice := c.outputs[id][input]; twice && old != text {
		c.unsteady[input] = true
	}
	c.outputs[id][input] = text
	c.reached[id] = c.reached[id] || reached
}

// lay lays what is to be run over the tests.
func (c *comparison) lay(l layer) {
	l[filepath.Join(c.tests.Dir, "autocoder_behave_test.go")] = c.source()
	if c.stage != nil {
		l[filepath.Join(c.folder, alias, "scene.go")] = []byte(sceneText)
		for path, content := range c.stage.woven {
			l[path] = content
		}
	}
}

// source is the file with the inputs.
func (c *comparison) source() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t\"testing\"\n\n\t%s %q\n)\n\n", c.tests.Name, alias, c.runtimePath())
	fmt.Fprintf(&b, "var autocoderInputs = []func(t *testing.T) string{\n")
	for _, i := range c.inputs {
		fmt.Fprintf(&b, "\tfunc(*testing.T) string { return %s.Show(%s) },\n", alias, i)
	}
	for _, s := range c.scenes {
		fmt.Fprintf(&b, "\tfunc(t *testing.T) string { return autocoderPlay(t, %q, %d, %d) },\n", s.test, s.place, s.choice)
	}
	fmt.Fprintf(&b, `}

func TestAutocoderBehave(t *testing.T) {
	for _, id := range %[1]s.IDs() {
		for i, f := range autocoderInputs {
			if !%[1]s.Skips(i) {
				%[1]s.Behave(id, i, func() string { return f(t) })
			}
		}
	}
	%[1]s.Finish()
}
`, alias)
	if c.stage != nil {
		fmt.Fprintf(&b, `
func autocoderPlay(t *testing.T, name string, at, choice int) string {
	test, ok := %[1]s.Tests[name].(func(*testing.T))
	if !ok {
		return ""
	}
	%[1]s.Enter(at, choice)
	t.Run("scene", func(t *testing.T) {
		t.Run("scene", func(t *testing.T) {
			defer %[1]s.Caught(t)
			test(t)
		})
	})
	return %[1]s.Played()
}
`, alias)
	}
	return b.Bytes()
}

// behaviours sorts greens by their outputs on the inputs that all of them have
// one for.
func (c *comparison) behaviours(greens []repair.Candidate) []repair.Behaviour {
	out := make([]repair.Behaviour, len(greens))
	first := greens[0].ID
	for k, g := range greens {
		out[k].Cluster = k
		for j := range k {
			if c.differ(greens[j].ID, g.ID) < 0 {
				out[k].Cluster = out[j].Cluster
				break
			}
		}
		at := c.differ(first, g.ID)
		if at < 0 {
			continue
		}
		mine, other := c.outputs[g.ID][at], c.outputs[first][at]
		out[k].Input, out[k].Output = c.told(at, mine, other)
		if out[0].Input == "" {
			out[0].Input, out[0].Output = c.told(at, other, mine)
		}
	}
	return out
}

// told is an input and what came of it, for people.
func (c *comparison) told(at int, mine, other string) (in, out string) {
	if at < len(c.inputs) {
		return c.inputs[at].String(), fmt.Sprintf("%.300s", mine)
	}
	return c.stage.describe(c.scenes[at-len(c.inputs)]), c.stage.shown(mine, other)
}

// differ is the first input on which two candidates differ, -1 when there is
// none.
func (c *comparison) differ(a, b int) int {
	for i := range len(c.inputs) + len(c.scenes) {
		x, ok := c.outputs[a][i]
		y, ok2 := c.outputs[b][i]
		if ok && ok2 && x != y && !slices.Contains(c.silent, i) && !c.unsteady[i] {
			return i
		}
	}
	return -1
}
