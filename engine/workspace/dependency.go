package workspace

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// dependencyFolders hold installed dependencies, by name.
var dependencyFolders = []string{
	"node_modules", "bower_components", ".venv", ".tox", ".nox", ".direnv", ".pixi", "__pypackages__",
}

// dependency reports whether a folder holds installed dependencies. What lies
// below a folder of tests is data of those tests.
func dependency(root, p string) bool {
	folders := strings.Split(path.Dir(p), "/")
	if slices.ContainsFunc(folders, func(f string) bool { return slices.Contains(testFolders, strings.ToLower(f)) }) {
		return false
	}
	name := path.Base(p)
	if slices.Contains(dependencyFolders, name) || p == "vendor/bundle" || strings.HasSuffix(p, "/vendor/bundle") {
		return true
	}
	for _, mark := range []string{"pyvenv.cfg", "conda-meta"} {
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(p), mark)); err == nil {
			return true
		}
	}
	return false
}

// outerIgnores returns the rules that reach into root from a repository that
// root is a folder of. It returns nothing when that repository ignores root: a
// scratch folder inside another project is a project of its own.
func outerIgnores(root string) *ignores {
	top := root
	for {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			break
		}
		if top == filepath.Dir(top) {
			return nil
		}
		top = filepath.Dir(top)
	}
	prefix, ok := relative(top, root)
	if !ok || prefix == "." {
		return nil
	}
	var rules *ignores
	elements := strings.Split(prefix, "/")
	rules = rules.with("", readIgnores(filepath.Join(top, ".git/info/exclude")))
	for i := range elements {
		dir := strings.Join(elements[:i], "/")
		rules = rules.with(dir, readIgnores(filepath.Join(top, filepath.FromSlash(dir), ".gitignore")))
		if rules.ignored(strings.Join(elements[:i+1], "/"), true) {
			return nil
		}
	}
	return rules.below(prefix)
}

// readIgnores returns the text of a file of ignore rules, or nothing.
func readIgnores(file string) []byte {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return text
}
