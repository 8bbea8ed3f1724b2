// Package keyringtest gives tests a secret store of their own: a real bus, and
// GNOME's real keyring daemon on it.
package keyringtest

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

// Session starts a bus of its own, on which GNOME's keyring daemon is started when
// it is first asked, with an unlocked store. It returns the environment of a user
// of it.
func Session(t testing.TB) []string {
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
	pid := filepath.Join(dir, "pid")
	write(t, filepath.Join(dir, "password"), "open sesame")
	write(t, filepath.Join(dir, "bus.conf"), fmt.Sprintf(busConfig, dir))
	write(t, filepath.Join(dir, "start"), fmt.Sprintf("#!/bin/sh\necho $$ > %s\nexec gnome-keyring-daemon --foreground --components=secrets --unlock < %s/password\n", pid, dir))
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

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o700)); err != nil {
		t.Fatal(err)
	}
}
