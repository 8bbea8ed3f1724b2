package repair

import (
	"context"
	"fmt"
	"slices"

	"autocoder/engine/propose"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// confirm runs by the project's own command what made the targets pass and lost
// another test. A session runs tests in an order and a process of its own, and
// tests that share state pass in theirs only.
func (h *hunt) confirm(ctx context.Context, view propose.View, c clock) ([]green, error) {
	nearly := h.nearly
	h.nearly = nil
	if view.Evaluate == nil {
		return nil, nil
	}
	limited, cancel := c.limit(ctx)
	defer cancel()
	for _, n := range nearly {
		if c.over() || ctx.Err() != nil {
			break
		}
		g := green{Candidate: n, rank: n.Cost}
		results, err := view.Evaluate(limited, []textedit.Patch{h.patch(g)}, propose.Suite)
		if limited.Err() != nil {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("run the tests on a candidate: %w", err)
		}
		if len(results) == 1 && h.satisfied(results[0]) {
			return []green{g}, nil
		}
	}
	return nil, ctx.Err()
}

// satisfied reports whether the targets and everything that passed before pass.
func (h *hunt) satisfied(r testresult.Result) bool {
	return !slices.ContainsFunc(slices.Concat(h.targets, h.passing), func(id testresult.ID) bool {
		return r.Lookup(id).Status != testresult.Passed
	})
}
