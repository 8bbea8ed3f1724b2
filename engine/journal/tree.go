package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"autocoder/engine/textedit"
	"autocoder/engine/workspace"
)

// kind is what stands at a path.
type kind string

const (
	absent kind = ""
	file   kind = "file"
	link   kind = "link"
	folder kind = "folder"
	// other is a FIFO, socket or device: seen, never put back.
	other kind = "other"
)

// unreadable stands for the hash of a file that can't be read.
const unreadable = "unreadable"

// largestDiscard is the most bytes of a file that a test run made that are kept
// when it is thrown away.
const largestDiscard = 1 << 20

// entry is what is known of a path.
type entry struct {
	Kind   kind        `json:"kind,omitempty"`
	Mode   fs.FileMode `json:"mode,omitempty"`
	Hash   string      `json:"hash,omitempty"`
	Target string      `json:"target,omitempty"`
	// Time is when a file or folder was last changed. It is put back, and not
	// compared.
	Time time.Time `json:"time,omitzero"`
}

func (e entry) same(f entry) bool {
	return e.Kind == f.Kind && e.Mode == f.Mode && e.Hash == f.Hash && e.Target == f.Target
}

// holds reports whether e is a file or link with what f has in it.
func (e entry) holds(f entry) bool {
	return e.Kind == f.Kind && e.Hash == f.Hash && e.Target == f.Target
}

// tree is the entries of a folder by slash path, with the root as ".".
type tree map[string]entry

// entryOf is what a state puts at a path.
func entryOf(f textedit.File) entry {
	switch f.Kind {
	case textedit.Absent:
		return entry{}
	case textedit.Regular:
		return entry{Kind: file, Mode: f.Mode.Perm(), Hash: hashOf(f.Content)}
	case textedit.Symlink:
		return entry{Kind: link, Target: f.Target}
	case textedit.Other:
		return entry{Kind: other}
	default:
		panic(fmt.Sprintf("journal: file kind %d", f.Kind))
	}
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// scan reads the folder, and opens what a test run closed in it. Each regular
// file is read by read, which returns its hash; nil only hashes.
func (j *Journal) scan(ctx context.Context, read func(p string, f *os.File) (string, error)) (tree, error) {
	if read == nil {
		read = func(_ string, f *os.File) (string, error) { return copyHashed(io.Discard, f) }
	}
	root, err := j.look(".", read)
	t := tree{".": root}
	return t, errors.Join(err, j.scanFolder(ctx, t, ".", read))
}

func (j *Journal) scanFolder(ctx context.Context, t tree, dir string, read func(string, *os.File) (string, error)) error {
	f, err := j.openFolder(t, dir)
	if err != nil {
		return err
	}
	names, err := f.Readdirnames(-1)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := path.Join(dir, name)
		if !j.watches(p) {
			continue
		}
		e, err := j.look(p, read)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it went while we looked
		}
		if err != nil {
			return fmt.Errorf("read %q: %w", p, err)
		}
		t[p] = e
		if e.Kind == folder {
			if err := j.scanFolder(ctx, t, p, read); err != nil {
				return err
			}
		}
	}
	return nil
}

// watches reports whether a path in a folder that is watched is so too.
func (j *Journal) watches(p string) bool {
	if slices.Contains(j.cfg.Skip, p) {
		return false
	}
	beside := func(only string) bool { return path.Dir(only) == path.Dir(p) }
	return slices.Contains(j.cfg.Only, p) || !slices.ContainsFunc(j.cfg.Only, beside)
}

// openFolder opens a folder to be listed. One that a test run closed is opened
// again; one that the user closed can't be watched.
func (j *Journal) openFolder(t tree, dir string) (*os.File, error) {
	local := filepath.FromSlash(dir)
	f, err := j.root.Open(local)
	if !errors.Is(err, fs.ErrPermission) || j.base == nil {
		return f, err
	}
	if err := j.root.Chmod(local, 0o700); err != nil {
		return nil, err
	}
	t[dir] = entry{Kind: folder, Mode: 0o700}
	return j.root.Open(local)
}

