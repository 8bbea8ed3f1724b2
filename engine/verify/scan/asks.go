package scan

import (
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// fileWords are words of tests that hand files to the code under test.
var fileWords = []string{
	"tmp_path", "tmpdir", "tmp_path_factory", "TempDir", "mkdtemp", "mkdtempSync", "NamedTemporaryFile", "TemporaryDirectory", "tempfile",
	"write_text", "write_bytes", "WriteFile", "writeFileSync", "writeFile", "read_text", "readFileSync", "ReadFile", "tmpdirSync", "Path", "mock_open",
	"__file__", "__dirname", "import.meta.url", "Open", "open", "CreateTemp", "MkdirTemp", "isolated_filesystem", "MapFS", "fs",
}

// asks returns the words of which a failing test must have one to ask for a
// capability by name. What can't be asked for has none.
func (w *walker) asks(f fact, n *syntax.Node, s *scope) []string {
	switch f.cap {
	case Environment:
		if names := envNames(f.names); len(names) > 0 {
			return names
		}
		return []string{"environ", "setenv", "Setenv", "getenv", "env", "delenv"}
	case Arguments:
		return []string{"argv", "Args", "execArgv", "orig_argv", "CommandLine"}
	case Exit:
		if f.scope == "" {
			return nil
		}
		return []string{"SystemExit", "exit", "Exit", "exitCode", "returncode", "ExitCode", "_exit", "sys.exit", "process.exit", "kill"}
	case Spawn, Network:
		return parts(f.what)
	case Files:
		return w.fileAsks(f, n, s)
	case Patch:
		if strings.HasPrefix(f.what, "random") || strings.HasPrefix(f.what, "math/rand") || strings.HasPrefix(f.what, "numpy") {
			return []string{"seed", "Seed"}
		}
		if all := parts(f.what); len(all) > 1 {
			return all[1:] // the module alone asks for nothing
		}
		return parts(f.what)
	case Memory:
		return []string{"gc", "weakref", "SetFinalizer", "FinalizationRegistry", "WeakRef", "global.gc"}
	case Stack:
		if n.Kind == syntax.Call && strings.HasPrefix(f.what, "runtime") {
			return []string{"runtime", "Caller"}
		}
		return nil
	case Surroundings:
		return parts(f.what)
	case Incomparable:
		return notNumbers
	case InvalidCapability, Modules, TestFiles, TestAware, TestLibrary, Hook, Skip, Overload, Unsafe, Borrow, Swallow, Literal,
		Counting, Dynamic, Decode, Pickup, Shadowing, Link, Data, Weaken, Unreadable, capabilities:
		return nil
	default:
		return nil
	}
}

// parts are the members of a path that are long enough to mean something.
func parts(p string) []string {
	p, _, _ = strings.Cut(strings.NewReplacer("()", "", "[…]", "").Replace(p), " (")
	return slices.DeleteFunc(strings.FieldsFunc(p, func(r rune) bool { return r == '.' || r == '/' }), func(w string) bool { return len(w) < 4 })
}

// envNames are the names of variables among a chain's constants.
func envNames(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		switch n {
		case "path", "expandvars", "expanduser", "environ", "environb", "get", "getenv", "env", "pop", "setdefault", "items", "keys", "copy", "values", "lower", "upper", "strip", "trim", "split", "toLowerCase":
			return true
		default:
			return len(n) < 2 || strings.ToUpper(n) != n && strings.ToLower(n) != n
		}
	})
}

// fileAsks are what asks for opening a file: its name; or, where the name comes
// from a parameter, that the test hands files over.
func (w *walker) fileAsks(f fact, n *syntax.Node, s *scope) []string {
	var asks []string
	for _, name := range f.names {
		if strings.ContainsAny(name, "./") && len(name) > 2 && !w.tests.existing(name) {
			asks = append(asks, name)
		}
	}
	switch f.what {
	case "os.getcwd()", "os.Getwd()", "process.cwd()", "pathlib.Path.cwd()":
		return append(asks, "getcwd", "chdir", "Getwd", "Chdir", "cwd")
	}
	given := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		given = given || c.Kind == syntax.Ident && (s.param(c.Name) || isSelf(c) || w.local(c, s))
		return true
	})
	if given {
		asks = append(asks, fileWords...)
	}
	return asks
}

// local reports whether a name is made inside of a function from something that
// is given to it.
func (w *walker) local(n *syntax.Node, s *scope) bool {
	binds, _ := s.lookup(n.Name)
	for _, b := range binds {
		if b.value == nil || b.scope == nil || b.scope.name == "" {
			continue
		}
		given := false
		syntax.Walk(b.value, func(c *syntax.Node) bool {
			given = given || c.Kind == syntax.Ident && (b.scope.param(c.Name) || isSelf(c))
			return !given
		})
		if given {
			return true
		}
	}
	return false
}
