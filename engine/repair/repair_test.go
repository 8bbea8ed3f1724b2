package repair_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autocoder/engine/budget"
	"autocoder/engine/event"
	"autocoder/engine/propose"
	"autocoder/engine/repair"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// world is a project in the toy language, and how its tests go.
type world struct {
	lang  *toy
	files map[string]string
	view  propose.View
	now   time.Time
}

// newWorld runs the tests on the files, as the loop's baseline does.
func newWorld(files map[string]string, tests ...toyTest) *world {
	w := &world{lang: &toy{tests: tests}, files: files, now: time.Unix(1_700_000_000, 0)}
	w.view = propose.View{
		Units: []propose.Unit{{Name: "u", Root: ".", Runner: "toy"}},
		Files: slices.Sorted(maps.Keys(files)),
		Read: func(path string) (textedit.File, error) {
			content, ok := w.files[path]
			if !ok {
				return textedit.File{}, nil
			}
			return textedit.File{Kind: textedit.Regular, Content: []byte(content), Mode: 0o644}, nil
		},
		Editable: func(path string) error {
			if strings.HasPrefix(path, "test") {
				return fs.ErrPermission
			}
			return nil
		},
		Confined: true,
	}
	w.run()
	return w
}

// run runs the toy's tests and sets the view's targets and result.
func (w *world) run() {
	var unit testresult.UnitRun
	unit.Unit = "u"
	w.view.Targets = nil
	for _, t := range w.lang.tests {
		id := testresult.ID{Unit: "u", Native: t.name}
		test := testresult.Test{ID: id, Status: testresult.Passed, Part: "test.toy"}
		if got, err := newMachine(w.files[t.file], 0).call(t.call, t.args); err != nil || got != t.want {
			test.Status, test.Failure = testresult.Failed, &testresult.Failure{Kind: "assertion", Frames: []testresult.Frame{{File: t.file, Line: 1, Func: t.call}}}
			w.view.Targets = append(w.view.Targets, id)
		}
		unit.Tests = append(unit.Tests, test)
	}
	w.view.Result = testresult.Result{Units: []testresult.UnitRun{unit}}
}

// clock ticks a millisecond with every look.
func (w *world) clock() time.Time {
	w.now = w.now.Add(time.Millisecond)
	return w.now
}

// apply makes a patch on the world's files.
func (w *world) apply(t *testing.T, p textedit.Patch) {
	t.Helper()
	for _, op := range p.Ops {
		if op.Kind != textedit.OpEdit || op.Base != textedit.HashContent([]byte(w.files[op.Path])) {
			t.Fatalf("operation %v on %q does not fit the state", op.Kind, op.Path)
		}
		content, err := textedit.ApplyEdits([]byte(w.files[op.Path]), op.Edits)
		if err != nil {
			t.Fatal(err)
		}
		w.files[op.Path] = string(content)
	}
}

const single = "def area(w, h):\n    a = w + h\n    return a\n"

func singleTests() []toyTest {
	return []toyTest{
		{"test_a", "area.toy", "area", []int{3, 4}, 12}, {"test_b", "area.toy", "area", []int{5, 2}, 10}, {"test_c", "area.toy", "area", []int{2, 2}, 4},
	}
}

