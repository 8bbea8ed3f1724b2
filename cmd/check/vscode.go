package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// codeServerVersion is the code-server that the tests of the extension for
// VS Code run in: a real VS Code that is served to a browser.
const codeServerVersion = "4.139.1"

// extension is the folder of the extension for VS Code, and editorTests the package
// of the tests that drive it. They are run with the machine for themselves: a
// browser and an editor take all of it.
const (
	extension   = "editors/vscode"
	editorTests = "autocoder/lsp/vscodetest"
)

// editorNeeds are what the tests of the extension for VS Code take.
func editorNeeds() []need {
	return []need{
		{
			name: "Chromium", how: "install Chromium (Debian: apt-get install chromium fonts-dejavu-core)",
			present: func(context.Context) bool { return chromium() != "" }, install: apt("chromium", "fonts-dejavu-core"),
		},
		{
			name: "code-server " + codeServerVersion, how: "npm install --ignore-scripts code-server@" + codeServerVersion + " in " + codeServerFolder(),
			present: func(context.Context) bool { return exists(codeServerReady()) }, install: installCodeServer,
		},
		{
			name: "what the extension for VS Code is built with", how: "npm ci in " + extension,
			present: func(context.Context) bool { return isInstalled(extension) },
			install: func(ctx context.Context) error {
				return succeeds(ctx, nil, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", extension)
			},
		},
	}
}

// chromium is the browser, "" when there is none.
func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

func codeServerFolder() string {
	return filepath.Join(toolFolder(), "code-server-"+codeServerVersion)
}

// codeServer is where code-server is, as a package.
func codeServer() string { return filepath.Join(codeServerFolder(), "node_modules", "code-server") }

// codeServerReady is there when code-server was installed to its end.
func codeServerReady() string { return filepath.Join(codeServerFolder(), "ready") }

// installCodeServer installs it without its scripts, which would compile what is
// not needed here. One of them installs what VS Code depends on: that is done in
// its place.
func installCodeServer(ctx context.Context) error {
	if err := os.RemoveAll(codeServerFolder()); err != nil {
		return err
	}
	quiet := []string{"--ignore-scripts", "--no-audit", "--no-fund", "--prefix"}
	if err := succeeds(ctx, nil, "npm", append(append([]string{"install"}, quiet...),
		codeServerFolder(), "code-server@"+codeServerVersion)...); err != nil {
		return err
	}
	inside := filepath.Join(codeServer(), "lib", "vscode")
	if err := succeeds(ctx, nil, "npm", append(append([]string{"install", "--omit=dev"}, quiet...), inside)...); err != nil {
		return err
	}
	return os.WriteFile(codeServerReady(), nil, 0o644)
}

// isInstalled reports whether a folder's node_modules are those of its lock file.
// npm notes in node_modules what it installed, later than what it read.
func isInstalled(folder string) bool {
	noted, err := os.Stat(filepath.Join(folder, "node_modules", ".package-lock.json"))
	if err != nil {
		return false
	}
	for _, name := range []string{"package.json", "package-lock.json"} {
		source, err := os.Stat(filepath.Join(folder, name))
		if errors.Is(err, os.ErrNotExist) || err == nil && source.ModTime().After(noted.ModTime()) {
			return false
		}
	}
	return true
}

// testExtension checks the extension's types, and runs its tests: those that take
// no VS Code, and those that drive one.
func testExtension(ctx context.Context, t *tally) error {
	compiler := filepath.Join(extension, "node_modules", "typescript", "bin", "tsc")
	env := []string{
		"AUTOCODER_TEST_NODE=" + newerNode(), "AUTOCODER_TEST_PYTHON=" + pythonWithPytest(ctx),
		"AUTOCODER_TEST_CHROMIUM=" + chromium(), "AUTOCODER_TEST_CODE_SERVER=" + codeServer(),
	}
	return errors.Join(
		t.step("tsc", succeeds(ctx, nil, newerNode(), compiler, "--noEmit", "--project", extension)),
		nodeTest(ctx, t),
		// What is tested is the program as it is packed, not this package: no -race.
		goTest(ctx, t, env, []string{"-timeout=30m"}, editorTests),
	)
}

// nodeTest runs node's tests and counts them by the last lines of their report.
func nodeTest(ctx context.Context, t *tally) error {
	out, err := output(ctx, nil, newerNode(), "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", "--test", "--test-reporter=tap",
		filepath.Join(extension, "test", "*.test.ts"))
	t.passed += counted(out, "pass")
	if failed := counted(out, "fail") + counted(out, "skipped") + counted(out, "cancelled"); failed > 0 || err != nil || counted(out, "pass") == 0 {
		t.failed += max(failed, 1)
		fmt.Printf("FAIL  tests of the extension\n%s\n", out)
		return errors.New("tests of the extension failed")
	}
	fmt.Printf("ok    tests of the extension: %d\n", counted(out, "pass"))
	return nil
}

// counted reads "# NAME 5" of a report of node's.
func counted(report, name string) int {
	found := regexp.MustCompile(`(?m)^# ` + name + ` (\d+)$`).FindStringSubmatch(report)
	if found == nil {
		return 0
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		return 0 // more than a number can hold is not what node reports
	}
	return n
}
