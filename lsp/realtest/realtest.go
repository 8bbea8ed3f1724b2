// Package realtest has what tests with real clients share: the program, a Python
// with pytest, projects as archives, and an environment of its own for whatever
// is started.
package realtest

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"
)

// Program is the program, which is built when it is first asked for. Its zero value
// is ready.
type Program struct {
	once sync.Once
	dir  string
	err  error
}

// Path is where the program is.
func (p *Program) Path(t testing.TB) string {
	t.Helper()
	p.once.Do(p.build)
	if p.err != nil {
		t.Fatal(p.err)
	}
	return p.path()
}

func (p *Program) path() string { return filepath.Join(p.dir, "autocoder") }

func (p *Program) build() {
	if p.dir, p.err = os.MkdirTemp("", "autocoder-real-"); p.err != nil {
		return
	}
	out, err := exec.Command("go", "build", "-o", p.path(), "autocoder/cmd/autocoder").CombinedOutput()
	if err != nil {
		p.err = fmt.Errorf("go build: %w\n%s", err, out)
	}
}

// Main runs the tests of a package and removes what was built.
func (p *Program) Main(m *testing.M) (code int) {
	code = m.Run()
	if err := os.RemoveAll(p.dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return code
}

// Python is an interpreter that has pytest.
func Python(t testing.TB) string {
	t.Helper()
	for _, candidate := range []string{os.Getenv("AUTOCODER_TEST_PYTHON"), "python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(candidate)
		if candidate != "" && err == nil && exec.Command(path, "-c", "import pytest").Run() == nil {
			return path
		}
	}
	t.Skip("needs pytest")
	return ""
}

// Modules is the folder of packages for Node.js that has all of the named ones.
func Modules(t testing.TB, names ...string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	folder := filepath.Join(cache, "autocoder-check", "node_modules")
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(folder, name, "package.json")); err != nil {
			t.Skipf("needs %s, which go run ./cmd/check installs", name)
		}
	}
	return folder
}

//go:embed testdata/*.txtar
var projects embed.FS

// LayOut writes the files of a project, testdata/NAME.txtar here, into a folder.
func LayOut(t testing.TB, root, name string) {
	t.Helper()
	text, err := projects.ReadFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse(text).Files {
		path := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, f.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// Environ is an environment with folders of its own below top, and nothing of the
// user's.
func Environ(environ []string, top string) []string {
	var kept []string
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case strings.HasPrefix(name, "XDG_"), strings.HasPrefix(name, "AUTOCODER_"), strings.HasPrefix(name, "NVIM"),
			name == "HOME", name == "VIMRUNTIME", name == "VIM", name == "VIMINIT":
		default:
			kept = append(kept, v)
		}
	}
	return append(
		kept, "HOME="+filepath.Join(top, "home"), "XDG_CONFIG_HOME="+filepath.Join(top, "config"),
		"XDG_DATA_HOME="+filepath.Join(top, "data"), "XDG_STATE_HOME="+filepath.Join(top, "state"),
		"XDG_CACHE_HOME="+filepath.Join(top, "cache"),
	)
}

// Tests runs a project's own command and fails when its end is another one than
// wanted.
func Tests(t testing.TB, interpreter, root string, pass bool) {
	t.Helper()
	cmd := exec.Command(interpreter, "-m", "pytest", "-q", "-p", "no:cacheprovider")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if (err == nil) != pass {
		t.Fatalf("pytest in %s: passes %v, want %v\n%s", root, err == nil, pass, out)
	}
}
