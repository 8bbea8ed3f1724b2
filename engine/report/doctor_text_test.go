package report

import (
	"strings"
	"testing"

	"autocoder/engine/testresult"

	"github.com/google/go-cmp/cmp"
)

func TestDoctorText(t *testing.T) {
	t.Parallel()
	d := Doctor{
		Units: []DoctorUnit{
			{
				Root: ".", Runner: "pytest", Why: "pytest.ini", Command: []string{"python", "-m", "pytest", "a b", "it's", ""},
				Interpreter: "/usr/bin/python3", Version: "pytest 8", Tests: 5, Detail: "1 part can't be run",
				Rejected: []Rejected{{Runner: "/opt/python3", Why: "it has no pytest"}},
			},
			{Root: "web", Runner: "node --test", Why: "package.json", UnusableReason: testresult.NotInstalled, Detail: "node: not found"},
		},
		Sandbox:   DoctorSandbox{Tier: "confined", Probes: []Probe{{Name: "network refused", OK: true}, {Name: "namespaces", Detail: "not permitted"}}},
		Proposers: []DoctorProposer{{Name: "repair", Ready: true, Detail: "Go and Python"}, {Name: "model"}},
		Warnings:  []string{"odd\x1b[0m"},
	}
	want := `pytest in .: pytest.ini
  command      python -m pytest 'a b' 'it'\''s' ''
  interpreter  /usr/bin/python3, pytest 8
  tests        5; 1 part can't be run
  not taken    /opt/python3: it has no pytest
node --test in web: package.json
  not runnable not_installed: node: not found
sandbox: confined
  ok   network refused
  no   namespaces: not permitted
proposers:
  ok   repair: Go and Python
  no   model
warning: odd [0m
`
	var b strings.Builder
	if err := DoctorText(&b, d); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	b.Reset()
	if err := DoctorText(&b, Doctor{Sandbox: DoctorSandbox{Tier: "none"}}); err != nil || !strings.HasPrefix(b.String(), "tests: none found that can be run\nsandbox: none\n") {
		t.Errorf("got %q, %v", b.String(), err)
	}
}
