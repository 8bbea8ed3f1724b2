package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine"
)

// TestFindRoot finds projects by their marks, by the workspace of a module, and by how
// they look.
func TestFindRoot(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	for _, name := range strings.Fields(`
		home/.git home/marked/go.mod home/bare/deep/a.py home/flat/a.py home/flat/test_a.py
		home/work/go.work home/work/svc/go.mod home/work/repo/.git home/work/repo/mod/go.mod
		home/unit/till/__init__.py home/unit/till/till.py home/unit/test/__init__.py home/unit/test/test_till.py
		home/names/acme/tools/a.py home/names/tests/unit/test_a.py
		home/script/run.js home/script/test/run.js
		home/many/one/a.py home/many/one/test_a.py home/many/two/package.json home/many/two/a.js home/many/test/test_b.py home/many/test/b.py
		home/far/tests/test_a.py home/far/1/2/3/4/5/6/a.py home/far/a.py
	`) {
		path := filepath.Join(top, name)
		mkdir(t, filepath.Dir(path))
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		"home/marked/deep/down/a.go":        "home/marked",
		"home/bare/deep/a.py":               "home/bare/deep", // not the home folder, though it has a mark
		"home/flat/a.py":                    "home/flat",
		"home/work/svc/internal/clock/c.go": "home/work",
		"home/work/repo/mod/a.go":           "home/work/repo/mod", // a repository is not left
		"home/unit/till/till.py":            "home/unit",
		"home/unit/test/test_till.py":       "home/unit",
		"home/names/acme/tools/a.py":        "home/names",
		"home/names/tests/unit/test_a.py":   "home/names",
		"home/script/run.js":                "home/script",
		"home/script/test/run.js":           "home/script",
		"home/many/one/a.py":                "home/many/one",
		"home/many/two/a.js":                "home/many/two",
		"home/many/test/b.py":               "home/many/test", // what lies beside are projects of their own
		"home/far/1/2/3/4/5/6/a.py":         "home/far/1/2/3/4/5/6",
		"home/nowhere/a.py":                 "home/nowhere",
		"home/marked":                       "home/marked", // folders
		"home/unit/till":                    "home/unit",
		"home/work/svc":                     "home/work",
		"home/bare":                         "home/bare",
	} {
		if got := engine.FindRoot(filepath.Join(top, file), filepath.Join(top, "home")); got != filepath.Join(top, want) {
			t.Errorf("the root of %s is %s", file, strings.TrimPrefix(got, top+"/"))
		}
	}
}
