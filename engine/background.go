package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"autocoder/engine/workspace"
)

// Fingerprint identifies what a run would work on: the project's own files, with
// unsaved buffers, and the settings. Two runs with the same one come to the same.
func (w *Workspace) Fingerprint(ctx context.Context) (string, error) {
	s := w.settings
	snapshot, err := workspace.Scan(ctx, workspace.Config{
		Root: w.root, Buffers: w.buffers, Include: s.Include, Share: s.Share, Home: w.options.Home,
	})
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%+v\n", w.root, s)
	buffers := snapshot.Buffers()
	for _, name := range snapshot.Sources() {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		content, unsaved := buffers[name]
		if !unsaved {
			content, err = os.ReadFile(filepath.Join(w.root, filepath.FromSlash(name)))
			if errors.Is(err, fs.ErrNotExist) {
				continue // gone since the scan
			}
			if err != nil {
				return "", fmt.Errorf("read %q: %w", name, err)
			}
		}
		fmt.Fprintf(h, "%q %x\n", name, sha256.Sum256(content))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Tried reports whether a fingerprint was noted by NoteTried, also in an earlier
// process.
func (w *Workspace) Tried(fingerprint string) bool {
	_, err := os.Stat(filepath.Join(w.options.StateDir, "tried", fingerprint))
	return err == nil
}

// mostTried is how many fingerprints are remembered.
const mostTried = 1000

// NoteTried remembers a fingerprint whose tests failed, so that no run that nobody
// asked for works on it again.
func (w *Workspace) NoteTried(fingerprint string) error {
	dir := filepath.Join(w.options.StateDir, "tried")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("remember what was tried: %w", err)
	}
	if known, err := os.ReadDir(dir); err == nil && len(known) >= mostTried {
		// What is forgotten is tried once more, which is no harm.
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("forget what was tried: %w", err)
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("remember what was tried: %w", err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, fingerprint), nil, 0o600); err != nil {
		return fmt.Errorf("remember what was tried: %w", err)
	}
	return nil
}
