package scan

import (
	"path"
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// A capability is excused where the code around it says what it is for: a program
// that the caller names, a stack that is only shown, an exit that says that
// something failed. The fact stays, so that what belongs to it is no news either.

// excused reports whether a use of what a rule names needs no person's eyes.
func (w *walker) excused(r rule, n *syntax.Node, s *scope, where string) bool {
	return r.cap == Spawn && where != "" && w.givenProgram(n, s) || r.cap == Stack && w.shown[n] ||
		r.cap == Surroundings && w.spelled[n]
}

// marksSpelled notes what becomes a part of a longer text, as the number of the process
// does in the name of a file of its own: what is only spelled decides nothing. A text
// that leads to what the system says of the process is another thing.
func (w *walker) marksSpelled(n *syntax.Node) {
	texts := ""
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind == syntax.Const && c.Value.Kind == syntax.Text {
			texts += c.Value.Text
		}
		return true
	})
	if texts == "" && n.Kind != syntax.Template || strings.Contains(texts, "proc") || n.Kind == syntax.Binary && n.Name != "+" && n.Name != "%" {
		return
	}
	syntax.Walk(n, func(c *syntax.Node) bool {
		w.spelled[c] = true
		return c.Kind != syntax.Call && c.Kind != syntax.Cond && c.Kind != syntax.Compare
	})
}

// onlyNamed reports whether a path names a type or a constant of a module, by
// which nothing is started.
func onlyNamed(p string) bool {
	name := lastName(p)
	if strings.Contains(p, "()") || name == "" || strings.ToUpper(name[:1]) != name[:1] || name[0] == '_' {
		return false
	}
	return !strings.HasPrefix(name, "Command") && !strings.HasPrefix(name, "Popen") && name != "Process" && name != "Worker" && name != "Pool"
}

// onlyWrapped reports whether an expression makes a function of one that starts
// processes: it is told of where it is called.
func (w *walker) onlyWrapped(n *syntax.Node, s *scope) bool {
	return n.Kind == syntax.Call && slices.Contains(w.paths(n.Kids[0], s), "util.promisify")
}

// givenProgram reports whether a call starts the program that the caller named.
func (w *walker) givenProgram(n *syntax.Node, s *scope) bool {
	for n.Kind == syntax.Attr || n.Kind == syntax.Await || n.Kind == syntax.Call && n.Kids[0].Kind == syntax.Attr && n.Kids[0].Kids[0].Kind == syntax.Call {
		n = n.Kids[0] // exec.Command(…).Output()
	}
	if n.Kind != syntax.Call || len(n.Kids) < 2 {
		return false
	}
	program := n.Kids[1]
	if n.Kids[0].Name == "CommandContext" && len(n.Kids) > 2 {
		program = n.Kids[2]
	}
	if program.Kind == syntax.List || program.Kind == syntax.Tuple {
		if len(program.Kids) == 0 {
			return false
		}
		program = program.Kids[0]
	}
	return w.fromCaller(program, s)
}

// showing are calls that write for people.
var showing = words(`log.Print log.Printf log.Println log/slog.Error log/slog.Warn log/slog.Info log/slog.Debug
	console.error console.warn console.log console.info console.debug logging.error logging.warning logging.info logging.debug logging.critical logging.exception`)

// showers are methods by which loggers write.
var showers = words("error warn warning info debug critical exception Error Warn Info Debug Errorf Warnf Infof Debugf Printf Println")

// marksShown notes the arguments of a call that writes for people: what is only shown
// decides nothing.
func (w *walker) marksShown(p string, n *syntax.Node) {
	object, name, ok := lastDot(p)
	if ok && (strings.HasSuffix(name, "printf") || name == "Sprint" || name == "format") {
		for _, a := range n.Kids[1:] {
			w.spelled[a] = true
		}
	}
	logger := ok && showers[name] && (strings.Contains(object, "ogger") || strings.HasSuffix(object, "log"))
	if !showing[p] && !logger {
		return
	}
	for _, a := range n.Kids[1:] {
		if a.Kind == syntax.Call && len(a.Kids) == 2 && a.Kids[0].Kind == syntax.Ident && a.Kids[0].Name == "string" {
			a = a.Kids[1]
		}
		w.shown[a] = true
	}
}

