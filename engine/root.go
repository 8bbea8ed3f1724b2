package engine

import (
	"iter"
	"os"
	"path/filepath"
	"slices"
)

// projectMarks are the names whose presence makes a folder the root of a
// project.
func projectMarks() []string {
	return []string{
		".autocoder.toml", ".git", "go.work", "go.mod", "pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "package.json",
	}
}

// FindRoot returns the folder of the project that a file or folder belongs to: the
// nearest one with a mark of a project, or the workspace of its Go module, or else what
// looks like one. It never goes up to home.
func FindRoot(file, home string) string {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, "anything in it")
	}
	for dir := range above(file, home) {
		if holds(dir, projectMarks()...) {
			return goWorkspace(dir, home)
		}
	}
	return likelyRoot(file, home)
}

// above are the folders above a file, from its own up to below home.
func above(file, home string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for dir := filepath.Dir(file); dir != filepath.Dir(dir) && dir != home; dir = filepath.Dir(dir) {
			if !yield(dir) {
				return
			}
		}
	}
}

// holds reports whether a folder has one of the names.
func holds(dir string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
}

// goWorkspace is the workspace that the go command takes a module to be of: the nearest
// one above. A repository is not left for it. It is root itself for what is no module.
func goWorkspace(root, home string) string {
	if !holds(root, "go.mod") {
		return root
	}
	for dir := range above(filepath.Join(root, "go.mod"), home) {
		switch {
		case holds(dir, "go.work"):
			return dir
		case holds(dir, ".git", ".autocoder.toml"):
			return root
		}
	}
	return root
}

// mostUp is how far above a file its project may be that has no mark.
const mostUp = 4

// likelyRoot is the project of a file where no mark tells: the nearest folder that has
// a folder of tests and code beside it, or else the file's own.
func likelyRoot(file, home string) string {
	n := 0
	for dir := range above(file, home) {
		if n == 0 && !inTests(dir) && hasTests(dir) {
			return dir
		}
		if tests, code := parts(dir); tests && code {
			return dir
		}
		if n++; n > mostUp {
			break
		}
	}
	return filepath.Dir(file)
}

// testFolders are the names of folders that tests are kept in.
func testFolders() []string { return []string{"tests", "test", "__tests__", "spec"} }

// inTests reports whether a folder is one of tests, or lies in one.
func inTests(dir string) bool {
	for range mostUp {
		if slices.Contains(testFolders(), filepath.Base(dir)) {
			return true
		}
		dir = filepath.Dir(dir)
	}
	return false
}

// hasTests reports whether files of tests lie in a folder itself.
func hasTests(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return IsTestFile(e.Name()) })
}

// parts reports whether a folder has a folder of tests, and code: itself, or in a
// folder that is no project of its own.
func parts(dir string) (tests, code bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, false
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case !e.IsDir():
			code = code || isCode(e.Name())
		case slices.Contains(testFolders(), e.Name()):
			tests = tests || hasCode(path, true)
		case !code && e.Name()[0] != '.':
			code = hasCode(path, true) && !hasTests(path) && !holds(path, projectMarks()...)
		}
	}
	return tests, code
}

// hasCode reports whether code lies in a folder, or in one of those in it.
func hasCode(dir string, deeper bool) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return !e.IsDir() && isCode(e.Name()) || deeper && e.IsDir() && hasCode(filepath.Join(dir, e.Name()), false)
	})
}

func isCode(name string) bool {
	return slices.Contains([]string{".py", ".go", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"}, filepath.Ext(name))
}