func TestPropose(t *testing.T) {
	t.Parallel()
	w := newWorld(map[string]string{"area.toy": single}, singleTests()...)
	p, err := repair.New(w.clock, w.lang).Propose(context.Background(), w.view, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.apply(t, p.Patch)
	if want := "def area(w, h):\n    a = w * h\n    return a\n"; w.files["area.toy"] != want {
		t.Errorf("after the proposal the file is\n%s", w.files["area.toy"])
	}
	want := fmt.Sprintf("`+` should be `*` in `w + h`: 2 of 2 failing tests pass, 1 of 1 others still do; %d candidates tried", len(w.lang.tried))
	if p.Why != want {
		t.Errorf("why is %q, want %q", p.Why, want)
	}
	if p.Origin != "repair: arithmetic" || p.Title != "arithmetic in area.toy:2" || p.Unsure {
		t.Errorf("proposal is %q %q, unsure %v", p.Origin, p.Title, p.Unsure)
	}
	if len(p.Ranking) == 0 || p.Ranking[0].File != "area.toy" || p.Ranking[0].Why == "" {
		t.Errorf("ranking is %+v", p.Ranking)
	}
}

// The number of candidates that a proposal, the progress and the budget tell is
// one: that of all that the run has tried, also before the state changed.
func TestProposeTells(t *testing.T) {
	t.Parallel()
	for _, metered := range []bool{false, true} {
		w := newWorld(map[string]string{
			"a.toy": "def area(w, h):\n    return w + h\n", "p.toy": "def perimeter(w, h):\n    return w * 2 - h * 2\n",
		}, toyTest{"test_area", "a.toy", "area", []int{3, 4}, 12}, toyTest{"test_perimeter", "p.toy", "perimeter", []int{3, 4}, 14})
		charged, told := 0, 0
		w.view.Reserve = func(c budget.Cost) error { charged += c.Candidates; return nil }
		w.view.Emit = func(e event.Event) { told = e.N }
		if metered {
			charged = 5 // by another proposer of the run
			w.view.Tried = func() int { return charged }
		}
		engine := repair.New(w.clock, w.lang)
		var history []propose.Attempt
		for len(w.view.Targets) > 0 {
			p, err := engine.Propose(context.Background(), w.view, history)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(p.Why, fmt.Sprintf("; %d candidates tried", charged)) || told != charged {
				t.Errorf("%d were charged, progress told %d, the proposal says %s", charged, told, p.Why)
			}
			w.apply(t, p.Patch)
			w.run()
			history = append(history, propose.Attempt{Proposal: p})
		}
		if len(history) != 2 {
			t.Errorf("%d proposals, want 2", len(history))
		}
	}
}

// A refused proposal is followed by the next best on the same state, without a new
// search, and then by nothing.
func TestProposeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(map[string]string{"f.toy": "def f(a, b):\n    return a + b\n"},
		toyTest{"test_a", "f.toy", "f", []int{3, 3}, 9})
	engine := repair.New(w.clock, w.lang)
	var history []propose.Attempt
	seen := map[string]bool{}
	for {
		p, err := engine.Propose(context.Background(), w.view, history)
		if errors.Is(err, propose.ErrNothingLeft) {
			if !strings.Contains(err.Error(), "single edits were tried") {
				t.Errorf("the end says %q", err)
			}
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text := p.Patch.Ops[0].Edits[0].New + p.Why
		if seen[text] {
			t.Fatalf("proposed twice: %s", p.Why)
		}
		seen[text] = true
		history = append(history, propose.Attempt{Proposal: p})
		if len(history) > 100 {
			t.Fatal("there is no end")
		}
	}
	if len(history) < 2 {
		t.Errorf("%d proposals, want several", len(history))
	}
}

// twoBugs is a world with a bug in each of two files.
func twoBugs() *world {
	return newWorld(map[string]string{
		"a.toy": "def area(w, h):\n    return w + h\n", "p.toy": "def perimeter(w, h):\n    return w * 2 - h * 2\n",
	},
		toyTest{"test_area", "a.toy", "area", []int{3, 4}, 12}, toyTest{"test_area_2", "a.toy", "area", []int{5, 6}, 30},
		toyTest{"test_perimeter", "p.toy", "perimeter", []int{3, 4}, 14}, toyTest{"test_perimeter_2", "p.toy", "perimeter", []int{5, 7}, 24})
}

// Two bugs need two edits: each is proposed by itself, as an increment.
func TestProposeIncrements(t *testing.T) {
	t.Parallel()
	w := twoBugs()
	engine := repair.New(w.clock, w.lang)
	var history []propose.Attempt
	for len(w.view.Targets) > 0 {
		before := len(w.view.Targets)
		p, err := engine.Propose(context.Background(), w.view, history)
		if err != nil {
			t.Fatal(err)
		}
		if len(history) == 0 && !strings.Contains(p.Why, "2 of 4 failing tests pass") {
			t.Errorf("why is %q", p.Why)
		}
		w.apply(t, p.Patch)
		w.run()
		if len(w.view.Targets) >= before {
			t.Fatalf("%d targets left of %d after %s", len(w.view.Targets), before, p.Why)
		}
		history = append(history, propose.Attempt{Proposal: p})
	}
	if len(history) != 2 {
		t.Errorf("%d proposals, want 2", len(history))
	}
}

// What a partial fix repaired is no longer looked for, though the run still has it
// among its targets.
func TestProposeRest(t *testing.T) {
	t.Parallel()
	w := twoBugs()
	engine := repair.New(w.clock, w.lang)
	targets := w.view.Targets
	first, err := engine.Propose(context.Background(), w.view, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.apply(t, first.Patch)
	w.run()
	w.view.Targets = targets
	second, err := engine.Propose(context.Background(), w.view, []propose.Attempt{{Proposal: first}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(second.Why, "2 of 2 failing tests pass") {
		t.Errorf("why is %q", second.Why)
	}
}

// Targets that fail in different functions are repaired group by group before all
// edits were tried for them together; those that run a function in common get a
// longer search for one edit, and targets that fail alike a whole one.
func TestProposeGroupsEarly(t *testing.T) {
	t.Parallel()
	const area = "def area(w, h):\n    return w + h\n"
	const perimeter = "def perimeter(w, h):\n    return w * 2 - h * 2\n"
	tests := []struct {
		name, text string
		calls      [2]string
		second     int
		least      int
		most       int
	}{
		{"apart", area + perimeter, [2]string{"area", "perimeter"}, 34, 1, 150},
		{"a function in common", "def same(x):\n    y = x + x - x\n    z = y * 1\n    return z + 0\ndef area(w, h):\n    return same(w) + h\ndef perimeter(w, h):\n    return same(w) * 2 - h * 2\n", [2]string{"area", "perimeter"}, 34, 151, 2500},
		{"alike", "def both(w, h):\n    x = w + h\n    y = x * 1\n    z = y + 0\n    return z + x - x\n", [2]string{"both", "both"}, 9, 451, 100_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(map[string]string{"a.toy": tt.text},
				toyTest{"test_area", "a.toy", tt.calls[0], []int{3, 4}, 12}, toyTest{"test_perimeter", "a.toy", tt.calls[1], []int{13, 4}, tt.second})
			for k := range w.view.Result.Units[0].Tests {
				w.view.Result.Units[0].Tests[k].Failure.Frames = nil
			}
			p, err := repair.New(w.clock, w.lang).Propose(context.Background(), w.view, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(p.Why, "1 of 2 failing tests pass") {
				t.Errorf("why is %q", p.Why)
			}
			if n := w.lang.together[2]; n < tt.least || n > tt.most {
				t.Errorf("%d edits were tried for both targets, want %d to %d", n, tt.least, tt.most)
			}
			if w.lang.opened > 3 {
				t.Errorf("%d sessions were opened for both targets and each of them", w.lang.opened)
			}
			if w.lang.open != 0 {
				t.Errorf("%d sessions are left open", w.lang.open)
			}
		})
	}
}

// Patches that behave differently come as alternatives, with the input that tells
// them apart; when nothing tells them apart only one comes.
func TestProposeAlternatives(t *testing.T) {
	t.Parallel()
	for _, unclear := range []bool{false, true} {
		w := newWorld(map[string]string{"f.toy": "def f(a, b):\n    return a + b\n"}, toyTest{"test_a", "f.toy", "f", []int{3, 3}, 9})
		w.lang.unclear = unclear
		p, err := repair.New(w.clock, w.lang).Propose(context.Background(), w.view, nil)
		if err != nil {
			t.Fatal(err)
		}
		if unclear {
			if len(p.Alternatives) != 0 {
				t.Errorf("without behaviours there are %d alternatives", len(p.Alternatives))
			}
			continue
		}
		if n := len(p.Alternatives); n == 0 || n > 4 {
			t.Fatalf("%d alternatives, want 1 to 4", n)
		}
		for _, a := range p.Alternatives {
			if a.Why == "" || a.Input == "" || a.Output == "" || len(a.Patch.Ops) != 1 {
				t.Errorf("alternative %+v is not complete", a)
			}
		}
	}
}

func TestProposeNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(w *world)
		want   string
	}{
		{"no language for the unit", func(w *world) { w.view.Units[0].Runner = "other" }, "knows no language"},
		{"nothing may be edited", func(w *world) { w.view.Editable = func(string) error { return fs.ErrPermission } }, "0 single edits"},
		{"the session can't start", func(w *world) { w.lang.fault = errors.New("no interpreter") }, "no interpreter"},
		{"control", func(*world) {}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(map[string]string{"area.toy": single}, singleTests()...)
			tt.change(w)
			_, err := repair.New(w.clock, w.lang).Propose(context.Background(), w.view, nil)
			if tt.want == "" {
				if err != nil {
					t.Fatalf("the control fails: %v", err)
				}
				return
			}
			if !errors.Is(err, propose.ErrNothingLeft) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want nothing left with %q", err, tt.want)
			}
		})
	}
}

