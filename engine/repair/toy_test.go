package repair_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"autocoder/engine/propose"
	"autocoder/engine/repair"
	"autocoder/engine/repair/localise"
	"autocoder/engine/repair/node"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// toy is a language of functions over whole numbers, in the spelling of Python:
//
//	def f(a, b):
//	    c = a + b
//	    return c * 2
//
// Its interpreter is in this file, so that the engine is tested without any
// process. Each test of the toy calls a function and knows what it must return.
type toy struct {
	tests []toyTest
	// blind gives no coverage, unclear no behaviours; fault is an error of every
	// session.
	blind, unclear bool
	// muddled makes every session lose the tests that passed, whatever is tried.
	muddled bool
	// slow is code that makes the tests slow.
	slow string
	// gradual makes a result that is nearer to what is wanted a step forward.
	gradual bool
	fault   error
	// parsed and tried record what the engine asked for.
	parsed []string
	tried  []repair.Candidate
	// opened counts sessions, open those that are not closed.
	opened, open int
	// together counts what was tried by how many targets it was tried for.
	together map[int]int
}

type toyTest struct {
	name string
	file string
	call string
	args []int
	want int
}

func (l *toy) Name() string                                   { return "Toy" }
func (l *toy) Dialect() *node.Dialect                         { return node.Python() }
func (l *toy) Handles(_ propose.View, unit propose.Unit) bool { return unit.Runner == "toy" }
func (l *toy) test(id testresult.ID) toyTest {
	return l.tests[slices.IndexFunc(l.tests, func(t toyTest) bool { return t.name == id.Native })]
}

func (l *toy) Open(_ context.Context, task repair.Task) (repair.Session, error) {
	l.opened++
	if l.fault == nil {
		l.open++
	}
	return &toySession{toy: l, task: task}, l.fault
}

type toySession struct {
	*toy
	task repair.Task
}

func (s *toySession) Close() error {
	s.open--
	return nil
}

func (s *toySession) read(path string) string {
	f, err := s.task.View.Read(path)
	if err != nil {
		panic(err)
	}
	return string(f.Content)
}

func (s *toySession) Spectrum(context.Context) (localise.Spectrum, error) {
	var out localise.Spectrum
	for _, id := range slices.Concat(s.task.Targets, s.task.Passing) {
		t := s.test(id)
		r := localise.Row{Name: id.Native, Failed: slices.Contains(s.task.Targets, id)}
		if !s.blind {
			m := newMachine(s.read(t.file), 0)
			_, _ = m.call(t.call, t.args)
			r.Lines = map[string][]int{t.file: m.lines}
		}
		out.Rows = append(out.Rows, r)
	}
	return out, nil
}

func (s *toySession) Parse(_ context.Context, path string) (*node.Node, error) {
	s.parsed = append(s.parsed, path)
	return parseToy(s.read(path))
}

func (s *toySession) Evaluate(ctx context.Context, batch []repair.Candidate, done func(repair.Verdict)) error {
	if s.together == nil {
		s.together = map[int]int{}
	}
	for _, c := range batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.together[len(s.task.Targets)]++
		s.tried = append(s.tried, c)
		done(s.judge(c))
	}
	return nil
}

func (s *toySession) judge(c repair.Candidate) repair.Verdict {
	content, err := textedit.ApplyEdits([]byte(s.read(c.Path)), c.Edits)
	if err != nil {
		panic(err)
	}
	v := repair.Verdict{ID: c.ID, Trial: repair.Green, Slow: s.slow != "" && strings.Contains(string(content), s.slow)}
	for k, id := range slices.Concat(s.task.Targets, s.task.Passing) {
		t := s.test(id)
		source := s.read(t.file)
		if t.file == c.Path {
			source = string(content)
		}
		fuel := 100
		if c.Patient {
			fuel = 10_000
		}
		got, err := newMachine(source, fuel).call(t.call, t.args)
		switch {
		case errors.Is(err, errSyntax):
			v.Trial = repair.Rejected
			return v
		case errors.Is(err, errFuel):
			v.Trial = repair.OutOfFuel
			return v
		case err != nil || got != t.want || s.muddled && k >= len(s.task.Targets):
			v.Trial, v.Changed = repair.Failed, true
			if s.gradual && err == nil {
				before, _ := newMachine(s.read(t.file), fuel).call(t.call, t.args)
				v.Further = max(got-t.want, t.want-got) < max(before-t.want, t.want-before)
			}
			return v
		case k < len(s.task.Targets):
			v.Passed++
		}
	}
	return v
}

