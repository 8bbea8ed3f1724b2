package engine_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine"
	"autocoder/engine/config"
	"autocoder/engine/outcome"

	"golang.org/x/tools/txtar"
)

// venv makes a virtual environment of the project that sees pytest, and has the
// project's own interpreter found.
func (p *project) venv(t *testing.T, name string) {
	t.Helper()
	p.need(t, "pytest")
	if out, err := exec.Command(p.settings.Interpreter["pytest"], "-m", "venv", "--system-site-packages", "--without-pip", p.path(name)).CombinedOutput(); err != nil {
		t.Skipf("needs venv: %s", out)
	}
	p.settings.Interpreter = nil
}

// interpreter is the one that doctor finds for the only unit.
func (p *project) interpreter(t *testing.T) (path, why string) {
	t.Helper()
	before := tree(t, p.root)
	d, err := p.open(t).Doctor(t.Context())
	if err != nil || len(d.Units) != 1 {
		t.Fatalf("doctor: %+v, %v", d, err)
	}
	p.untouched(t, before)
	p.nothingLeft(t)
	return d.Units[0].Interpreter, d.Units[0].Why
}

func wantFixed(t *testing.T, p *project) {
	t.Helper()
	if r := p.fix(t, engine.FixRequest{}); r.Outcome != outcome.Fixed {
		t.Errorf("outcome %s: %s %q", r.Outcome, r.Reason, r.Warnings)
	}
}

func TestVirtualEnvironments(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".venv", "env"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := redSums(t)
			p.venv(t, name)
			p.write(t, name+"/lib/marker.txt", "x")
			p.write(t, ".gitignore", name+"/\n")
			if got, _ := p.interpreter(t); !strings.HasPrefix(got, p.path(name)) {
				t.Errorf("the tests are run by %s", got)
			}
			wantFixed(t, p)
		})
	}
}

// TestActiveEnvironment is that of the shell, beside the project.
func TestActiveEnvironment(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	p.venv(t, "../active")
	active := filepath.Join(filepath.Dir(p.root), "active")
	p.options.Environ = append(p.options.Environ, "VIRTUAL_ENV="+active)
	if got, _ := p.interpreter(t); !strings.HasPrefix(got, active) {
		t.Errorf("the tests are run by %s", got)
	}
	wantFixed(t, p)
}

// TestEditableInstall has the environment lead to another folder than the
// project: another checkout, or the project itself by its absolute path.
func TestEditableInstall(t *testing.T) {
	t.Parallel()
	const src = `
-- pyproject.toml --
[project]
name = "calc"
-- src/calc/__init__.py --
def add(a, b):
    return a - b
-- tests/test_calc.py --
from calc import add

def test_add():
    assert add(2, 3) == 5
`
	edit := `{"write": {"src/calc/__init__.py": "def add(a, b):\n    return a + b\n"}}`
	install := func(t *testing.T, p *project, target string) {
		t.Helper()
		p.venv(t, ".venv")
		site, err := filepath.Glob(p.path(".venv/lib/python*/site-packages"))
		if err != nil || len(site) == 0 {
			t.Fatalf("site-packages: %v, %v", site, err)
		}
		if err := os.WriteFile(filepath.Join(site[0], "calc.pth"), []byte(target+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		p.script(t, edit)
	}
	t.Run("itself", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, src)
		install(t, p, p.path("src"))
		wantFixed(t, p)
	})
	for _, folder := range []string{"src", "python/lib"} {
		t.Run("elsewhere in "+folder, func(t *testing.T) {
			t.Parallel()
			files := strings.ReplaceAll(src, "src/", folder+"/")
			p, other := newProject(t, files), newProject(t, files)
			install(t, p, other.path(folder))
			p.script(t, strings.ReplaceAll(edit, "src/", folder+"/"))
			// The better tiers hide what is elsewhere in the folder for temporary files.
			p.settings.Sandbox, p.options.Consent = config.SandboxSupervised, true
			wantFixed(t, p)
		})
	}
}

// TestToolsOfTheProjectAreMissing marks projects by tools that are not installed.
func TestToolsOfTheProjectAreMissing(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]string{
		"poetry": "-- poetry.lock --\n-- pyproject.toml --\n[tool.poetry]\nname = \"calc\"\n",
		"uv":     "-- uv.lock --\n-- pyproject.toml --\n[project]\nname = \"calc\"\n[tool.uv]\n",
		"conda":  "-- environment.yml --\nname: calc\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, sums+files)
			p.need(t, "pytest")
			found := p.settings.Interpreter["pytest"]
			p.settings.Interpreter = nil
			p.options.Environ = append(p.options.Environ, "PATH="+filepath.Dir(found)+":/usr/bin:/bin")
			p.script(t, sumsScript)
			if _, why := p.interpreter(t); !strings.Contains(why, "PATH") {
				t.Errorf("doctor does not say where the interpreter was found: %q", why)
			}
			wantFixed(t, p)
		})
	}
}

func TestOddPlaces(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"with space", `quo"te'd`, "ümlaut", "new\nline"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProjectAt(t, name, txtar.Parse([]byte(sums)).Files)
			p.need(t, "pytest")
			p.script(t, sumsScript)
			wantFixed(t, p)
		})
	}
	t.Run("go", func(t *testing.T) {
		t.Parallel()
		p := newProjectAt(t, `it's a "module"`, txtar.Parse([]byte(`
-- go.mod --
module calc
-- calc.go --
package calc

func Add(a, b int) int { return a - b }
-- calc_test.go --
package calc

import "testing"

func TestAdd(t *testing.T) {
	if Add(2, 3) != 5 {
		t.Error("wrong")
	}
}
`)).Files)
		p.need(t, "go")
		p.script(t, `{"write": {"calc.go": "package calc\n\nfunc Add(a, b int) int { return a + b }\n"}}`)
		wantFixed(t, p)
	})
}

func TestRootIsALink(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	real := p.root
	p.root = filepath.Join(filepath.Dir(real), "link")
	if err := os.Symlink(real, p.root); err != nil {
		t.Skip("needs symbolic links")
	}
	w := p.open(t)
	if w.Root() != real {
		t.Errorf("the root is %s", w.Root())
	}
	before := tree(t, real)
	r, err := w.Fix(t.Context(), engine.FixRequest{})
	if err != nil || r.Outcome != outcome.Fixed {
		t.Errorf("outcome %s: %s, %v", r.Outcome, r.Reason, err)
	}
	p.root = real
	p.untouched(t, before)
	p.nothingLeft(t)
}

// TestPartOfALargerRepository is a project in a folder of a git repository.
func TestPartOfALargerRepository(t *testing.T) {
	t.Parallel()
	p := redSums(t)
	p.need(t, "git")
	git(t, filepath.Dir(p.root), "init", "-q")
	p.write(t, "../.gitignore", "cache/\nstate/\n*.tmp\n")
	p.write(t, "left.tmp", "ignored, and there all the same\n")
	p.write(t, "test_ignored.py", "def test_ignored():\n    assert open('left.tmp').read()\n")
	r := p.fix(t, engine.FixRequest{Apply: true})
	if r.Outcome != outcome.Fixed || r.Baseline.Passed != 1 {
		t.Errorf("outcome %s: %s", r.Outcome, r.Reason)
	}
	if !strings.HasPrefix(r.Diff, "diff --git a/calc.py b/calc.py\n") {
		t.Errorf("paths of the diff are not relative to the project: %s", r.Diff)
	}
}

// git runs git without any configuration but the repository's.
func git(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, bytes.TrimSpace(out))
	}
}
