package repair

import (
	"slices"

	"autocoder/engine/propose"
	"autocoder/engine/repair/node"
	"autocoder/engine/testresult"
)

const (
	// outside is how suspicious a value is, beside the function that uses it, that
	// was computed before the tests ran; defaults the same of a parameter's default.
	outside  = 0.2
	defaults = 0.64
)

// extend gives a score to lines that run before any test does and so are in no
// test's coverage: module and class level values that suspicious functions use,
// and defaults of their parameters.
func extend(info *node.Info, score map[int]float64) {
	words := map[string]bool{}
	worst := 0.0
	node.Walk(info.Root, func(n *node.Node) bool {
		if n.Kind != node.Function {
			return true
		}
		best := 0.0
		for l := n.Line; l <= n.EndLine; l++ {
			best = max(best, score[l])
		}
		if best == 0 {
			return false
		}
		worst = max(worst, best)
		for _, c := range n.Children {
			if c.Kind == node.Param && len(c.Children) > 0 {
				score[c.Line] = max(score[c.Line], defaults*best)
			}
		}
		node.Walk(n, func(m *node.Node) bool {
			if m.Name != "" {
				words[m.Name] = true
			}
			return true
		})
		return true
	})
	node.Walk(info.Root, func(n *node.Node) bool {
		if n.Kind == node.Function {
			return false
		}
		if n.Kind == node.Assign || n.Kind == node.VarDecl {
			target := n.Children[0]
			if words[target.Name] && score[n.Line] == 0 {
				score[n.Line] = outside * worst
			}
		}
		return true
	})
}

// guarding is how suspicious the condition of an error is, at least, when an error was
// expected and none came.
const guarding = 0.8

// unraised reports whether a target fails because an error that it expects does not
// come.
func (h *hunt) unraised(view propose.View) bool {
	return slices.ContainsFunc(h.targets, func(id testresult.ID) bool {
		f := view.Result.Lookup(id).Failure
		return f != nil && slices.ContainsFunc(cluesOf(f), func(c clue) bool { return slices.Equal(c.templates, cluesNoError.templates) })
	})
}

// guards gives a score to the conditions of errors in what the failing tests ran. What
// ran in place of an error that should have come is rarely at fault, and the condition,
// which other tests run too, often is.
func guards(info *node.Info, score map[int]float64) {
	node.Walk(info.Root, func(n *node.Node) bool {
		if n.Kind != node.If || len(n.Children) < 2 || score[n.Line] == 0 {
			return true
		}
		raises := slices.ContainsFunc(n.Children[1].Children, func(st *node.Node) bool { return st.Kind == node.Raise })
		if n.Children[1].Kind == node.Raise || raises {
			for l := n.Line; l <= max(n.Line, n.Children[0].EndLine); l++ {
				score[l] = max(score[l], guarding)
			}
		}
		return true
	})
}
