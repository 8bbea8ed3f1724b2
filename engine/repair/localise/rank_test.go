package localise

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func row(failed bool, lines ...int) Row {
	return Row{Failed: failed, Lines: map[string][]int{"a.py": lines}}
}

func TestRank(t *testing.T) {
	t.Parallel()
	keep := func(f string) bool { return f != "test_a.py" }
	tests := []struct {
		name string
		rows []Row
		o    Options
		want []Place
	}{
		{
			"only lines that a failing row ran, the most telling first",
			[]Row{row(true, 1, 2, 3), row(false, 1, 2), row(false, 1, 5)},
			Options{Keep: keep},
			[]Place{{"a.py", 3}, {"a.py", 2}, {"a.py", 1}},
		},
		{
			"a frame of the traceback weighs more",
			[]Row{{Failed: true, Lines: map[string][]int{"a.py": {1, 2}, "test_a.py": {9}}, Frames: []Place{{"test_a.py", 9}, {"a.py", 2}}}},
			Options{Keep: keep},
			[]Place{{"a.py", 2}, {"a.py", 1}},
		},
		{
			"so does a recent change",
			[]Row{row(true, 1, 2)},
			Options{Keep: keep, Recent: func(string) []int { return []int{2} }},
			[]Place{{"a.py", 2}, {"a.py", 1}},
		},
		{
			"without coverage the frames are what is left, the deepest first",
			[]Row{{Failed: true, Frames: []Place{{"test_a.py", 3}, {"a.py", 7}, {"b.py", 2}}}},
			Options{Keep: keep},
			[]Place{{"b.py", 2}, {"a.py", 7}},
		},
		{"nothing at all", []Row{{Failed: true}}, Options{Keep: keep}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ranked := Rank(Spectrum{Rows: tt.rows}, tt.o)
			var got []Place
			for _, s := range ranked {
				got = append(got, s.Place)
				if s.Why == "" {
					t.Errorf("%v has no reason", s.Place)
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("Rank (-want +got):\n%s", d)
			}
			if len(ranked) > 0 && ranked[0].Score != 1 {
				t.Errorf("the first score is %v, want 1", ranked[0].Score)
			}
		})
	}
}
