// Package archtest fails when an import goes against the direction of the
// architecture: cmd → lsp → engine, and inside engine from the façade down to
// the vocabulary.
package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "autocoder"

// vocabulary packages import only those before them.
var vocabulary = []string{"outcome", "textedit", "testresult", "budget", "config", "event", "command", "report", "chat", "redact"}

// layers above the vocabulary, the lowest first: a package imports its own
// layer and those below. A folder stands for all packages in it.
var layers = [][]string{
	// pylayout is where Python imports a project from: the runner and the repair
	// engine, which may not know each other, must not differ in it.
	{"workspace", "shadow", "sandbox", "journal", "lockfile", "scratch", "pylayout", "llm/transport", "llm/openai", "llm/anthropic", "llm/ollama", "keyring"},
	{"circuit", "flail", "policy", "tool", "llm", "runner", "propose", "repair", "verify"},
	{"agent"},
	{"trajectory", "trust"},
}

// bans are edges that the layers would allow.
var bans = []struct{ from, to, why string }{
	{"propose", "shadow", "proposers know files only through their View"},
	{"propose", "sandbox", "proposers start processes only through their View"},
	{"propose", "workspace", "proposers know files only through their View"},
	{"repair", "shadow", "proposers know files only through their View"},
	{"repair", "sandbox", "proposers start processes only through their View"},
	{"repair", "workspace", "proposers know files only through their View"},
	{"repair", "runner", "the engine tries edits by itself; the loop runs the tests"},
	{"llm", "shadow", "proposers know files only through their View"},
	{"llm", "sandbox", "proposers start processes only through their View"},
	{"llm", "workspace", "proposers know files only through their View"},
	{"tool", "shadow", "tools know files only through the proposer's View"},
	{"tool", "sandbox", "tools start processes only through the proposer's Cell"},
	{"llm/openai", "llm/anthropic", "providers don't know each other"},
	{"shadow", "sandbox", "files and processes have different owners"},
	{"sandbox", "shadow", "files and processes have different owners"},
}

func TestImportDirection(t *testing.T) {
	for from, imports := range readImports(t, "../../..") {
		for _, to := range imports {
			if why := wrong(from, to); why != "" {
				t.Errorf("%s imports %s: %s", from, to, why)
			}
		}
	}
}

func TestWrongEdgesAreFound(t *testing.T) {
	for _, edge := range [][2]string{
		{"engine/agent", "lsp"},
		{"engine/agent", "go.lsp.dev/protocol"},
		{"engine", "autocoder/cmd/autocoder"},
		{"engine/textedit", "autocoder/engine/testresult"},
		{"engine/outcome", "autocoder/engine/agent"},
		{"engine/sandbox", "autocoder/engine/runner"},
		{"engine/runner/pytest", "autocoder/engine/agent"},
		{"engine/repair/golang", "autocoder/engine/shadow"},
		{"engine/agent", "autocoder/engine/nowhere"},
		{"lsp", "autocoder/engine/shadow"},
	} {
		if wrong(edge[0], edge[1]) == "" && wrong(edge[0], module+"/"+edge[1]) == "" {
			t.Errorf("%s → %s is not found to be wrong", edge[0], edge[1])
		}
	}
	if why := wrong("engine/agent", module+"/engine/textedit"); why != "" {
		t.Errorf("a right edge is refused: %s", why)
	}
}

// readImports returns the imports of each package's files but tests, by the
// package's folder in the module.
func readImports(t *testing.T, root string) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." && p != root)) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(p))
		if err != nil {
			return err
		}
		from := filepath.ToSlash(folder)
		for _, spec := range f.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports[from] = append(imports[from], to)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(imports) < 10 {
		t.Fatalf("found only %d packages below %s", len(imports), root)
	}
	return imports
}

// wrong says what is wrong with an import, or nothing.
func wrong(from, to string) string {
	if strings.HasPrefix(to, "go.lsp.dev/") && !strings.HasPrefix(from, "lsp") {
		return "only lsp speaks the protocol"
	}
	if !strings.HasPrefix(to, module+"/") {
		return ""
	}
	to = strings.TrimPrefix(to, module+"/")
	top, _, _ := strings.Cut(from, "/")
	target, _, _ := strings.Cut(to, "/")
	switch {
	case target == "cmd":
		return "nothing imports a command"
	case top == "engine" && target == "lsp":
		return "engine never imports lsp"
	case top == "lsp" && target == "engine":
		if p := inEngine(to); p != "" && !slices.Contains(vocabulary, p) {
			return "lsp imports the façade and the vocabulary only"
		}
	case top == "engine":
		return wrongInEngine(inEngine(from), inEngine(to))
	}
	return ""
}

// inEngine returns a package's path below engine; "" is the façade.
func inEngine(folder string) string {
	return strings.TrimPrefix(strings.TrimPrefix(folder, "engine"), "/")
}

func wrongInEngine(from, to string) string {
	if from == "" {
		return ""
	}
	if to == "" {
		return "nothing in engine imports the façade"
	}
	if i := slices.Index(vocabulary, from); i >= 0 {
		if j := slices.Index(vocabulary, to); j < 0 || j >= i {
			return "vocabulary imports only vocabulary, in order"
		}
		return ""
	}
	if slices.Contains(vocabulary, to) {
		return ""
	}
	f, g := layer(from), layer(to)
	if f < 0 || g < 0 {
		return "a package has no layer: give it one in this test, and say why"
	}
	if g > f {
		return "the import goes up"
	}
	for _, ban := range bans {
		if within(from, ban.from) && within(to, ban.to) {
			return ban.why
		}
	}
	return ""
}

func layer(p string) int {
	return slices.IndexFunc(layers, func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return within(p, name) })
	})
}

func within(p, folder string) bool {
	return p == folder || strings.HasPrefix(p, folder+"/")
}
