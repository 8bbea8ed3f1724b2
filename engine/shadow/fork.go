package shadow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"autocoder/engine/textedit"
	"autocoder/engine/workspace"
)

// Fork is a copy of the base with a state laid over it, for commands to run in.
// It is used from one goroutine at a time, and not while a command runs in it,
// but for Write.
type Fork struct {
	s      *Shadow
	dir    string
	root   *os.Root // writes can't leave the fork, whatever links a run made
	files  overlay
	stamps map[string]stamp // of all entries, as we left them
	// written are the paths that Write changed since the last Set.
	written map[string]bool
}

// Fork makes a fork of base plus state. An error that wraps
// textedit.ErrNotApplicable says that the state can't stand in this tree.
func (s *Shadow) Fork(ctx context.Context, state textedit.State) (_ *Fork, err error) {
	if s.became != "" {
		return nil, errNoBase
	}
	dir, err := s.newFork()
	if err != nil {
		return nil, err
	}
	f := &Fork{s: s, dir: dir, files: overlay{}, stamps: map[string]stamp{}, written: map[string]bool{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	if f.root, err = os.OpenRoot(dir); err != nil {
		return nil, fmt.Errorf("make a fork: %w", err)
	}
	if err := f.fill(ctx); err != nil {
		return nil, fmt.Errorf("make a fork: %w", err)
	}
	next, err := s.overlay(state)
	if err != nil {
		return nil, err
	}
	if err := f.become(next, next.paths()); err != nil {
		return nil, err
	}
	return f, nil
}

// newFork makes the folder of a fork.
func (s *Shadow) newFork() (string, error) {
	s.mu.Lock()
	s.forks++
	dir := filepath.Join(s.forksDir(), fmt.Sprint(s.forks))
	s.mu.Unlock()
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a fork: %w", err)
	}
	return dir, nil
}

// fill copies the base.
func (f *Fork) fill(ctx context.Context) error {
	var mu sync.Mutex
	c := copier{
		to:   f.dir,
		lost: func(_ item, err error) error { return err },
		done: func(it item, info fs.FileInfo) {
			mu.Lock()
			defer mu.Unlock()
			f.stamps[it.path] = stampOf(info)
		},
	}
	var items []item
	for _, p := range slices.Sorted(maps.Keys(f.s.tree.nodes)) {
		items = append(items, item{path: p, from: f.s.baseFile(p), node: f.s.tree.nodes[p]})
	}
	if err := c.run(ctx, items); err != nil {
		return err
	}
	return os.Chmod(f.dir, f.s.rootMode)
}

// Dir returns the absolute path of the fork.
func (f *Fork) Dir() string { return f.dir }

// Shared returns the folders that the fork shares with the user: links in it
// lead there, or empty folders wait for them to be mounted.
func (f *Fork) Shared() []workspace.Share { return slices.Clone(f.s.tree.shares) }

// Set makes the fork base plus state again. Only what differs is touched; what
// a run, or Write, left behind is reset.
func (f *Fork) Set(ctx context.Context, state textedit.State) error {
	next, err := f.s.overlay(state)
	if err != nil {
		return err
	}
	if err := f.reopen(); err != nil {
		return fmt.Errorf("reset a fork: %w", err)
	}
	dirty, err := f.differing(ctx)
	if err != nil {
		return fmt.Errorf("reset a fork: %w", clipped(err))
	}
	for p := range f.written {
		dirty[p] = Modified
	}
	for p, file := range next {
		if old, ok := f.files[p]; !ok || !equal(old, file) {
			dirty[p] = Modified
		}
	}
	for p := range f.files {
		if _, ok := next[p]; !ok {
			dirty[p] = Modified
		}
	}
	implied := next.implied()
	for p, st := range f.stamps {
		if st.mode.IsDir() && f.s.wanted(next, implied, p) != workspace.Folder {
			dirty[p] = Modified
		}
	}
	if err := f.become(next, slices.Collect(maps.Keys(dirty))); err != nil {
		return err
	}
	f.written = map[string]bool{}
	return nil
}

// reopen gives the fork's own folder its mode, which a run may have changed.
func (f *Fork) reopen() error {
	info, err := os.Lstat(f.dir)
	if err != nil || info.Mode() == fs.ModeDir|f.s.rootMode {
		return err
	}
	return os.Chmod(f.dir, f.s.rootMode)
}

// Write changes one file of the fork until the next Set; a nil content deletes
// it. It does not count among Changes.
func (f *Fork) Write(p string, content []byte) error {
	at, err := f.s.tree.resolve(textedit.State{}, p, content != nil)
	if err != nil {
		return fmt.Errorf("write %q into a fork: %w", p, err)
	}
	file := textedit.File{Kind: textedit.Absent}
	if content != nil {
		file = textedit.File{Kind: textedit.Regular, Content: content, Mode: f.s.mode(f.files, at)}
	}
	next, err := f.s.with(f.files, at, file)
	if err != nil {
		return fmt.Errorf("write %q into a fork: %w", p, err)
	}
	if err := f.reopen(); err != nil {
		return fmt.Errorf("write %q into a fork: %w", p, err)
	}
	before := f.files
	err = f.become(next, []string{at})
	f.files = before
	f.written[at] = true
	if err != nil {
		return fmt.Errorf("write %q into a fork: %w", p, err)
	}
	return nil
}

// Close removes the fork.
func (f *Fork) Close() error {
	var err error
	if f.root != nil {
		err = f.root.Close()
	}
	if err := errors.Join(err, RemoveAll(f.dir)); err != nil {
		return fmt.Errorf("remove a fork: %w", err)
	}
	return nil
}

// ChangeKind says what happened to a file.
type ChangeKind uint8

// The kinds of change.
const (
	InvalidChange ChangeKind = iota
	Created
	Modified
	Deleted
)

// String returns the name used in reports.
func (k ChangeKind) String() string {
	switch k {
	case Created:
		return "created"
	case Modified:
		return "modified"
	case Deleted:
		return "deleted"
	case InvalidChange:
		return "invalid"
	default:
		return fmt.Sprintf("ChangeKind(%d)", uint8(k))
	}
}

// Change is one file or link that a run wrote.
type Change struct {
	Path string
	Kind ChangeKind
}

// Changes returns the files and links that differ from what Set and Write left:
// what the commands since then wrote. Folders are not listed.
func (f *Fork) Changes() ([]Change, error) {
	now, err := scan(context.Background(), f.dir)
	if err != nil {
		return nil, fmt.Errorf("list the changes of a fork: %w", clipped(err))
	}
	var list []Change
	for p, kind := range f.compare(now) {
		was, is := f.stamps[p].mode, now[p].mode
		switch {
		case kind == Modified && was.IsDir() && is.IsDir(), kind == Created && is.IsDir(), kind == Deleted && was.IsDir():
			continue
		case kind == Modified && was.IsDir():
			kind = Created // in the place of a folder
		case kind == Modified && is.IsDir():
			kind = Deleted // a folder is in its place
		}
		list = append(list, Change{Path: p, Kind: kind})
	}
	slices.SortFunc(list, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// differing returns the paths that are not as we left them.
func (f *Fork) differing(ctx context.Context) (map[string]ChangeKind, error) {
	now, err := scan(ctx, f.dir)
	if err != nil {
		return nil, err
	}
	return f.compare(now), nil
}

func (f *Fork) compare(now map[string]stamp) map[string]ChangeKind {
	diff := map[string]ChangeKind{}
	for p, st := range now {
		switch old, ok := f.stamps[p]; {
		case !ok:
			diff[p] = Created
		case old != st:
			diff[p] = Modified
		}
	}
	for p := range f.stamps {
		if _, ok := now[p]; !ok {
			diff[p] = Deleted
		}
	}
	return diff
}
