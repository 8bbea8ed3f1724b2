package repair

import (
	"context"
	"fmt"
	"slices"
	"testing"

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
