package golang

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"autocoder/engine/repair"
)

// mostDeaths is how many inputs may end the program before the comparison ends.
const mostDeaths = 5

// comparison is greens on the inputs of one package's tests.
type comparison struct {
	*evaluation
	tests  *testPackage
	inputs []input
	// outputs are what each candidate returned, by input.
	outputs map[int]map[int]string
	// reached are the candidates whose code some input runs.
	reached map[int]bool
	// silent are inputs on which a candidate ended the program.
	silent []int
}

// Behaviours runs greens on calls that the tests make and on some near them, and
// tells them apart by what they return.
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
	c := &comparison{evaluation: &evaluation{session: s}, outputs: map[int]map[int]string{}, reached: map[int]bool{}}
	if c.tests, c.inputs = s.inputs(changes); len(c.inputs) == 0 {
		return nil, nil
	}
	if err := c.all(ctx, changes); err != nil {
		return nil, err
	}
	for _, ch := range changes {
		// What no input runs looks like everything else.
		if !ch.alone && !c.reached[ch.ID] {
			return nil, nil
		}
	}
	return c.behaviours(greens), nil
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
	l[filepath.Join(c.tests.Dir, "autocoder_behave_test.go")] = c.source()
	path, err := c.build(ctx, c.tests, l)
	if err != nil {
		return err
	}
	var ids []int
	for _, ch := range changes {
		ids = append(ids, ch.ID)
		c.outputs[ch.ID] = map[int]string{}
	}
	for len(ids) > 0 && len(c.silent) < mostDeaths {
		id, at := 0, -1
		o := c.order(program{c.tests, path}, nil, false)
		o.ids, o.skips, o.behave = ids, c.silent, true
		err := c.run(ctx, o, func(f []string) {
			switch f[0] {
			case "J":
				id, _ = strconv.Atoi(f[1])
				at, _ = strconv.Atoi(f[2])
			case "V":
				if at >= 0 && len(f) > 4 {
					c.outputs[id][at] = f[3]
					c.reached[id] = c.reached[id] || f[4] == "true"
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
			ids = ids[slices.Index(ids, id):]
		}
	}
	return nil
}

// source is the file with the inputs.
func (c *comparison) source() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t\"testing\"\n\n\t%s %q\n)\n\n", c.tests.Name, alias, c.runtimePath())
	fmt.Fprintf(&b, "var autocoderInputs = []func() string{\n")
	for _, i := range c.inputs {
		fmt.Fprintf(&b, "\tfunc() string { return %s.Show(%s) },\n", alias, i)
	}
	fmt.Fprintf(&b, `}

func TestAutocoderBehave(t *testing.T) {
	for _, id := range %[1]s.IDs() {
		for i, f := range autocoderInputs {
			if !%[1]s.Skips(i) {
				%[1]s.Behave(id, i, f)
			}
		}
	}
	%[1]s.Finish()
}
`, alias)
	return b.Bytes()
}

// behaviours sorts greens by their outputs on the inputs that all of them have
// one for.
func (c *comparison) behaviours(greens []repair.Candidate) []repair.Behaviour {
	out := make([]repair.Behaviour, len(greens))
	first := 0
	for k, g := range greens {
		out[k].Cluster = k
		for j := range k {
			if c.differ(greens[j].ID, g.ID) < 0 {
				out[k].Cluster = out[j].Cluster
				break
			}
		}
		at := c.differ(greens[first].ID, g.ID)
		if at < 0 {
			continue
		}
		out[k].Input, out[k].Output = c.inputs[at].String(), c.outputs[g.ID][at]
		if out[first].Input == "" {
			out[first].Input, out[first].Output = c.inputs[at].String(), c.outputs[greens[first].ID][at]
		}
	}
	return out
}

// differ is the first input on which two candidates differ, -1 when there is
// none.
func (c *comparison) differ(a, b int) int {
	for i := range c.inputs {
		x, ok := c.outputs[a][i]
		y, ok2 := c.outputs[b][i]
		if ok && ok2 && x != y && !slices.Contains(c.silent, i) {
			return i
		}
	}
	return -1
}
