package golang

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autocoder/engine/repair"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// suite is a run of the suite with some tests failing and others passing.
func suite(failing, passing []testresult.ID) testresult.Result {
	u := testresult.UnitRun{Unit: "."}
	for _, id := range failing {
		u.Tests = append(u.Tests, testresult.Test{ID: id, Status: testresult.Failed})
	}
	for _, id := range passing {
		u.Tests = append(u.Tests, testresult.Test{ID: id, Status: testresult.Passed})
	}
	return testresult.Result{Units: []testresult.UnitRun{u}}
}

// TestRepairs repairs small bugs from end to end.
func TestRepairs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file             string
		targets, passing []string
		// fixes are texts of which the repaired file must have one.
		fixes []string
	}{
		{"median/median.go", []string{"TestOf"}, nil, []string{"s[n/2-1]) / 2"}},
		{"queue/queue.go", []string{"TestEmpty"}, []string{"TestOrder"}, []string{"len(q.items) <= 0", "len(q.items) == 0", "len(q.items) < 1"}},
		{"roman/roman.go", []string{"TestParse", "TestParse/IV", "TestParse/XLII", "TestParse/XC"}, []string{"TestParse/I", "TestParse/III"}, []string{"total -= d", "total += -d"}},
		{"words/words.go", []string{"TestCount"}, nil, []string{"strings.ToLower("}},
		{"search/search.go", []string{"TestFind"}, nil, []string{"low = mid + 1", "low = mid+1"}},
		{"tree/tree.go", []string{"TestHas"}, nil, []string{"v < n.Value:", "v <= n.Value:", "if v > n.Value {", "if v >= n.Value {"}},
		{"matrix/matrix.go", []string{"TestTranspose"}, nil, []string{"len(m[0])"}},
		{"limit/limit.go", []string{"TestFull"}, nil, []string{"Most = 10", "n > Most", "Most+1", "n-1 >= Most"}},
		{"wallet/wallet.go", []string{"TestTake"}, nil, []string{"return ErrEmpty"}},
		{"text/text.go", []string{"TestCut"}, []string{"TestPad"}, []string{`s[:n] + "…"`}},
	} {
		pkg := filepath.Dir(c.file)
		t.Run(pkg, func(t *testing.T) {
			p := lay(t, "bugs.txtar")
			full := func(names []string) []testresult.ID {
				var out []string
				for _, n := range names {
					out = append(out, "example.com/bugs/"+pkg+"."+n)
				}
				return ids(out...)
			}
			view := p.view(t, suite(full(c.targets), full(c.passing)), full(c.targets))
			got, err := repair.New(time.Now, New()).Propose(t.Context(), view, nil)
			if err != nil {
				t.Fatal(err)
			}
			op := got.Patch.Ops[0]
			before, err := os.ReadFile(filepath.Join(p.dir, c.file))
			if err != nil {
				t.Fatal(err)
			}
			after, err := textedit.ApplyEdits(before, op.Edits)
			if err != nil || op.Path != c.file {
				t.Fatalf("%s: %v", op.Path, err)
			}
			for _, fix := range c.fixes {
				if strings.Contains(string(after), fix) {
					return
				}
			}
			t.Errorf("the fix is another: %s\n%s", got.Why, after)
		})
	}
}
