package workspace

import (
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/textedit"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// FuzzGuard holds that no spelling of a path gets past the guard that some file
// system would take for a path out of the workspace or for a protected file.
func FuzzGuard(f *testing.F) {
	for _, path := range []string{
		"", ".", "..", "a.py", "/etc/passwd", "../a", "a/../../b", "a//b", "./a", "a/.", "a\\b", "C:a", "a.py:stream", "tests./x.py", "TESTS/X.PY",
		"te\u017fts/x.py", "tests\u200b/x.py", "Te\u0301sts/x", "GIT~1/config", ".git/config", ".GIT/hooks/x", "x/conftest.py", "x/CONFTEST.py ", "go.mod", "a_test.go",
		"a\x00b", "\xff", "tests", "src/tests", ".env", "deep/.env.local",
	} {
		f.Add(path)
	}
	guard, err := NewGuard(nil, nil)
	if err != nil {
		f.Fatal(err)
	}
	absent := func(string) (textedit.File, error) { return textedit.File{}, nil }
	itself := func(path string) (string, error) { return path, nil }
	f.Fuzz(func(t *testing.T, path string) {
		edit := textedit.Patch{Ops: []textedit.Op{{Kind: textedit.OpCreate, Path: path, AnyBase: true}}}
		if guard.Check(absent, itself, edit) != nil {
			return
		}
		if !filepath.IsLocal(path) || filepath.ToSlash(filepath.Clean(path)) != path {
			t.Errorf("%q is let through and is no plain path below the workspace", path)
		}
		// As file systems that ignore case, accents' forms, or ends of names see it.
		for _, seen := range []string{
			strings.ToLower(path), strings.ToUpper(path), cases.Fold().String(path), norm.NFC.String(path), norm.NFD.String(path),
		} {
			for element := range strings.SplitSeq(seen, "/") {
				switch strings.TrimRight(strings.ToLower(element), ". ") {
				case ".git", "tests", "conftest.py", "go.mod", "package.json", "pytest.ini":
					t.Errorf("%q is let through and is %q to some file systems", path, seen)
				}
			}
		}
	})
}