// Sentences name a unit, and the only one of a project, which has no name, as what
// it is.
func TestTaskPlace(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"": "the project", ".": "the project", "lib/a": `unit "lib/a"`} {
		if got := (repair.Task{Unit: propose.Unit{Name: name}}).Place(); got != want {
			t.Errorf("unit %q is called %s, want %s", name, got, want)
		}
	}
	w := newWorld(map[string]string{"area.toy": single}, singleTests()...)
	w.view.Units[0].Name = ""
	for k := range w.view.Targets {
		w.view.Targets[k].Unit = ""
	}
	w.lang.fault = errors.New("no interpreter")
	_, err := repair.New(w.clock, w.lang).Propose(context.Background(), w.view, nil)
	if want := "repair of the project: no interpreter"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want it to say %q", err, want)
	}
}

// Files that may not be edited are neither parsed nor edited, even when they are
// all that a failing test ran.
func TestProposeProtected(t *testing.T) {
	t.Parallel()
	w := newWorld(map[string]string{"test_f.toy": single}, toyTest{"test_a", "test_f.toy", "area", []int{3, 4}, 12})
	_, err := repair.New(w.clock, w.lang).Propose(context.Background(), w.view, nil)
	if !errors.Is(err, propose.ErrNothingLeft) || len(w.lang.tried) > 0 || len(w.lang.parsed) > 0 {
		t.Errorf("error %v, %d tried, parsed %v", err, len(w.lang.tried), w.lang.parsed)
	}
}

