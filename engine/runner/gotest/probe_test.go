package gotest

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autocoder/engine/runner"
	"autocoder/engine/testresult"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	p := lay(t, calc)
	if p.unit.Reason != testresult.NoReason || !filepath.IsAbs(p.unit.Interpreter) || !strings.HasPrefix(p.unit.Version, "go1.") {
		t.Errorf("the probe gives %+v", p.unit)
	}
	for _, want := range []string{"GOPROXY=off", "GOTOOLCHAIN=local", "GOENV=off", "GOFLAGS=-buildvcs=false", "GOWORK=off"} {
		if !slices.Contains(p.unit.Env, want) {
			t.Errorf("the environment lacks %s: %q", want, p.unit.Env)
		}
	}
	if len(p.unit.Reads) == 0 {
		t.Error("nothing outside the workspace is to be read, not even Go's own packages")
	}
}

func TestProbeRefuses(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "go")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\necho no go today >&2\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("not on this system: needs a script with an interpreter line")
	}
	for name, test := range map[string]struct {
		environ []string
		want    string
	}{
		"none in PATH":   {environ: []string{"PATH=" + t.TempDir()}, want: "go was not found in PATH: install Go from https://go.dev/dl"},
		"one that fails": {environ: []string{"PATH=" + filepath.Dir(broken)}, want: broken + " env: exit code 3: no go today"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := open(t, calc)
			unit, err := Adapter().Probe(t.Context(), c, runner.Unit{Root: "."}, test.environ)
			if err != nil {
				t.Fatal(err)
			}
			if unit.Reason != testresult.NotInstalled || unit.Detail != test.want {
				t.Errorf("got %s: %s, want not_installed: %s", unit.Reason, unit.Detail, test.want)
			}
		})
	}
}

// later is a module that asks for a Go that nobody has.
const later = "-- go.mod --\nmodule later\n\ngo 1.999\n-- a_test.go --\npackage a\n"

func TestProbeOfALaterGo(t *testing.T) {
	t.Parallel()
	p := lay(t, later)
	if p.unit.Reason != testresult.NotInstalled || !strings.HasPrefix(p.unit.Detail, "needs go 1.999: ") {
		t.Errorf("got %s: %s", p.unit.Reason, p.unit.Detail)
	}
}

// A tool chain that Go once downloaded is taken, as Go itself would.
func TestProbeTakesADownloadedToolChain(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("not on this system: needs a script with an interpreter line")
	}
	cache, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{"go1.998.1", "go1.999.3", "go1.1000.0"} {
		bin := filepath.Join(cache, "golang.org", "toolchain@v0.0.1-"+v+"."+runtime.GOOS+"-"+runtime.GOARCH, "bin")
		if err := os.MkdirAll(bin, 0o755); err != nil {
			t.Fatal(err)
		}
		script := "#!/bin/sh\ncase $1 in env) echo '{\"GOVERSION\":\"" + v + "\",\"GOROOT\":\"/\",\"GOMOD\":\"'$PWD'/go.mod\"}';; esac\n"
		if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for wanted, environ := range map[string][]string{
		"go1.999.3": {"GOMODCACHE=" + cache},
		"":          {"GOMODCACHE=" + cache, "GOTOOLCHAIN=local"},
	} {
		c := open(t, later)
		unit, err := Adapter().Probe(t.Context(), c, runner.Unit{Root: "."}, append([]string{"PATH=" + os.Getenv("PATH")}, environ...))
		if err != nil {
			t.Fatal(err)
		}
		if wanted == "" && unit.Reason != testresult.NotInstalled || wanted != "" && unit.Version != wanted {
			t.Errorf("with %q: got version %q, %s %s", environ, unit.Version, unit.Reason, unit.Detail)
		}
	}
}

