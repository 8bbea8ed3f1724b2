package keyring_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"autocoder/engine/keyring"

	"github.com/godbus/dbus/v5"
)

const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=%[1]s/bus</listen>
  <servicedir>%[1]s/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

// session starts a bus of its own, on which GNOME's keyring daemon is started when
// it is first asked. With a password its store is unlocked.
func session(t *testing.T, password string) []string {
	t.Helper()
	for _, tool := range []string{"dbus-daemon", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp("", "keyring") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	unlock := ""
	if password != "" {
		unlock = "--unlock"
	}
	pid := filepath.Join(dir, "pid")
	write(t, filepath.Join(dir, "password"), password)
	write(t, filepath.Join(dir, "bus.conf"), fmt.Sprintf(busConfig, dir))
	write(t, filepath.Join(dir, "start"), fmt.Sprintf("#!/bin/sh\necho $$ > %s\nexec gnome-keyring-daemon --foreground --components=secrets %s < %s/password\n", pid, unlock, dir))
	write(t, filepath.Join(dir, "services", "s.service"), "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/sh "+filepath.Join(dir, "start")+"\n")
	environ := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "XDG_DATA_HOME=" + dir,
		"DBUS_SESSION_BUS_ADDRESS=unix:path=" + dir + "/bus",
	}
	bus := exec.Command("dbus-daemon", "--config-file="+filepath.Join(dir, "bus.conf"), "--nofork", "--nopidfile", "--print-address=1")
	bus.Env = environ
	out, err := bus.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := bus.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if text, err := os.ReadFile(pid); err == nil {
			if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
				_ = syscall.Kill(n, syscall.SIGKILL)
			}
		}
		_ = bus.Process.Kill()
		_ = bus.Wait()
		_ = os.RemoveAll(dir)
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the bus does not start: %v", err)
	}
	return environ
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o700)); err != nil {
		t.Fatal(err)
	}
}

// TestStore keeps keys in a real secret service.
func TestStore(t *testing.T) {
	t.Parallel()
	environ := session(t, "open sesame")
	ctx := t.Context()
	s := keyring.Open(environ)
	if _, err := s.Read(ctx, "openai"); !errors.Is(err, keyring.ErrNone) {
		t.Fatalf("an empty store: %v", err)
	}
	for _, key := range []string{"sk-first-0123456789", "sk-second-ö\n漢字 \x7f"} {
		if err := s.Write(ctx, "openai", key); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Read(ctx, "openai"); err != nil || got != key {
			t.Errorf("kept %q, got %q, %v", key, got, err)
		}
	}
	if err := s.Write(ctx, "openai@localhost:1", "another"); err != nil {
		t.Fatal(err)
	}
	// The bus is found by the runtime folder, too.
	other := keyring.Open([]string{environ[2]})
	if got, err := other.Read(ctx, "openai@localhost:1"); err != nil || got != "another" {
		t.Errorf("another account: %q, %v", got, err)
	}
	if err := s.Remove(ctx, "openai"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(ctx, "openai"); !errors.Is(err, keyring.ErrNone) {
		t.Errorf("after it was removed: %v", err)
	}
	if err := s.Remove(ctx, "openai"); !errors.Is(err, keyring.ErrNone) {
		t.Errorf("removed twice: %v", err)
	}
	if got, err := s.Read(ctx, "openai@localhost:1"); err != nil || got != "another" {
		t.Errorf("the other account: %q, %v", got, err)
	}
}

// TestLockedStore: a store that nobody unlocks is an error, and not a wait without
// end.
func TestLockedStore(t *testing.T) {
	t.Parallel()
	environ := session(t, "open sesame")
	s := keyring.Open(environ)
	if err := s.Write(t.Context(), "openai", "sk-0123456789"); err != nil {
		t.Fatal(err)
	}
	conn, err := dbus.Connect(strings.TrimPrefix(environ[4], "DBUS_SESSION_BUS_ADDRESS="))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	locks := []dbus.ObjectPath{"/org/freedesktop/secrets/aliases/default"}
	if err := conn.Object("org.freedesktop.secrets", "/org/freedesktop/secrets").Call("org.freedesktop.Secret.Service.Lock", 0, locks).Err; err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(t.Context(), "openai"); !errors.Is(err, keyring.ErrLocked) {
		t.Errorf("read from a locked store: %v", err)
	}
	if err := s.Write(t.Context(), "openai", "sk-0123456789"); !errors.Is(err, keyring.ErrLocked) {
		t.Errorf("wrote to a locked store: %v", err)
	}
}

// TestNoStore: without a bus there is no store, and an address that would start a
// program starts none.
func TestNoStore(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "started")
	for _, environ := range [][]string{
		nil,
		{"DBUS_SESSION_BUS_ADDRESS="},
		{"DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent/bus"},
		{"DBUS_SESSION_BUS_ADDRESS=autolaunch:"},
		{"DBUS_SESSION_BUS_ADDRESS=unixexec:path=/bin/touch,argv1=" + mark},
		{"XDG_RUNTIME_DIR=" + t.TempDir()},
	} {
		if _, err := keyring.Open(environ).Read(t.Context(), "openai"); !errors.Is(err, keyring.ErrNoStore) {
			t.Errorf("%q: %v", environ, err)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program was started")
	}
}
