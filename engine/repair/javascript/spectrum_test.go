package javascript

import (
	"slices"
	"strings"
	"testing"

	"autocoder/engine/repair"
	"autocoder/engine/repair/localise"
	"autocoder/engine/testresult"
)

// failing reports whether every target has a failing row with lines.
func failing(rows []localise.Row, targets []testresult.ID) bool {
	return !slices.ContainsFunc(targets, func(id testresult.ID) bool {
		return !slices.ContainsFunc(rows, func(r localise.Row) bool {
			return r.Failed && len(r.Lines) > 0 && strings.HasPrefix(r.Name, id.Native)
		})
	})
}

// Each assertion of a target is a row, and the faulty branch ranks first.
func TestSpectrumByAssertion(t *testing.T) {
	t.Parallel()
	p := layout(t, "testdata/trials/plain.txtar")
	s := p.open(t, 2)
	spectrum, err := s.Spectrum(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range spectrum.Rows {
		if strings.HasPrefix(r.Name, "test/fee.test.js > fee") {
			names = append(names, r.Name+map[bool]string{true: " failed", false: " passed"}[r.Failed])
		}
	}
	want := []string{"test/fee.test.js > fee:1 passed", "test/fee.test.js > fee:2 failed", "test/fee.test.js > fee:3 passed", "test/fee.test.js > fee:4 failed"}
	if !slices.Equal(names, want) {
		t.Errorf("rows %q, want %q", names, want)
	}
	ranked := localise.Rank(spectrum, localise.Options{Keep: func(string) bool { return true }})
	if len(ranked) == 0 || ranked[0].File != "src/fee.js" || ranked[0].Line != 6 {
		t.Errorf("the most suspicious line is %+v", ranked[:min(3, len(ranked))])
	}
}

// An assertion that runs nothing itself looks at what was made before it.
func TestSpectrumOfResult(t *testing.T) {
	t.Parallel()
	p := layout(t, "testdata/trials/result.txtar")
	spectrum, err := p.open(t, 2).Spectrum(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ranked := localise.Rank(spectrum, localise.Options{Keep: func(string) bool { return true }})
	at := slices.IndexFunc(ranked, func(s localise.Suspect) bool { return s.File == "split.js" && s.Line == 10 })
	if at < 0 {
		t.Errorf("the line at fault is no suspect: %+v", ranked)
	}
}

func TestBehaviours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		archive, path, old string
		greens             []string
		want               []int
	}{
		{"plain", "src/fee.js", "hours * 2", []string{"hours * 3", "3 * hours", "hours + 6", "hours * 3 + 0"}, []int{0, 0, 1, 0}},
		{"objects", "purse.js", "this.sum -= n", []string{"this.sum += n", "this.sum = this.sum - -n", "this.sum += Math.min(n, 3)", "this.sum += n || 0"}, []int{0, 0, 1, 0}},
		{"values", "money.js", "return a.minor", []string{"return a.minor + b.minor", "return b.minor + a.minor", "return a.minor + Math.min(b.minor, 5)", "return a.plus(b).minor", "return a.minor + 5"}, []int{0, 0, 1, 0, 2}},
		{"types", "src/list.ts", "n > 2", []string{"n >= 2", "n > 1", "n === 2 || n === 3"}, []int{0, 0, 1}},
	} {
		t.Run(c.archive, func(t *testing.T) {
			t.Parallel()
			p := layout(t, "testdata/trials/"+c.archive+".txtar")
			s := p.open(t, 1)
			if _, err := s.Spectrum(t.Context()); err != nil {
				t.Fatal(err)
			}
			var greens []repair.Candidate
			for k, g := range c.greens {
				greens = append(greens, p.change(t, k, c.path, c.old, g))
			}
			got, err := s.Behaviours(t.Context(), greens)
			if err != nil || len(got) != len(greens) {
				t.Fatalf("%d behaviours: %v", len(got), err)
			}
			for k, b := range got {
				if b.Cluster != c.want[k] || k > 0 && (b.Cluster != 0) != (b.Input != "") {
					t.Errorf("%q: %+v, want cluster %d", c.greens[k], b, c.want[k])
				}
			}
		})
	}
}
