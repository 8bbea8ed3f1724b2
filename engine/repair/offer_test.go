package repair

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"autocoder/engine/repair/mutate"
	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// comparing is a session that knows the behaviours of greens.
type comparing struct {
	Session
	clusters []int // nil when nothing can be told
}

func (c comparing) Behaviours(_ context.Context, greens []Candidate) ([]Behaviour, error) {
	if c.clusters == nil {
		return nil, nil
	}
	out := make([]Behaviour, len(greens))
	for k := range greens {
		out[k].Cluster = c.clusters[k]
	}
	return out, nil
}

// Beside a green edit the other edits of its line come next.
func TestCloser(t *testing.T) {
	t.Parallel()
	for _, near := range []bool{true, false} {
		flag := func(start, line int) *node.Node {
			return &node.Node{Kind: node.Bool, Start: start, End: start + 4, Name: "True", Line: line, EndLine: line}
		}
		source := "True\nTrue\n"
		root := &node.Node{Kind: node.File, End: len(source), Children: []*node.Node{
			{Kind: node.Return, End: 4, Line: 1, EndLine: 1, Children: []*node.Node{flag(0, 1)}},
			{Kind: node.Return, Start: 5, End: 9, Line: 2, EndLine: 2, Children: []*node.Node{flag(5, 2)}},
		}}
		info := node.NewInfo(root, []byte(source), node.Python())
		h := &hunt{stream: mutate.NewStream([]mutate.File{{Path: "f", Info: info, Score: map[int]float64{1: 1, 2: .9}}}, mutate.Options{Cut: 4})}
		want := 1
		if near {
			h.closer([]green{{Candidate: Candidate{Path: "f", Line: 2}}})
			want = 2
		}
		if batch := h.stream.Next(1); len(batch) != 1 || batch[0].Line != want {
			t.Errorf("near a green edit (%v) the next is %+v, want one of line %d", near, batch, want)
		}
	}
}

// What makes more of the documented examples hold comes first, what makes the tests
// slow last, and in between what costs less.
func TestRanked(t *testing.T) {
	t.Parallel()
	h := &hunt{}
	verdicts := []Verdict{{Gained: 2}, {Gained: 1}, {}, {Slow: true}}
	for k, v := range verdicts[1:] {
		if before, after := h.ranked(Candidate{Cost: 0.5}, verdicts[k]), h.ranked(Candidate{Cost: 0.2}, v); before >= after {
			t.Errorf("%+v ranks %.1f, and %+v, which costs a little less, %.1f", verdicts[k], before, v, after)
		}
	}
}

// What else is offered as an answer: other behaviours, or other places where
// behaviours can't be told, and never what costs much more than the first.
func TestCluster(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		ranks    []float64
		places   []int
		clusters []int
		want     []int // indices of the leaders
	}{
		{"one behaviour", []float64{0.3, 0.3, 0.4}, []int{1, 2, 3}, []int{0, 0, 0}, []int{0}},
		{"two behaviours", []float64{0.3, 0.3, 0.4}, []int{1, 1, 1}, []int{0, 1, 1}, []int{0, 1}},
		{"another behaviour at the margin", []float64{0.3, 1.3}, []int{1, 1}, []int{0, 1}, []int{0, 1}},
		{"another behaviour that is far-fetched", []float64{0.3, 1.4}, []int{1, 1}, []int{0, 1}, []int{0}},
		{"nothing known, one place", []float64{0.3, 0.3, 0.4}, []int{1, 1, 1}, nil, []int{0}},
		{"nothing known, other places", []float64{0.3, 0.5, 0.6, 0.9}, []int{7, 17, 17, 12}, nil, []int{0, 1, 3}},
		{"nothing known, another place that is far-fetched", []float64{0.3, 1.0}, []int{7, 12}, nil, []int{0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			greens := make([]green, len(tt.ranks))
			for k := range greens {
				greens[k] = green{Candidate: Candidate{ID: k, Path: "f", Line: 1, Edits: []textedit.Edit{{Start: tt.places[k]}}}, rank: tt.ranks[k]}
			}
			h := &hunt{search: &search{}}
			leaders, rest := h.cluster(context.Background(), comparing{clusters: tt.clusters}, greens)
			var got []int
			for _, g := range leaders {
				got = append(got, g.ID)
			}
			if !slices.Equal(got, tt.want) || len(leaders)+len(rest) != len(greens) {
				t.Errorf("leaders are %v and %d are left, want %v of %d", got, len(rest), tt.want, len(greens))
			}
		})
	}
	t.Run("many", func(t *testing.T) {
		t.Parallel()
		var greens []green
		for k := range 9 {
			greens = append(greens, green{Candidate: Candidate{ID: k, Path: fmt.Sprint(k), Edits: []textedit.Edit{{}}}})
		}
		h := &hunt{search: &search{}}
		if leaders, _ := h.cluster(context.Background(), comparing{}, greens); len(leaders) != 9 {
			t.Errorf("%d leaders of 9 files", len(leaders))
		}
	})
}