func TestProposeBudget(t *testing.T) {
	t.Parallel()
	w := newWorld(map[string]string{"area.toy": single}, singleTests()...)
	exceeded := &budget.Exceeded{What: budget.Candidates, Limit: "10"}
	w.view.Reserve = func(c budget.Cost) error {
		if c.Candidates > 0 {
			return exceeded
		}
		return nil
	}
	_, err := repair.New(w.clock, w.lang).Propose(context.Background(), w.view, nil)
	var got *budget.Exceeded
	if !errors.As(err, &got) || len(w.lang.tried) > 0 {
		t.Errorf("error is %v with %d tried, want the budget's", err, len(w.lang.tried))
	}
}

func TestProposeCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(map[string]string{"area.toy": single}, singleTests()...)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := repair.New(w.clock, w.lang).Propose(ctx, w.view, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want cancelled", err)
	}
}

// A search that runs out of time says so, and not that nothing is left.
func TestProposeOutOfTime(t *testing.T) {
	t.Parallel()
	w := newWorld(map[string]string{"area.toy": "def area(w, h):\n    a = w + h\n    return a\n"}, toyTest{"test_a", "area.toy", "area", []int{3, 4}, 7777})
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(time.Hour))
	defer cancel()
	clock := func() time.Time { return time.Now().Add(2 * time.Hour) }
	_, err := repair.New(clock, w.lang).Propose(ctx, w.view, nil)
	var exceeded *budget.Exceeded
	if !errors.As(err, &exceeded) {
		t.Errorf("error is %v, want out of time", err)
	}
}

