package golang

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"time"

	"autocoder/engine/repair"
)

// Fuel is counted in rounds of loops and calls. Tests that need more by
// themselves get more.
const (
	leastFuel = 50_000
	// ample is how much more a candidate gets than the tests took as they are.
	ample = 10
	// patientFuel is how much more a patient one gets.
	patientFuel = 50
	softTime    = 800 * time.Millisecond
	patientTime = 4 * time.Second
	longer      = 1200 * time.Millisecond
	// suiteTime is what the passing tests of a candidate may take.
	suiteTime = 2 * time.Second
	// mostBuilds is how many candidates of a batch may have a build of their own, the
	// cheapest ones; more would take the time of thousands of others.
	mostBuilds = 16
)

// result is what a candidate did in one trial.
type result struct {
	id               int
	ok, spent, died  bool
	passed, progress int
	ticks            int64
	how              string
}

// Evaluate checks the candidates, builds those that compile into one program, and
// runs them in it.
func (s *session) Evaluate(ctx context.Context, batch []repair.Candidate, done func(repair.Verdict)) error {
	if err := s.measure(ctx); err != nil {
		return err
	}
	var together, byThemselves []*change
	for _, c := range batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		ch := s.see(c)
		switch {
		case ch == nil:
			done(repair.Verdict{ID: c.ID, Trial: repair.Rejected})
		case ch.alone:
			byThemselves = append(byThemselves, ch)
		default:
			together = append(together, ch)
		}
	}
	e := &evaluation{session: s, done: done}
	if err := e.together(ctx, together); err != nil {
		return err
	}
	slices.SortStableFunc(byThemselves, func(a, b *change) int { return cmp.Compare(a.Cost, b.Cost) })
	for i, c := range byThemselves {
		if i == mostBuilds {
			break
		}
		if err := e.byItself(ctx, c); err != nil {
			return err
		}
	}
	for _, c := range byThemselves[min(len(byThemselves), mostBuilds):] {
		done(repair.Verdict{ID: c.ID, Trial: repair.Rejected})
	}
	return nil
}

// see finds what a candidate changes; nil when it does not compile.
func (s *session) see(c repair.Candidate) *change {
	f := s.byPath[c.Path]
	if f == nil {
		return nil
	}
	ch, err := f.see(c)
	if err != nil || ch.check() != nil {
		return nil
	}
	return ch
}

// evaluation is one call of Evaluate.
type evaluation struct {
	*session
	done func(repair.Verdict)
}

// program is a build with candidates in it, for the tests of one package.
type program struct {
	tests *testPackage
	path  string
}

// together tries changes that can share a program. When it can't be built, the
// changes are split, until each that is to blame stands alone.
func (e *evaluation) together(ctx context.Context, changes []*change) error {
	if len(changes) == 0 {
		return nil
	}
	programs, err := e.buildAll(ctx, func() (layer, error) { return e.woven(changes) })
	var broken *buildError
	switch {
	case errors.As(err, &broken) && len(changes) == 1:
		return e.byItself(ctx, changes[0])
	case errors.As(err, &broken):
		half := len(changes) / 2
		return errors.Join(e.together(ctx, changes[:half]), e.together(ctx, changes[half:]))
	case err != nil:
		return err
	}
	return e.try(ctx, programs, changes)
}

// byItself tries a change in a program of its own.
func (e *evaluation) byItself(ctx context.Context, c *change) error {
	programs, err := e.buildAll(ctx, func() (layer, error) { return e.replaced(c) })
	var broken *buildError
	if errors.As(err, &broken) {
		e.done(repair.Verdict{ID: c.ID, Trial: repair.Rejected})
		return nil
	}
	if err != nil {
		return err
	}
	return e.try(ctx, programs, []*change{c})
}

// buildAll builds the tests of every package with targets on a layer.
func (e *evaluation) buildAll(ctx context.Context, lay func() (layer, error)) ([]program, error) {
	woven, err := lay()
	if err != nil {
		return nil, err
	}
	var out []program
	for _, root := range e.roots {
		p := e.tests[root]
		l := e.support(p, 1)
		for path, content := range woven {
			l[path] = content
		}
		path, err := e.build(ctx, p, l)
		if err != nil {
			return nil, err
		}
		out = append(out, program{p, path})
	}
	return out, nil
}