// Edits of one comparison have one place, others have their own.
func TestPlace(t *testing.T) {
	t.Parallel()
	const content = "a + 1 < b; a + b"
	root := &node.Node{Kind: node.File, End: len(content), Children: []*node.Node{
		{Kind: node.Compare, End: 9, Children: []*node.Node{{Kind: node.Binary, End: 5}, {Kind: node.Name, Start: 8, End: 9}}},
		{Kind: node.Binary, Start: 11, End: 16},
	}}
	h := &hunt{files: map[string]*source{"f": {info: node.NewInfo(root, []byte(content), node.Python())}}}
	for name, c := range map[string]struct{ start, end, want int }{
		"left side": {0, 1, 0}, "operator": {6, 7, 0}, "right side": {8, 9, 0}, "elsewhere": {15, 16, 15},
	} {
		g := green{Candidate: Candidate{Path: "f", Edits: []textedit.Edit{{Start: c.start, End: c.end}}}}
		if got := h.where(g, map[string]behaves{}); got != (behaves{at: line{"f", c.want}}) {
			t.Errorf("%s: %v, want %d", name, got, c.want)
		}
	}
}

// Edits of one comparison that bring other names do something else, and those that
// bring none say the same in other words.
func TestPlaceByNames(t *testing.T) {
	t.Parallel()
	const content = "a < b"
	root := &node.Node{Kind: node.File, End: len(content), Children: []*node.Node{{Kind: node.Compare, End: 5}}}
	h := &hunt{files: map[string]*source{"f": {info: node.NewInfo(root, []byte(content), node.Python())}}}
	does := func(text string) behaves {
		g := green{Candidate: Candidate{Path: "f", Edits: []textedit.Edit{{End: len(content), New: text}}}}
		return h.where(g, map[string]behaves{})
	}
	if does("a <= b") != does("a < b + 1") {
		t.Error("the same names do something else")
	}
	if does("a < b and c") == does("a < b and d") {
		t.Error("other names do the same")
	}
}

// A statement that may stand in several places of one block has one place.
func TestPlaceOfInsertions(t *testing.T) {
	t.Parallel()
	const content = "a\nb\nif c {\n\td\n}\n"
	inner := &node.Node{Kind: node.Block, Start: 9, End: 14, Children: []*node.Node{{Kind: node.ExprStmt, Start: 12, End: 13}}}
	root := &node.Node{Kind: node.File, End: len(content), Children: []*node.Node{{Kind: node.Block, End: len(content), Children: []*node.Node{
		{Kind: node.ExprStmt, End: 1}, {Kind: node.ExprStmt, Start: 2, End: 3}, {Kind: node.If, Start: 4, End: 14, Children: []*node.Node{inner}},
	}}}}
	h := &hunt{files: map[string]*source{"f": {info: node.NewInfo(root, []byte(content), node.Go())}}}
	inserted := map[string]behaves{}
	for k, c := range []struct {
		at   int
		text string
		want int
	}{
		{0, "x++\n", 0}, {3, "\nx++", 0}, {12, "x++\n\t", 12}, {2, "x--\n", 2}, {2, " ", 2}, {13, "\n\tx++", 12},
	} {
		g := green{Candidate: Candidate{Path: "f", Edits: []textedit.Edit{{Start: c.at, End: c.at, New: c.text}}}}
		if got := h.where(g, inserted); got.at != (line{"f", c.want}) {
			t.Errorf("%d: %v, want %d", k, got, c.want)
		}
	}
}
