package pytest

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// candidate is an interpreter that may have pytest.
type candidate struct {
	path string
	// why says where it was found; environment is whether it is one of a virtual
	// environment, which has nothing to do with the user's own packages.
	why         string
	environment bool
	// shim is the pyenv shim in whose place it stands.
	shim string
}

// String names the candidate for people.
func (c candidate) String() string {
	return fmt.Sprintf("%s (%s)", filepath.Base(c.path), firstOf(c.shim, c.path))
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// environ is the user's environment by name.
type environ map[string]string

// candidates lists the interpreters to ask, the best first: what was set, the
// active environment, the project's own, those that its tools keep elsewhere,
// the version it asks for, and what PATH has.
func (p *prober) candidates() []candidate {
	if p.unit.Interpreter != "" {
		return []candidate{{path: p.unit.Interpreter, why: "interpreter set by the user"}}
	}
	var found []candidate
	add := func(c candidate) {
		if c.path == "" || !executable(c.path) {
			return
		}
		if !slices.ContainsFunc(found, func(f candidate) bool { return same(f, c) }) {
			found = append(found, c)
		}
	}
	venv := func(folder, why string) {
		if folder != "" {
			add(candidate{path: interpreterIn(folder), why: why, environment: true})
		}
	}
	venv(p.env["VIRTUAL_ENV"], "$VIRTUAL_ENV")
	for _, dir := range p.folders() {
		for _, name := range []string{".venv", "venv", "env"} {
			folder := filepath.Join(dir, name)
			if exists(filepath.Join(folder, "pyvenv.cfg")) || exists(filepath.Join(folder, "conda-meta")) {
				venv(folder, name)
			}
		}
		if named := p.env["UV_PROJECT_ENVIRONMENT"]; named != "" && exists(filepath.Join(dir, "uv.lock")) {
			venv(absolute(dir, named), "$UV_PROJECT_ENVIRONMENT")
		}
		for _, folder := range p.poetry(dir) {
			venv(folder, "poetry's environment")
		}
		for _, folder := range p.pipenv(dir) {
			venv(folder, "pipenv's environment")
		}
		for _, folder := range p.conda(dir) {
			venv(folder, "conda's environment")
		}
	}
	if c, ok := p.pyenv(p.named()); ok {
		c.why = ".python-version"
		add(c)
	}
	for _, c := range p.inPath() {
		add(c)
	}
	return found
}

// folders are the unit's folder and those above it, up to the workspace's.
func (p *prober) folders() []string {
	var dirs []string
	for dir := path.Clean(p.unit.Root); ; dir = path.Dir(dir) {
		dirs = append(dirs, filepath.Join(p.cell.Root(), filepath.FromSlash(dir)))
		if dir == "." || dir == "/" {
			return dirs
		}
	}
}

// inPath lists the interpreters of PATH; a pyenv shim stands for the version
// that it would start, as a shim itself may look for that for ever.
func (p *prober) inPath() []candidate {
	var found []candidate
	for _, dir := range filepath.SplitList(p.env["PATH"]) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, name := range []string{"python3", "python"} {
			c := candidate{path: filepath.Join(dir, name+exe()), why: name + " in PATH"}
			if filepath.Base(dir) == "shims" && executable(c.path) {
				real, ok := p.pyenv(p.chosen())
				if !ok {
					continue
				}
				real.shim, real.why = c.path, c.why
				c = real
			}
			found = append(found, c)
		}
	}
	return found
}

// named returns the Python versions that the project's .python-version names.
func (p *prober) named() []string {
	for _, dir := range p.folders() {
		if text := readText(filepath.Join(dir, ".python-version")); text != "" {
			return strings.Fields(text)
		}
	}
	return nil
}

// chosen returns the versions that pyenv would take.
func (p *prober) chosen() []string {
	if v := p.env["PYENV_VERSION"]; v != "" {
		return strings.Split(v, ":")
	}
	if v := p.named(); v != nil {
		return v
	}
	return strings.Fields(readText(filepath.Join(p.pyenvRoot(), "version")))
}

func (p *prober) pyenvRoot() string {
	if root := p.env["PYENV_ROOT"]; root != "" {
		return root
	}
	return filepath.Join(p.env["HOME"], ".pyenv")
}

