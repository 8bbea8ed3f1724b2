package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"autocoder/engine/outcome"
	"autocoder/engine/propose"

	"golang.org/x/tools/txtar"
)

// TestAnyProposals plays random proposals on a project whose tests depend on
// single letters of one file, and checks what is true whatever is proposed.
func TestAnyProposals(t *testing.T) {
	t.Parallel()
	seen := map[outcome.Outcome]int{}
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 1))
		patience, attempts := 1+rng.IntN(4), 1+rng.IntN(12)
		run := fmt.Sprintf("patience %d\nattempts %d\n", patience, attempts)
		if rng.IntN(3) == 0 {
			run += "keep-regressions\n"
		}
		if rng.IntN(3) == 0 {
			run += "only test_1\n"
		}
		text := "-- run --\n" + run + "-- project/a.txt --\nabc\n-- project/tests/t.txt --\n\n-- rules --\n" + letterRules + "-- proposals --\n" + randomScript(rng)
		w := newWorld(t, txtar.Parse([]byte(text)), false)
		histories := w.watchHistory()
		got := w.play()
		r := got.result
		if got.err != nil {
			t.Fatalf("seed %d: %v", seed, got.err)
		}
		if r.TestRuns > 1+attempts || len(r.Attempts) > attempts {
			t.Errorf("seed %d: %d test runs and %d attempts of %d", seed, r.TestRuns, len(r.Attempts), attempts)
		}
		for i, h := range *histories {
			if len(h) != i || !slices.EqualFunc(h, r.Attempts[:i], sameAttempt) {
				t.Errorf("seed %d: the history that question %d saw is not the beginning of the last", seed, i+1)
			}
		}
		if longest := longestStall(r); longest > patience {
			t.Errorf("seed %d: %d attempts without progress with patience %d", seed, longest, patience)
		}
		seen[r.Outcome]++
		if t.Failed() {
			t.Fatalf("seed %d:\n%s\n%s", seed, text, got.summary())
		}
	}
	for _, o := range []outcome.Outcome{outcome.Fixed, outcome.NoProgress, outcome.Budget, outcome.GaveUp} {
		if seen[o] == 0 {
			t.Errorf("no run ended as %s: the proposals are not varied enough", o)
		}
	}
}

const letterRules = `unit crashed if a.txt has "!"
unit ok
test_1 pass if a.txt has "x"
test_1 fail
test_2 skip if a.txt has "s"
test_2 pass if a.txt has "y"
test_2 fail
test_3 lost if a.txt has "l"
test_3 pass if a.txt has "a"
test_3 fail
test_4 skip
`

func randomScript(rng *rand.Rand) string {
	edits := []map[string]any{}
	for range rng.IntN(12) {
		edit := map[string]any{}
		switch rng.IntN(8) {
		case 0:
			edit["write"] = map[string]string{"tests/t.txt": "x"}
		case 1:
			edit["delete"] = []string{[]string{"a.txt", "nowhere", "tests/t.txt"}[rng.IntN(3)]}
		case 2:
		default:
			var b strings.Builder
			for _, letter := range "abxysl!" {
				if rng.IntN(7) < 3 && (letter != '!' || rng.IntN(3) == 0) {
					b.WriteRune(letter)
				}
			}
			edit["write"] = map[string]string{"a.txt": b.String()}
		}
		edits = append(edits, edit)
	}
	script, err := json.Marshal(edits)
	if err != nil {
		panic(err)
	}
	return string(script)
}

// watchHistory keeps what the proposer is told at each question.
func (w *world) watchHistory() *[][]propose.Attempt {
	var histories [][]propose.Attempt
	inner := w.cfg.Proposer
	w.cfg.Proposer = propose.Func("watched", func(ctx context.Context, v propose.View, h []propose.Attempt) (propose.Proposal, error) {
		histories = append(histories, h)
		return inner.Propose(ctx, v, h)
	})
	return &histories
}

func sameAttempt(a, b propose.Attempt) bool {
	return a.Verdict == b.Verdict && a.Note == b.Note && a.Result == b.Result
}

// longestStall counts the longest row of attempts after which fewer targets
// failed never before.
func longestStall(r Result) int {
	best, row, longest := len(r.Targets), 0, 0
	for _, a := range r.Attempts {
		row++
		if a.Verdict == outcome.Applied && a.Result != nil && len(a.Result.NotPassing(r.Targets)) < best && !strings.HasPrefix(a.Note, "kept") {
			best, row = len(a.Result.NotPassing(r.Targets)), 0
		}
		longest = max(longest, row)
	}
	return longest
}
