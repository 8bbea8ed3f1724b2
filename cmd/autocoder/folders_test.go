//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"autocoder/engine/report"

	"github.com/google/go-cmp/cmp"
)

// stranger is a user that is neither root nor whoever runs the tests.
const stranger = 54321

func TestFolders(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	under := func(top string) folders {
		return folders{
			home: top, cache: top + "/.cache/autocoder", state: top + "/.local/state/autocoder",
			settings: top + "/.config/autocoder/config.toml",
		}
	}
	elsewhere := under("")
	elsewhere.cache, elsewhere.state, elsewhere.settings = "/c/autocoder", "/s/autocoder", "/x/autocoder/config.toml"
	for _, tt := range []struct {
		name    string
		environ []string
		account string
		want    folders
		refused bool
	}{
		{"HOME", []string{"HOME=/h"}, home, under("/h"), false},
		{"no HOME: the account's", nil, home, under(home), false},
		{"a relative HOME", []string{"HOME=h"}, home, under(home), false},
		{"no home at all", nil, "", folders{}, true},
		{"an account without its folder", nil, home + "/none", folders{}, true},
		{"no home, and XDG says all", []string{"XDG_CACHE_HOME=/c", "XDG_STATE_HOME=/s", "XDG_CONFIG_HOME=/x"}, "", elsewhere, false},
		{"no home, and XDG says some", []string{"XDG_CACHE_HOME=/c", "XDG_STATE_HOME=/s"}, "", folders{}, true},
		{"no home, and XDG is relative", []string{"XDG_CACHE_HOME=c", "XDG_STATE_HOME=/s", "XDG_CONFIG_HOME=/x"}, "", folders{}, true},
	} {
		w := &world{environ: tt.environ, account: tt.account, temp: t.TempDir()}
		got, err := w.folders()
		switch {
		case tt.refused && (codeOfError(err) != exitUsage || !strings.Contains(err.Error(), "set HOME, or XDG_CONFIG_HOME")):
			t.Errorf("%s: not refused: %v, %v", tt.name, got, err)
		case !tt.refused && (err != nil || got != tt.want):
			t.Errorf("%s: %+v, %v, want %+v", tt.name, got, err, tt.want)
		}
	}
}

// TestFoldersOfOthers plants settings and state as another user would.
func TestFoldersOfOthers(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"":              func(string) error { return nil },
		"every user":    func(path string) error { return os.Chmod(path, 0o777) },
		"another user ": func(path string) error { return os.Chown(path, stranger, -1) },
	} {
		for _, spoilt := range []string{".config/autocoder", ".config/autocoder/config.toml", ".local/state/autocoder", ".cache/autocoder"} {
			home := t.TempDir()
			w := &world{environ: []string{"HOME=" + home}, stdout: io.Discard, stderr: io.Discard, now: time.Now}
			f := must(w.folders())(t)
			for _, dir := range []string{filepath.Dir(f.settings), f.state, f.cache} {
				must(0, os.MkdirAll(dir, 0o700))(t)
			}
			must(0, os.WriteFile(f.settings, []byte(`test_command = "true"`), 0o600))(t)
			if err := spoil(filepath.Join(home, spoilt)); err != nil {
				t.Logf("only root can give files away: %v", err)
				continue
			}
			r, err := w.resolve(home, &settingFlags{})
			config := strings.HasPrefix(spoilt, ".config")
			switch told := strings.Join(r.warnings, "\n"); {
			case name == "" && (err != nil || r.TestCommand != "true" || told != ""):
				t.Errorf("one's own %s: %q, %v, warnings %q", spoilt, r.TestCommand, err, told)
			case name != "" && config && (err != nil || r.TestCommand != "" || !strings.Contains(told, name)):
				t.Errorf("%s, %s: %q, %v, warnings %q", spoilt, name, r.TestCommand, err, told)
			case name != "" && !config && (err == nil || !strings.Contains(err.Error(), name)):
				t.Errorf("%s, %s: not refused: %v", spoilt, name, err)
			}
		}
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// bound is a home, and autocoder to be run in it as somebody whom permissions
// bind, whoever runs the tests.
func bound(t *testing.T) (home string, command func(args ...string) *exec.Cmd) {
	t.Helper()
	home = t.TempDir()
	for _, dir := range []string{home, filepath.Dir(home)} {
		must(0, os.Chmod(dir, 0o755))(t)
	}
	self := must(os.ReadFile(must(os.Executable())(t)))(t)
	program := filepath.Join(home, "autocoder")
	must(0, os.WriteFile(program, self, 0o755))(t)
	return home, func(args ...string) *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=/usr/bin:/bin", "TMPDIR=" + filepath.Join(home, "tmp")}
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}}
		}
		return cmd
	}
}