// woven is the module's code with the changes woven in as clones.
func (e *evaluation) woven(changes []*change) (layer, error) {
	byFile := map[*file][]*change{}
	for _, c := range changes {
		byFile[c.file] = append(byFile[c.file], c)
	}
	l := layer{}
	for _, path := range e.own {
		for _, f := range e.sources[path].files {
			content, err := e.weave(f, byFile[f])
			if err != nil {
				return nil, fmt.Errorf("weave %s: %w", f.path, err)
			}
			l[e.absolute(f.path)] = content
		}
	}
	return l, nil
}

// weave weaves ticks and clones into one file.
func (e *evaluation) weave(f *file, changes []*change) ([]byte, error) {
	w := e.begin(f)
	var order []*ast.FuncDecl
	byFunction := map[*ast.FuncDecl][]*change{}
	var imports []string
	for _, c := range changes {
		imports = append(imports, c.adds...)
		if c.fn != nil && byFunction[c.fn] == nil {
			order = append(order, c.fn)
		}
		byFunction[c.fn] = append(byFunction[c.fn], c)
	}
	tail := useRuntime + e.variables(f, byFunction[nil])
	for _, fn := range order {
		if bound(fn) {
			continue
		}
		list := clones(f, fn, byFunction[fn], func(*change) bool { return false })
		w.dispatch(fn, list)
		for _, c := range list {
			tail += c.text + "\n"
		}
	}
	w.ticks(f.syntax)
	for _, fn := range order {
		if bound(fn) {
			w.inPlace(f, fn, byFunction[fn])
		}
	}
	slices.Sort(imports)
	w.importRuntime(f.syntax, e.runtimePath(), slices.Compact(imports))
	w.insertAt(len(f.content), tail)
	return w.apply(f.content)
}

// variables is what gives variables of a file the values that changes give them, and
// their first ones back.
func (e *evaluation) variables(f *file, changes []*change) string {
	var b strings.Builder
	kept := slices.Clone(e.state.kept[f])
	for _, c := range changes {
		fmt.Fprintf(&b, "var _ = %s.Hook(%d, func() { %s = %s })\n", alias, c.ID, c.variable, c.text)
		kept = append(kept, c.variable)
	}
	slices.Sort(kept)
	for _, name := range slices.Compact(kept) {
		fmt.Fprintf(&b, "var _ = %s.Kept(&%s)\n", alias, name)
	}
	return b.String()
}

// replaced is the module's code with one file as a change makes it.
func (e *evaluation) replaced(c *change) (layer, error) {
	l, err := e.woven(nil)
	if err != nil {
		return nil, err
	}
	_, syntax, err := parseFile(c.Path, c.content)
	if err != nil {
		return nil, err
	}
	w := &weaver{offset: func(p token.Pos) int { return int(p - syntax.FileStart) }}
	w.ticks(syntax)
	w.importRuntime(syntax, e.runtimePath(), nil)
	w.insertAt(len(c.content), useRuntime)
	content, err := w.apply(c.content)
	if err != nil {
		return nil, err
	}
	l[e.absolute(c.Path)] = content
	return l, nil
}

// try runs the targets on changes, and those that pass once more in a process of
// their own, with the passing tests.
func (e *evaluation) try(ctx context.Context, programs []program, changes []*change) error {
	left := map[int]*change{}
	var ids, patient, early []int
	for _, c := range changes {
		left[c.ID] = c
		switch {
		case e.early(c):
			early = append(early, c.ID)
		case c.Patient:
			patient = append(patient, c.ID)
		default:
			ids = append(ids, c.ID)
		}
	}
	var green []int
	survive := func(r result) { green = append(green, r.id) }
	for i, p := range programs {
		if i > 0 {
			ids, patient, early = keep(ids, green), keep(patient, green), keep(early, green)
		}
		green = nil
		for _, part := range []struct {
			ids     []int
			patient bool
			single  bool
		}{{ids, false, false}, {patient, true, false}, {early, false, true}} {
			if err := e.targetsOf(ctx, p, part.ids, part.patient, part.single, survive); err != nil {
				return err
			}
		}
	}
	for _, id := range green {
		if err := e.confirm(ctx, programs, left[id]); err != nil {
			return err
		}
	}
	return nil
}

func keep(ids, of []int) []int {
	return slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return !slices.Contains(of, id) })
}

// early reports whether the function of a change runs before the tests do, when
// no candidate can be chosen any more.
func (e *evaluation) early(c *change) bool {
	return c.fn != nil && e.ranEarly(c.file, c.fn)
}

