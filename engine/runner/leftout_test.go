package runner

import (
	"strings"
	"testing"

	"autocoder/engine/testresult"
)

func TestBlockedByAFileLeftOut(t *testing.T) {
	t.Parallel()
	report := Report{Root: "/home/dev/project", LeftOut: []string{".env", "deploy/key.pem"}}
	for _, c := range []struct{ message, setting string }{
		{"FileNotFoundError: [Errno 2] No such file or directory: '.env'", `include = [".env"]`},
		{"FileNotFoundError: [Errno 2] No such file or directory: '/home/dev/project/.env'", `include = [".env"]`},
		{"open ../.env: no such file or directory", `include = [".env"]`},
		{"a_test.go:9: load: open key.pem: no such file or directory", `include = ["deploy/key.pem"]`},
		{"Error: ENOENT: no such file or directory, open '/home/dev/project/deploy/key.pem'", `include = ["deploy/key.pem"]`},
		{"Error: ENOENT: no such file or directory, open './.env'", `include = [".env"]`},
		{"cat: .env: No such file or directory", `include = [".env"]`},
		{"main.go:7:12: pattern .env: no matching files found", `include = [".env"]`},

		// Other files, and words that name no missing file.
		{message: "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/x/.env'"},
		{message: "FileNotFoundError: [Errno 2] No such file or directory: '/home/dev/project/other/.env'"},
		{message: "FileNotFoundError: [Errno 2] No such file or directory: 'data.env'"},
		{message: "open x.env: no such file or directory"},
		{message: "assert load('.env') == 1"},
	} {
		thing, setting, ok := report.Blocked(c.message)
		if setting != c.setting || ok != (c.setting != "") {
			t.Errorf("Blocked(%q) = %q, %q, %v; want %q", c.message, thing, setting, ok, c.setting)
		}
		if _, _, ok := (Report{Root: report.Root}).Blocked(c.message); ok {
			t.Errorf("%q is blocked although nothing was left out", c.message)
		}
	}
}

func TestBlockedByAVariableWithheld(t *testing.T) {
	t.Parallel()
	report := Report{Root: "/home/dev/project", Withheld: []string{"API_TOKEN", "SHELL"}}
	for _, c := range []struct {
		message string
		blocked bool
	}{
		{"KeyError: 'API_TOKEN'", true},
		{"a_test.go:9: API_TOKEN is not set", true},
		{"Error: missing environment variable API_TOKEN", true},
		{"the variable API_TOKEN must be set", true},
		{"assert 'API_TOKEN' == 'x'", false},
		{"KeyError: 'API_TOKEN_2'", false},
		{"KeyError: 'SHELL'", false},
		{"MY_API_TOKEN is not set", false},
		{"KeyError: 'token'", false},
		{"a SHELL of another colour", false},
	} {
		thing, setting, ok := report.Blocked(c.message)
		if ok != c.blocked || ok && (setting != `env = ["API_TOKEN"]` || !strings.Contains(thing, "API_TOKEN")) {
			t.Errorf("%q: %q, %q, %v", c.message, thing, setting, ok)
		}
	}
}

func TestPartsThatMissAFileLeftOut(t *testing.T) {
	t.Parallel()
	run := testresult.UnitRun{Unusable: []testresult.Part{
		{Name: "a", Reason: testresult.CollectionError, Detail: "FileNotFoundError: [Errno 2] No such file or directory: '.env'"},
		{Name: "b", Reason: testresult.CollectionError, Detail: "FileNotFoundError: [Errno 2] No such file or directory: 'b'"},
	}}
	run = withoutLeftOut(run, Report{Root: "/r", LeftOut: []string{".env"}})
	if a, b := run.Unusable[0].Reason, run.Unusable[1].Reason; a != testresult.SandboxBlocked || b != testresult.CollectionError {
		t.Errorf("a is %s, b is %s", a, b)
	}
	if run.Reason != testresult.NoReason {
		t.Errorf("the unit is %s", run.Reason)
	}
}
