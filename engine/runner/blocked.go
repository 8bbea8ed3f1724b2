package runner

import (
	"path"
	"regexp"
	"strings"

	"autocoder/engine/command"
	"autocoder/engine/testresult"
)

// What errors look like when a sandbox refused something. Each pattern wants
// the name of an error's type, or the form in which a language prints a failed
// system call: a test that merely compares such words is not blocked. A refused
// connection is none, nor is a name that doesn't exist.
var (
	// Go: dial tcp 1.1.1.1:53: connect: network is unreachable
	goDial = regexp.MustCompile(`\bdial (?:tcp|udp)[46]?(?::| (\S+):) [^\n]*(?:network is unreachable|operation not permitted|permission denied)`)
	// Go: open /home/x: permission denied
	goPath = regexp.MustCompile(`\b(?:open|openat|creat|mkdir|mkdirat|remove|rename|link|symlink|unlinkat|chmod|chtimes|truncate) (/[^\n:]*): (permission denied|read-only file system|operation not permitted)`)
	// Node: connect ENETUNREACH 1.1.1.1:53, listen EPERM: operation not permitted 127.0.0.1
	nodeNetwork = regexp.MustCompile(`\b(?:connect|getaddrinfo|bind|listen|socket|send) (?:EPERM|ENETUNREACH|EAI_AGAIN)\b([^\n]*)`)
	// Node: EACCES: permission denied, open '/home/x'
	nodePath = regexp.MustCompile(`\b(?:EPERM|EACCES|EROFS): (operation not permitted|permission denied|read-only file system), \w+ '([^'\n]+)'`)
	// Python: PermissionError: …, urllib3.exceptions.NewConnectionError(…
	pythonType = regexp.MustCompile(`(?:^|[\s(<:.])(?:PermissionError|OSError|ConnectionError|NewConnectionError|NameResolutionError|gaierror|URLError|ConnectError|ConnectTimeout|MaxRetryError|ClientConnectorError|BlockingIOError)\b\s*[:(]`)
	// Python: [Errno 101] Network is unreachable
	pythonNetwork = regexp.MustCompile(`\[Errno (?:101|51)\]|Network is unreachable|\[Errno -3\]|Temporary failure in name resolution|\[Errno 1\] Operation not permitted \(socket\)`)
	// Python: [Errno 13] Permission denied: '/home/x'
	pythonPath = regexp.MustCompile(`\[Errno (?:1|13|30)\] (Operation not permitted|Permission denied|Read-only file system): ['"]([^'"\n]+)['"]`)

	// How languages print a system call that was refused, when they say no more.
	notPermitted = regexp.MustCompile(`(?i)\boperation not permitted\b|\bEPERM\b|\[Errno 1\]`)

	withPort = regexp.MustCompile(`(?:[\w.-]+|\[[0-9a-fA-F:]+\]):\d+`)
	pyHost   = regexp.MustCompile(`host=['"]([^'"]+)['"], port=(\d+)|\('([\w.:-]+)', (\d+)\)`)
)

// Blocked reports whether an error's text shows that the sandbox refused
// something, what that was ("network 1.1.1.1:53", "write /home/x") and the
// setting that would allow it. Paths inside the folders given are the tests' own
// business: to be refused there is an ordinary failure, unless a whole file
// system is read-only.
//
// Python prints the same words for a refused socket as for any other refused
// call; a text that ends in "(socket)" is one of a socket.
func Blocked(message string, inside ...string) (thing, setting string, ok bool) {
	if m := goDial.FindStringSubmatch(message); m != nil {
		return network(m[1])
	}
	if m := nodeNetwork.FindStringSubmatch(message); m != nil {
		return network(m[1])
	}
	if m := goPath.FindStringSubmatch(message); m != nil {
		return write(m[1], m[2], inside)
	}
	if m := nodePath.FindStringSubmatch(message); m != nil {
		return write(m[2], m[1], inside)
	}
	if !pythonType.MatchString(message) {
		return "", "", false
	}
	if m := pythonPath.FindStringSubmatch(message); m != nil {
		return write(m[2], m[1], inside)
	}
	if pythonNetwork.MatchString(message) {
		if m := pyHost.FindStringSubmatch(message); m != nil {
			return network(m[1] + m[3] + ":" + m[2] + m[4])
		}
		return network("")
	}
	return "", "", false
}

// network names the address in a text, if there is one. A single address can't
// be allowed.
func network(text string) (thing, setting string, ok bool) {
	return strings.TrimSpace("network " + withPort.FindString(text)), `network = "on"`, true
}

func write(file, why string, inside []string) (thing, setting string, ok bool) {
	if !path.IsAbs(file) {
		return "", "", false
	}
	if !strings.EqualFold(why, "read-only file system") {
		for _, folder := range inside {
			if folder != "" && Within(path.Clean(folder), path.Clean(file)) {
				return "", "", false
			}
		}
	}
	return "write " + file, `sandbox = "supervised"`, true
}

// refused is for an error that says no more than that something was not permitted,
// when the sandbox has told what it refused.
func (r Report) refused(message string) (thing, setting string, ok bool) {
	was := r.Output.Exit.Refused
	if was == "" || !notPermitted.MatchString(message) {
		return "", "", false
	}
	if strings.Contains(was, command.RefusedNetwork) {
		return network(message)
	}
	return was, `sandbox = "supervised"`, true
}

// blocked marks the failing tests whose failure shows a refusal.
func blocked(run testresult.UnitRun, report Report) testresult.UnitRun {
	for i, t := range run.Tests {
		f := t.Failure
		if t.Status != testresult.Failed || f == nil {
			continue
		}
		text := f.Message
		if !strings.HasPrefix(text, f.Kind) {
			text = f.Kind + ": " + text
		}
		judge := report.Blocked
		if f.Kind == "assertion" && !goDial.MatchString(text) {
			judge = report.withheld
		}
		if thing, setting, ok := judge(text); ok {
			f.Thing, f.Setting = thing, setting
			run.Tests[i].Status = testresult.Blocked
		}
	}
	return run
}