func (s *toySession) Behaviours(_ context.Context, greens []repair.Candidate) ([]repair.Behaviour, error) {
	if s.unclear {
		return nil, nil
	}
	var out []repair.Behaviour
	clusters := map[string]int{}
	for _, g := range greens {
		content, err := textedit.ApplyEdits([]byte(s.read(g.Path)), g.Edits)
		if err != nil {
			return nil, err
		}
		t := s.test(s.task.Targets[0])
		shown := ""
		for x := -3; x < 30; x++ {
			args := slices.Repeat([]int{x}, len(t.args))
			got, err := newMachine(string(content), 100).call(t.call, args)
			shown += fmt.Sprint(got, err, " ")
		}
		if _, ok := clusters[shown]; !ok {
			clusters[shown] = len(clusters)
		}
		b := repair.Behaviour{Cluster: clusters[shown]}
		if b.Cluster > 0 {
			b.Input, b.Output = "some input", shown
		}
		out = append(out, b)
	}
	return out, nil
}

var (
	errSyntax = errors.New("syntax")
	errFuel   = errors.New("out of fuel")
)

// machine runs toy source.
type machine struct {
	text      string
	functions map[string]*node.Node
	fuel      int
	lines     []int
	err       error
}

func newMachine(source string, fuel int) *machine {
	m := &machine{text: source, functions: map[string]*node.Node{}, fuel: fuel}
	if fuel == 0 {
		m.fuel = 1000
	}
	root, err := parseToy(source)
	if err != nil {
		m.err = errSyntax
		return m
	}
	for _, f := range root.Children {
		m.functions[f.Name] = f
	}
	return m
}

func (m *machine) call(name string, args []int) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	f := m.functions[name]
	if f == nil || len(f.Children)-1 != len(args) {
		return 0, fmt.Errorf("no %s of %d", name, len(args))
	}
	if m.fuel--; m.fuel < 0 {
		return 0, errFuel
	}
	vars := map[string]int{}
	for k, a := range args {
		vars[f.Children[k].Name] = a
	}
	for _, st := range f.Children[len(args)].Children {
		m.lines = append(m.lines, st.Line)
		v, err := m.eval(st.Children[len(st.Children)-1], vars)
		if err != nil {
			return 0, err
		}
		if st.Kind == node.Return {
			return v, nil
		}
		vars[st.Children[0].Name] = v
	}
	return 0, errors.New("nothing returned")
}

func (m *machine) eval(n *node.Node, vars map[string]int) (int, error) {
	switch n.Kind {
	case node.Number:
		return strconv.Atoi(m.text[n.Start:n.End])
	case node.Name:
		if v, ok := vars[n.Name]; ok {
			return v, nil
		}
		return 0, fmt.Errorf("no %s", n.Name)
	case node.Call:
		var args []int
		for _, a := range n.Children[1:] {
			v, err := m.eval(a, vars)
			if err != nil {
				return 0, err
			}
			args = append(args, v)
		}
		return m.call(n.Children[0].Name, args)
	case node.Cond:
		c, err := m.eval(n.Children[0], vars)
		if err != nil {
			return 0, err
		}
		if c != 0 {
			return m.eval(n.Children[1], vars)
		}
		return m.eval(n.Children[2], vars)
	}
	l, err := m.eval(n.Children[0], vars)
	if err != nil {
		return 0, err
	}
	r, err := m.eval(n.Children[1], vars)
	if err != nil {
		return 0, err
	}
	return operate(n.Op, l, r)
}

func operate(op string, l, r int) (int, error) {
	truth := map[bool]int{true: 1}
	switch op {
	case "+":
		return l + r, nil
	case "-":
		return l - r, nil
	case "*":
		return l * r, nil
	case "<":
		return truth[l < r], nil
	case "<=":
		return truth[l <= r], nil
	case ">":
		return truth[l > r], nil
	case ">=":
		return truth[l >= r], nil
	case "==":
		return truth[l == r], nil
	default:
		return 0, errSyntax
	}
}

// toyParser parses toy source into the engine's tree.
type toyParser struct {
	src string
	at  int
}

