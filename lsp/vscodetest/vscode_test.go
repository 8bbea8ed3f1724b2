package vscodetest

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autocoder/engine/llm/llmtest"
	"autocoder/lsp/realtest"
)

// extension is the folder of the extension.
const extension = "../../editors/vscode"

// scenario is a file of testdata/KIND, which is run in a window on a project.
type scenario struct {
	Name string `json:"name"`
	// Kind is "host" for one in the extension host, or "page" for one in the window.
	Kind string `json:"kind"`
	File string `json:"file"`
	// Folder is where the project is laid out: a folder of that name, or else of the
	// scenario's.
	Folder string `json:"folder"`
	// Workspace is a file that opens several folders in the place of that one.
	Workspace string `json:"workspace,omitempty"`
	// project is laid out of package realtest.
	project string
	// folders are those of the project that are opened, when it is not all of it.
	folders []string
	// settings are autocoder's, and untrusted has VS Code ask whom to trust.
	settings  map[string]any
	untrusted bool
	// key is what a server of models must be asked with in the end; empty for none.
	key string
	// red and green say that the project's own tests fail before and pass after.
	red, green bool
}

var scenarios = []scenario{
	{Name: "journey", Kind: "host", File: "journey", project: "shop", red: true, green: true},
	{Name: "on save", Kind: "host", File: "onsave", project: "shop", settings: map[string]any{"background": "fix"}, red: true, green: true},
	{Name: "several files", Kind: "host", File: "files", project: "lamp", red: true, green: true},
	{Name: "stuck", Kind: "host", File: "stuck", project: "odd", red: true},
	{Name: "unrunnable", Kind: "host", File: "broken", project: "broken"},
	{Name: "killed", Kind: "host", File: "killed", project: "lamp"},
	{Name: "alternatives", Kind: "host", File: "alternatives", project: "door", red: true, green: true},
	{Name: "partial", Kind: "host", File: "partial", project: "half", red: true},
	{Name: "huge", Kind: "host", File: "huge", project: "big", red: true, green: true},
	{Name: "places", Kind: "host", File: "places", Folder: "100% é #1 💡 (x) 100%25", project: "new", red: true, green: true},
	{Name: "several folders", Kind: "host", File: "several", project: "lamps", folders: []string{"one", "two"}},
	{Name: "any order", Kind: "host", File: "chaos", project: "lamp", settings: map[string]any{"background": "fix"}, red: true, green: true},
	{Name: "window", Kind: "page", File: "journey", project: "shop", red: true, green: true},
	{Name: "cancel", Kind: "page", File: "cancel", project: "slow"},
	{Name: "confirm", Kind: "page", File: "confirm", project: "lamp", settings: map[string]any{"confirm": true}, red: true, green: true},
	{Name: "consent", Kind: "page", File: "consent", project: "lamp", settings: map[string]any{"sandbox": "supervised"}},
	{Name: "untrusted", Kind: "page", File: "untrusted", project: "lamp", untrusted: true},
	{Name: "crash", Kind: "page", File: "crash", project: "lamp"},
	{Name: "key", Kind: "page", File: "key", project: "lamp", key: "a-secret-key"},
	{Name: "missing program", Kind: "page", File: "missing", project: "lamp", settings: map[string]any{"server.path": "/nowhere/autocoder"}},
}

// TestVSCode drives a real VS Code.
func TestVSCode(t *testing.T) {
	t.Parallel()
	d := startDriver(t, tools(t))
	for _, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) { d.run(t, s) })
	}
	for _, kind := range []string{"host", "page"} {
		t.Run(kind+" scenarios can fail", func(t *testing.T) { d.runControl(t, kind) })
	}
}

// tools are what the tests need, as the driver is told of them.
func tools(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for name, variable := range map[string]string{
		"node": "AUTOCODER_TEST_NODE", "codeServer": "AUTOCODER_TEST_CODE_SERVER", "chromium": "AUTOCODER_TEST_CHROMIUM",
	} {
		path := os.Getenv(variable)
		if _, err := os.Stat(path); err != nil {
			t.Skipf("needs %s: go run ./cmd/check -only vscode sets it up and runs this", variable)
		}
		found[name] = path
	}
	found["extension"] = absolute(t, extension)
	if _, err := os.Stat(filepath.Join(extension, "node_modules", "playwright-core")); err != nil {
		t.Skipf("needs npm ci in %s", extension)
	}
	return found
}

// driver is the process that has VS Code and Chromium.
type driver struct {
	top, python string
	in          io.Writer
	out         *bufio.Reader
	errors      *bytes.Buffer
}

// result is what became of a scenario.
type result struct {
	OK      bool     `json:"ok"`
	Error   string   `json:"error"`
	Log     []string `json:"log"`
	Notices []string `json:"notices"`
}

