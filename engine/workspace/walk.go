package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Ignored folders up to these sizes are copied, so that tests can write to
// them; larger ones are shared. A repository's own data goes by its own limit.
const (
	smallFolderBytes = 16 << 20
	smallFolderFiles = 1000
	smallGitBytes    = 50 << 20
	smallGitFiles    = 20_000
)

// walker is one scan. Folders are walked in parallel; each hands in what it
// found under the mutex.
type walker struct {
	root string
	cfg  Config
	skip map[string]bool // slash paths that are passed over
	slot chan struct{}   // one for each goroutine beyond the first
	wait sync.WaitGroup

	mu       sync.Mutex // guards all below
	entries  []Entry
	shares   []Share
	leftOut  []string
	warnings []string
	files    int
	bytes    int64
	err      error
}

func newWalker(root string, cfg Config) *walker {
	if cfg.MaxBytes == 0 {
		cfg.MaxBytes = DefaultMaxBytes
	}
	if cfg.MaxFiles == 0 {
		cfg.MaxFiles = DefaultMaxFiles
	}
	w := &walker{root: root, cfg: cfg, skip: map[string]bool{}, slot: make(chan struct{}, 2*runtime.GOMAXPROCS(0))}
	for _, dir := range cfg.Skip {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			continue // it is not there
		}
		if p, inside := relative(root, real); inside {
			w.skip[p] = true
		}
	}
	return w
}

// found is what one folder, or a small ignored tree, contributes.
type found struct {
	entries  []Entry
	shares   []Share
	leftOut  []string
	warnings []string
	files    int
	bytes    int64
}

func (f *found) add(e Entry) {
	f.entries = append(f.entries, e)
	if e.Kind == File {
		f.files++
		f.bytes += e.Size
	}
}

func (f *found) warn(format string, args ...any) {
	f.warnings = append(f.warnings, fmt.Sprintf(format, args...))
}

func (f *found) merge(g found) {
	f.entries = append(f.entries, g.entries...)
	f.shares = append(f.shares, g.shares...)
	f.leftOut = append(f.leftOut, g.leftOut...)
	f.warnings = append(f.warnings, g.warnings...)
	f.files += g.files
	f.bytes += g.bytes
}

func (w *walker) hand(f found) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entries = append(w.entries, f.entries...)
	w.shares = append(w.shares, f.shares...)
	w.leftOut = append(w.leftOut, f.leftOut...)
	w.warnings = append(w.warnings, f.warnings...)
	w.files += f.files
	w.bytes += f.bytes
}

// stopped reports whether the walk should end early: it was cancelled, or there
// is so much that the refusal is certain and its numbers say enough.
func (w *walker) stopped(ctx context.Context) bool {
	err := ctx.Err()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && w.err == nil {
		w.err = err
	}
	return w.err != nil || w.files > 5*w.cfg.MaxFiles
}

func (w *walker) checkSize() error {
	if w.files <= w.cfg.MaxFiles && w.bytes <= w.cfg.MaxBytes {
		return nil
	}
	e := &TooLargeError{Root: w.root, Files: w.files, Bytes: w.bytes, MaxFiles: w.cfg.MaxFiles, MaxBytes: w.cfg.MaxBytes}
	e.Largest = largest(w.entries, e)
	return e
}

func (w *walker) disk(p string) string {
	if p == "" {
		return w.root
	}
	return w.root + string(filepath.Separator) + filepath.FromSlash(p)
}

// folder walks one folder that is copied; rules are those of the folders above.
func (w *walker) folder(ctx context.Context, dir string, rules *ignores) {
	if w.stopped(ctx) {
		return
	}
	var f found
	list, err := w.list(dir, &f)
	if err != nil {
		w.hand(f)
		return
	}
	rules = w.rules(dir, list, rules)
	for _, d := range list {
		p := below(dir, d.name)
		if sub := w.entry(ctx, &f, p, d, rules); sub {
			w.descend(ctx, p, rules)
		}
	}
	w.hand(f)
}

// descend walks a folder, beside this one when there is a slot for it.
func (w *walker) descend(ctx context.Context, p string, rules *ignores) {
	select {
	case w.slot <- struct{}{}:
		w.wait.Go(func() {
			defer func() { <-w.slot }()
			w.folder(ctx, p, rules)
		})
	default:
		w.folder(ctx, p, rules)
	}
}

// listed is an entry of a folder, with what is known of it unless it is gone since.
type listed struct {
	name string
	kind fs.FileMode
	look look
	gone bool
}

// look is what a file system says of an entry.
type look struct {
	size  int64
	mode  fs.FileMode
	mtime time.Time
	id    Identity
}

func (d listed) entry(p string, kind Kind) Entry {
	return Entry{Path: p, Kind: kind, Size: d.look.size, Mode: d.look.mode, ModTime: d.look.mtime, Identity: d.look.id}
}

// below is path.Join for a folder and a name in it.
func below(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// list reads a folder, and adds the entry of the folder itself.
func (w *walker) list(dir string, f *found) ([]listed, error) {
	list, info, err := readEntries(w.disk(dir))
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			f.warn("the folder %q can't be read and is left out: %v", dir, plain(err))
		}
		return nil, err
	}
	if dir != "" {
		f.add(Entry{Path: dir, Kind: Folder, Mode: info.Mode(), ModTime: info.ModTime()})
	}
	return list, nil
}

