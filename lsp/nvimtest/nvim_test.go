package nvimtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autocoder/lsp/realtest"
)

// plugin is the plugin's folder.
const plugin = "../../editors/nvim"

// patience is how long a scenario may take. Scenarios wait for effects, and end
// by themselves when one does not come.
const patience = 5 * time.Minute

// scenario is a file of testdata, NAME.lua, that Neovim runs in a project.
type scenario struct {
	name, file string
	// project are the files of the project, by their name in package realtest.
	project string
	// env is given to the scenario.
	env []string
	// red and green say that the project's own tests fail before and pass after.
	red, green bool
}

var scenarios = []scenario{
	{name: "journey", file: "journey", project: "shop", red: true, green: true},
	{name: "several files", file: "files", project: "lamp", red: true, green: true},
	{name: "huge buffer", file: "huge", project: "big", red: true, green: true},
	{name: "alternatives", file: "alternatives", project: "door", red: true, green: true},
	{name: "typing", file: "typing", project: "lamp", red: true, green: true},
	{name: "on save", file: "onsave", project: "shop", red: true, green: true},
	{name: "cancel", file: "cancel", project: "slow"},
	{name: "cancel by token", file: "token", project: "slow"},
	{name: "code lenses", file: "lens", project: "lamp", red: true, green: true},
	{name: "several projects", file: "several", project: "lamps"},
	{name: "odd names", file: "odd_names", project: "strange", red: true, green: true},
	{name: "any order", file: "chaos", project: "lamp", env: []string{"TEST_SEED=2", "TEST_STEPS=40"}, red: true},
	{name: "outside", file: "outside", project: "lamps"},
	{name: "no progress", file: "stuck", project: "odd", env: []string{"TEST_PROPOSER=null", "TEST_OUTCOME=no_progress"}, red: true},
	{name: "gave up", file: "stuck", project: "odd", env: []string{"TEST_PROPOSER=repair", "TEST_OUTCOME=gave_up"}, red: true},
	{name: "unrunnable", file: "broken", project: "broken"},
	{name: "plugin", file: "plugin", project: "shop", red: true},
	{name: "missing program", file: "missing", project: "shop", red: true},
	// Neovim 0.11 and later have two ways to set the plugin up.
	{name: "setup function", file: "plugin", project: "shop", env: []string{"TEST_SETUP=setup"}, red: true},
}

// TestNeovim drives real Neovims with the plugin and the server.
func TestNeovim(t *testing.T) {
	t.Parallel()
	for _, nvim := range neovims(t) {
		t.Run(nvim.version, func(t *testing.T) {
			t.Parallel()
			for _, s := range scenarios {
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					s.run(t, nvim.path)
				})
			}
		})
	}
}

// neovim is one that is installed here.
type neovim struct{ path, version string }

// neovims are that of the system and those of AUTOCODER_TEST_NVIM, a list as PATH
// is one.
func neovims(t *testing.T) []neovim {
	t.Helper()
	var found []neovim
	for _, name := range append([]string{"nvim"}, filepath.SplitList(os.Getenv("AUTOCODER_TEST_NVIM"))...) {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		out, err := exec.Command(path, "--version").Output()
		if err != nil {
			t.Fatalf("%s --version: %v", path, err)
		}
		version, _, _ := strings.Cut(string(out), "\n")
		found = append(found, neovim{path, strings.TrimSpace(version)})
	}
	if len(found) == 0 {
		t.Skip("needs nvim")
	}
	return found
}

// run lays out the project and lets Neovim play the scenario in it.
func (s scenario) run(t *testing.T, nvim string) {
	top, root := s.layOut(t)
	interpreter := realtest.Python(t)
	if s.red {
		realtest.Tests(t, interpreter, root, false)
	}
	if out, err := s.play(t, nvim, top, interpreter); err != nil {
		t.Fatalf("%s: %v\n%s\n%s", s.file, err, out, logs(top))
	}
	if s.green {
		realtest.Tests(t, interpreter, root, true)
	}
}

// layOut writes the project into a new folder.
func (s scenario) layOut(t *testing.T) (top, root string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(top, "project")
	realtest.LayOut(t, root, s.project)
	return top, root
}

// play runs Neovim on the scenario.
func (s scenario) play(t *testing.T, nvim, top, interpreter string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, nvim, "-n", "-i", "NONE", "--headless", "-u", absolute(t, "testdata/init.lua"))
	cmd.Dir = filepath.Join(top, "project")
	cmd.Env = append(realtest.Environ(os.Environ(), top),
		"TEST_AUTOCODER="+program.Path(t), "TEST_PYTHON="+interpreter, "TEST_PLUGIN="+copied(t, top),
		"TEST_SCENARIOS="+absolute(t, "testdata"), "TEST_SCENARIO="+s.file)
	cmd.Env = append(cmd.Env, s.env...)
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestScenariosCanFail is the control of the scenarios: what is not so ends
// Neovim with a code and says what is to be seen.
func TestScenariosCanFail(t *testing.T) {
	t.Parallel()
	s := scenario{file: "fails", project: "odd"}
	for _, nvim := range neovims(t) {
		top, _ := s.layOut(t)
		out, err := s.play(t, nvim.path, top, realtest.Python(t))
		if err == nil || !strings.Contains(out, "not so: one is two") || !strings.Contains(out, "diagnostics = ") {
			t.Errorf("%s: %v\n%s", nvim.version, err, out)
		}
	}
}

// logs are the logs of the client, which have the server's, wherever this version
// of Neovim has them.
func logs(top string) string {
	var b strings.Builder
	for _, folder := range []string{"state", "cache"} {
		text, err := os.ReadFile(filepath.Join(top, folder, "nvim", "lsp.log"))
		if err == nil {
			b.Write(text)
		}
	}
	return b.String()
}

// copied is the plugin in a folder that Neovim may write help tags to.
func copied(t *testing.T, top string) string {
	t.Helper()
	to := filepath.Join(top, "plugin")
	if err := os.CopyFS(to, os.DirFS(plugin)); err != nil {
		t.Fatal(err)
	}
	return to
}

func absolute(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// program is the server's.
var program realtest.Program

// TestMain removes what was built for the tests.
func TestMain(m *testing.M) { os.Exit(program.Main(m)) }
