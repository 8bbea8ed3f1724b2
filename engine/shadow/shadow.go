package shadow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"autocoder/engine/lockfile"
	"autocoder/engine/textedit"
	"autocoder/engine/workspace"
)

// Config says where and how to copy.
type Config struct {
	// Cache is the folder for shadows; it is made when missing.
	Cache string
	// Memory, unless empty, is a folder on a file system in memory in which layers
	// are made for as long as it has room; see MemoryFolder.
	Memory string
	// LinkShared puts a symbolic link for every shared folder into the forks.
	// Without it a fork has an empty folder there, to mount the shared one over.
	// The links lead to the user's folders: use it only where writes through them
	// are denied.
	LinkShared bool
	// CopyShared copies the shared folders too, for want of any way to keep
	// commands from writing to them.
	CopyShared bool
	// Now is the time; nil means the real one.
	Now func() time.Time
}

// Shadow is a private copy of a snapshot. Its methods may be called from
// several goroutines at once.
type Shadow struct {
	snap     *workspace.Snapshot
	cfg      Config
	dir      string // of this shadow; all lies in it that is not in memory
	owner    *lockfile.Lock
	tree     tree
	rootMode fs.FileMode
	sources  []string
	warnings []string
	memory   *memory // nil when all is on disk
	baseDir  string
	became   string // the fork that the base has become; empty as long as there is a base

	mu    sync.Mutex // guards all below
	forks int        // how many were made
	last  time.Time  // the latest time given to a file

	removing sync.WaitGroup // what removeLater has begun
}

