package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strings"
)

// Inside lists what is in a shared folder, for a copy after all: entries below
// its Path, the folder itself included, sorted, and warnings.
func (s *Snapshot) Inside(ctx context.Context, sh Share) ([]Entry, []string, error) {
	w := newWalker(sh.Source, Config{Skip: s.skip, MaxFiles: math.MaxInt / 5, MaxBytes: math.MaxInt64})
	var f found
	w.inside(ctx, &f, "")
	if w.err != nil {
		return nil, nil, fmt.Errorf("scan %q: %w", sh.Source, w.err)
	}
	info, err := os.Stat(sh.Source)
	if err != nil {
		return nil, nil, fmt.Errorf("scan %q: %w", sh.Source, err)
	}
	f.entries = append(f.entries, Entry{Kind: Folder, Mode: info.Mode(), ModTime: info.ModTime()})
	for i := range f.entries {
		f.entries[i].Path = path.Join(sh.Path, f.entries[i].Path)
		f.entries[i].Ignored = true
	}
	slices.SortFunc(f.entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return f.entries, f.warnings, nil
}

// inside takes all that is below a folder, whatever its name.
func (w *walker) inside(ctx context.Context, f *found, dir string) {
	list, err := w.list(dir, f)
	if err != nil || w.stopped(ctx) {
		return
	}
	for _, d := range list {
		p := below(dir, d.name)
		switch {
		case d.gone:
		case d.kind&fs.ModeSymlink != 0:
			target, err := os.Readlink(w.disk(p))
			if err == nil {
				e := d.entry(p, Symlink)
				e.Target = target
				f.add(e)
			}
		case d.kind.IsRegular():
			f.add(d.entry(p, File))
		case d.kind.IsDir() && d.name != "__pycache__" && !w.skip[p]:
			w.inside(ctx, f, p)
		}
	}
}
