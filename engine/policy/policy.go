// Package policy decides whether a model may do what it wants to do with a tool:
// change a file, or run a command.
//
// The decision is made by code on the parsed command, with substitutions, chains,
// wrappers and shells within shells seen through; what can't be seen through is
// not allowed. It is the first of three fences: the cell confines what runs, and
// the loop's guard judges every edit again. It runs nothing.
package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Verdict says what may be done.
type Verdict uint8

// The verdicts.
const (
	InvalidVerdict Verdict = iota
	// Allow lets it be done.
	Allow
	// Ask needs a person; without one it is not done.
	Ask
	// Deny never lets it be done.
	Deny
)

// String returns the name used in records.
func (v Verdict) String() string {
	switch v {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	case Deny:
		return "deny"
	case InvalidVerdict:
		return "invalid"
	default:
		return fmt.Sprintf("Verdict(%d)", uint8(v))
	}
}

// Decision is a verdict and why.
type Decision struct {
	Verdict Verdict
	Reason  string
}

func allow() Decision { return Decision{Verdict: Allow} }

func deny(format string, args ...any) Decision {
	return Decision{Verdict: Deny, Reason: fmt.Sprintf(format, args...)}
}

func ask(format string, args ...any) Decision {
	return Decision{Verdict: Ask, Reason: fmt.Sprintf(format, args...)}
}

// worse is the stricter of two decisions.
func worse(a, b Decision) Decision {
	if b.Verdict > a.Verdict {
		return b
	}
	return a
}

// Gate decides for one workspace.
type Gate struct {
	// Root is the workspace's absolute path, and Scratch a folder beside it that
	// commands may write.
	Root, Scratch string
	// Editable says why a path of the workspace must not be edited; nil when it may.
	Editable func(path string) error
	// AllowList are programs that may be run, beside the usual ones, and DenyList some
	// that never may.
	AllowList, DenyList []string
}

// Edit decides on changing a file of the workspace.
func (g Gate) Edit(p string) Decision {
	rel, ok := g.relative(p)
	if !ok {
		return deny("%s is outside the workspace", p)
	}
	if rel == ".git" || strings.HasPrefix(rel, ".git/") {
		return deny("%s belongs to git", rel)
	}
	if g.Editable != nil {
		if err := g.Editable(rel); err != nil {
			return deny("%v", err)
		}
	}
	return allow()
}

// relative is a path as one of the workspace.
func (g Gate) relative(p string) (string, bool) {
	if path.IsAbs(p) {
		rest, ok := strings.CutPrefix(path.Clean(p), strings.TrimSuffix(g.Root, "/")+"/")
		return rest, ok && g.Root != ""
	}
	p = path.Clean(p)
	return p, p != ".." && !strings.HasPrefix(p, "../")
}

// target decides on writing to a path that a command names: in the workspace what
// may be edited, and else only places that nobody keeps.
func (g Gate) target(p string) Decision {
	switch clean := path.Clean(p); {
	case clean == "/dev/null" || clean == "/dev/stdout" || clean == "/dev/stderr" || clean == "/dev/fd/1" || clean == "/dev/fd/2":
		return allow()
	case strings.HasPrefix(clean, "/dev/"):
		return deny("%s is a device", p)
	case strings.HasPrefix(clean, "/tmp/") || g.Scratch != "" && strings.HasPrefix(clean, g.Scratch+"/"):
		if _, inside := g.relative(clean); !inside {
			return allow()
		}
	case strings.HasPrefix(p, "~"):
		return deny("%s is outside the workspace", p)
	}
	return g.Edit(p)
}

// usual are programs that may be run: they look, compare, build and test.
var usual = []string{
	":", "[", "awk", "basename", "black", "cargo", "cat", "cd", "cmp", "comm", "cp", "cut", "date", "diff", "dirname", "du", "echo", "egrep",
	"expr", "false", "fgrep", "file", "find", "gawk", "git", "go", "gofmt", "grep", "head", "join", "jq", "less", "ln", "ls", "make", "mkdir", "mv",
	"node", "nl", "npm", "npx", "od", "paste", "pnpm", "pip", "pip3", "printf", "pwd", "py.test", "pyflakes", "pytest", "python", "python2",
	"python3", "readlink", "realpath", "rev", "rg", "rm", "rmdir", "ruff", "sed", "seq", "set", "sleep", "sort", "stat", "tac", "tail", "tee",
	"test", "touch", "tr", "tree", "true", "tsc", "type", "uname", "uniq", "wc", "which", "yarn", "xxd", "export", "unset", "local", "declare",
	"read", "return", "exit", "shift", "break", "continue", "let", "trap", "wait", "cargo", "mypy", "jest", "vitest", "mocha",
}

// never are programs that are never run: they reach the network, gain rights, hide
// what they run, or end other processes.
var never = []string{
	"curl", "wget", "nc", "ncat", "netcat", "socat", "telnet", "ftp", "sftp", "scp", "rsync", "ssh", "ssh-keygen", "ssh-add", "dig", "nslookup",
	"host", "ping", "nmap", "aria2c", "http", "https", "lynx", "w3m", "sudo", "su", "doas", "pkexec", "chroot", "unshare", "nsenter", "mount",
	"umount", "setcap", "setpriv", "docker", "podman", "kubectl", "helm", "systemctl", "service", "crontab", "at", "batch", "apt", "apt-get",
	"dpkg", "yum", "dnf", "apk", "brew", "snap", "pacman", "kill", "pkill", "killall", "shutdown", "reboot", "halt", "mkfs", "fdisk", "dd",
	"passwd", "useradd", "usermod", "chown", "gdb", "strace", "ltrace", "iptables", "gpg", "openssl", "aws", "gcloud", "az", "gh", "alias",
	"autocoder", "mkfifo", "mknod", "insmod", "modprobe", "sysctl", "screen", "tmux", "expect", "script", "busybox", "perl", "ruby", "php", "osascript",
}

// program decides on running a program by its name alone.
func (g Gate) program(name string) Decision {
	base := path.Base(name)
	switch {
	case slices.Contains(g.DenyList, base) || slices.Contains(never, base) && !slices.Contains(g.AllowList, base):
		return deny("%s is not allowed", base)
	case strings.HasPrefix(base, "mkfs"):
		return deny("%s is not allowed", base)
	case slices.Contains(usual, base) && (base == name || strings.HasPrefix(name, "/usr/bin/") || strings.HasPrefix(name, "/bin/") || strings.HasPrefix(name, "/usr/local/bin/") || strings.HasPrefix(name, "node_modules/.bin/") || strings.HasPrefix(name, "./node_modules/.bin/")):
		return allow()
	case slices.Contains(g.AllowList, base):
		return allow()
	default:
		return ask("%s is on no list of what may be run", name)
	}
}