// Open copies what the snapshot planned. Files that can't be read, or went away
// since, are left out; Warnings names the former.
func Open(ctx context.Context, snap *workspace.Snapshot, cfg Config) (_ *Shadow, err error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	info, err := os.Stat(snap.Root())
	if err != nil {
		return nil, fmt.Errorf("look at the folder %q: %w", snap.Root(), err)
	}
	dir, owner, err := claim(cfg.Cache, snap.Root())
	if err != nil {
		return nil, err
	}
	s := &Shadow{
		snap: snap, cfg: cfg, dir: dir, owner: owner, rootMode: info.Mode().Perm() | 0o700,
		tree: tree{nodes: map[string]node{}, roots: snap.Roots()}, warnings: snap.Warnings(),
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if err := os.Mkdir(s.forksDir(), 0o700); err != nil {
		return nil, fmt.Errorf("make the shadow: %w", err)
	}
	s.memory = claimMemory(cfg.Memory, snap.Root())
	if err := s.makeBase(ctx); err != nil {
		return nil, err
	}
	s.listSources()
	s.memory.measure()
	return s, nil
}

// makeBase copies the snapshot, into memory where it fits.
func (s *Shadow) makeBase(ctx context.Context) error {
	home := s.dir
	if s.memory.takes(s.snap.Entries()) {
		home = s.memory.dir
	}
	err := s.fillBase(ctx, home)
	if home != s.dir && errors.Is(err, syscall.ENOSPC) { // others fill the memory too
		if err := RemoveAll(s.base()); err != nil {
			return fmt.Errorf("make the shadow: %w", err)
		}
		s.tree = tree{nodes: map[string]node{}, roots: s.tree.roots}
		s.warnings = s.snap.Warnings()
		err = s.fillBase(ctx, s.dir)
	}
	return err
}

func (s *Shadow) fillBase(ctx context.Context, home string) error {
	s.baseDir = filepath.Join(home, "base")
	if err := os.Mkdir(s.baseDir, 0o700); err != nil {
		return fmt.Errorf("make the shadow: %w", err)
	}
	if err := s.fill(ctx); err != nil {
		return fmt.Errorf("copy %q: %w", s.snap.Root(), err)
	}
	return nil
}

func (s *Shadow) listSources() {
	s.sources = nil
	for _, p := range s.snap.Sources() {
		if s.tree.nodes[p].kind == workspace.File {
			s.sources = append(s.sources, p)
		}
	}
}

func (s *Shadow) base() string {
	if s.became != "" {
		return s.became
	}
	return s.baseDir
}

func (s *Shadow) forksDir() string { return filepath.Join(s.dir, "forks") }

// Dir returns the shadow's own folder.
func (s *Shadow) Dir() string { return s.dir }

// Root returns the real path of the user's folder.
func (s *Shadow) Root() string { return s.snap.Root() }

// Sources returns the project's own files that are in the copy, sorted.
func (s *Shadow) Sources() []string { return slices.Clone(s.sources) }

// Warnings returns what the user should know about the copy.
func (s *Shadow) Warnings() []string { return slices.Clone(s.warnings) }

// Close removes the shadow with all its forks.
func (s *Shadow) Close() error {
	s.removing.Wait()
	return errors.Join(s.memory.close(), discard(s.dir, s.owner))
}

// Read returns what stands at a path of the base. It is a textedit.Reader.
// Folders on the way may be links; a link in its own place is not followed.
func (s *Shadow) Read(p string) (textedit.File, error) {
	if s.became != "" {
		return textedit.File{}, fmt.Errorf("read %q of the snapshot: %w", p, errNoBase)
	}
	at, err := s.tree.resolve(textedit.State{}, p, false)
	if err != nil {
		return textedit.File{}, nil // it leads to nothing that could be edited
	}
	n, ok := s.tree.nodes[at]
	if sh, in := s.tree.share(at); in {
		return readShared(sh, at)
	}
	if !ok {
		return textedit.File{}, nil
	}
	switch n.kind {
	case workspace.File:
		content, err := os.ReadFile(s.baseFile(at))
		return textedit.File{Kind: textedit.Regular, Content: content, Mode: n.mode.Perm()}, err
	case workspace.Symlink:
		return textedit.File{Kind: textedit.Symlink, Target: n.target}, nil
	case workspace.Folder:
		return textedit.File{Kind: textedit.Other}, nil
	case workspace.InvalidKind:
		fallthrough
	default:
		return textedit.File{}, fmt.Errorf("read %q of the snapshot: unknown kind %d", p, n.kind)
	}
}

// removeLater removes a folder of the shadow in the background; Close waits for
// that, and removes what this could not.
func (s *Shadow) removeLater(dir string) {
	s.removing.Go(func() { _ = RemoveAll(dir) })
}

func (s *Shadow) baseFile(p string) string { return filepath.Join(s.base(), filepath.FromSlash(p)) }

// readShared reads a file of a shared folder, which is not part of the copy.
func readShared(sh workspace.Share, p string) (textedit.File, error) {
	name := filepath.Join(sh.Source, filepath.FromSlash(strings.TrimPrefix(p, sh.Path)))
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return textedit.File{}, nil
	case !info.Mode().IsRegular():
		return textedit.File{Kind: textedit.Other}, nil
	}
	content, err := os.ReadFile(name)
	return textedit.File{Kind: textedit.Regular, Content: content, Mode: info.Mode().Perm()}, err
}

// Resolve returns a function that follows the links of a path in base plus
// state and returns where it really lies. Its error says why that is not one of
// the project's own files.
func (s *Shadow) Resolve(state textedit.State) func(string) (string, error) {
	return func(p string) (string, error) {
		at, err := s.tree.resolve(state, p, true)
		if err != nil {
			return "", err
		}
		if sh, in := s.tree.share(at); in {
			return "", fmt.Errorf("it lies in the shared folder %q", sh.Path)
		}
		return at, nil
	}
}

// tick returns a time for a file that is written now: a whole second, not in
// the past, and at least two seconds after every time before.
func (s *Shadow) tick() time.Time {
	now := s.cfg.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if least := s.last.Add(2 * time.Second); now.Before(least) {
		now = least
	}
	if whole := now.Truncate(time.Second); whole.Before(now) {
		now = whole.Add(time.Second)
	}
	s.last = now
	return now
}