// targetsOf runs the targets of one package on candidates and tells the verdict of
// those that fail.
func (e *evaluation) targetsOf(ctx context.Context, p program, ids []int, patient, single bool, survive func(result)) error {
	if len(ids) == 0 {
		return nil
	}
	o := e.order(p, e.targets[p.tests.ImportPath], patient)
	if !single && !e.state.lasting {
		left, err := e.inOneProcess(ctx, o, ids, survive)
		if err != nil || len(left) == 0 {
			return err
		}
		e.state.lasting = 2*len(left) > len(ids)
		ids = left
	}
	base := result{}
	if err := e.each(ctx, o, []int{0}, func(r result) { base = r }); err != nil {
		return err
	}
	for _, id := range ids {
		o.first = id
		if err := e.each(ctx, o, []int{id}, func(r result) { e.tell(r, base, survive) }); err != nil {
			return err
		}
	}
	return nil
}

// between is how many candidates run before the code as it is runs once more.
const between = 100

// inOneProcess runs candidates one after the other, with the code as it is before
// them, among them and behind them. Where that is not steady they have left something
// behind: what ran there is returned.
func (e *evaluation) inOneProcess(ctx context.Context, o order, ids []int, survive func(result)) (left []int, err error) {
	all := []int{0}
	for part := range slices.Chunk(ids, between) {
		all = append(append(all, part...), 0)
	}
	var results []result
	if err := e.each(ctx, o, all, func(r result) { results = append(results, r) }); err != nil {
		return nil, err
	}
	steady := func(r result) bool { return e.state.random || alike(r, results[0]) }
	for _, r := range results {
		if r.id != 0 || steady(r) {
			continue
		}
		if e.state.random, err = e.differs(ctx, o); err != nil {
			return nil, err
		}
		break
	}
	before := 0
	for i := 1; i < len(results); i++ {
		if results[i].id != 0 {
			continue
		}
		for _, r := range results[before+1 : i] {
			if steady(results[before]) && steady(results[i]) {
				e.tell(r, results[0], survive)
			} else {
				left = append(left, r.id)
			}
		}
		before = i
	}
	return left, nil
}

// alike reports whether two trials came as far.
func alike(a, b result) bool {
	a.ticks = b.ticks
	return a == b
}

// fresh is how many processes show whether the tests do the same each time.
const fresh = 6

// differs reports whether the code as it is does something else in every process, as
// where a test goes over a map: then nothing was left behind.
func (e *evaluation) differs(ctx context.Context, o order) (bool, error) {
	var first result
	for k := range fresh {
		var base result
		if err := e.each(ctx, o, []int{0}, func(r result) { base = r }); err != nil {
			return false, err
		}
		if k == 0 {
			first = base
		}
		if !alike(base, first) {
			return true, nil
		}
	}
	return false, nil
}

// tell tells the verdict of a result, unless it is green so far.
func (e *evaluation) tell(r, base result, survive func(result)) {
	if r.ok {
		survive(r)
		return
	}
	e.done(verdict(r, base))
}

// verdict tells a result that is not green.
func verdict(r, base result) repair.Verdict {
	v := repair.Verdict{ID: r.id, Trial: repair.Failed, Passed: max(0, r.progress-base.progress), Changed: r.progress != base.progress || r.how != base.how, Further: r.progress > base.progress}
	switch {
	case r.spent:
		v.Trial = repair.OutOfFuel
	case r.died:
		v.Trial = repair.Died
	}
	return v
}

// took is what the tests of a package took as they are.
func (e *evaluation) took(p program) (ticks int64, duration time.Duration) {
	for name, t := range e.traced.tests {
		if n, ok := split(name); ok && n.pkg == p.tests.ImportPath && t.whole {
			ticks += t.ticks
			duration += t.duration
		}
	}
	return ticks, duration
}

// order is the order for some tests, without candidates.
func (e *evaluation) order(p program, names []string, patient bool) order {
	ticks, duration := e.took(p)
	o := order{
		tests: p.tests, program: p.path, names: names,
		fuel: max(leastFuel, ample*ticks), soft: max(softTime, ample*duration),
	}
	if patient {
		o.fuel *= patientFuel
		o.soft = max(patientTime, o.soft)
	}
	o.patience = o.soft + longer
	return o
}

