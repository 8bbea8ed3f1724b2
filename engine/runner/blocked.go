package runner

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"autocoder/engine/testresult"
)

// What error messages look like when a sandbox refused something. Each pattern
// wants the name of an error's type or the form in which a system call's error
// is printed, at a place where a runner prints the error itself: a test that
// merely compares such words is not blocked.
var (
	// errorType is an error that stands for a refused system call.
	errorType = regexp.MustCompile(`(?m)(?:^|[\s(<:])(?:[A-Za-z_][\w.]*\.)?(?:PermissionError|OSError|ConnectionError|NewConnectionError|NameResolutionError|gaierror|URLError|ConnectError|MaxRetryError|BlockingIOError)\b\s*[:(]`)
	// goDial is Go's error of a connection or a look-up.
	goDial = regexp.MustCompile(`\bdial (?:tcp|udp|unix)[46]?:? ?(\S*?):? .*?(network is unreachable|operation not permitted|permission denied|server misbehaving|i/o timeout|Temporary failure in name resolution|no such host)`)
	goPath = regexp.MustCompile(`\b(?:open|mkdir|remove|rename|unlink|symlink|chmod|creat|openat|unlinkat) (/[^\n:]*): (?:permission denied|read-only file system|operation not permitted)`)
	// nodeCall is Node's error of a refused system call.
	nodeCall = regexp.MustCompile(`\b(EPERM|EACCES|ENETUNREACH|EAI_AGAIN|EROFS)\b(?:[:,][^\n]*?|[^\n]*?\bsyscall: )?\b(connect|getaddrinfo|socket|bind|listen|send|open|mkdir|unlink|rmdir|rename|symlink|copyfile|write)\b ?([^\n]*)`)
	nodeHost = regexp.MustCompile(`\b(connect|getaddrinfo|bind|listen) (EPERM|EACCES|ENETUNREACH|EAI_AGAIN)\b ?([^\s,]*)`)

	refusedNetwork = regexp.MustCompile(`Network is unreachable|Temporary failure in name resolution|\[Errno (?:101|-3|-2)\]`)
	refusedCall    = regexp.MustCompile(`\[Errno 1\] Operation not permitted`)
	refusedWrite   = regexp.MustCompile(`\[Errno (?:1|13|30)\] (?:Operation not permitted|Permission denied|Read-only file system): ['"]([^'"\n]+)['"]`)

	address = regexp.MustCompile(`host=['"]([^'"]+)['"],? ?(?:port=(\d+))?|\('([\w.:-]+)', (\d+)\)`)
)

// Blocked reports whether an error's text shows that the sandbox refused
// something, what that was ("network 1.1.1.1:53", "write /home/x") and the
// setting that would allow it. message begins with the error's type where the
// language has one. Paths inside the folders given are the tests' own business:
// to be refused there is an ordinary failure.
func Blocked(message string, inside ...string) (thing, setting string, ok bool) {
	if m := goDial.FindStringSubmatch(message); m != nil {
		return network(m[1])
	}
	if m := goPath.FindStringSubmatch(message); m != nil {
		return write(m[1], inside)
	}
	if m := nodeHost.FindStringSubmatch(message); m != nil {
		return network(m[3])
	}
	if m := nodeCall.FindStringSubmatch(message); m != nil {
		return nodeBlocked(m, inside)
	}
	if !errorType.MatchString(message) {
		return "", "", false
	}
	if m := refusedWrite.FindStringSubmatch(message); m != nil {
		return write(m[1], inside)
	}
	if refusedNetwork.MatchString(message) || refusedCall.MatchString(message) {
		return network(host(message))
	}
	return "", "", false
}

func nodeBlocked(m []string, inside []string) (thing, setting string, ok bool) {
	switch m[2] {
	case "connect", "getaddrinfo", "socket", "bind", "listen", "send":
		return network(strings.TrimSpace(m[3]))
	default:
		file := strings.Trim(strings.TrimSpace(m[3]), `'"`)
		if m[1] == "ENETUNREACH" || m[1] == "EAI_AGAIN" {
			return "", "", false
		}
		return write(file, inside)
	}
}

// host finds the address in the message of a Python library.
func host(message string) string {
	m := address.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	name, port := m[1]+m[3], m[2]+m[4]
	if port != "" {
		return name + ":" + port
	}
	return name
}

func network(host string) (thing, setting string, ok bool) {
	if host == "" {
		return "network", `network = "on"`, true
	}
	if !strings.Contains(host, ":") {
		return "network " + host, `network = "on"`, true
	}
	return "network " + host, fmt.Sprintf("network = %q", host), true
}

func write(file string, inside []string) (thing, setting string, ok bool) {
	if !path.IsAbs(file) {
		return "", "", false
	}
	for _, folder := range inside {
		if folder != "" && Within(path.Clean(folder), path.Clean(file)) {
			return "", "", false
		}
	}
	return "write " + file, fmt.Sprintf("include = [%q]", file), true
}

// blocked marks the failing tests whose failure shows a refusal.
func blocked(run testresult.UnitRun, report Report) testresult.UnitRun {
	for i, t := range run.Tests {
		f := t.Failure
		if t.Status != testresult.Failed || f == nil || f.Kind == "assertion" {
			continue
		}
		text := f.Message
		if !strings.HasPrefix(text, f.Kind) {
			text = f.Kind + ": " + text
		}
		if thing, setting, ok := Blocked(text, report.Root, report.Folder); ok {
			f.Thing, f.Setting = thing, setting
			run.Tests[i].Status = testresult.Blocked
		}
	}
	return run
}
