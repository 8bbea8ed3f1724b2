package repair

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"autocoder/engine/repair/node"
)

// The condition of an error counts when the failing tests ran it, and no other does.
func TestGuards(t *testing.T) {
	t.Parallel()
	check := func(line int, inner node.Kind) *node.Node {
		return &node.Node{Kind: node.If, Line: line, EndLine: line + 1, Children: []*node.Node{
			{Kind: node.Name, Line: line, EndLine: line},
			{Kind: node.Block, Line: line + 1, EndLine: line + 1, Children: []*node.Node{{Kind: inner, Line: line + 1, EndLine: line + 1}}},
		}}
	}
	root := &node.Node{Kind: node.File, Children: []*node.Node{check(1, node.Raise), check(3, node.ExprStmt), check(5, node.Raise)}}
	score := map[int]float64{1: .1, 3: .1, 8: 1}
	guards(&node.Info{Root: root}, score)
	if d := cmp.Diff(map[int]float64{1: guarding, 3: .1, 8: 1}, score); d != "" {
		t.Errorf("scores (-want +got):\n%s", d)
	}
}