// saysFailure reports whether a call exits with a code that says that something
// failed: no test that is running passes by that.
func (w *walker) saysFailure(n *syntax.Node, s *scope, p string) bool {
	switch strings.TrimSuffix(p, "()") {
	case "os.Exit", "syscall.Exit", "process.exit", "sys.exit", "exit", "quit", "SystemExit", "os._exit", "Deno.exit":
		return n.Kind == syntax.Call && len(n.Kids) == 2 && w.failure(n.Kids[1], s)
	default:
		return false
	}
}

// failure reports whether an expression is always a code for a failure.
func (w *walker) failure(n *syntax.Node, s *scope) bool {
	v, ok := w.fold(n, s, deepest)
	return ok && (v.Kind == syntax.Number && v.Num > 0 && v.Num < 256 || v.Kind == syntax.Text && v.Text != "" && w.lang == python)
}

// ownData reports whether a directive embeds nothing but files that the edit
// itself brings, which a person reads with it, and which know nothing of the tests.
func (w *walker) ownData(patterns []string) bool {
	return len(patterns) > 0 && !slices.ContainsFunc(patterns, func(p string) bool {
		name := path.Join(path.Dir(w.path), strings.Trim(p, "\"`"))
		return strings.ContainsAny(p, "*?[") || w.tests.present[name] || w.tests.brought[name] == nil || w.tests.isFile(name) || w.tests.cases.within(w.tests.brought[name])
	})
}

// ownContext reports whether a path is a place where a program keeps what belongs to
// a chain of calls. It says nothing of what others run.
func ownContext(p string) bool {
	return strings.HasPrefix(p, "async_hooks.AsyncLocalStorage") || strings.HasPrefix(p, "async_hooks.AsyncResource")
}

// harmlessProxy reports whether a call makes a proxy that only refuses: one that
// lies about nothing that is read from it.
func (w *walker) harmlessProxy(p string, n *syntax.Node) bool {
	if strings.TrimSuffix(p, "()") != "Proxy" {
		return false
	}
	if n.Kind != syntax.Call || len(n.Kids) != 3 || n.Kids[2].Kind != syntax.Dict || len(n.Kids[2].Kids) == 0 {
		return false
	}
	return !slices.ContainsFunc(n.Kids[2].Kids, func(pair *syntax.Node) bool {
		name, trap := pair.Name, pair
		if pair.Kind == syntax.Pair {
			name, trap = keyName(pair.Kids[0]), pair.Kids[len(pair.Kids)-1]
		} else if !pair.Kind.Function() {
			return true
		}
		switch name {
		case "set", "deleteProperty", "defineProperty", "setPrototypeOf", "preventExtensions":
			return false
		case "get":
			return !givesTheMember(trap)
		default:
			return true
		}
	})
}

// givesTheMember reports whether a trap for reading gives what is there, or
// something made of that: no constant of its own, and nothing that it keeps beside it.
func givesTheMember(f *syntax.Node) bool {
	if !f.Kind.Function() || f.Body() == nil {
		return false
	}
	read := func(n *syntax.Node) bool {
		found := false
		syntax.Walk(n, func(c *syntax.Node) bool {
			found = found || c.Kind == syntax.Call && text(c.Kids[0]) == "Reflect.get"
			return !found
		})
		return found
	}
	var members []string
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		if n.Kind == syntax.Assign && read(n.Kids[len(n.Kids)-1]) {
			members = append(members, namesIn(n.Kids[0])...)
		}
		return true
	})
	return read(f.Body()) && !slices.ContainsFunc(answers(f), func(a *syntax.Node) bool {
		own := !read(a) && !mentions(a, members)
		syntax.Walk(a, func(n *syntax.Node) bool {
			own = own || n.Kind == syntax.Const
			return !own && n.Kind != syntax.Compare
		})
		return own
	})
}

// keyName is the name or text of a key.
func keyName(key *syntax.Node) string {
	if key.Kind == syntax.Const {
		return key.Value.Text
	}
	return key.Name
}
