package agent

import (
	"fmt"
	"strings"
	"testing"

	"autocoder/engine/outcome"
	"autocoder/engine/testresult"

	"golang.org/x/tools/txtar"
)

// TestUnrunnable holds for every reason there is, of the whole unit and of a
// part: no proposer is asked, nothing is edited, and the reason is told.
func TestUnrunnable(t *testing.T) {
	t.Parallel()
	for _, reason := range testresult.Reasons() {
		for _, where := range []string{"unit", "part:pkg"} {
			t.Run(reason.String()+" of "+where, func(t *testing.T) {
				t.Parallel()
				rules := fmt.Sprintf("%s %s\ntest_ok pass\n", where, reason)
				got := newWorld(t, txtar.Parse([]byte("-- project/a.py --\n-- rules --\n"+rules+"-- proposals --\n[{\"write\": {\"a.py\": \"x\"}}]\n")), false).play()
				r := got.result
				if got.err != nil || r.Outcome != outcome.Unrunnable || !strings.HasPrefix(r.Reason, reason.String()) {
					t.Errorf("got %s (%s), %v", r.Outcome, r.Reason, got.err)
				}
				if r.Next == "" {
					t.Error("nothing is said of what to do next")
				}
				if got.asked != 0 || len(r.Attempts) != 0 || r.TestRuns != 1 || got.runs != 1 {
					t.Errorf("asked %d times, %d attempts, %d test runs, %d runs", got.asked, len(r.Attempts), r.TestRuns, got.runs)
				}
			})
		}
	}
}
