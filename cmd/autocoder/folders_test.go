//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
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

// TestSettingsThatCantBeRead runs as somebody whom permissions bind.
func TestSettingsThatCantBeRead(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, dir := range []string{home, filepath.Dir(home)} {
		must(0, os.Chmod(dir, 0o755))(t)
	}
	self := must(os.ReadFile(must(os.Executable())(t)))(t)
	program := filepath.Join(home, "autocoder")
	must(0, os.WriteFile(program, self, 0o755))(t)
	file := filepath.Join(home, ".config", "autocoder", "config.toml")
	must(0, os.MkdirAll(filepath.Dir(file), 0o755))(t)
	must(0, os.WriteFile(file, []byte("patience = 7"), 0))(t)
	cmd := exec.Command(program, "config", home)
	cmd.Dir, cmd.Env = home, []string{"HOME=" + home}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}}
	}
	var told bytes.Buffer
	cmd.Stderr = &told
	out, err := cmd.Output()
	if err != nil || !bytes.Contains(out, []byte("patience")) || !strings.Contains(told.String(), "warning: your settings in "+file+" are ignored") {
		t.Errorf("%v: %s\n%s", err, told.String(), out)
	}
}