// readEntries returns what is in a folder, in no order, and what it is itself.
func readEntries(name string) ([]listed, fs.FileInfo, error) {
	folder, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer folder.Close()
	entries, err := folder.ReadDir(-1)
	if err != nil {
		return nil, nil, err
	}
	info, err := folder.Stat()
	if err != nil {
		return nil, nil, err
	}
	list := make([]listed, len(entries))
	for i, d := range entries {
		list[i] = listed{name: d.Name(), kind: d.Type()}
		if d.Type().IsRegular() || d.Type()&fs.ModeSymlink != 0 {
			var err error
			list[i].look, err = lookAt(folder, d)
			list[i].gone = err != nil
		}
	}
	return list, info, nil
}

// plain drops the path that an error of package os repeats.
func plain(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// rules returns the ignore rules in force in a folder. A nested repository
// begins anew, as it does for git.
func (w *walker) rules(dir string, list []listed, above *ignores) *ignores {
	has := func(name string) bool {
		return slices.ContainsFunc(list, func(d listed) bool { return d.name == name })
	}
	rules := above
	if has(".git") && dir != "" {
		rules = nil
	}
	if has(".git") {
		rules = rules.with(dir, readIgnores(w.disk(path.Join(dir, ".git/info/exclude"))))
	}
	if has(".gitignore") {
		rules = rules.with(dir, readIgnores(w.disk(path.Join(dir, ".gitignore"))))
	}
	return rules
}

// entry takes one entry of a copied folder into f and reports whether it is a
// folder that the walk must go into.
func (w *walker) entry(ctx context.Context, f *found, p string, d listed, rules *ignores) bool {
	switch {
	case d.kind&fs.ModeSymlink != 0:
		w.symlink(f, p, d, rules.ignored(p, false))
		return false
	case !d.kind.IsDir():
		w.file(f, p, d, rules.ignored(p, false) || d.name == ".git") // a submodule's points elsewhere
		return false
	case w.skip[p]:
		return false
	case d.name == "__pycache__":
		return false // stale byte code hides edits: it is made anew
	case w.shared(p) || dependency(w.root, p):
		f.shares = append(f.shares, Share{Path: p, Source: w.disk(p)})
		return false
	case d.name == ".git":
		w.small(ctx, f, p, smallGitFiles, smallGitBytes)
		return false
	case rules.ignored(p, true) && secretFolder(p) && !w.included(p):
		f.leftOut = append(f.leftOut, p+"/")
		return false
	case rules.ignored(p, true):
		w.small(ctx, f, p, smallFolderFiles, smallFolderBytes)
		return false
	default:
		return true
	}
}

func (w *walker) file(f *found, p string, d listed, ignored bool) {
	if !d.kind.IsRegular() {
		if !inGit(p) { // git keeps a socket there when it watches files
			f.warn("%q is a %s and is left out", p, special(d.kind))
		}
		return
	}
	if secret(p, ignored) && !w.included(p) {
		f.leftOut = append(f.leftOut, p)
		return
	}
	if d.gone || !d.look.mode.IsRegular() {
		return // it went away meanwhile: it is not part of the snapshot
	}
	e := d.entry(p, File)
	e.Ignored = ignored
	f.add(e)
}

func special(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "FIFO"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	default:
		return "special file"
	}
}

// symlink takes a link: as a share when it is a dependency folder that is kept
// elsewhere, else as a link.
func (w *walker) symlink(f *found, p string, d listed, ignored bool) {
	if d.gone {
		return
	}
	target, err := os.Readlink(w.disk(p))
	if err != nil {
		f.warn("the link %q can't be read and is left out: %v", p, plain(err))
		return
	}
	if real, err := filepath.EvalSymlinks(w.disk(p)); err == nil {
		_, inside := relative(w.root, real)
		stat, err := os.Stat(real)
		if !inside && err == nil && stat.IsDir() && dependency(w.root, p) {
			f.shares = append(f.shares, Share{Path: p, Source: real})
			return
		}
		if !inside {
			f.warn("the link %q leads out of the folder, to %q", p, real)
		}
	}
	e := d.entry(p, Symlink)
	e.Target, e.Ignored = target, ignored
	f.add(e)
}

// small takes a whole folder into f, as ignored, or shares it when it is larger
// than the limits.
func (w *walker) small(ctx context.Context, f *found, dir string, maxFiles int, maxBytes int64) {
	var g found
	if w.tree(ctx, &g, dir, maxFiles, maxBytes) {
		for i := range g.entries {
			g.entries[i].Ignored = true
		}
		f.merge(g)
		return
	}
	f.shares = append(f.shares, Share{Path: dir, Source: w.disk(dir)})
	if len(g.leftOut) > 0 {
		f.warn("the shared folder %q holds files that look like secrets, which the tests can read: %q", dir, g.leftOut)
	}
}

// tree takes a folder and all below it; it stops and reports false at a limit.
func (w *walker) tree(ctx context.Context, f *found, dir string, maxFiles int, maxBytes int64) bool {
	list, err := w.list(dir, f)
	if err != nil {
		return true
	}
	for _, d := range list {
		p := below(dir, d.name)
		switch {
		case d.kind&fs.ModeSymlink != 0:
			w.symlink(f, p, d, true)
		case !d.kind.IsDir():
			w.file(f, p, d, true)
		case d.name == "__pycache__", w.skip[p]:
		case dependency(w.root, p):
			f.shares = append(f.shares, Share{Path: p, Source: w.disk(p)})
		default:
			if !w.tree(ctx, f, p, maxFiles, maxBytes) {
				return false
			}
		}
		if f.files > maxFiles || f.bytes > maxBytes || w.stopped(ctx) {
			return false
		}
	}
	return true
}
