package lockfile

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestOneOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "owner")
	first, err := Try(path, "the first, who has a long name")
	if err != nil {
		t.Fatal(err)
	}
	var held *Held
	if _, err := Try(path, "second"); !errors.As(err, &held) || held.Owner != "the first, who has a long name" {
		t.Fatalf("second owner: %v", err)
	}
	if owner, held := Owner(path); !held || owner != "the first, who has a long name" {
		t.Fatalf("owner is %q, %v", owner, held)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if owner, held := Owner(path); held {
		t.Fatalf("%q owns what was given back", owner)
	}
	second, err := Wait(path, "second")
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if _, err := Try(path, "third"); !errors.As(err, &held) || held.Owner != "second" {
		t.Fatalf("third owner: %v", err)
	}
}

// TestMain lets the test binary be the owner that is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("LOCKFILE_OWNER"); path != "" {
		if _, err := Try(path, "child"); err != nil {
			os.Exit(1)
		}
		os.Stdout.WriteString("locked")
		select {}
	}
	os.Exit(m.Run())
}

func TestLockEndsWithItsProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "owner")
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "LOCKFILE_OWNER="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	var held *Held
	if _, err := Try(path, "we"); !errors.As(err, &held) || held.Owner != "child" {
		t.Fatalf("while the child lives: %v", err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	l, err := Try(path, "we")
	if err != nil {
		t.Fatalf("after the child was killed: %v", err)
	}
	l.Close()
}