// each runs candidates in as few processes as there can be: after one that ends
// the process it goes on with the next.
func (e *evaluation) each(ctx context.Context, o order, ids []int, take func(result)) error {
	for len(ids) > 0 {
		o.ids = ids
		n, started := 0, false
		died := result{died: true}
		err := e.run(ctx, o, func(f []string) {
			switch f[0] {
			case "S":
				started = true
			case "P", "O":
				died.spent = true
			case "R":
				if r, ok := readResult(f); ok && n < len(ids) && r.id == ids[n] {
					take(r)
					n++
					started, died.spent = false, false
				}
			}
		})
		if err != nil {
			return err
		}
		if n == len(ids) {
			return nil
		}
		if n > 0 && started && !died.spent {
			// What an earlier one left running may have ended it.
			ids = ids[n:]
			continue
		}
		died.id = ids[n]
		take(died)
		ids = ids[n+1:]
	}
	return nil
}

func readResult(f []string) (result, bool) {
	if len(f) != 8 {
		return result{}, false
	}
	id, err := strconv.Atoi(f[1])
	passed, err2 := strconv.Atoi(f[4])
	progress, err3 := strconv.Atoi(f[5])
	ticks, err4 := strconv.ParseInt(f[6], 10, 64)
	return result{
		id: id, ok: f[2] == "true", spent: f[3] == "true", passed: passed, progress: progress, ticks: ticks, how: f[7],
	}, errors.Join(err, err2, err3, err4) == nil
}

// confirm runs the targets and the passing tests on a change in processes of its
// own and tells its verdict.
func (e *evaluation) confirm(ctx context.Context, programs []program, c *change) error {
	slow := false
	for _, p := range programs {
		names := slices.Concat(e.targets[p.tests.ImportPath], e.steady(p.tests))
		o := e.order(p, names, true)
		o.first = c.ID
		r := result{died: true}
		if err := e.each(ctx, o, []int{c.ID}, func(got result) { r = got }); err != nil {
			return err
		}
		if !r.ok {
			r.id = c.ID
			e.done(verdict(r, result{}))
			return nil
		}
		if c.file.pkg.unordered {
			lucky, err := e.lucky(ctx, p, c)
			if err != nil {
				return err
			}
			if lucky {
				e.done(repair.Verdict{ID: c.ID, Trial: repair.Failed})
				return nil
			}
		}
		// An order's fuel is ten times what the tests took, or enough for any small one.
		slow = slow || r.ticks > o.fuel/patientFuel
	}
	e.done(repair.Verdict{ID: c.ID, Trial: repair.Green, Passed: len(e.task.Targets), Slow: slow})
	return nil
}

// What goes over a map of two comes to the second first once in eight times: so
// often must a change pass again, in one process or, where it leaves something
// behind, in some of their own.
const (
	oftenEnough = 40
	ofTheirOwn  = 8
)

// lucky reports whether the targets fail with a change now and then.
func (e *evaluation) lucky(ctx context.Context, p program, c *change) (bool, error) {
	o := e.order(p, e.targets[p.tests.ImportPath], true)
	o.first = c.ID
	// held is how often it passes in a row in one process.
	held := func(most int) (n int, err error) {
		broken := false
		err = e.each(ctx, o, slices.Repeat([]int{c.ID}, most), func(r result) {
			if broken = broken || !r.ok; !broken {
				n++
			}
		})
		return n, err
	}
	most := oftenEnough
	if _, duration := e.took(p); duration > 0 {
		most = max(ofTheirOwn, min(most, int(suiteTime/duration)))
	}
	first, err := held(most)
	if err != nil || first == most {
		return false, err
	}
	if second, err := held(most); err != nil || second != first || first == 0 {
		return true, err
	}
	for range ofTheirOwn {
		if n, err := held(1); err != nil || n == 0 {
			return true, err
		}
	}
	return false, nil
}

// steady are the passing tests of a package that pass when they are run for
// repair: those beside a target, and of the others the quickest, as many as a
// candidate can afford.
func (e *evaluation) steady(p *testPackage) []string {
	beside, alone := e.besides(p)
	took := func(name string) tested { return e.traced.tests[p.ImportPath+"."+testName{test: name}.function()] }
	alone = slices.DeleteFunc(alone, func(name string) bool { return !took(name).ok })
	slices.SortStableFunc(alone, func(a, b string) int { return cmp.Compare(took(a).duration, took(b).duration) })
	var total time.Duration
	counted := map[string]bool{}
	for i, name := range alone {
		if f := (testName{test: name}).function(); !counted[f] {
			counted[f] = true
			total += took(name).duration
		}
		if total > suiteTime {
			return append(beside, alone[:i]...)
		}
	}
	return append(beside, alone...)
}

func functions(names []string) []string { return order{names: names}.functions() }