// startDriver packs the extension and starts VS Code with it.
func startDriver(t *testing.T, tools map[string]string) *driver {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &driver{top: top, python: realtest.Python(t), errors: &bytes.Buffer{}}
	tools["top"], tools["vsix"] = top, filepath.Join(top, "autocoder.vsix")
	tools["shots"] = os.Getenv("AUTOCODER_TEST_SHOTS")
	pack(t, tools)
	config := filepath.Join(top, "driver.json")
	writeJSON(t, config, tools)

	cmd := exec.Command(tools["node"], absolute(t, "testdata/driver.mjs"), config)
	cmd.Env = realtest.Environ(os.Environ(), top)
	cmd.Stderr = d.errors
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d.in, d.out = in, bufio.NewReader(out)
	t.Cleanup(func() {
		in.Close() // which ends it
		if err := cmd.Wait(); err != nil {
			t.Errorf("the driver: %v\n%s", err, d.errors)
		}
	})
	if _, err := d.out.ReadBytes('\n'); err != nil {
		t.Fatalf("start VS Code: %v", err)
	}
	return d
}

// pack makes the extension for this machine, with the program in it.
func pack(t *testing.T, tools map[string]string) {
	t.Helper()
	cmd := exec.Command(tools["node"], "package.mjs", "--out", tools["vsix"])
	cmd.Dir = extension
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pack the extension: %v\n%s", err, out)
	}
}

// run lays out the project and has the driver play the scenario in it.
func (d *driver) run(t *testing.T, s scenario) {
	began := time.Now()
	s.Folder = filepath.Join(d.top, "projects", cmp.Or(s.Folder, strings.ReplaceAll(s.Name, " ", "-")))
	realtest.LayOut(t, s.Folder, s.project)
	if len(s.folders) > 0 {
		s.Workspace = s.Folder + ".code-workspace"
		opened := []map[string]string{}
		for _, name := range s.folders { // relative: one path alone does not say on which machine it is
			opened = append(opened, map[string]string{"path": filepath.Join(filepath.Base(s.Folder), name)})
		}
		writeJSON(t, s.Workspace, map[string]any{"folders": opened})
	}
	if s.key != "" {
		models := llmtest.Start(llmtest.Script(llmtest.Turn{}), "lamplighter")
		defer models.Close()
		s.settings = map[string]any{"model": "openai:lamplighter", "baseUrl": models.URL + "/v1"}
		defer func() {
			if sent := string(models.Sent()); !strings.Contains(sent, "Bearer "+s.key) {
				t.Errorf("the server of models was not asked with the key: %s", sent)
			}
		}()
	}
	d.configure(t, s)
	if s.red {
		realtest.Tests(t, d.python, s.Folder, false)
	}
	if r := d.play(t, s); !r.OK {
		t.Fatalf("%s\nnotifications: %q\n%s", r.Error, r.Notices, strings.Join(r.Log, "\n"))
	}
	if s.green {
		realtest.Tests(t, d.python, s.Folder, true)
	}
	t.Logf("%.1f s", time.Since(began).Seconds())
}

// runControl is the control of the scenarios of a kind: what is not so is said.
func (d *driver) runControl(t *testing.T, kind string) {
	s := scenario{Name: kind + " control", Kind: kind, File: "fails", Folder: filepath.Join(d.top, "projects", kind)}
	realtest.LayOut(t, s.Folder, "lamp")
	d.configure(t, s)
	r := d.play(t, s)
	want := map[string]string{"host": "one is two", "page": "requests to other machines"}[kind]
	if said := r.Error + strings.Join(r.Log, "\n"); r.OK || !strings.Contains(said, want) {
		t.Errorf("want %q in what is said: %v %s", want, r.OK, said)
	}
}

func (d *driver) play(t *testing.T, s scenario) (r result) {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(d.in, "%s\n", raw); err != nil {
		t.Fatalf("the driver is gone: %v\n%s", err, d.errors)
	}
	line, err := d.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("the driver is gone: %v", err)
	}
	if err := json.Unmarshal(line, &r); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	return r
}

// configure writes VS Code's settings for a scenario. Those of a machine are
// apart from those of a user.
func (d *driver) configure(t *testing.T, s scenario) {
	t.Helper()
	data := filepath.Join(d.top, "vscode", "data")
	user := map[string]any{
		"workbench.startupEditor": "none", "workbench.tips.enabled": false, "workbench.enableExperiments": false,
		"workbench.reduceMotion": "on", "workbench.editor.useModal": "off", "workbench.secondarySideBar.defaultVisibility": "hidden",
		"telemetry.telemetryLevel": "off", "update.mode": "none", "chat.disableAIFeatures": true,
		"extensions.autoUpdate": false, "extensions.autoCheckUpdates": false, "extensions.ignoreRecommendations": true,
		"git.enabled": false, "files.autoSave": "off", "files.hotExit": "off",
		"editor.accessibilitySupport": "off", "editor.autoIndent": "none", "window.commandCenter": false,
		"security.workspace.trust.enabled":       s.untrusted,
		"security.workspace.trust.startupPrompt": "never", "security.workspace.trust.banner": "never",
	}
	machine := map[string]any{"autocoder.interpreter": map[string]string{"pytest": d.python}}
	for name, value := range s.settings {
		machine["autocoder."+name] = value
	}
	writeJSON(t, filepath.Join(data, "User", "settings.json"), user)
	writeJSON(t, filepath.Join(data, "Machine", "settings.json"), machine)
}

func writeJSON(t *testing.T, path string, value any) {
	t.Helper()
	raw, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

func absolute(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
