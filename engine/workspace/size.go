package workspace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// TooLargeError says that there is more to copy than the limits allow.
type TooLargeError struct {
	Root     string
	Files    int
	Bytes    int64
	MaxFiles int
	MaxBytes int64
	// Largest are the folders that hold the most, by bytes and by files.
	Largest []FolderSize
}

// FolderSize is what is to be copied of a folder and all below it.
type FolderSize struct {
	Path  string
	Files int
	Bytes int64
}

// Error names the numbers, the largest folders and the setting that shares them.
func (e *TooLargeError) Error() string {
	var names []string
	for _, f := range e.Largest {
		names = append(names, fmt.Sprintf("%s (%s, %d files)", f.Path, size(f.Bytes), f.Files))
	}
	text := fmt.Sprintf("%q is too large to copy: %d files, %s (the limits are %d files and %s)",
		e.Root, e.Files, size(e.Bytes), e.MaxFiles, size(e.MaxBytes))
	if len(names) == 0 {
		return text + ": work in a smaller folder"
	}
	return fmt.Sprintf("%s; the largest folders are %s: share them with the setting share = [%q], or work in a smaller folder",
		text, strings.Join(names, ", "), e.Largest[0].Path)
}

func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.0f MB", float64(n)/(1<<20))
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}

// largest returns the few folders that matter most, none inside another. A
// folder whose content is nearly all in one of its own folders is passed over
// in favour of that one: "packages/app/data", not "packages".
func largest(entries []Entry, e *TooLargeError) []FolderSize {
	sizes := map[string]*FolderSize{}
	for _, e := range entries {
		if e.Kind != File {
			continue
		}
		for i, c := range e.Path {
			if c != '/' {
				continue
			}
			f := sizes[e.Path[:i]]
			if f == nil {
				f = &FolderSize{Path: e.Path[:i]}
				sizes[e.Path[:i]] = f
			}
			f.Files++
			f.Bytes += e.Size
		}
	}
	share := func(f FolderSize) float64 { // of the limit that is passed
		var most float64
		if e.Bytes > e.MaxBytes {
			most = float64(f.Bytes) / float64(e.MaxBytes)
		}
		if e.Files > e.MaxFiles {
			most = max(most, float64(f.Files)/float64(e.MaxFiles))
		}
		return most
	}
	var all []FolderSize
	for _, f := range sizes {
		all = append(all, *f)
	}
	slices.SortFunc(all, func(a, b FolderSize) int {
		return cmp.Or(cmp.Compare(share(b), share(a)), cmp.Compare(len(b.Path), len(a.Path)), cmp.Compare(a.Path, b.Path))
	})
	all = all[:min(len(all), 200)]
	var top []FolderSize
	for _, f := range all {
		inside := func(g FolderSize) bool {
			return strings.HasPrefix(g.Path, f.Path+"/") || strings.HasPrefix(f.Path, g.Path+"/")
		}
		nested := slices.ContainsFunc(all, func(g FolderSize) bool {
			return strings.HasPrefix(g.Path, f.Path+"/") && share(g) > 0.8*share(f)
		})
		if share(f) == 0 {
			break
		}
		if !nested && !slices.ContainsFunc(top, inside) {
			top = append(top, f)
		}
		if len(top) == 3 {
			break
		}
	}
	return top
}
