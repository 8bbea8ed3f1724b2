package workspace

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Default limits of what is copied.
const (
	DefaultMaxBytes = 2 << 30
	DefaultMaxFiles = 200_000
)

// Config says what to scan.
type Config struct {
	// Root is the folder as the user gave it.
	Root string
	// Buffers are unsaved editor buffers by slash path. They win over the disk and
	// may name files that don't exist yet.
	Buffers map[string][]byte
	// Include are doublestar patterns of secrets that are copied after all.
	Include []string
	// Share are doublestar patterns of folders to share instead of copying.
	Share []string
	// MaxBytes and MaxFiles bound what is copied; 0 means the defaults.
	MaxBytes int64
	MaxFiles int
	// Home is the user's home folder, which is refused as the root.
	Home string
	// Skip are absolute folders that are no part of the project wherever they lie,
	// such as our own.
	Skip []string
}

// Kind says what an Entry is.
type Kind uint8

// The kinds of entry. FIFOs, sockets and devices are never entries.
const (
	InvalidKind Kind = iota
	File
	Folder
	Symlink
)

// Entry is one thing to be copied.
type Entry struct {
	// Path is relative to the root, with slashes.
	Path    string
	Kind    Kind
	Size    int64
	Mode    fs.FileMode
	ModTime time.Time
	// Target is what a symlink holds, as written.
	Target string
	// Ignored means that .gitignore says so, or that it belongs to a repository's
	// own data: it is there for the tests, and is no source.
	Ignored bool
	// Identity is of a file.
	Identity Identity
}

// Identity tells a file from what stood there before, where the system says so: a
// process can set a file's times back, but not when it was changed. Elsewhere it is
// zero.
type Identity struct {
	Changed       int64 // in nanoseconds
	Device, Inode uint64
}

// Share is a folder that is not copied.
type Share struct {
	// Path is where it stands in the workspace.
	Path string
	// Source is the absolute folder on disk; it lies elsewhere when Path is a
	// symlink.
	Source string
}

// Snapshot is the plan of a copy of the user's folder. It does not change.
type Snapshot struct {
	root     string
	given    string
	entries  []Entry
	shares   []Share
	leftOut  []string
	warnings []string
	buffers  map[string][]byte
	skip     []string
}

// Root returns the real absolute path of the folder.
func (s *Snapshot) Root() string { return s.root }

// Roots returns every spelling of the root that links in it may use: the real
// path and the one that the user gave.
func (s *Snapshot) Roots() []string { return []string{s.root, s.given} }

// Entries returns what is to be copied, sorted by path, folders included.
func (s *Snapshot) Entries() []Entry { return slices.Clone(s.entries) }

// Shared returns the paths of the folders that are shared, sorted.
func (s *Snapshot) Shared() []string {
	var paths []string
	for _, sh := range s.shares {
		paths = append(paths, sh.Path)
	}
	return paths
}

// Shares returns the folders that are shared, sorted by path.
func (s *Snapshot) Shares() []Share { return slices.Clone(s.shares) }

// LeftOut returns the secrets that are not copied, sorted.
func (s *Snapshot) LeftOut() []string { return slices.Clone(s.leftOut) }

// Warnings returns what the user should know about the copy.
func (s *Snapshot) Warnings() []string { return slices.Clone(s.warnings) }

// Buffers returns the unsaved buffers that belong to the copy.
func (s *Snapshot) Buffers() map[string][]byte { return maps.Clone(s.buffers) }

// Sources returns the project's own files, sorted: regular files that are not
// ignored, and buffers that were never saved.
func (s *Snapshot) Sources() []string {
	var paths []string
	known := map[string]bool{}
	for _, e := range s.entries {
		known[e.Path] = true
		if e.Kind == File && !e.Ignored && utf8.ValidString(e.Path) {
			paths = append(paths, e.Path)
		}
	}
	for p := range s.buffers {
		if !known[p] {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}

// Scan walks the folder and plans its copy. It opens no file but .gitignore
// files and a repository's own exclude file. A *RootError says that the folder
// can't be worked on, a *TooLargeError that there is too much to copy.
func Scan(ctx context.Context, cfg Config) (*Snapshot, error) {
	root, given, err := resolveRoot(cfg.Root, cfg.Home)
	if err != nil {
		return nil, err
	}
	if err := validPatterns(slices.Concat(cfg.Include, cfg.Share)); err != nil {
		return nil, err
	}
	w := newWalker(root, cfg)
	w.folder(ctx, "", outerIgnores(root))
	w.wait.Wait()
	if w.err != nil {
		return nil, fmt.Errorf("scan %q: %w", root, w.err)
	}
	if err := w.checkSize(); err != nil {
		return nil, err
	}
	s := &Snapshot{
		root: root, given: given, entries: w.entries, shares: w.shares,
		leftOut: w.leftOut, warnings: w.warnings, buffers: map[string][]byte{}, skip: cfg.Skip,
	}
	slices.SortFunc(s.entries, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(s.shares, func(a, b Share) int { return cmp.Compare(a.Path, b.Path) })
	s.takeBuffers(cfg, w)
	slices.Sort(s.leftOut)
	slices.Sort(s.warnings)
	return s, nil
}

// takeBuffers keeps the buffers that can belong to the copy.
func (s *Snapshot) takeBuffers(cfg Config, w *walker) {
	for p, content := range cfg.Buffers {
		switch {
		case !fs.ValidPath(p) || p == ".":
			s.warnings = append(s.warnings, fmt.Sprintf("the unsaved buffer %q is outside the folder and is not seen", p))
		case secret(p, false) && !w.included(p):
			if !slices.Contains(s.leftOut, p) {
				s.leftOut = append(s.leftOut, p)
			}
		case s.sharedAt(p) != "":
			s.warnings = append(s.warnings, fmt.Sprintf("the unsaved buffer %q lies in the shared folder %q and is not seen", p, s.sharedAt(p)))
		default:
			s.buffers[p] = slices.Clone(content)
		}
	}
}

// sharedAt returns the shared folder that p lies in, or "".
func (s *Snapshot) sharedAt(p string) string {
	for _, sh := range s.shares {
		if p == sh.Path || strings.HasPrefix(p, sh.Path+"/") {
			return sh.Path
		}
	}
	return ""
}
