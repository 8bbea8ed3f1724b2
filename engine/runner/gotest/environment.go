package gotest

import (
	"bufio"
	"go/version"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"autocoder/engine/runner/program"
)

// settings are the user's own values of Go's variables. The cell hides the
// home folder, so they are worked out here as the go command would: from the
// environment, else from the file of go env -w, else by default.
type settings struct{ environ, file map[string]string }

func settingsOf(environ []string) settings {
	s := settings{environ: map[string]string{}, file: map[string]string{}}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok {
			s.environ[name] = value
		}
	}
	s.readFile()
	return s
}

// readFile reads the file of go env -w; without one there is nothing to read.
func (s settings) readFile() {
	path := s.environ["GOENV"]
	if path == "" && s.configFolder() != "" {
		path = filepath.Join(s.configFolder(), "go", "env")
	}
	if path == "" || path == "off" {
		return
	}
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if name, value, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			s.file[name] = value
		}
	}
}

func (s settings) get(name string) string {
	if value := s.environ[name]; value != "" {
		return value
	}
	return s.file[name]
}

func (s settings) configFolder() string {
	return s.folder("XDG_CONFIG_HOME", ".config", "Application Support", "AppData")
}

func (s settings) cacheFolder() string {
	return s.folder("XDG_CACHE_HOME", ".cache", "Caches", "LocalAppData")
}

// folder finds one of the system's folders of the user, as package os does for
// our own process.
func (s settings) folder(xdg, unix, library, windows string) string {
	switch runtime.GOOS {
	case "windows":
		return s.environ[windows]
	case "darwin", "ios":
		return s.home("Library", library)
	default:
		if dir := s.environ[xdg]; dir != "" {
			return dir
		}
		return s.home(unix)
	}
}

func (s settings) home(elements ...string) string {
	home := s.environ["HOME"]
	if runtime.GOOS == "windows" {
		home = s.environ["USERPROFILE"]
	}
	if home == "" {
		return ""
	}
	return filepath.Join(append([]string{home}, elements...)...)
}

func (s settings) goPath() string {
	if path := s.get("GOPATH"); path != "" {
		return path
	}
	return s.home("go")
}

func (s settings) modCache() string {
	if dir := s.get("GOMODCACHE"); dir != "" {
		return dir
	}
	list := filepath.SplitList(s.goPath())
	if len(list) == 0 || list[0] == "" {
		return ""
	}
	return filepath.Join(list[0], "pkg", "mod")
}

func (s settings) buildCache() string {
	if dir := s.get("GOCACHE"); dir != "" {
		return dir
	}
	if dir := s.cacheFolder(); dir != "" {
		return filepath.Join(dir, "go-build")
	}
	return ""
}

// toolchain returns the go command of a tool chain that Go itself downloaded
// for the user and that is at least as late as want; empty without one, or when
// the user wants only the local one.
func (s settings) toolchain(want string) string {
	if s.get("GOTOOLCHAIN") == "local" || s.modCache() == "" {
		return ""
	}
	parent := filepath.Join(s.modCache(), "golang.org")
	entries, err := os.ReadDir(parent)
	if err != nil {
		return ""
	}
	best, tool := "", ""
	for _, e := range entries {
		v, ok := strings.CutPrefix(e.Name(), "toolchain@v0.0.1-")
		v, ok2 := strings.CutSuffix(v, "."+runtime.GOOS+"-"+runtime.GOARCH)
		if !ok || !ok2 || version.Compare(v, "go"+want) < 0 || best != "" && version.Compare(v, best) > 0 {
			continue
		}
		for _, path := range program.Find("go", filepath.Join(parent, e.Name(), "bin")) {
			best, tool = v, path
		}
	}
	return tool
}

// buildVariables are the variables that change what go builds and are the user's choice.
var buildVariables = []string{
	"CGO_ENABLED", "CC", "CXX", "FC", "AR", "PKG_CONFIG", "CGO_CFLAGS", "CGO_CPPFLAGS", "CGO_CXXFLAGS",
	"CGO_FFLAGS", "CGO_LDFLAGS", "GOAMD64", "GOARM64", "GOARM", "GOEXPERIMENT", "GO111MODULE",
}

// commandEnv returns what the unit's commands run with. GOFLAGS of the user are
// left out, as one may change what is tested or go.mod itself; without -mod go
// takes vendor where the module has one and never rewrites go.mod. Stamping is
// off because it starts git.
func (s settings) commandEnv() []string {
	env := []string{
		"GOENV=off", "GOFLAGS=-buildvcs=false", "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOVCS=*:off",
	}
	for name, value := range map[string]string{"GOPATH": s.goPath(), "GOMODCACHE": s.modCache()} {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	for _, name := range buildVariables {
		if value := s.get(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	if s.get("GOWORK") == "off" {
		env = append(env, "GOWORK=off")
	}
	if cache := s.buildCache(); cache != "" {
		env = append(env, "GOCACHE="+cache)
	}
	return env
}
