package pytest

import (
	"autocoder/engine/runner"
	"autocoder/engine/testresult"
)

// drill is what autocoder_drill.py reads.
type drill struct {
	Token   string            `json:"token"`
	Targets []string          `json:"targets"`
	Alone   bool              `json:"alone"`
	Plain   bool              `json:"plain"`
	Names   map[string]string `json:"names"`
	// Failed has file and line for each target, and whether other code had called it.
	Failed map[string][3]any `json:"failed"`
}

// kinds are the canaries by what autocoder_drill.py calls them.
var kinds = []struct {
	key, shows string
	want       testresult.Status
	// inCases means that it is placed only beside targets of unittest.
	inCases bool
}{
	{"passing", "a passing test", testresult.Passed, false},
	{"assertion", "a failing assertion", testresult.Failed, false},
	{"approximate", "a failing pytest.approx", testresult.Failed, false},
	{"raises", "an exception that pytest.raises misses", testresult.Failed, false},
	{"error", "an exception", testresult.Failed, false},
	{"failing", "pytest.fail", testresult.Failed, false},
	{"skipping", "pytest.skip", testresult.Skipped, false},
	{"helpers", "the helpers that tests find failures with", testresult.Passed, false},
	{"case_passing", "a passing unittest method", testresult.Passed, true},
	{"case_equal", "a failing assertEqual", testresult.Failed, true},
	{"case_true", "a failing assertTrue", testresult.Failed, true},
	{"case_raises", "an exception that assertRaises misses", testresult.Failed, true},
	{"case_failing", "a unittest method's fail", testresult.Failed, true},
	{"case_error", "an exception in a unittest method", testresult.Failed, true},
}

func canaries() []runner.Canary {
	all := make([]runner.Canary, len(kinds))
	for i, k := range kinds {
		all[i] = runner.Canary{Shows: k.shows, Want: k.want, Optional: k.inCases}
	}
	return all
}

func drillOf(d *runner.Drill) *drill {
	names := map[string]string{}
	for _, k := range kinds {
		names[k.key] = "test_" + d.Find(k.shows)
	}
	failed := map[string][3]any{}
	for id, at := range d.Failed {
		failed[id] = [3]any{pathText(at.File), at.Line, at.Called}
	}
	return &drill{Token: d.Token, Targets: d.Targets, Alone: d.Alone, Plain: d.Plain, Names: names, Failed: failed}
}
