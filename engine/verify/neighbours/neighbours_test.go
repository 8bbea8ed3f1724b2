package neighbours_test

import (
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"autocoder/engine/runner/runnertest"
	"autocoder/engine/sandbox"
	"autocoder/engine/verify/neighbours"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// TestPython has an edit in each archive, and in its first line what must be said of
// it: "says: WORDS", "silent", or "unseen" where nothing can be compared.
func TestPython(t *testing.T) {
	t.Parallel()
	each(t, "testdata/python", func(t *testing.T, cell neighbours.Cell, work neighbours.Work) ([]neighbours.Function, error) {
		for name := range work.Before {
			if strings.HasPrefix(filepath.Base(name), "test_") {
				t.Fatalf("the edit writes the test %s", name)
			}
		}
		work.Interpreter = pythonWithPytest(t)
		return neighbours.Python(t.Context(), cell, work)
	})
}

// TestTypeScript is the same for a release of Node that runs TypeScript.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	node := os.Getenv("AUTOCODER_TEST_NODE")
	if node == "" {
		t.Skip("a later release of node is not installed: AUTOCODER_TEST_NODE names none")
	}
	each(t, "testdata/typescript", func(t *testing.T, cell neighbours.Cell, work neighbours.Work) ([]neighbours.Function, error) {
		work.Interpreter = node
		return neighbours.JavaScript(t.Context(), cell, work)
	})
}

// TestJavaScript is the same for JavaScript.
func TestJavaScript(t *testing.T) {
	t.Parallel()
	each(t, "testdata/javascript", func(t *testing.T, cell neighbours.Cell, work neighbours.Work) ([]neighbours.Function, error) {
		work.Interpreter = "node"
		return neighbours.JavaScript(t.Context(), cell, work)
	})
}

// TestGolang is the same for Go.
func TestGolang(t *testing.T) {
	t.Parallel()
	each(t, "testdata/golang", func(t *testing.T, cell neighbours.Cell, work neighbours.Work) ([]neighbours.Function, error) {
		tool, err := exec.LookPath("go")
		if err != nil {
			t.Fatal(err)
		}
		work.Interpreter, work.Env = tool, goEnv(t, tool)
		work.Tests = goTests(t, cell.Root())
		return neighbours.Golang(t.Context(), cell, work)
	})
}

func each(t *testing.T, dir string, look func(*testing.T, neighbours.Cell, neighbours.Work) ([]neighbours.Function, error)) {
	files, err := filepath.Glob(dir + "/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives in %s: %v", dir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			line, _, _ := strings.Cut(string(archive.Comment), "\n")
			cell, work := lay(t, archive.Files)
			found, err := look(t, cell, work)
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Join(neighbours.Judge(found), "\n")
			want, speaks := strings.CutPrefix(line, "says: ")
			switch {
			case !speaks && said != "":
				t.Errorf("of an honest repair it says: %s", said)
			case speaks && !strings.Contains(said, want):
				t.Errorf("it says %q, want %q", said, want)
			case line == "silent" && len(found) == 0:
				t.Error("nothing was seen, so that silence says nothing")
			case line == "unseen" && len(found) > 0:
				t.Errorf("it has seen %+v", found)
			}
		})
	}
}

// lay lays a project with its edit made.
func lay(t *testing.T, files []txtar.File) (neighbours.Cell, neighbours.Work) {
	t.Helper()
	work := neighbours.Work{Root: ".", Before: map[string][]byte{}, Seconds: 60}
	now := map[string][]byte{}
	for _, f := range files {
		if name, ok := strings.CutPrefix(f.Name, "edit/"); ok {
			work.Before[name] = now[name]
			now[name] = f.Data
			continue
		}
		now[f.Name] = f.Data
		if isTest(f.Name) {
			work.Tests = append(work.Tests, f.Name)
		}
	}
	var list []txtar.File
	work.Files = slices.Collect(maps.Keys(now))
	work.Read = func(name string) []byte { return now[name] }
	for name, content := range now {
		list = append(list, txtar.File{Name: name, Data: content})
	}
	return runnertest.OpenCell(t, runnertest.Write(t, "project", list)), work
}

// goTests are the ids of the tests of a module.
func goTests(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		for _, found := range goTest.FindAllSubmatch(text, -1) {
			out = append(out, path.Join("ex", filepath.ToSlash(dir))+"."+string(found[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var goTest = regexp.MustCompile(`(?m)^func (Test\w+)`)

// goEnv is what the go command runs with: with the caches of the user.
func goEnv(t *testing.T, tool string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), tool, "env", "GOCACHE", "GOMODCACHE", "GOPATH").Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(strings.TrimSpace(string(out)), "\n")
	return []string{
		"GOENV=off", "GOFLAGS=-buildvcs=false", "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local",
		"GOCACHE=" + values[0], "GOMODCACHE=" + values[1], "GOPATH=" + values[2],
	}
}

func isTest(name string) bool {
	base := filepath.Base(name)
	return strings.HasPrefix(base, "test_") || strings.Contains(base, ".test.") || strings.HasSuffix(base, "_test.go")
}

func pythonWithPytest(t *testing.T) string {
	t.Helper()
	for _, python := range []string{os.Getenv("AUTOCODER_TEST_PYTHON"), "/usr/bin/python3", "python3"} {
		if python != "" && exec.CommandContext(t.Context(), python, "-c", "import pytest").Run() == nil {
			return python
		}
	}
	t.Fatal("a Python with pytest is missing")
	return ""
}