// look reads one entry.
func (j *Journal) look(p string, read func(string, *os.File) (string, error)) (entry, error) {
	local := filepath.FromSlash(p)
	info, err := j.root.Lstat(local)
	if err != nil {
		return entry{}, err
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return entry{Kind: folder, Mode: bits(mode), Time: info.ModTime()}, nil
	case mode&fs.ModeSymlink != 0:
		target, err := j.root.Readlink(local)
		return entry{Kind: link, Target: target}, err
	case !mode.IsRegular():
		return entry{Kind: other}, nil
	default:
		// Not blocking, in case a FIFO took the file's place.
		f, err := j.root.OpenFile(local, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if errors.Is(err, fs.ErrPermission) && j.cut && j.base[p].Hash != unreadable {
			// A test run closed it.
			mode |= 0o400
			err = j.root.Chmod(local, bits(mode))
			if err == nil {
				f, err = j.root.OpenFile(local, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			}
		}
		if errors.Is(err, fs.ErrPermission) {
			return entry{Kind: file, Mode: bits(mode), Hash: unreadable, Time: info.ModTime()}, nil
		}
		if err != nil {
			return entry{}, err
		}
		defer f.Close()
		hash, err := read(p, f)
		return entry{Kind: file, Mode: bits(mode), Hash: hash, Time: info.ModTime()}, err
	}
}

// bits is the part of a mode that is put back: a program that a test run gave
// somebody's rights must not keep them.
func bits(mode fs.FileMode) fs.FileMode {
	return mode & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
}

func copyHashed(w io.Writer, r io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(io.MultiWriter(w, h), r)
	return hex.EncodeToString(h.Sum(nil)), err
}

// keep copies a file into the journal, under its hash.
func (j *Journal) keep(_ string, f *os.File) (hash string, err error) {
	part, err := os.CreateTemp(filepath.Join(j.dir, filesDir), "part")
	if err != nil {
		return "", err
	}
	hash, err = copyHashed(part, f)
	if err := errors.Join(err, part.Close()); err != nil {
		return "", err
	}
	return hash, os.Rename(part.Name(), j.kept(hash))
}

// kept is where the content with a hash lies in the journal.
func (j *Journal) kept(hash string) string { return filepath.Join(j.dir, filesDir, hash) }

// putBackTimes gives folders the time of the start, where what is in them is
// what was in them at the start.
func (j *Journal) putBackTimes(now tree, state textedit.State, left []Left) error {
	kept := map[string]bool{}
	for _, l := range left {
		kept[path.Dir(l.Path)] = true
	}
	for _, p := range state.Paths() {
		kept[path.Dir(p)] = true
	}
	for p, was := range j.base {
		if was.Kind != folder || kept[p] || now[p].Kind != folder {
			continue
		}
		if err := j.root.Chtimes(filepath.FromSlash(p), was.Time, was.Time); err != nil {
			return fmt.Errorf("put back the time of %q: %w", p, err)
		}
	}
	return nil
}

// open lets what is in a folder be changed.
func (j *Journal) open(c change) error {
	if c.have.Kind != folder || c.have.Mode&0o700 == 0o700 {
		return nil
	}
	return j.root.Chmod(filepath.FromSlash(c.path), 0o700)
}

// remove takes away what must not stand at a path, a folder only when it is
// empty: what is left in one is somebody's.
func (j *Journal) remove(c change) error {
	local := filepath.FromSlash(c.path)
	if c.have.Kind == absent || c.have.Kind == c.want.Kind {
		return nil
	}
	err := j.root.Remove(local)
	if c.have.Kind == folder && errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// write makes a path what it should be, once nothing else is in its place.
func (j *Journal) write(c change) error {
	local := filepath.FromSlash(c.path)
	switch c.want.Kind {
	case absent, other:
		return nil
	case folder:
		if c.have.Kind != folder {
			if err := j.root.MkdirAll(local, 0o755); err != nil {
				return err
			}
		}
		return j.root.Chmod(local, c.want.Mode)
	case link:
		if c.have.Kind == link {
			if err := j.root.Remove(local); err != nil {
				return err
			}
		}
		return j.root.Symlink(c.want.Target, local)
	case file:
		return j.replace(local, c)
	default:
		panic(fmt.Sprintf("journal: kind %q", c.want.Kind))
	}
}

// replace puts a whole file in its place in one step.
func (j *Journal) replace(local string, c change) error {
	part := local + partSuffix
	// Whatever stands there is not written through: it may be a link.
	if err := j.root.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := j.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = j.fill(f, c)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, j.root.Remove(part))
	}
	workspace.KeepOwner(j.root, local, part)
	if err := j.root.Chmod(part, c.want.Mode); err != nil {
		return err
	}
	if at := c.want.Time; !at.IsZero() {
		if err := j.root.Chtimes(part, at, at); err != nil {
			return err
		}
	}
	return j.root.Rename(part, local)
}

func (j *Journal) fill(f *os.File, c change) error {
	if c.content != nil {
		_, err := f.Write(c.content)
		return err
	}
	if c.want.Hash == hashOf(nil) {
		return nil
	}
	from, err := os.Open(j.kept(c.want.Hash))
	if err != nil {
		return err
	}
	defer from.Close()
	_, err = io.Copy(f, from)
	return err
}

// saveOriginal copies what stood at a path at the start beside the report.
func (j *Journal) saveOriginal(p string) (string, error) {
	e := j.base[p]
	if e.Kind != file || e.Hash == unreadable {
		return "", nil
	}
	from, err := os.Open(j.kept(e.Hash))
	if err != nil {
		return "", fmt.Errorf("save the original of %q: %w", p, err)
	}
	defer from.Close()
	return j.save("originals", p, from)
}

// saveCurrent copies what stands at a path beside the report, of a link where it
// leads. What is large is copied only when whole says so.
func (j *Journal) saveCurrent(where string, c change, whole bool) (string, error) {
	if c.have.Kind == link {
		return j.save(where, c.path, strings.NewReader(c.have.Target))
	}
	f, err := j.root.OpenFile(filepath.FromSlash(c.path), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", fmt.Errorf("save %q: %w", c.path, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !whole && info.Size() > largestDiscard {
		return "", err
	}
	return j.save(where, c.path, f)
}

func (j *Journal) save(where, p string, from io.Reader) (string, error) {
	to := filepath.Join(j.cfg.Saved, where, filepath.FromSlash(p))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return "", fmt.Errorf("save %q: %w", p, err)
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return "", fmt.Errorf("save %q: %w", p, err)
	}
	_, err = io.Copy(f, from)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("save %q: %w", p, err)
	}
	return to, nil
}

// ours reports whether a path is one of the journal's own unfinished files.
func ours(p string) bool { return strings.HasSuffix(p, partSuffix) }