// pyenv returns the interpreter of the first of those versions that pyenv has;
// "3.11" stands for the newest 3.11.
func (p *prober) pyenv(versions []string) (candidate, bool) {
	for _, v := range versions {
		if v == "system" || strings.ContainsAny(v, `/\`) {
			continue
		}
		folders := []string{filepath.Join(p.pyenvRoot(), "versions", v)}
		more := glob(filepath.Join(p.pyenvRoot(), "versions", v+".*"))
		slices.Reverse(more)
		for _, folder := range append(folders, more...) {
			if file := interpreterIn(folder); executable(file) {
				return candidate{path: file}, true
			}
		}
	}
	return candidate{}, false
}

var (
	poetryName = regexp.MustCompile(`(?ms)^\[(?:tool\.poetry|project)\]$.*?^name\s*=\s*["']([^"'\n]+)["']`)
	condaName  = regexp.MustCompile(`(?m)^name:\s*["']?([\w.-]+)`)
)

// poetry returns the environments that poetry keeps for the project. Their
// names have a hash of the project's path: the one of this path comes first.
func (p *prober) poetry(dir string) []string {
	text := readText(filepath.Join(dir, "pyproject.toml"))
	m := poetryName.FindStringSubmatch(text)
	if m == nil || !exists(filepath.Join(dir, "poetry.lock")) && !strings.Contains(text, "[tool.poetry]") {
		return nil
	}
	home := p.env["POETRY_VIRTUALENVS_PATH"]
	if home == "" {
		home = filepath.Join(firstOf(p.env["XDG_CACHE_HOME"], filepath.Join(p.env["HOME"], ".cache")), "pypoetry", "virtualenvs")
	}
	name := sanitised(strings.ToLower(m[1]))
	return append(glob(filepath.Join(home, name+"-"+pathHash(dir)+"-py*")), glob(filepath.Join(home, name+"-????????-py*"))...)
}

// pipenv returns the environments that pipenv keeps for the project.
func (p *prober) pipenv(dir string) []string {
	pipfile := filepath.Join(dir, "Pipfile")
	if !exists(pipfile) {
		return nil
	}
	home := p.env["WORKON_HOME"]
	if home == "" {
		home = filepath.Join(firstOf(p.env["XDG_DATA_HOME"], filepath.Join(p.env["HOME"], ".local", "share")), "virtualenvs")
	}
	name := sanitised(filepath.Base(dir))
	return append(glob(filepath.Join(home, name+"-"+pathHash(pipfile))), glob(filepath.Join(home, name+"-????????"))...)
}

// conda returns the environments of a project that describes one for conda.
func (p *prober) conda(dir string) []string {
	text := readText(filepath.Join(dir, "environment.yml")) + readText(filepath.Join(dir, "environment.yaml"))
	if text == "" {
		return nil
	}
	var found []string
	if m := condaName.FindStringSubmatch(text); m != nil {
		bases := []string{filepath.Dir(filepath.Dir(p.env["CONDA_EXE"]))}
		for _, name := range []string{".conda", "miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba"} {
			bases = append(bases, filepath.Join(p.env["HOME"], name))
		}
		for _, base := range bases {
			if folder := filepath.Join(base, "envs", m[1]); exists(folder) {
				found = append(found, folder)
			}
		}
	}
	if active := p.env["CONDA_PREFIX"]; active != "" {
		found = append(found, active)
	}
	return found
}

// sanitised and pathHash are how poetry and pipenv make the names of their
// environments.
func sanitised(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(" $`!*@\"\\\r\n\t", r) {
			return '_'
		}
		return r
	}, name)
	return name[:min(len(name), 42)]
}

func pathHash(file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	sum := sha256.Sum256([]byte(file))
	return base64.URLEncoding.EncodeToString(sum[:])[:8]
}

// interpreterIn is the interpreter of an environment's folder.
func interpreterIn(folder string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(folder, "Scripts", "python.exe")
	}
	return filepath.Join(folder, "bin", "python")
}

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// same reports whether two candidates are one interpreter. An environment's
// interpreter is a link to its base, and yet another one.
func same(a, b candidate) bool {
	if a.path == b.path {
		return true
	}
	if a.environment || b.environment {
		return false
	}
	x, errX := filepath.EvalSymlinks(a.path)
	y, errY := filepath.EvalSymlinks(b.path)
	return errX == nil && errY == nil && x == y
}

func executable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func absolute(dir, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}

func readText(file string) string {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > readLimit {
		return ""
	}
	data, _ := os.ReadFile(file)
	return string(data)
}

func glob(pattern string) []string {
	found, _ := filepath.Glob(pattern)
	return found
}

// parseEnviron returns NAME=value pairs as a map; of two, the last counts.
func parseEnviron(pairs []string) environ {
	env := environ{}
	for _, pair := range pairs {
		if name, value, ok := strings.Cut(pair, "="); ok {
			env[name] = value
		}
	}
	return env
}