func parseToy(src string) (root *node.Node, err error) {
	defer func() {
		if x := recover(); x != nil {
			root, err = nil, fmt.Errorf("%w: %v", errSyntax, x)
		}
	}()
	root = &node.Node{Kind: node.File, End: len(src)}
	p := &toyParser{src: src}
	for p.at < len(src) {
		root.Children = append(root.Children, p.function())
	}
	node.Walk(root, func(n *node.Node) bool {
		n.Line = 1 + strings.Count(src[:n.Start], "\n")
		n.EndLine = 1 + strings.Count(src[:n.End], "\n")
		return true
	})
	return root, nil
}

func (p *toyParser) function() *node.Node {
	f := &node.Node{Kind: node.Function, Start: p.at}
	p.want("def ")
	f.Name = p.word()
	p.want("(")
	for !p.take(")") {
		p.take(", ")
		n := &node.Node{Kind: node.Param, Start: p.at}
		n.Name = p.word()
		n.End = p.at
		f.Children = append(f.Children, n)
	}
	p.want(":\n")
	b := &node.Node{Kind: node.Block}
	for p.take("    ") {
		b.Children = append(b.Children, p.statement())
		p.want("\n")
	}
	b.Start, b.End = b.Children[0].Start, b.Children[len(b.Children)-1].End
	f.Children, f.End = append(f.Children, b), b.End
	return f
}

func (p *toyParser) statement() *node.Node {
	st := &node.Node{Kind: node.Return, Start: p.at}
	if !p.take("return ") {
		st.Kind, st.Op = node.Assign, "="
		st.Children = append(st.Children, p.name())
		p.want(" ")
		st.OpStart = p.at
		p.want("=")
		st.OpEnd = p.at
		p.want(" ")
	}
	st.Children = append(st.Children, p.conditional())
	st.End = p.at
	return st
}

func (p *toyParser) conditional() *node.Node {
	then := p.binary(0)
	if !p.take(" if ") {
		return then
	}
	cond := p.binary(0)
	p.want(" else ")
	other := p.conditional()
	return &node.Node{Kind: node.Cond, Start: then.Start, End: other.End, Children: []*node.Node{cond, then, other}}
}

func (p *toyParser) binary(level int) *node.Node {
	levels := [][]string{{"<=", ">=", "<", ">", "=="}, {"+", "-"}, {"*"}}
	if level == len(levels) {
		return p.primary()
	}
	start := p.at
	left := p.binary(level + 1)
	for {
		k := slices.IndexFunc(levels[level], func(op string) bool { return strings.HasPrefix(p.src[p.at:], " "+op+" ") })
		if k < 0 {
			return left
		}
		op := levels[level][k]
		n := &node.Node{Kind: node.Binary, Start: start, Op: op, OpStart: p.at + 1, OpEnd: p.at + 1 + len(op)}
		if level == 0 {
			n.Kind = node.Compare
		}
		p.at += len(op) + 2
		n.Children = []*node.Node{left, p.binary(level + 1)}
		n.End = p.at
		left = n
	}
}

func (p *toyParser) primary() *node.Node {
	if p.take("(") {
		n := p.conditional()
		p.want(")")
		return n
	}
	start := p.at
	if p.take("-") || p.src[p.at] >= '0' && p.src[p.at] <= '9' {
		p.word()
		return &node.Node{Kind: node.Number, Start: start, End: p.at}
	}
	n := p.name()
	if !p.take("(") {
		return n
	}
	c := &node.Node{Kind: node.Call, Start: start, Children: []*node.Node{n}}
	for !p.take(")") {
		p.take(", ")
		c.Children = append(c.Children, p.conditional())
	}
	c.End = p.at
	return c
}

func (p *toyParser) name() *node.Node {
	n := &node.Node{Kind: node.Name, Start: p.at}
	n.Name = p.word()
	n.End = p.at
	return n
}

func (p *toyParser) word() string {
	start := p.at
	for p.at < len(p.src) && (p.src[p.at] == '_' || p.src[p.at] >= '0' && p.src[p.at] <= '9' || p.src[p.at] >= 'a' && p.src[p.at] <= 'z') {
		p.at++
	}
	if p.at == start {
		panic("no word")
	}
	return p.src[start:p.at]
}

func (p *toyParser) take(s string) bool {
	if strings.HasPrefix(p.src[p.at:], s) {
		p.at += len(s)
		return true
	}
	return false
}

func (p *toyParser) want(s string) {
	if !p.take(s) {
		panic("no " + s)
	}
}
