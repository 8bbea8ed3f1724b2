package mutate

import (
	"slices"

	"autocoder/engine/textedit"
)

// What an edit costs for what it does to the code around it.
const (
	deadName    = 1.3 // a name that was used is used no more
	lostCall    = 0.8 // the only call of one of the file's own functions goes
	newlyUsed   = 0.5 // a parameter or import that nobody used is used: that much less
	perNewWord  = 0.02
	maxNewWords = 10
)

// effect is what edits cost beside what they are. Names that become dead speak
// against an edit, parameters that become used for it.
func (g *function) effect(edits []textedit.Edit) float64 {
	before, after := map[string]int{}, map[string]int{}
	for _, e := range edits {
		for w, n := range identifiers(g.Between(e.Start, e.End)) {
			before[w] += n
		}
		for w, n := range identifiers(e.New) {
			after[w] += n
		}
	}
	cost := 0.0
	fresh := 0
	for w, n := range before {
		if after[w] > 0 || g.Dialect.Reserved[w] {
			continue
		}
		left := g.words[w] - n
		switch {
		case g.defined[w]:
			// One of the places that name it is the one that defines it.
			if g.words[w] >= 2 && left <= 1 {
				cost = max(cost, deadName)
			}
		case left == 0 && slices.Contains(g.functions, w):
			cost = max(cost, lostCall)
		}
	}
	for w := range after {
		if before[w] > 0 {
			continue
		}
		fresh++
		if g.params[w] && g.words[w] == 1 || g.words[w] == 0 && g.file.words[w] == 1 && !g.Dialect.Reserved[w] {
			cost -= newlyUsed
		}
	}
	return cost + perNewWord*float64(min(fresh, maxNewWords))
}
