package pytest

import (
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/runner"
)

var (
	testText     = regexp.MustCompile(`(?m)^\s*(?:async\s+)?def test|^\s*(?:import|from) (?:pytest|unittest)\b`)
	pyprojectKey = regexp.MustCompile(`(?m)^\s*\[\s*tool\.pytest\b`)
	toxKey       = regexp.MustCompile(`(?m)^\[pytest\]`)
	setupKey     = regexp.MustCompile(`(?m)^\[tool:pytest\]`)
	ownPatterns  = regexp.MustCompile(`(?m)^\s*python_files\b|--doctest-(?:modules|glob)`)
)

// folder is what a walk found in one folder.
type folder struct {
	// config is the file with a configuration of pytest, own is whether it says
	// which files are tests.
	config  string
	own     bool
	project string // a file that marks a project
	tests   bool
	why     string // the first file that shows tests
}

// detect finds the folders to run pytest in: those with a configuration of
// pytest, and for tests below none of them the nearest project folder.
func detect(tree fs.FS) ([]runner.Unit, error) {
	folders := map[string]folder{}
	err := runner.Walk(tree, func(dir string, entries []fs.DirEntry) error {
		folders[dir] = look(tree, dir, entries)
		return nil
	})
	if err != nil {
		return nil, err
	}
	units := map[string]*runner.Unit{}
	owned := map[string]bool{}
	for dir, f := range folders {
		if f.config != "" {
			units[dir] = &runner.Unit{Root: dir, Runner: Name, Why: path.Join(dir, f.config)}
			owned[dir] = owned[dir] || f.own
		}
	}
	for _, dir := range sorted(folders) {
		f := folders[dir]
		if !f.tests {
			continue
		}
		root := home(folders, dir)
		if units[root] == nil {
			units[root] = &runner.Unit{Root: root, Runner: Name, Why: path.Join(dir, f.why)}
		}
		owned[root] = true
	}
	var found []runner.Unit
	for dir, u := range units {
		// A configuration above the real units has nothing to run.
		if !owned[dir] && holdsOther(units, dir) {
			continue
		}
		u.Command = generic()
		found = append(found, *u)
	}
	return found, nil
}

func sorted(folders map[string]folder) []string {
	var dirs []string
	for dir := range folders {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	return dirs
}

func holdsOther(units map[string]*runner.Unit, dir string) bool {
	for other := range units {
		if other != dir && runner.Within(dir, other) {
			return true
		}
	}
	return false
}

// home returns the folder that tests in dir are run from.
func home(folders map[string]folder, dir string) string {
	for d := dir; ; d = path.Dir(d) {
		if folders[d].config != "" {
			return d
		}
		if d == "." {
			break
		}
	}
	for d := dir; d != "."; d = path.Dir(d) {
		if folders[d].project != "" {
			return d
		}
	}
	return "."
}

func look(tree fs.FS, dir string, entries []fs.DirEntry) folder {
	var f folder
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		name := e.Name()
		switch name {
		case "pytest.ini", ".pytest.ini":
			f.configured(name, read(tree, dir, name))
		case "pytest.toml", ".pytest.toml":
			f.configured(name, read(tree, dir, name))
		case "pyproject.toml":
			f.project = name
			f.configuredBy(name, read(tree, dir, name), pyprojectKey)
		case "tox.ini":
			f.configuredBy(name, read(tree, dir, name), toxKey)
		case "setup.cfg":
			f.project = name
			f.configuredBy(name, read(tree, dir, name), setupKey)
		case "setup.py":
			f.project = name
		default:
			if f.tests || !isTestFile(name) {
				continue
			}
			if testText.MatchString(read(tree, dir, name)) {
				f.tests, f.why = true, name
			}
		}
	}
	return f
}

func isTestFile(name string) bool {
	stem, ok := strings.CutSuffix(name, ".py")
	return ok && (strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test"))
}

func (f *folder) configuredBy(name, text string, key *regexp.Regexp) {
	if key.MatchString(text) {
		f.configured(name, text)
	}
}

func (f *folder) configured(name, text string) {
	if f.config == "" {
		f.config = name
	}
	f.own = f.own || ownPatterns.MatchString(text)
}

// readLimit is how much of a file is looked at for what it is.
const readLimit = 1 << 20

// read returns the beginning of a file; one that can't be read says nothing.
func read(tree fs.FS, dir, name string) string {
	file, err := tree.Open(path.Join(dir, name))
	if err != nil {
		return ""
	}
	defer file.Close()
	var b strings.Builder
	_, _ = io.CopyN(&b, file, readLimit)
	return b.String()
}
