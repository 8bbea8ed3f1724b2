package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"autocoder/engine/redact"
	"autocoder/engine/textedit"
	"autocoder/engine/workspace"
)

// Fingerprint identifies what a run would work on: the project's own files, with
// unsaved buffers, and the settings. Two runs with the same one come to the same.
func (w *Workspace) Fingerprint(ctx context.Context) (string, error) {
	files, err := w.filesDigest(ctx)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%+v\n%s", w.root, w.settings, files))
	return hex.EncodeToString(sum[:]), nil
}

// filesDigest identifies the project's own files, with unsaved buffers.
func (w *Workspace) filesDigest(ctx context.Context) (string, error) {
	s := w.settings
	snapshot, err := workspace.Scan(ctx, workspace.Config{
		Root: w.root, Buffers: w.buffers, Include: s.Include, Share: s.Share, Home: w.options.Home,
	})
	if err != nil {
		return "", err
	}
	h := sha256.New()
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

// Earlier is what became of a run that nobody asked for.
type Earlier struct {
	// Run is the run, and Fix its verified edit; nil when it came to none.
	Run string
	Fix []OfferedFile
}

// tried is an Earlier as it is kept. The patch is one for the files of its
// fingerprint.
type tried struct {
	Schema string         `json:"schema"`
	Run    string         `json:"run,omitempty"`
	Patch  textedit.Patch `json:"patch"`
}

// triedSchema names the format and major version of what is kept of a fingerprint.
const triedSchema = "autocoder.tried/1"

// Tried returns what NoteTried noted of a fingerprint, also in an earlier process.
// The workspace is the one that was fingerprinted.
func (w *Workspace) Tried(fingerprint string) (earlier Earlier, known bool) {
	raw, err := os.ReadFile(filepath.Join(w.options.StateDir, triedDir, fingerprint))
	if err != nil {
		return earlier, false
	}
	var t tried
	if json.Unmarshal(raw, &t) != nil || t.Schema != triedSchema {
		return earlier, false // another version's, or cut off: it is tried once more
	}
	state, err := textedit.State{}.Apply(w.readNow, t.Patch)
	if err != nil {
		return earlier, false
	}
	earlier.Run = t.Run
	earlier.Fix, err = offered(w.readNow, state)
	return earlier, err == nil
}

// readNow reads a file as the workspace has it: with its buffers.
func (w *Workspace) readNow(name string) (textedit.File, error) {
	f, err := ReadCurrent(w.root, name)
	if content, unsaved := w.buffers[name]; unsaved && err == nil {
		f.Kind, f.Target, f.Content = textedit.Regular, "", content
	}
	return f, err
}

const (
	triedDir = "tried"
	// mostTried is how many fingerprints are remembered.
	mostTried = 1000
)

// NoteTried remembers a fingerprint whose tests failed, and the fix that was found,
// so that no run that nobody asked for works on it again. A fix that holds a secret
// could only be kept wrong: then nothing is remembered.
func (w *Workspace) NoteTried(fingerprint string, e Earlier) error {
	patch, err := Rebase(e.Fix, func(name string) (textedit.File, error) {
		i := slices.IndexFunc(e.Fix, func(f OfferedFile) bool { return f.Path == name })
		return e.Fix[i].Base, nil
	})
	if err != nil {
		return fmt.Errorf("remember what was tried: %w", err)
	}
	secrets := redact.New(w.options.Environ)
	for _, op := range patch.Ops {
		if secrets.Finds(op.Path + "\n" + string(op.Content)) {
			return nil
		}
	}
	raw, err := json.Marshal(tried{Schema: triedSchema, Run: e.Run, Patch: patch})
	if err == nil {
		err = w.keepTried(fingerprint, raw)
	}
	if err != nil {
		return fmt.Errorf("remember what was tried: %w", err)
	}
	return nil
}

func (w *Workspace) keepTried(fingerprint string, raw []byte) error {
	dir := filepath.Join(w.options.StateDir, triedDir)
	if known, err := os.ReadDir(dir); err == nil && len(known) >= mostTried {
		// What is forgotten is tried once more, which is no harm.
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, fingerprint), raw, 0o600)
}
