package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"autocoder/engine"
	"autocoder/engine/outcome"
	"autocoder/engine/sandbox"
)

// TestSettingsReachTheTests has tests that pass or fail by what a setting lets
// them see, once with it and once without, and reads what the report says.
func TestSettingsReachTheTests(t *testing.T) {
	t.Parallel()
	const secret = "\n-- .env --\nKEY=1\n-- test_it.py --\nimport os\n\ndef test_it():\n    assert os.path.exists('.env')\n"
	const variable = "\n-- test_it.py --\nimport os\n\ndef test_it():\n    assert os.environ.get('WANTED') == 'yes'\n"
	for name, c := range map[string]struct {
		files  string
		flags  map[string][]string
		says   string
		denied outcome.Outcome
	}{
		"env":     {variable, map[string][]string{"env": {"WANTED"}}, "the tests saw your variables WANTED (env)", outcome.Unrunnable},
		"include": {secret, map[string][]string{"include": {".env"}}, "the copy held secrets that match .env (include)", outcome.GaveUp},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, c.files)
			p.need(t, "pytest")
			p.options.Environ = append(p.options.Environ, "WANTED=yes")
			p.script(t, "[]")
			r := p.fix(t, engine.FixRequest{})
			if r.Outcome != c.denied || len(r.Settings) > 0 {
				t.Errorf("without the setting: outcome %s, %q", r.Outcome, r.Settings)
			}
			p.set(t, c.flags)
			r = p.fix(t, engine.FixRequest{})
			if r.Outcome != outcome.AlreadyGreen || !slices.Contains(r.Settings, c.says) {
				t.Errorf("with the setting: outcome %s, %s, %q", r.Outcome, r.Reason, r.Settings)
			}
		})
	}
}

func TestReportNamesWhatWasLoosened(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	p.write(t, ".env", "KEY=1\n")
	p.set(t, map[string][]string{
		"revert_on_regression": {"false"}, "allow_unverified": {"true"}, "network": {"on"}, "sandbox": {"supervised"},
	})
	p.options.Consent = true
	p.script(t, sumsScript)
	r := p.fix(t, engine.FixRequest{})
	for _, want := range []string{"revert_on_regression", "allow_unverified", "network = on", "without confinement"} {
		if !strings.Contains(strings.Join(r.Settings, "\n"), want) {
			t.Errorf("settings don't name %q: %q", want, r.Settings)
		}
	}
	if !slices.Contains(r.Warnings, "left out of the copy as secret: .env (setting include)") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// TestSingleHostsByTier has a run with a host in each tier: isolated opens it, the
// others say that they can't.
func TestSingleHostsByTier(t *testing.T) {
	t.Parallel()
	for _, tier := range []sandbox.Tier{sandbox.Isolated, sandbox.Confined, sandbox.Supervised} {
		t.Run(tier.String(), func(t *testing.T) {
			t.Parallel()
			p := redSums(t)
			p.set(t, map[string][]string{"network": {"example.com:443"}})
			p.options.Probes, p.options.Consent = only(tier), true
			r := p.fix(t, engine.FixRequest{})
			if r.Outcome != outcome.Fixed || r.Sandbox != tier.String() {
				t.Fatalf("outcome %s in %s: %s", r.Outcome, r.Sandbox, r.Reason)
			}
			opened := slices.Contains(r.Settings, "the tests could reach example.com:443 (network)")
			warned := strings.Contains(strings.Join(r.Warnings, "\n"), "network = example.com:443 does not hold")
			if isolated := tier == sandbox.Isolated; opened != isolated || warned == isolated {
				t.Errorf("settings %q, warnings %q", r.Settings, r.Warnings)
			}
		})
	}
}

// only is what was found on a machine where the stronger tiers don't work.
func only(tier sandbox.Tier) *sandbox.Probes {
	probes := new(sandbox.Probes)
	for t := sandbox.Isolated; t < tier; t++ {
		probes.Learn(t, []sandbox.Answer{{Name: "namespaces", Detail: "not on this machine"}})
	}
	probes.Learn(tier, []sandbox.Answer{{Name: "namespaces", OK: true}})
	return probes
}

// TestLimitsReachTheTests has tests that take more memory and more processes than
// the settings allow, and with the settings of everybody just pass.
func TestLimitsReachTheTests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		test  string
		flags map[string][]string
	}{
		"memory": {`def test_it():
    held = []
    for _ in range(24):
        held.append(bytearray(b"x" * (16 << 20)))
`, map[string][]string{"memory": {"256"}}},
		"processes": {`import subprocess, time

def test_it():
    started = [subprocess.Popen(["sleep", "2"]) for _ in range(60)]
    for p in started:
        p.wait()
`, map[string][]string{"processes": {"40"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, "-- test_it.py --\n"+c.test+"\n\ndef test_other():\n    pass\n")
			p.need(t, "pytest")
			p.settings.TestTimeout = time.Minute
			p.script(t, "[]")
			if r := p.fix(t, engine.FixRequest{}); r.Outcome != outcome.AlreadyGreen {
				t.Errorf("without the setting: outcome %s, %s", r.Outcome, r.Reason)
			}
			p.set(t, c.flags)
			r := p.fix(t, engine.FixRequest{})
			limit := name + " = " + c.flags[name][0]
			if r.Outcome == outcome.AlreadyGreen || !strings.Contains(strings.Join(r.Warnings, "\n"), limit) {
				t.Errorf("with %s: outcome %s, %s, warnings %q", limit, r.Outcome, r.Reason, r.Warnings)
			}
		})
	}
}