func TestSettingsThatCantBeRead(t *testing.T) {
	t.Parallel()
	home, command := bound(t)
	file := filepath.Join(home, ".config", "autocoder", "config.toml")
	must(0, os.MkdirAll(filepath.Dir(file), 0o755))(t)
	must(0, os.WriteFile(file, []byte("patience = 7"), 0))(t)
	cmd := command("config", home)
	var told bytes.Buffer
	cmd.Stderr = &told
	out, err := cmd.Output()
	if err != nil || !bytes.Contains(out, []byte("patience")) || !strings.Contains(told.String(), "warning: your settings in "+file+" are ignored") {
		t.Errorf("%v: %s\n%s", err, told.String(), out)
	}
}

// TestAReadOnlyFolder fixes a project in which nothing can be written.
func TestAReadOnlyFolder(t *testing.T) {
	t.Parallel()
	home, command := bound(t)
	root, script := filepath.Join(home, "project"), filepath.Join(home, "fix.json")
	must(0, os.Mkdir(root, 0o755))(t)
	must(0, os.WriteFile(filepath.Join(root, "sum.txt"), []byte("wrong\n"), 0o644))(t)
	must(0, os.WriteFile(script, []byte(`{"write": {"sum.txt": "right\n"}}`), 0o644))(t)
	must(0, os.Chmod(root, 0o555))(t)
	for _, dir := range []string{"tmp", ".cache", ".local"} {
		dir = filepath.Join(home, dir)
		must(0, os.Mkdir(dir, 0o700))(t)
		if os.Geteuid() == 0 {
			must(0, os.Chown(dir, stranger, stranger))(t)
		}
	}
	before := mustPicture(t, root)
	fix := func(flag string) *started {
		return start(t, command("fix", root, flag, "--json", "--sandbox", "supervised", "--proposer", "script:"+script,
			"--test-command", "grep -q right sum.txt", "--report", "exit", "--allow-unverified"))
	}

	s := fix("--in-place")
	if code := s.end(); code != int(exitUsage) || !strings.Contains(s.stdout.String(), "can't write to ") {
		t.Errorf("in place: it ends with %d and says %s", code, s.stdout.String())
	}
	for _, line := range s.told {
		if strings.HasPrefix(line, "running") {
			t.Errorf("in place: the tests were run: %q", s.told)
		}
	}

	s = fix("--apply")
	code := s.end()
	var rep report.Report
	must(0, json.Unmarshal(s.stdout.Bytes(), &rep))(t)
	warnings := strings.Join(rep.Warnings, "\n")
	if code != int(exitNotApplied) || rep.Applied || !strings.Contains(rep.Next, "writable and run fix --apply again") ||
		!strings.Contains(warnings, "can't be written: permission denied") || strings.Contains(warnings, "openat") {
		t.Errorf("apply: it ends with %d, next %q, warnings %q", code, rep.Next, warnings)
	}
	if diff := cmp.Diff(before, mustPicture(t, root)); diff != "" {
		t.Error(diff)
	}
}