func TestProbeFindsAModuleElsewhere(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("sh is not installed")
	}
	tool := filepath.Join(t.TempDir(), "go")
	script := "#!/bin/sh\necho '{\"GOVERSION\":\"go1.26.0\",\"GOROOT\":\"/\",\"GOMOD\":\"/elsewhere/go.mod\"}'\n"
	if err := os.WriteFile(tool, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	c := open(t, calc)
	unit, err := Adapter().Probe(t.Context(), c, runner.Unit{Root: ".", Interpreter: tool}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if unit.Reason != testresult.TestsRunElsewhere || !strings.Contains(unit.Detail, "/elsewhere/go.mod") {
		t.Errorf("got %s: %s", unit.Reason, unit.Detail)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("not on this system: the folders are those of Linux")
	}
	config := t.TempDir()
	if err := os.MkdirAll(filepath.Join(config, "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	text := "# written by go env -w\nGOMODCACHE=/from/file\nCGO_ENABLED=0\nGOFLAGS=-mod=mod\n"
	if err := os.WriteFile(filepath.Join(config, "go", "env"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		environ []string
		want    map[string]string
	}{
		"defaults": {
			environ: []string{"HOME=/home/u"},
			want:    map[string]string{"GOPATH": "/home/u/go", "GOMODCACHE": "/home/u/go/pkg/mod", "GOCACHE": "/home/u/.cache/go-build", "CGO_ENABLED": ""},
		},
		"the file": {
			environ: []string{"HOME=/home/u", "XDG_CONFIG_HOME=" + config},
			want:    map[string]string{"GOMODCACHE": "/from/file", "CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false"},
		},
		"the file switched off": {
			environ: []string{"HOME=/home/u", "XDG_CONFIG_HOME=" + config, "GOENV=off"},
			want:    map[string]string{"GOMODCACHE": "/home/u/go/pkg/mod", "CGO_ENABLED": ""},
		},
		"variables": {
			environ: []string{
				"HOME=/home/u", "XDG_CONFIG_HOME=" + config, "XDG_CACHE_HOME=/c", "GOPATH=/p:/q", "GOMODCACHE=/m",
				"GOFLAGS=-tags=x", "CGO_ENABLED=1", "GOPROXY=https://example.com", "GOWORK=off",
			},
			want: map[string]string{
				"GOPATH": "/p:/q", "GOMODCACHE": "/m", "GOCACHE": "/c/go-build", "CGO_ENABLED": "1",
				"GOFLAGS": "-buildvcs=false", "GOPROXY": "off", "GOWORK": "off",
			},
		},
		"a path list": {
			environ: []string{"HOME=/home/u", "GOPATH=/p:/q"},
			want:    map[string]string{"GOMODCACHE": "/p/pkg/mod"},
		},
	} {
		env := settingsOf(test.environ).commandEnv()
		got := map[string]string{}
		for key := range test.want {
			got[key] = lookup(env, key)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

func TestWithCache(t *testing.T) {
	t.Parallel()
	unit := runner.Unit{Env: []string{"GOCACHE=/users", "A=b"}}
	got := WithCache(unit, "/private")
	if lookup(got.Env, "GOCACHE") != filepath.FromSlash("/private/go-build") {
		t.Errorf("the cache would be written at %q", lookup(got.Env, "GOCACHE"))
	}
	if prog := lookup(got.Env, "GOCACHEPROG"); !strings.Contains(prog, "/users") || !strings.Contains(prog, "private") {
		t.Errorf("GOCACHEPROG is %q", prog)
	}
	if unit.Env[0] != "GOCACHE=/users" {
		t.Error("the unit that was given has changed")
	}
	if again := WithCache(got, "/other"); !slices.Equal(again.Env, got.Env) {
		t.Errorf("a cache that was chosen is replaced: %q", again.Env)
	}
}

func TestRunning(t *testing.T) {
	t.Parallel()
	at := func(s string, rest string) string {
		return `{"Time":"2026-01-01T00:00:` + s + `Z","Package":"m",` + rest + "}\n"
	}
	run := func(s, test string) string { return at(s, `"Action":"run","Test":"`+test+`"`) }
	for name, test := range map[string]struct{ stdout, want string }{
		"nothing yet":         {"", ""},
		"one":                 {run("01", "TestA"), "m.TestA 1"},
		"the innermost":       {run("01", "TestA") + run("02", "TestA/x"), "m.TestA/x 2"},
		"back in a parent":    {run("01", "TestA") + run("02", "TestA/x") + at("05", `"Action":"pass","Test":"TestA/x"`), "m.TestA 5"},
		"paused":              {run("01", "TestA") + at("02", `"Action":"pause","Test":"TestA"`) + run("03", "TestB"), "m.TestB 3"},
		"continued":           {run("01", "TestA") + at("02", `"Action":"pause","Test":"TestA"`) + at("04", `"Action":"cont","Test":"TestA"`), "m.TestA 4"},
		"a line half written": {run("01", "TestA") + strings.TrimSuffix(run("02", "TestB"), "\"}\n"), "m.TestA 1"},
		"the package is over": {run("01", "TestA") + at("02", `"Action":"fail"`), ""},
	} {
		id, since, ok := running(reportOf(t, test.stdout, runner.Report{}))
		got := ""
		if ok {
			got = id + " " + since.Format("5")
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
