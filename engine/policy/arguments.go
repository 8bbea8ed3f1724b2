package policy

import (
	"slices"
	"strings"
)

// writers are programs whose arguments are files that they change.
var writers = []string{"rm", "mv", "cp", "tee", "touch", "truncate", "ln", "mkdir", "rmdir", "install", "chmod", "gofmt", "black", "ruff"}

// reading are git's commands that change nothing.
var reading = []string{"status", "diff", "log", "show", "blame", "grep", "ls-files", "ls-tree", "rev-parse", "cat-file", "describe", "shortlog", "branch", "merge-base", "rev-list"}

// fetching are the commands of tools by which they reach the network or publish.
var fetching = map[string][]string{
	"pip": {"install", "download", "uninstall"}, "pip3": {"install", "download", "uninstall"},
	"npm":   {"install", "i", "ci", "add", "publish", "exec", "x", "update", "link", "login", "config"},
	"pnpm":  {"install", "i", "add", "publish", "dlx", "update"},
	"yarn":  {"install", "add", "publish", "dlx", "upgrade"},
	"go":    {"get", "install", "generate", "env", "telemetry"},
	"cargo": {"install", "publish", "add", "login"},
}

// arguments decides on what a program is told to do.
func (c *check) arguments(base string, args []string) {
	switch {
	case base == "cd" || base == "pushd":
		c.moves(args)
	case base == "git":
		c.git(args)
	case base == "find":
		c.find(args)
	case base == "npx":
		c.says(ask("npx may fetch what it runs"))
	case base == "sed":
		c.sed(args)
	case base == "trap" && len(args) > 0 && args[0] != "-":
		c.says(deny("trap is not looked into"))
	case slices.Contains(writers, base):
		c.files(args)
	case strings.HasPrefix(base, "python") && slices.Contains(args, "-m"):
		c.module(args)
	}
	if list, ok := fetching[base]; ok {
		for _, a := range args {
			if strings.HasPrefix(a, "-") {
				continue
			}
			if slices.Contains(list, a) {
				c.says(deny("%s %s is not allowed", base, a))
			}
			break
		}
	}
	if base == "go" && slices.ContainsFunc(args, func(a string) bool {
		return strings.HasPrefix(strings.TrimLeft(a, "-"), "exec") || strings.HasPrefix(strings.TrimLeft(a, "-"), "toolexec") || strings.HasPrefix(strings.TrimLeft(a, "-"), "vettool")
	}) {
		c.says(deny("go may not be told to run other programs"))
	}
}

// moves notes where a command goes.
func (c *check) moves(args []string) {
	for _, a := range args {
		switch {
		case a == unknown:
			c.says(deny("where it goes is known only when it runs"))
		case strings.HasPrefix(a, "-"):
		default:
			if _, ok := c.gate.relative(a); !ok {
				c.says(deny("%s is outside the workspace", a))
			}
			c.dirs = append(c.dirs, a)
		}
	}
}

func (c *check) git(args []string) {
	for _, a := range args {
		switch {
		case a == "-c" || a == "-C" || strings.HasPrefix(a, "--exec-path") || strings.HasPrefix(a, "--git-dir") || strings.HasPrefix(a, "--work-tree") || strings.HasPrefix(a, "--config-env"):
			c.says(deny("git %s is not allowed", a))
			return
		case strings.HasPrefix(a, "-"):
			continue
		case !slices.Contains(reading, a):
			c.says(deny("git %s is not allowed: only commands that change nothing are", strings.ReplaceAll(a, unknown, "…")))
		}
		break
	}
	for _, a := range args {
		if strings.HasPrefix(a, "--output") || strings.HasPrefix(a, "--ext-diff") || strings.HasPrefix(a, "--textconv") || strings.HasPrefix(a, "--open-files-in-pager") || strings.HasPrefix(a, "-O") {
			c.says(deny("git may not be told %s", a))
		}
	}
}

// find decides on what find does with what it finds.
func (c *check) find(args []string) {
	for i, a := range args {
		switch a {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(args) && args[end] != ";" && args[end] != "+" {
				end++
			}
			c.run(args[i+1 : end])
			if i+1 < len(args) && slices.Contains(writers, args[i+1]) {
				c.says(ask("find %s %s works on files that are known only when it runs", a, args[i+1]))
			}
		case "-delete":
			c.says(ask("find -delete works on files that are known only when it runs"))
		case "-fprint", "-fprintf", "-fls", "-fprint0":
			c.says(deny("find may not write files"))
		}
	}
}

// sed decides on sed: in place it writes, and its commands e and w do more.
func (c *check) sed(args []string) {
	inPlace, scripted := false, false
	var rest []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-e" || a == "--expression":
			scripted = true
			i++
			if i < len(args) {
				c.sedScript(args[i])
			}
		case a == "-f" || strings.HasPrefix(a, "--file"):
			c.says(ask("a script of sed is not looked into"))
			return
		case strings.HasPrefix(a, "-i") || a == "--in-place" || strings.HasPrefix(a, "--in-place=") || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "i"):
			inPlace = true
		case strings.HasPrefix(a, "-"):
		default:
			rest = append(rest, a)
		}
	}
	if !scripted && len(rest) > 0 {
		c.sedScript(rest[0])
		rest = rest[1:]
	}
	if inPlace {
		c.files(rest)
	}
}

func (c *check) sedScript(script string) {
	if script == unknown {
		return // what sed prints is not run
	}
	for part := range strings.FieldsFuncSeq(script, func(r rune) bool { return r == ';' || r == '\n' || r == '{' || r == '}' }) {
		part = strings.TrimLeft(strings.TrimSpace(part), "0123456789,$! ")
		flags := part[strings.LastIndexAny(part, "/|#")+1:]
		if strings.HasPrefix(part, "e") || strings.HasPrefix(part, "w ") || strings.HasPrefix(part, "W ") || strings.HasPrefix(part, "s") && len(part) > 2 && strings.ContainsAny(flags, "ew") && len(flags) < 8 && !strings.ContainsAny(flags, " ") {
			c.says(deny("sed may not run commands or write files by its script"))
		}
	}
}

// files decides on every argument that is a file.
func (c *check) files(args []string) {
	for _, a := range args {
		if a != unknown && strings.HasPrefix(a, "-") {
			continue
		}
		c.writes(a)
	}
}

// module decides on what Python is told to run.
func (c *check) module(args []string) {
	for i, a := range args {
		if a == "-m" && i+1 < len(args) && slices.Contains([]string{"pip", "ensurepip", "http.server", "smtpd", "webbrowser", "venv", "uv"}, args[i+1]) {
			c.says(deny("python -m %s is not allowed", args[i+1]))
		}
	}
}
