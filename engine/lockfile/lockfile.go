// Package lockfile holds files that say who owns something: a run, a folder.
//
// The lock is the operating system's, so it ends with its process however that
// ends, and a lock that can be taken has no living owner. The file's content
// tells others who the owner is; it is for people only. Files are never removed
// here, since a lock on a removed file guards nothing.
package lockfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Lock is a lock that this process holds.
type Lock struct{ f *os.File }

// Held is the error of a lock that another owner has.
type Held struct {
	Path string
	// Owner is what the owner wrote about itself; it may be empty.
	Owner string
}

// Error names the owner.
func (h *Held) Error() string {
	if h.Owner == "" {
		return fmt.Sprintf("%s is locked by another process", h.Path)
	}
	return fmt.Sprintf("%s is locked by %s", h.Path, h.Owner)
}

// errBusy is what tryLock returns when another owner has the lock.
var errBusy = errors.New("busy")

// Try takes the lock at path, which is made when it is missing, and writes owner
// into it. When another owner has it, also one in this process, the error is a
// *Held.
func Try(path, owner string) (*Lock, error) { return take(path, owner, tryLock) }

// Wait is Try for short critical sections: it waits for the other owner to end.
func Wait(path, owner string) (*Lock, error) { return take(path, owner, waitLock) }

func take(path, owner string, lock func(*os.File) error) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	if err := lock(f); err != nil {
		defer f.Close()
		if errors.Is(err, errBusy) {
			text, _ := io.ReadAll(io.LimitReader(f, 1000))
			return nil, &Held{Path: path, Owner: strings.TrimSpace(string(text))}
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	// The owner's name is a courtesy: on a full disk the lock still holds.
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(owner+"\n"), 0)
	}
	return &Lock{f: f}, nil
}

// Close gives the lock back.
func (l *Lock) Close() error { return errors.Join(unlock(l.f), l.f.Close()) }

// Owner says whether the lock at path has an owner now, and what that wrote
// about itself. It takes nothing and writes nothing.
func Owner(path string) (owner string, held bool) {
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	if tryLock(f) == nil {
		_ = unlock(f) // closing does it at the latest
		return "", false
	}
	text, _ := io.ReadAll(io.LimitReader(f, 1000))
	return strings.TrimSpace(string(text)), true
}
