package keyring_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/keyring"
	"autocoder/engine/keyring/keyringtest"

	"github.com/godbus/dbus/v5"
)

// TestStore keeps keys in a real secret service.
func TestStore(t *testing.T) {
	t.Parallel()
	environ := keyringtest.Session(t)
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
	environ := keyringtest.Session(t)
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
