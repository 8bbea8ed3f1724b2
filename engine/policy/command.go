package policy

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// deepest is how many shells within shells are looked into, and longest the most
// bytes of a command.
const (
	deepest = 5
	longest = 16 << 10
)

// Command decides on a command line for a shell.
func (g Gate) Command(line string) Decision {
	return g.script(line, deepest)
}

func (g Gate) script(line string, depth int) Decision {
	switch {
	case depth == 0:
		return deny("too many shells within shells")
	case len(line) > longest:
		return deny("the command is too long")
	case strings.ContainsRune(line, 0):
		return deny("the command has a zero byte")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return deny("the command can't be parsed: %v", err)
	}
	c := &check{gate: g, depth: depth, result: allow(), functions: map[string]bool{}}
	syntax.Walk(file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil {
			c.functions[f.Name.Value] = true
		}
		return true
	})
	syntax.Walk(file, c.visit)
	return c.result
}

// check looks at every part of a parsed command.
type check struct {
	gate      Gate
	depth     int
	result    Decision
	functions map[string]bool
	// dirs are the folders that the command goes to.
	dirs []string
}

func (c *check) says(d Decision) { c.result = worse(c.result, d) }

// visit looks at one node; substitutions and subshells are nodes like others.
func (c *check) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.CallExpr:
		c.assigns(n.Assigns)
		if len(n.Args) > 0 {
			c.call(n.Args)
		}
	case *syntax.DeclClause:
		c.assigns(n.Args)
	case *syntax.Redirect:
		c.redirect(n)
	case *syntax.FuncDecl:
		if n.Name != nil && (slices.Contains(usual, n.Name.Value) || slices.Contains(never, n.Name.Value)) {
			c.says(deny("a function may not be called %s", n.Name.Value))
		}
	case *syntax.CoprocClause:
		c.says(deny("coprocesses are not allowed"))
	case *syntax.Stmt:
		if n.Background || n.Disown {
			c.says(deny("commands in the background are not allowed"))
		}
	}
	return true
}

// dangerous are variables that change what other commands do.
var dangerous = []string{"PATH", "IFS", "ENV", "BASH_ENV", "SHELLOPTS", "PS4", "PROMPT_COMMAND", "HOME", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "EDITOR", "NODE_OPTIONS", "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "GOFLAGS"}

func (c *check) assigns(list []*syntax.Assign) {
	for _, a := range list {
		if a.Name == nil {
			continue
		}
		name := a.Name.Value
		if slices.Contains(dangerous, name) || strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_") || strings.HasPrefix(name, "GIT_CONFIG") {
			c.says(deny("the variable %s may not be set", name))
		}
	}
}

// literal is what a word says, when that is known before it runs.
func literal(w *syntax.Word) (string, bool) {
	var text strings.Builder
	for _, part := range w.Parts {
		if !literalPart(&text, part) {
			return "", false
		}
	}
	return text.String(), true
}

