package nodetest

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"autocoder/engine/runner"
)

// detect finds the packages whose script starts node --test, and folders with
// test files that import node:test.
func detect(tree fs.FS) ([]runner.Unit, error) {
	s := scan{tree: tree, packages: map[string]*pkg{}}
	if err := runner.Walk(tree, s.enter); err != nil {
		return nil, fmt.Errorf("look for tests of node --test: %w", err)
	}
	s.share()
	var units []runner.Unit
	for root, p := range s.packages {
		if len(p.files) == 0 {
			continue
		}
		slices.Sort(p.files)
		units = append(units, p.unit(root))
	}
	slices.SortFunc(units, func(a, b runner.Unit) int { return strings.Compare(a.Root, b.Root) })
	return units, nil
}

// pkg is a folder with a package.json, or the workspace itself.
type pkg struct {
	manifest bool
	script   script
	scripted bool
	files    []string
}

func (p *pkg) unit(root string) runner.Unit {
	unit := runner.Unit{
		Name: root, Root: root, Runner: Name, Parts: slices.Compact(p.files),
		Command: []string{"node", "--test"}, Why: "test files that import node:test",
	}
	if p.scripted {
		unit.Why = fmt.Sprintf("script %q in %s", p.script.name, path.Join(root, "package.json"))
		if len(p.script.before) > 0 {
			unit.Why += fmt.Sprintf(", without its first step %q", strings.Join(p.script.before, " && "))
		}
		if p.script.plain {
			unit.Why += ", each file by node --test"
			p.script.files = slices.DeleteFunc(p.script.files, func(arg string) bool {
				return !slices.ContainsFunc(p.files, func(file string) bool { return takes(arg, file) })
			})
		}
		unit.Command = slices.Concat([]string{"node"}, p.script.options, []string{"--test"}, p.script.files)
		unit.Env = p.script.env
	}
	return unit
}

// scan is what a walk over the tree has found.
type scan struct {
	tree     fs.FS
	packages map[string]*pkg
	// sources are the files that node --test could be told to take.
	sources []string
}

// enter reads one folder.
func (s *scan) enter(dir string, entries []fs.DirEntry) error {
	if dir == "." {
		s.packages["."] = &pkg{}
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		name := path.Join(dir, e.Name())
		switch {
		case e.Name() == "package.json":
			p := &pkg{manifest: true}
			data, _ := fs.ReadFile(s.tree, name) // one that can't be read has no script
			p.script, p.scripted = findScript(data)
			s.packages[dir] = p
		case isSource(e.Name()):
			s.sources = append(s.sources, name)
		}
	}
	return nil
}

// share gives each test file to the unit that runs it: to the nearest package
// with a script, when that selects the file; without one that starts node --test,
// and when the file imports node:test, to the nearest package.
func (s *scan) share() {
	for _, file := range s.sources {
		if root, ok := s.scriptedAbove(file); ok {
			p := s.packages[root]
			if rel := relative(root, file); p.script.selects(rel) {
				p.files = append(p.files, rel)
				continue
			}
			if !p.script.plain {
				continue
			}
		}
		root := s.packageAbove(file)
		if rel := relative(root, file); isTest(rel) && s.importsNodeTest(file) {
			s.packages[root].files = append(s.packages[root].files, rel)
		}
	}
}

func (s *scan) scriptedAbove(file string) (string, bool) {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if p := s.packages[dir]; p != nil && p.scripted {
			return dir, true
		}
		if dir == "." {
			return "", false
		}
	}
}

// packageAbove returns the nearest package's folder. A package.json beside the
// tests alone, which only sets the kind of modules, makes no package.
func (s *scan) packageAbove(file string) string {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if p := s.packages[dir]; p != nil && p.manifest && path.Base(dir) != "test" {
			return dir
		}
	}
	return "."
}

// selects reports whether the script's command runs a file, given relative to
// the package.
func (s script) selects(file string) bool {
	if len(s.files) == 0 {
		return isTest(file)
	}
	return slices.ContainsFunc(s.files, func(arg string) bool { return takes(arg, file) })
}

// takes reports whether an argument of node --test is a file, a pattern of it, or a folder
// with it.
func takes(arg, file string) bool {
	arg = path.Clean(strings.ReplaceAll(arg, `\`, "/"))
	if arg == file {
		return true
	}
	if ok, err := doublestar.Match(arg, file); err == nil && ok {
		return true
	}
	rest, below := strings.CutPrefix(file, arg+"/")
	if arg == "." {
		rest, below = file, true
	}
	// A folder named test is taken whole, as by node itself.
	return below && (isTest(rest) || path.Base(arg) == "test")
}

var importsTest = regexp.MustCompile(`['"]node:test['"]`)

// importsNodeTest looks at the head of a file, where imports are.
func (s *scan) importsNodeTest(file string) bool {
	f, err := s.tree.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 8<<10))
	return err == nil && importsTest.Match(head)
}

var sourceName = regexp.MustCompile(`\.[cm]?[jt]s$`)

func isSource(name string) bool {
	return sourceName.MatchString(name) && !strings.HasSuffix(name, ".d.ts")
}

var testName = regexp.MustCompile(`^(?:test|test-.+|.+[._-]test)\.[cm]?[jt]s$`)

// isTest reports whether node --test takes a file by itself: by its name, or for
// lying in a folder named test.
func isTest(file string) bool {
	return isSource(file) && (testName.MatchString(path.Base(file)) ||
		slices.Contains(strings.Split(path.Dir(file), "/"), "test"))
}

func relative(root, file string) string {
	if root == "." {
		return file
	}
	return strings.TrimPrefix(file, root+"/")
}
