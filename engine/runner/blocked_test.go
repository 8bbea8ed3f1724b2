package runner

import (
	"testing"

	"autocoder/engine/command"
	"autocoder/engine/testresult"
)

func TestBlocked(t *testing.T) {
	t.Parallel()
	const root = "/home/dev/project"
	for _, c := range []struct{ message, thing, setting string }{
		// What a cell without network and with a read-only home gave: Python 3.11,
		// Go 1.26, Node 20.
		{"OSError: [Errno 101] Network is unreachable", "network", `network = "on"`},
		{"socket.gaierror: [Errno -3] Temporary failure in name resolution", "network", `network = "on"`},
		{"urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>", "network", `network = "on"`},
		{"requests.exceptions.ConnectionError: HTTPSConnectionPool(host='api.example.org', port=443): Max retries exceeded with url: / (Caused by NewConnectionError('<urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution'))", "network api.example.org:443", `network = "on"`},
		{"PermissionError: [Errno 1] Operation not permitted (socket)", "network", `network = "on"`},
		{"PermissionError: [Errno 13] Permission denied: '/home/dev/.cache/x'", "write /home/dev/.cache/x", `sandbox = "supervised"`},
		{"OSError: [Errno 30] Read-only file system: '/opt/x'", "write /opt/x", `sandbox = "supervised"`},
		{"OSError: [Errno 30] Read-only file system: '" + root + "/.venv/x'", "write " + root + "/.venv/x", `sandbox = "supervised"`},
		{"a_test.go:9: get: dial tcp 1.1.1.1:53: connect: network is unreachable", "network 1.1.1.1:53", `network = "on"`},
		{"dial tcp: lookup a.example on 10.0.0.1:53: dial udp 10.0.0.1:53: connect: network is unreachable", "network", `network = "on"`},
		{"dial udp 10.0.0.1:53: socket: operation not permitted", "network 10.0.0.1:53", `network = "on"`},
		{"a_test.go:3: open /etc/x: read-only file system", "write /etc/x", `sandbox = "supervised"`},
		{"Error: connect ENETUNREACH 1.1.1.1:53 - Local (0.0.0.0:0)", "network 1.1.1.1:53", `network = "on"`},
		{"Error: getaddrinfo EAI_AGAIN a.example", "network", `network = "on"`},
		{"Error: listen EPERM: operation not permitted 127.0.0.1:8080", "network 127.0.0.1:8080", `network = "on"`},
		{"Error: EACCES: permission denied, open '/root/x'", "write /root/x", `sandbox = "supervised"`},

		// Ordinary failures.
		{message: "ConnectionRefusedError: [Errno 111] Connection refused"},
		{message: "Error: connect ECONNREFUSED 127.0.0.1:1"},
		{message: "dial tcp 127.0.0.1:1: connect: connection refused"},
		{message: "dial tcp: lookup nosuch.example: no such host"},
		{message: "socket.gaierror: [Errno -2] Name or service not known"},
		{message: "PermissionError: [Errno 13] Permission denied: '" + root + "/x'"},
		{message: "PermissionError: [Errno 13] Permission denied: 'x'"},
		{message: "PermissionError: [Errno 1] Operation not permitted"},
		{message: "FileNotFoundError: [Errno 2] No such file or directory: '/home/x'"},
		{message: "open " + root + "/x: permission denied"},
		{message: "Error: EACCES: permission denied, open '" + root + "/x'"},
		{message: "PermissionError: access denied by policy"},
		{message: "ValueError: Network is unreachable"},
		{message: "assert 'Network is unreachable' == ''"},
		{message: "got \"permission denied\", want \"ok\""},
	} {
		thing, setting, ok := Blocked(c.message, root)
		if thing != c.thing || setting != c.setting || ok != (c.thing != "") {
			t.Errorf("Blocked(%q) = %q, %q, %v; want %q, %q", c.message, thing, setting, ok, c.thing, c.setting)
		}
	}
}

// TestRefused has failures that say no more than that something was not permitted,
// with and without the sandbox saying what.
func TestRefused(t *testing.T) {
	t.Parallel()
	const ptrace, segments = "the system call ptrace", "the system call shmget, the system call semget"
	for _, c := range []struct{ kind, message, refused, thing, setting string }{
		{"OSError", "[Errno 1] Operation not permitted", segments, segments, `sandbox = "supervised"`},
		{"PermissionError", "[Errno 1] Operation not permitted", ptrace, ptrace, `sandbox = "supervised"`},
		{"assertion", "shm_test.go:9: operation not permitted", segments, segments, `sandbox = "supervised"`},
		{"Error", "EPERM: operation not permitted, ptrace", ptrace, ptrace, `sandbox = "supervised"`},
		{"panic", "httptest: failed to listen on a port: listen tcp6 [::1]:0: socket: operation not permitted", command.RefusedNetwork, "network [::1]:0", `network = "on"`},
		{"assertion", "listen tcp 127.0.0.1:80: socket: operation not permitted", ptrace + ", " + command.RefusedNetwork, "network 127.0.0.1:80", `network = "on"`},

		{"OSError", "[Errno 1] Operation not permitted", "", "", ""},
		{"AssertionError", "assert 3 == 4", segments, "", ""},
		{"OSError", "[Errno 13] Permission denied", ptrace, "", ""},
		{"assertion", "got 3, want 4", command.RefusedNetwork, "", ""},
	} {
		run := testresult.UnitRun{Tests: []testresult.Test{{Status: testresult.Failed, Failure: &testresult.Failure{Kind: c.kind, Message: c.message}}}}
		run = blocked(run, Report{Output: command.Output{Exit: command.Exit{Code: 1, Refused: c.refused}}})
		got := run.Tests[0]
		if got.Failure.Thing != c.thing || got.Failure.Setting != c.setting || (got.Status == testresult.Blocked) != (c.thing != "") {
			t.Errorf("%s: %s, refused %q: %s, %q, %q; want %q, %q", c.kind, c.message, c.refused, got.Status, got.Failure.Thing, got.Failure.Setting, c.thing, c.setting)
		}
	}
}