// Without coverage the frames of the failure lead, and without those the functions
// that the test names.
func TestProposeWithoutCoverage(t *testing.T) {
	t.Parallel()
	w := newWorld(map[string]string{"area.toy": single, "test.toy": "area", "other.toy": "def area_of(x):\n    return x + 1\n"}, singleTests()...)
	w.lang.blind = true
	p, err := repair.New(w.clock, w.lang).Propose(context.Background(), w.view, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.apply(t, p.Patch)
	if !strings.Contains(w.files["area.toy"], "w * h") {
		t.Errorf("after the proposal the file is\n%s", w.files["area.toy"])
	}
}

// Where cells are not confined, lines that could do harm are left alone.
func TestProposeCareful(t *testing.T) {
	t.Parallel()
	for _, confined := range []bool{true, false} {
		w := newWorld(map[string]string{"f.toy": "def exec(a):\n    return a\ndef f(a, b):\n    a = a + b\n    return exec(a)\n"},
			toyTest{"test_a", "f.toy", "f", []int{3, 4}, 12})
		w.view.Confined = confined
		_, err := repair.New(w.clock, w.lang).Propose(context.Background(), w.view, nil)
		touched := slices.ContainsFunc(w.lang.tried, func(c repair.Candidate) bool {
			return c.Line == 5 || slices.ContainsFunc(c.Edits, func(e textedit.Edit) bool { return strings.Contains(e.New, "exec(") })
		})
		if touched != confined {
			t.Errorf("confined %v: the dangerous line was edited: %v (error %v)", confined, touched, err)
		}
	}
}

// A candidate that ran out of fuel gets a second trial when nothing else is green.
func TestProposePatient(t *testing.T) {
	t.Parallel()
	// Summing to 400 takes more calls than the first trial allows.
	w := newWorld(map[string]string{"f.toy": "def f(n):\n    return 0 if n <= 0 else n - f(n - 1)\n"},
		toyTest{"test_a", "f.toy", "f", []int{400}, 80200}, toyTest{"test_b", "f.toy", "f", []int{401}, 80601})
	p, err := repair.New(w.clock, w.lang).Propose(context.Background(), w.view, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.apply(t, p.Patch)
	if !strings.Contains(w.files["f.toy"], "n + f(n - 1)") {
		t.Errorf("after the proposal the file is\n%s", w.files["f.toy"])
	}
}

// An edit that only leaves code out is offered when nothing else is green, and
// never as a sure thing.
func TestProposeDoubtful(t *testing.T) {
	t.Parallel()
	w := newWorld(map[string]string{"f.toy": "def f(a, b, c):\n    a = b * c * a * c - b\n    return a * 100 + b * 10 + c\n"},
		toyTest{"test_a", "f.toy", "f", []int{3, 4, 5}, 345}, toyTest{"test_b", "f.toy", "f", []int{7, 9, 2}, 792}, toyTest{"test_c", "f.toy", "f", []int{2, 3, 8}, 238})
	p, err := repair.New(w.clock, w.lang).Propose(context.Background(), w.view, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.apply(t, p.Patch)
	if d := cmp.Diff("def f(a, b, c):\n    return a * 100 + b * 10 + c\n", w.files["f.toy"]); d != "" {
		t.Fatalf("after the proposal (-want +got):\n%s", d)
	}
	if !p.Unsure {
		t.Error("leaving a line out is proposed as a sure thing")
	}
}

// What a session loses a passing test with may pass by the project's own command.
func TestProposeConfirms(t *testing.T) {
	t.Parallel()
	w := newWorld(map[string]string{"area.toy": single}, singleTests()...)
	w.lang.muddled = true
	runs := 0
	w.view.Evaluate = func(_ context.Context, patches []textedit.Patch, scope propose.Scope) ([]testresult.Result, error) {
		runs++
		if scope != propose.Suite || len(patches) != 1 {
			t.Errorf("asked for %d patches, scope %d", len(patches), scope)
		}
		other := newWorld(map[string]string{"area.toy": single}, singleTests()...)
		other.apply(t, patches[0])
		other.run()
		return []testresult.Result{other.view.Result}, nil
	}
	p, err := repair.New(w.clock, w.lang).Propose(context.Background(), w.view, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.apply(t, p.Patch)
	if !strings.Contains(w.files["area.toy"], "w * h") || runs == 0 {
		t.Errorf("after the proposal and %d runs the file is\n%s", runs, w.files["area.toy"])
	}
}

// Two edits together are found when one of them makes a step forward, and are
// never a sure thing.
func TestProposePairs(t *testing.T) {
	t.Parallel()
	const source = "def f(a, b):\n    x = a + b\n    return x + 10\n"
	for _, gradual := range []bool{true, false} {
		w := newWorld(map[string]string{"f.toy": source}, toyTest{"test_a", "f.toy", "f", []int{97, 89}, 97*89 - 10})
		w.lang.gradual = gradual
		p, err := repair.New(w.clock, w.lang).Propose(context.Background(), w.view, nil)
		if !gradual {
			if !errors.Is(err, propose.ErrNothingLeft) {
				t.Errorf("without a step forward it is %+v, %v", p, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		w.apply(t, p.Patch)
		if want := "def f(a, b):\n    x = a * b\n    return x - 10\n"; w.files["f.toy"] != want {
			t.Errorf("after the proposal the file is\n%s", w.files["f.toy"])
		}
		if !p.Unsure {
			t.Error("two edits are proposed as a sure thing")
		}
	}
}

// What the last change did is taken back when that makes the tests pass, as long as
// it still stands as it was made.
func TestProposeReverts(t *testing.T) {
	t.Parallel()
	const before, after = "    return a * 71 + b * 31 - 53\n", "    return a\n"
	for _, still := range []bool{true, false} {
		w := newWorld(map[string]string{"f.toy": "def f(a, b):\n" + after}, toyTest{"test_a", "f.toy", "f", []int{19, 23}, 19*71 + 23*31 - 53})
		w.view.Changes = func(context.Context, string) []propose.Change {
			c := propose.Change{Line: 2, Before: before, After: after}
			if !still {
				c.After = "    return b\n"
			}
			return []propose.Change{c}
		}
		p, err := repair.New(w.clock, w.lang).Propose(context.Background(), w.view, nil)
		if !still {
			if !errors.Is(err, propose.ErrNothingLeft) {
				t.Errorf("what has changed again since is taken back: %+v, %v", p, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		w.apply(t, p.Patch)
		if want := "def f(a, b):\n" + before; w.files["f.toy"] != want || p.Origin != "repair: revert" {
			t.Errorf("after the proposal of %q the file is\n%s", p.Origin, w.files["f.toy"])
		}
	}
}

// What makes the tests much slower comes last.
func TestProposeSlow(t *testing.T) {
	t.Parallel()
	first := func(slow string) string {
		w := newWorld(map[string]string{"f.toy": "def f(a):\n    return a\n"}, toyTest{"test_a", "f.toy", "f", []int{3}, 6}, toyTest{"test_b", "f.toy", "f", []int{5}, 10})
		w.lang.slow = slow
		p, err := repair.New(w.clock, w.lang).Propose(context.Background(), w.view, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.apply(t, p.Patch)
		return w.files["f.toy"]
	}
	quick := first("")
	if slow := first(strings.TrimSpace(strings.Split(quick, "\n")[1])); slow == quick {
		t.Errorf("what is slow is proposed first: %s", slow)
	}
}
