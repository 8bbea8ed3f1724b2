package sandbox

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Variables that name where tool chains are installed, or keep what they
// downloaded or built.
var toolVariables = []string{
	"VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "GOROOT", "GOMODCACHE", "GOCACHE", "NVM_DIR", "NVM_BIN", "VOLTA_HOME", "FNM_DIR",
	"FNM_MULTISHELL_PATH", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "JAVA_HOME", "RUSTUP_HOME", "PNPM_HOME", "BUN_INSTALL",
	"DENO_DIR", "RBENV_ROOT", "GEM_HOME", "DOTNET_ROOT", "SDKMAN_DIR", "PLAYWRIGHT_BROWSERS_PATH",
}

// homeTools are the same by their usual places in the home folder. Nothing of
// what is not here is seen of it.
var homeTools = []string{
	".pyenv", ".nvm", ".fnm", ".volta", ".asdf", ".bun/bin", ".bun/install", ".deno/bin", ".rbenv", ".rvm", ".gem", ".rustup", ".sdkman",
	".cargo/bin", ".cargo/registry", ".cargo/git", ".cargo/env", ".local/bin", ".local/lib", ".local/pipx", ".local/share/pipx", ".local/share/uv", ".local/share/mise",
	".local/share/fnm", ".local/share/pnpm", ".local/share/virtualenvs", ".local/share/virtualenv", ".local/share/hatch", ".local/state/fnm_multishells",
	".virtualenvs", ".venvs", ".conda/envs", ".conda/pkgs", "miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", "go/pkg", "go/bin", "sdk",
	".cache/go-build", ".cache/uv", ".cache/pypoetry/virtualenvs", ".cache/pip", ".cache/node", ".cache/ms-playwright", ".cache/puppeteer", ".cache/yarn",
	".yarn/berry", ".pnpm-store", ".npm/_npx", ".npm-global", ".node_modules", "node_modules", ".m2/repository", ".gradle/caches", ".gradle/wrapper", ".nix-profile",
	"Library/Python", "Library/Caches/go-build", "Library/pnpm",
}

// interpreters are programs whose own installation is followed from PATH.
var interpreters = []string{"python3", "python", "pytest", "node", "npm", "npx", "pnpm", "yarn", "bun", "deno", "go", "ruby", "java", "cargo", "rustc", "tox", "nox", "uv", "poetry", "hatch", "make", "git"}

// toolFolders returns the folders, existing ones, that the tool chains of an
// environment are in, and those where they keep what they have downloaded.
func toolFolders(environ []string) []string {
	t := toolFinder{home: filepath.Clean("/" + lookup(environ, "HOME"))}
	path := lookup(environ, "PATH")
	for _, dir := range filepath.SplitList(path) {
		t.programs(dir)
	}
	for _, name := range interpreters {
		for _, dir := range filepath.SplitList(path) {
			program, err := exec.LookPath(filepath.Join(dir, name))
			if err != nil || !filepath.IsAbs(program) {
				continue
			}
			if real, err := filepath.EvalSymlinks(program); err == nil && real != program {
				t.programs(filepath.Dir(real))
			}
			break
		}
	}
	for _, name := range toolVariables {
		t.add(lookup(environ, name))
	}
	for _, dir := range filepath.SplitList(lookup(environ, "GOPATH")) {
		t.add(filepath.Join(dir, "pkg"))
		t.add(filepath.Join(dir, "bin"))
	}
	for _, name := range homeTools {
		t.add(filepath.Join(t.home, name))
	}
	return t.found
}

type toolFinder struct {
	home  string
	found []string
}

// programs adds a folder of programs, and the installation that it belongs to.
func (t *toolFinder) programs(dir string) {
	t.add(dir)
	switch filepath.Base(dir) {
	case "bin", "sbin", "shims", "Scripts", "condabin":
	default:
		return
	}
	prefix := filepath.Dir(dir)
	if prefix == filepath.Join(t.home, ".local") || prefix == filepath.Join(t.home, ".cargo") {
		return // where keys are kept beside the programs
	}
	for _, sign := range []string{"pyvenv.cfg", "lib", "lib64", "libexec", "pkg", "versions", "conda-meta"} {
		if _, err := os.Stat(filepath.Join(prefix, sign)); err == nil {
			t.add(prefix)
			break
		}
	}
	t.add(venvHome(prefix))
}

// venvHome returns the installation on which a virtual environment of Python
// stands, or "".
func venvHome(prefix string) string {
	b, err := os.ReadFile(filepath.Join(prefix, "pyvenv.cfg"))
	if err != nil {
		return ""
	}
	lines := bufio.NewScanner(bytes.NewReader(b))
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), "=")
		if strings.TrimSpace(name) == "home" {
			return filepath.Dir(strings.TrimSpace(value))
		}
	}
	return ""
}

// add adds a folder, by its real path too, unless it holds the home folder.
func (t *toolFinder) add(path string) {
	if !filepath.IsAbs(path) {
		return
	}
	path = filepath.Clean(path)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	home, err := filepath.EvalSymlinks(t.home)
	if err != nil {
		home = t.home
	}
	for _, p := range []string{path, real} {
		if !within(t.home, p) && !within(home, p) && !slices.Contains(t.found, p) {
			t.found = append(t.found, p)
		}
	}
}
