package npmtest

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

// patience is how long a scenario may take. Scenarios wait for effects, and end
// by themselves when one does not come.
const patience = 6 * time.Minute

// program is the server's.
var program realtest.Program

// TestMain removes what was built for the tests.
func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// TestClient plays the scenarios.
func TestClient(t *testing.T) {
	t.Parallel()
	for _, s := range []struct {
		name, file, project string
		env                 []string
		// fixed says that the project's own tests pass afterwards.
		fixed bool
	}{
		{name: "journey", file: "journey", project: "shop", fixed: true},
		{name: "cancel", file: "cancel", project: "slow"},
		{name: "on save", file: "onsave", project: "polite"},
		{name: "no progress", file: "stuck", project: "odd", env: []string{"TEST_PROPOSER=null", "TEST_OUTCOME=no_progress"}},
		{name: "gave up", file: "stuck", project: "odd", env: []string{"TEST_PROPOSER=repair", "TEST_OUTCOME=gave_up"}},
		{name: "unrunnable", file: "broken", project: "broken"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			root, out, err := play(t, s.file, s.project, s.env...)
			if err != nil {
				t.Fatalf("%s: %v\n%s", s.file, err, out)
			}
			if s.fixed {
				realtest.Tests(t, realtest.Python(t), root, true)
			}
		})
	}
}

// TestScenariosCanFail is the control of the scenarios.
func TestScenariosCanFail(t *testing.T) {
	t.Parallel()
	_, out, err := play(t, "fails", "odd")
	if err == nil || !strings.Contains(out, "not so: one is two") {
		t.Errorf("%v\n%s", err, out)
	}
}

// play runs a scenario in a project of its own.
func play(t *testing.T, file, project string, env ...string) (root, out string, err error) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node")
	}
	modules := realtest.Modules(t, "vscode-languageserver-protocol", "vscode-languageserver-textdocument")
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(top, "project")
	realtest.LayOut(t, root, project)
	script, err := filepath.Abs(filepath.Join("testdata", file+".mjs"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, script)
	cmd.Dir, cmd.WaitDelay = root, 10*time.Second
	cmd.Env = append(realtest.Environ(os.Environ(), top),
		"TEST_AUTOCODER="+program.Path(t), "TEST_PYTHON="+realtest.Python(t), "TEST_MODULES="+modules)
	cmd.Env = append(cmd.Env, env...)
	text, err := cmd.CombinedOutput()
	return root, string(text), err
}
