package javascript

import (
	"path"
	"slices"
	"strings"

	tsgo "github.com/microsoft/typescript-go/shim"

	"autocoder/engine/repair/localise"
	"autocoder/engine/testresult"
)

// mostReached bounds the files that are read to see what a test file loads.
const mostReached = 200

// extensions are what a module's name is tried with.
var extensions = []string{"", ".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx", ".mts", ".cts", "/index.js", "/index.ts"}

// unrun is the spectrum where the worker can't run the tests: what the files of the
// targets load, by their text, and where the failures were.
func (s *session) unrun() localise.Spectrum {
	var out localise.Spectrum
	reached := s.reachedBy()
	for _, id := range s.task.Targets {
		row := localise.Row{Name: id.Native, Failed: true, Lines: map[string][]int{}, Frames: s.framesOf(id)}
		for _, name := range reached(id) {
			if !s.editable(name) || row.Lines[name] != nil {
				continue
			}
			for l := range linesOf(s.read(name).content) {
				row.Lines[name] = append(row.Lines[name], l+1)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// reachedBy tells the files that the test file of a target loads. A command may not
// say which one that is: it is then any of them.
func (s *session) reachedBy() func(testresult.ID) []string {
	if s.task.Unit.Runner != byCommand {
		return func(id testresult.ID) []string { return s.reached(path.Join(s.task.Unit.Root, fileOf(id.Native))) }
	}
	var all []string
	for _, p := range s.foreign() {
		all = append(all, s.reached(path.Join(s.task.Unit.Root, p.Part))...)
	}
	return func(testresult.ID) []string { return all }
}

// framesOf are the editable places of a target's failure in the suite's run.
func (s *session) framesOf(id testresult.ID) []localise.Place {
	failure := s.task.View.Result.Lookup(id).Failure
	if failure == nil {
		return nil
	}
	var out []localise.Place
	for _, f := range failure.Frames {
		if s.editable(f.File) {
			out = append(out, localise.Place{File: f.File, Line: f.Line})
		}
	}
	return out
}

// reached are the project's files that a file loads, itself included.
func (s *session) reached(name string) []string {
	out := []string{name}
	for k := 0; k < len(out) && len(out) < mostReached; k++ {
		src := s.read(out[k])
		if src == nil || !isScript(out[k]) {
			continue
		}
		for _, spec := range loaded(tsgo.Parse(out[k], src.content)) {
			if to := s.resolve(out[k], spec); to != "" && !slices.Contains(out, to) {
				out = append(out, to)
			}
		}
	}
	return slices.DeleteFunc(out, func(f string) bool { return s.read(f) == nil || !isScript(f) })
}

// resolve finds the file that a relative name means.
func (s *session) resolve(from, spec string) string {
	if !strings.HasPrefix(spec, ".") {
		return ""
	}
	full := path.Join(path.Dir(from), spec)
	bare := strings.TrimSuffix(full, path.Ext(full))
	for _, base := range []string{full, bare} {
		for _, x := range extensions {
			if isScript(base+x) && s.read(base+x) != nil {
				return base + x
			}
		}
	}
	return ""
}

// loaded are the names of the modules that a file imports or requires.
func loaded(tree *tsgo.Tree) []string {
	var out []string
	var walk func(n *tsgo.Node)
	walk = func(n *tsgo.Node) {
		if n.Kind == tsgo.KindStringLiteral && n.Parent != nil {
			switch p := n.Parent; p.Kind {
			case tsgo.KindImportDeclaration, tsgo.KindExportDeclaration:
				out = append(out, n.Text())
			case tsgo.KindCallExpression:
				if callee := p.Expression(); callee.Kind == tsgo.KindImportKeyword || callee.Kind == tsgo.KindIdentifier && callee.Text() == "require" {
					out = append(out, n.Text())
				}
			default: // Any other text.
			}
		}
		for _, c := range tsgo.Children(n) {
			walk(c)
		}
	}
	walk(tree.Root)
	return out
}
