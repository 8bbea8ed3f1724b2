// Package trust remembers which folders the user trusts with restricted
// settings, and in which the supervised tier may be used.
//
// Trust is bound to the real path of a folder and to a hash of its restricted
// values, so it ends when they change. Consent to the supervised tier is bound
// to the path alone. What is remembered lives in one private file, which is
// replaced whole; a file that can't be read, or that somebody else may have
// written, is no trust at all.
package trust

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autocoder/engine/lockfile"
)

// Schema names the format and major version of the file.
const Schema = "autocoder.trust/1"

const (
	fileName   = "trust.json"
	fileMode   = 0o600
	folderMode = 0o700
)

// Folder is what is remembered of one folder.
type Folder struct {
	// Root is its real, absolute path.
	Root string `json:"root"`
	// Hash is of the restricted values that are trusted; empty for none.
	Hash string `json:"hash,omitempty"`
	// Supervised means that the supervised tier may be used.
	Supervised bool      `json:"supervised,omitempty"`
	Since      time.Time `json:"since"`
}

type file struct {
	Schema  string   `json:"schema"`
	Folders []Folder `json:"folders"`
}

// Store is the memory of trust in one state folder.
type Store struct{ dir string }

// Open returns the store in the state folder dir. It reads and makes nothing.
func Open(dir string) Store { return Store{dir: dir} }

func (s Store) path() string { return filepath.Join(s.dir, fileName) }

// Lookup returns what is remembered of root, the zero Folder for nothing.
func (s Store) Lookup(root string) (Folder, error) {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return Folder{}, fmt.Errorf("look up trust: %w", err)
	}
	folders, err := s.List()
	if i := find(folders, real); err == nil && i >= 0 {
		return folders[i], nil
	}
	return Folder{}, err
}

// List returns every folder that something is remembered of, by path.
func (s Store) List() ([]Folder, error) {
	if err := Own(s.dir, s.path()); err != nil {
		return nil, fmt.Errorf("read trust: %w", err)
	}
	data, err := os.ReadFile(s.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read trust: %w", err)
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("read trust: %s: %w", s.path(), err)
	}
	if f.Schema != Schema {
		return nil, fmt.Errorf("read trust: %s is %q, and this version reads %q", s.path(), f.Schema, Schema)
	}
	return f.Folders, nil
}

// Trust remembers that the restricted values with that hash are trusted in root.
func (s Store) Trust(root, hash string, now time.Time) error {
	return s.change(root, func(f *Folder) { f.Hash, f.Since = hash, now })
}

// AllowSupervised remembers consent to the supervised tier in root.
func (s Store) AllowSupervised(root string, now time.Time) error {
	return s.change(root, func(f *Folder) { f.Supervised, f.Since = true, now })
}

// Revoke forgets root, and says whether there was anything to forget. The folder
// need not exist any more.
func (s Store) Revoke(root string) (bool, error) {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	if folders, err := s.List(); err != nil || find(folders, root) < 0 {
		return false, err
	}
	return true, s.update(func(folders []Folder) []Folder {
		return slices.DeleteFunc(folders, func(f Folder) bool { return f.Root == root })
	})
}

// change changes what is remembered of root.
func (s Store) change(root string, change func(*Folder)) error {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	return s.update(func(folders []Folder) []Folder {
		i := find(folders, real)
		if i < 0 {
			folders = append(folders, Folder{Root: real})
			i = len(folders) - 1
		}
		change(&folders[i])
		slices.SortFunc(folders, func(a, b Folder) int { return strings.Compare(a.Root, b.Root) })
		return folders
	})
}

// update replaces the file, while no other process does.
func (s Store) update(change func([]Folder) []Folder) error {
	if err := os.MkdirAll(s.dir, folderMode); err != nil {
		return fmt.Errorf("remember trust: %w", err)
	}
	lock, err := lockfile.Wait(s.path()+".lock", "")
	if err != nil {
		return fmt.Errorf("remember trust: %w", err)
	}
	defer lock.Close()
	folders, err := s.List()
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(file{Schema: Schema, Folders: change(folders)}, "", "  ")
	if err != nil {
		return fmt.Errorf("remember trust: %w", err)
	}
	part := s.path() + ".part"
	if err := os.WriteFile(part, append(data, '\n'), fileMode); err != nil {
		return fmt.Errorf("remember trust: %w", err)
	}
	if err := os.Rename(part, s.path()); err != nil {
		return fmt.Errorf("remember trust: %w", err)
	}
	return nil
}

func find(folders []Folder, root string) int {
	return slices.IndexFunc(folders, func(f Folder) bool { return f.Root == root })
}
