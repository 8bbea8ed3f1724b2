package repair

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"autocoder/engine/propose"
	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

const (
	// mostAlternatives is how many other patches a proposal lists.
	mostAlternatives = 4
	// comparable is how much more an alternative may cost than the first: what is more
	// far-fetched leaves no doubt. elsewhere is the same for edits of other lines when
	// no input tells what the edits do.
	comparable, elsewhere = 1.0, 0.6
	// epsilon is what sums of costs may differ in by themselves.
	epsilon = 1e-9
)

// green is a candidate that made every target pass.
type green struct {
	Candidate
	// rank is the cost with less weight on where the edit is: that the edit is green
	// tells more about the place than coverage did.
	rank float64
	// gained counts the documented examples that hold with it and did not.
	gained int
	// tried is how many candidates the run had tried when it was offered.
	tried int
	// unsure means that it is never to be taken as the only answer.
	unsure    bool
	behaviour Behaviour
}

// offer turns green candidates into proposals: one for each way to behave, the
// cheapest of each, the first with the others as alternatives. Those of the same
// behaviour are kept behind, for when the loop refuses the first.
func (h *hunt) offer(ctx context.Context, view propose.View, session Session, greens []green, room func() int) {
	for k := range greens {
		greens[k].tried = h.search.total(view)
	}
	leaders, rest := h.cluster(ctx, session, greens)
	first := h.proposal(leaders[0])
	for _, g := range leaders[1:min(len(leaders), room()+1)] {
		first.Alternatives = append(first.Alternatives, propose.Alternative{
			Patch: h.patch(g), Why: h.why(g), Input: g.behaviour.Input, Output: g.behaviour.Output,
		})
	}
	if len(first.Alternatives) > 0 {
		first.Input, first.Output = leaders[0].behaviour.Input, leaders[0].behaviour.Output
	}
	h.search.offers = append(h.search.offers, first)
	for _, g := range append(leaders[1:], rest...) {
		h.search.offers = append(h.search.offers, h.proposal(g))
	}
}

// cluster sorts greens, which are sorted by cost, into the cheapest of each
// behaviour and the others. Without inputs to tell them apart each place that is
// edited counts as a behaviour, see where. What costs much more than the first never leads.
func (h *hunt) cluster(ctx context.Context, session Session, greens []green) (leaders, rest []green) {
	var behaviours []Behaviour
	if len(greens) > 1 {
		list := make([]Candidate, len(greens))
		for k, g := range greens {
			list[k] = g.Candidate
		}
		var err error
		if behaviours, err = session.Behaviours(ctx, list); err != nil {
			h.search.notes = append(h.search.notes, fmt.Sprintf("the patches could not be compared: %v", err))
		}
	}
	known := len(behaviours) == len(greens)
	most := greens[0].rank + elsewhere + epsilon
	if known {
		most = greens[0].rank + comparable + epsilon
	}
	led := map[behaves]bool{}
	inserted := map[string]behaves{}
	for k, g := range greens {
		does := h.where(g, inserted)
		if known {
			g.behaviour = behaviours[k]
			does = behaves{at: line{n: g.behaviour.Cluster}}
		}
		if led[does] || g.rank > most {
			rest = append(rest, g)
			continue
		}
		led[does] = true
		leaders = append(leaders, g)
	}
	return leaders, rest
}

// behaves is what is known of what a green does without inputs: where it changes
// something, and the names that it brings.
type behaves struct {
	at    line
	names string
}

// brought are the names that edits put where they were not, sorted.
func (s *source) brought(edits []textedit.Edit) []string {
	before, after := map[string]bool{}, map[string]bool{}
	for _, e := range edits {
		for _, w := range names(s.info.Between(e.Start, e.End)) {
			before[w] = true
		}
		for _, w := range names(e.New) {
			after[w] = true
		}
	}
	maps.DeleteFunc(after, func(w string, _ bool) bool { return before[w] })
	return slices.Sorted(maps.Keys(after))
}

// names are the names in a piece of code.
func names(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(words, func(w string) bool { return unicode.IsDigit([]rune(w)[0]) })
}

// where is where a green changes something. Edits of one comparison that all make
// the tests pass mostly say the same in other words, as n >= 1, n > 0 and n+1 > 1
// do, so that they have one place, unless they speak of other names. So does a statement that may stand in several places
// of one block: what is said is known, only not where.
func (h *hunt) where(g green, inserted map[string]behaves) behaves {
	last := g.Edits[len(g.Edits)-1]
	at := last.Start
	src := h.files[g.Path]
	if src == nil {
		return behaves{at: line{g.Path, at}}
	}
	block := 0
	node.Walk(src.info.Root, func(n *node.Node) bool {
		holds := n.Start <= last.Start && last.End <= n.End
		if n.Kind == node.Compare && holds {
			at = n.Start
		}
		if n.Kind == node.Block && holds {
			block = n.Start
		}
		return holds
	})
	here := behaves{line{g.Path, at}, strings.Join(src.brought(g.Edits), " ")}
	if last.Start != last.End || strings.TrimSpace(last.New) == "" {
		return here
	}
	key := fmt.Sprintf("%s:%d:%s", g.Path, block, strings.Join(strings.Fields(last.New), " "))
	if first, ok := inserted[key]; ok {
		return first
	}
	inserted[key] = here
	return here
}

func (h *hunt) patch(g green) textedit.Patch {
	return textedit.Patch{Ops: []textedit.Op{{Kind: textedit.OpEdit, Path: g.Path, Base: h.files[g.Path].hash, Edits: g.Edits}}}
}

func (h *hunt) proposal(g green) propose.Proposal {
	return propose.Proposal{
		Patch: h.patch(g), Title: fmt.Sprintf("%s in %s:%d", g.Template, g.Path, g.Line), Why: h.why(g), Origin: "repair: " + g.Template,
		Unsure: g.unsure || h.unsure || g.rank >= unlikely,
	}
}

// why is the sentence that explains a patch.
func (h *hunt) why(g green) string {
	text := fmt.Sprintf("%s: %d of %d failing tests pass", g.Why, len(h.targets), len(h.search.targets))
	if n := len(h.passing); n > 0 {
		text += fmt.Sprintf(", %d of %d others still do", n, n)
	}
	if g.gained > 0 {
		text += fmt.Sprintf(", %d examples of the documentation hold that did not", g.gained)
	}
	return fmt.Sprintf("%s; %d candidates tried", text, g.tried)
}
