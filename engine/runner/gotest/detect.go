package gotest

import (
	"errors"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"autocoder/engine/runner"
)

// detect finds the modules that have tests. A module inside another is a unit
// of its own, as go test ./... leaves it out.
func detect(tree fs.FS) ([]runner.Unit, error) {
	s := scan{tree: tree, modules: map[string]*module{}, workspaces: map[string][]string{}}
	if err := runner.Walk(tree, s.visit); err != nil {
		return nil, fmt.Errorf("look for Go modules: %w", err)
	}
	var units []runner.Unit
	for root, mod := range s.modules {
		if len(mod.packages) == 0 {
			continue
		}
		slices.Sort(mod.packages)
		unit := runner.Unit{
			Name: root, Root: root, Runner: Name, Why: path.Join(root, "go.mod"),
			Command: []string{"go", "test", "./..."}, Parts: mod.packages,
		}
		if work := s.workspace(root); work != "" {
			unit.Why += " and " + path.Join(work, "go.work")
		} else {
			// A go.work that leaves the module out would only make go test refuse it.
			unit.Env = []string{"GOWORK=off"}
		}
		units = append(units, unit)
	}
	slices.SortFunc(units, func(a, b runner.Unit) int { return strings.Compare(a.Root, b.Root) })
	return units, nil
}

// scan is what a walk over the tree has found.
type scan struct {
	tree fs.FS
	// modules are by their folders.
	modules map[string]*module
	// workspaces has the modules that each go.work uses, by its folder.
	workspaces map[string][]string
}

// module is what was found of a module: its path and its packages with tests.
type module struct {
	path     string
	packages []string
}

// visit reads one folder. Go leaves out those whose names begin with "_" and
// what is below them.
func (s *scan) visit(dir string, entries []fs.DirEntry) error {
	if !slices.ContainsFunc(strings.Split(dir, "/"), func(name string) bool { return strings.HasPrefix(name, "_") }) {
		s.enter(dir, entries)
	}
	return nil
}

func (s *scan) enter(dir string, entries []fs.DirEntry) {
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name && !e.IsDir() })
	}
	if has("go.mod") {
		data, _ := fs.ReadFile(s.tree, path.Join(dir, "go.mod")) // go test says what is wrong with it
		s.modules[dir] = &module{path: modfile.ModulePath(data)}
	}
	if has("go.work") {
		s.workspaces[dir] = s.uses(dir)
	}
	root, ok := s.moduleOf(dir)
	if ok && s.hasTests(dir, entries) {
		mod := s.modules[root]
		mod.packages = append(mod.packages, path.Join(mod.path, relative(root, dir)))
	}
}

// uses returns the folders of the modules that a go.work uses; a file that can't
// be read uses none.
func (s *scan) uses(dir string) []string {
	data, err := fs.ReadFile(s.tree, path.Join(dir, "go.work"))
	if err != nil {
		return nil
	}
	work, err := modfile.ParseWork("go.work", data, nil)
	if err != nil {
		return nil
	}
	var used []string
	for _, use := range work.Use {
		used = append(used, path.Join(dir, use.Path))
	}
	return used
}

// moduleOf returns the folder of the nearest go.mod. The walk enters a folder
// before those below it, so that module is known already.
func (s *scan) moduleOf(dir string) (string, bool) {
	for {
		if _, ok := s.modules[dir]; ok {
			return dir, true
		}
		if dir == "." {
			return "", false
		}
		dir = path.Dir(dir)
	}
}

// workspace returns the folder of the nearest go.work when it uses the module.
func (s *scan) workspace(module string) string {
	for dir := module; ; dir = path.Dir(dir) {
		if used, ok := s.workspaces[dir]; ok {
			if slices.Contains(used, module) {
				return dir
			}
			return ""
		}
		if dir == "." {
			return ""
		}
	}
}

// hasTests reports whether a folder has a test file that is built here: naming
// a folder on the command line whose files are all left out is an error.
func (s *scan) hasTests(dir string, entries []fs.DirEntry) bool {
	context := build.Default
	context.CgoEnabled = true
	context.OpenFile = func(name string) (io.ReadCloser, error) {
		f, err := s.tree.Open(name)
		if err != nil {
			return nil, err
		}
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			return nil, errors.Join(err, f.Close(), fs.ErrInvalid)
		}
		return f, nil
	}
	context.JoinPath = path.Join
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), "_test.go") {
			return false
		}
		match, err := context.MatchFile(dir, e.Name())
		// A file that can't be parsed is a test too: a broken one.
		return match || err != nil
	})
}

func relative(module, dir string) string {
	if dir == module {
		return "."
	}
	if module == "." {
		return dir
	}
	return strings.TrimPrefix(dir, module+"/")
}