func literalPart(text *strings.Builder, part syntax.WordPart) bool {
	switch part := part.(type) {
	case *syntax.Lit:
		// A backslash only quotes the next character here.
		for i := 0; i < len(part.Value); i++ {
			if part.Value[i] == '\\' && i+1 < len(part.Value) {
				i++
			}
			text.WriteByte(part.Value[i])
		}
		return true
	case *syntax.SglQuoted:
		if part.Dollar && strings.Contains(part.Value, `\`) {
			return false // its escapes are another language
		}
		text.WriteString(part.Value)
		return true
	case *syntax.DblQuoted:
		for _, inner := range part.Parts {
			if !literalPart(text, inner) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// words are the literal words, with "\x00" for one that is known only when it
// runs.
func words(args []*syntax.Word) []string {
	out := make([]string, len(args))
	for i, w := range args {
		text, ok := literal(w)
		if !ok {
			text = unknown
		}
		out[i] = text
	}
	return out
}

const unknown = "\x00"

// call decides on one simple command.
func (c *check) call(args []*syntax.Word) { c.run(words(args)) }

// wrappers are programs that run what follows; the number is how many words of
// their own come before it, beside options and assignments.
var wrappers = map[string]int{
	"env": 0, "nice": 0, "nohup": 0, "timeout": 1, "time": 0, "command": 0, "builtin": 0, "exec": 0, "setsid": 0, "stdbuf": 0, "ionice": 0, "xargs": 0, "chronic": 0, "unbuffer": 0,
}

// run decides on running words.
func (c *check) run(args []string) {
	if len(args) == 0 {
		return
	}
	name := args[0]
	if name == unknown {
		c.says(deny("what is run is known only when it runs"))
		return
	}
	base := path.Base(name)
	own, wraps := wrappers[base]
	switch {
	case c.functions[name]:
	case wraps:
		c.wrapped(base, args[1:], own)
	case base == "eval":
		if slices.Contains(args, unknown) {
			c.says(deny("what eval runs is known only when it runs"))
			return
		}
		c.says(c.gate.script(strings.Join(args[1:], " "), c.depth-1))
	case slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "fish", "ash", "rbash"}, base):
		c.shell(base, args[1:])
	case base == "source" || base == ".":
		c.says(ask("%s runs a file that is not looked into", base))
	default:
		c.says(c.gate.program(name))
		c.arguments(base, args[1:])
	}
}

// wrapped decides on what a wrapper runs.
func (c *check) wrapped(base string, args []string, own int) {
	i := 0
	for i < len(args) {
		a := args[i]
		switch {
		case a == unknown:
			c.says(deny("what %s runs is known only when it runs", base))
			return
		case base == "env" && (a == "-S" || strings.HasPrefix(a, "--split-string")):
			c.says(deny("env -S is not looked into"))
			return
		case strings.HasPrefix(a, "-") && a != "-":
			// Options with a value of their own word.
			if slices.Contains([]string{"-n", "-u", "-C", "-s", "-k", "-I", "-L", "-P", "-d", "-a", "-E", "-o", "-e", "-i", "-c"}, a) && !(base == "env" && a == "-i") && !(base == "exec" && a == "-c") {
				i++
			}
		case base == "env" && strings.Contains(a, "="):
			variable, _, _ := strings.Cut(a, "=")
			if slices.Contains(dangerous, variable) || strings.HasPrefix(variable, "LD_") {
				c.says(deny("the variable %s may not be set", variable))
			}
		case own > 0:
			own--
		default:
			c.run(args[i:])
			if base == "xargs" && !slices.Contains([]string{"grep", "cat", "head", "tail", "wc", "ls", "echo", "rg", "egrep", "fgrep", "file", "stat"}, path.Base(a)) {
				c.says(ask("xargs %s works on names that are known only when it runs", a))
			}
			return
		}
		i++
	}
}

// shell decides on a shell within the shell.
func (c *check) shell(base string, args []string) {
	for i, a := range args {
		switch {
		case a == unknown:
			c.says(deny("what %s runs is known only when it runs", base))
			return
		case strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "c"):
			if i+1 >= len(args) || args[i+1] == unknown {
				c.says(deny("what %s -c runs is known only when it runs", base))
				return
			}
			c.says(c.gate.script(args[i+1], c.depth-1))
			return
		case strings.HasPrefix(a, "-"):
		default:
			c.says(ask("%s runs a file that is not looked into", base))
			return
		}
	}
	c.says(deny("%s reads its commands from elsewhere", base))
}

// redirect decides on where output goes.
func (c *check) redirect(r *syntax.Redirect) {
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.AppClob, syntax.RdrAll, syntax.AppAll, syntax.RdrAllClob, syntax.AppAllClob:
		c.writes(words([]*syntax.Word{r.Word})[0])
	case syntax.DplOut, syntax.DplIn:
		// A number, or nothing, is another stream; a name is a file.
		if to := words([]*syntax.Word{r.Word})[0]; strings.Trim(to, "0123456789-") != "" {
			c.writes(to)
		}
	case syntax.RdrIn:
		if text, ok := literal(r.Word); !ok || strings.HasPrefix(text, "/dev/tcp") || strings.HasPrefix(text, "/dev/udp") {
			c.says(deny("input from there is not allowed"))
		}
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc: // text of the command's own
	default:
		c.says(deny("the redirection %s is not looked into", r.Op))
	}
}

// writes decides on a path that is written, in every folder that the command may
// be in by then.
func (c *check) writes(p string) {
	switch {
	case p == unknown:
		c.says(deny("what is written is known only when it runs"))
		return
	case strings.ContainsAny(p, "*?[{"):
		c.says(ask("%s may be any files", p))
		return
	}
	c.says(c.gate.target(p))
	for _, dir := range c.dirs {
		if !path.IsAbs(p) {
			c.says(c.gate.target(path.Join(dir, p)))
		}
	}
}
