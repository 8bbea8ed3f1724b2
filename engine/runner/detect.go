package runner

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// DetectOptions narrow what Detect returns.
type DetectOptions struct {
	// Runner keeps the units of one runner only; empty keeps all.
	Runner string
	// Exclude are doublestar patterns of unit folders to leave out.
	Exclude []string
}

// Detect returns the units of a tree that the adapters recognise, sorted by
// folder and runner, each with a name of its own. The only unit of a project
// has the empty name, so that its ids are the runner's own.
func Detect(tree fs.FS, adapters []Adapter, opt DetectOptions) ([]Unit, error) {
	var units []Unit
	for _, a := range adapters {
		if opt.Runner != "" && opt.Runner != a.Name {
			continue
		}
		found, err := a.Detect(tree)
		if err != nil {
			return nil, fmt.Errorf("detect units of %s: %w", a.Name, err)
		}
		for _, u := range found {
			u.Root = path.Clean(cmp.Or(u.Root, "."))
			u.Runner = cmp.Or(u.Runner, a.Name)
			units = append(units, u)
		}
	}
	slices.SortFunc(units, func(a, b Unit) int {
		return cmp.Or(strings.Compare(a.Root, b.Root), strings.Compare(a.Runner, b.Runner))
	})
	units = slices.CompactFunc(units, func(a, b Unit) bool { return a.Root == b.Root && a.Runner == b.Runner })
	nest(units)
	units, err := exclude(units, opt.Exclude)
	if err != nil {
		return nil, err
	}
	name(units)
	return units, nil
}

// nest notes in each unit which of its sub-folders are units of the same runner.
func nest(units []Unit) {
	for i := range units {
		for _, u := range units {
			if u.Runner == units[i].Runner && u.Root != units[i].Root && Within(units[i].Root, u.Root) {
				units[i].Nested = append(units[i].Nested, u.Root)
			}
		}
	}
}

func exclude(units []Unit, patterns []string) ([]Unit, error) {
	for _, p := range patterns {
		if !doublestar.ValidatePattern(p) {
			return nil, fmt.Errorf("exclude units: bad pattern %q", p)
		}
	}
	return slices.DeleteFunc(units, func(u Unit) bool {
		return slices.ContainsFunc(patterns, func(p string) bool {
			ok, _ := doublestar.Match(p, u.Root)
			return ok
		})
	}), nil
}

func name(units []Unit) {
	folders := map[string]int{}
	for _, u := range units {
		folders[u.Root]++
	}
	for i, u := range units {
		switch {
		case len(units) == 1:
			units[i].Name = ""
		case folders[u.Root] > 1:
			units[i].Name = fmt.Sprintf("%s [%s]", u.Root, u.Runner)
		default:
			units[i].Name = u.Root
		}
	}
}

// Within reports whether file is folder itself or lies below it; both are
// relative to the workspace with slashes, and "." is the workspace.
func Within(folder, file string) bool {
	return folder == "." || file == folder || strings.HasPrefix(file, folder+"/")
}

// Walk calls visit for every folder of the tree that can hold a project's own
// tests, parents first, with its entries sorted by name. Folders of
// dependencies, of fixtures and of tools are not entered: node_modules, vendor,
// testdata, virtual environments, and names that begin with a dot. What can't
// be read is left out: a tree may change while it is looked at.
func Walk(tree fs.FS, visit func(dir string, entries []fs.DirEntry) error) error {
	return walk(tree, ".", visit)
}

func walk(tree fs.FS, dir string, visit func(string, []fs.DirEntry) error) error {
	entries, err := fs.ReadDir(tree, dir)
	if err != nil {
		if dir == "." && !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("read the workspace's folder: %w", err)
		}
		return nil
	}
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	if dir != "." && (has("pyvenv.cfg") || has("conda-meta")) {
		return nil
	}
	if err := visit(dir, entries); err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || skipped(e.Name()) {
			continue
		}
		if err := walk(tree, path.Join(dir, e.Name()), visit); err != nil {
			return err
		}
	}
	return nil
}

func skipped(folder string) bool {
	switch folder {
	case "node_modules", "vendor", "testdata", "__pycache__", "site-packages", "bower_components":
		return true
	default:
		return strings.HasPrefix(folder, ".")
	}
}
