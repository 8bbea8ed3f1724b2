package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/sandbox"
	"autocoder/engine/shadow"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// readable are the places outside the folder that tests may read: those that the
// user named, the environments that are active or set, what the units were found
// to need, the repository that the folder is part of, and the projects that it
// depends on by path.
func (x *world) readable() []string {
	var paths []string
	for _, p := range x.w.settings.Read {
		if rest, ok := strings.CutPrefix(p, "~/"); ok {
			p = filepath.Join(x.w.options.Home, rest)
		}
		if !filepath.IsAbs(p) {
			p = filepath.Join(x.w.root, p)
		}
		paths = append(paths, p)
	}
	for _, program := range x.w.settings.Interpreter {
		paths = append(paths, program, filepath.Dir(filepath.Dir(program)))
	}
	for _, u := range x.units {
		paths = append(paths, u.Reads...)
	}
	paths = append(paths, repositories(x.w.root)...)
	paths = append(paths, x.neighbours()...)
	home := x.w.options.Home
	return slices.DeleteFunc(paths, func(path string) bool {
		return !filepath.IsAbs(path) || path == "/" || inside(path, x.w.root) || (home != "" && inside(home, path))
	})
}

// inside reports whether a path is a folder or lies in it.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// repositories returns the repository that a folder lies in, and where it keeps
// its data when that is elsewhere.
func repositories(root string) []string {
	var paths []string
	for dir := root; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		git := filepath.Join(dir, ".git")
		info, err := os.Lstat(git)
		if err != nil {
			continue
		}
		if info.IsDir() {
			return append(paths, dir)
		}
		b, err := os.ReadFile(git)
		data, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
		if err != nil || !ok || len(b) > 4096 {
			return paths
		}
		if !filepath.IsAbs(data) {
			data = filepath.Join(dir, data)
		}
		// Only what looks like the data of a repository: a project must not be able
		// to name any folder.
		common := filepath.Dir(filepath.Dir(data))
		if filepath.Base(common) == ".git" {
			if _, err := os.Stat(filepath.Join(common, "HEAD")); err == nil {
				paths = append(paths, common)
			}
		}
		return append(paths, dir)
	}
	return paths
}

var (
	goReplace = regexp.MustCompile(`(?m)=>\s*(\.\.?/\S+|/\S+)\s*$`)
	goUse     = regexp.MustCompile(`(?m)^\s*(?:use\s+)?(\.\./\S+)\s*$`)
)

// neighbours are the projects outside the folder that it depends on by path: Go
// modules that go.mod puts in the place of others, and packages that links in
// node_modules lead to. Each must look like such a project.
func (x *world) neighbours() []string {
	var found []string
	add := func(dir, sign string) {
		if real, err := filepath.EvalSymlinks(dir); err == nil && !inside(real, x.w.root) && !inside(x.w.root, real) {
			if info, err := os.Stat(filepath.Join(real, sign)); err == nil && info.Mode().IsRegular() {
				found = append(found, dir, real)
			}
		}
	}
	for _, p := range x.shadow.Sources() {
		form := map[string]*regexp.Regexp{"go.mod": goReplace, "go.work": goUse}[filepath.Base(p)]
		if form == nil {
			continue
		}
		file, err := x.shadow.Read(p)
		if err != nil {
			continue
		}
		for _, m := range form.FindAllSubmatch(file.Content, -1) {
			dir := string(m[1])
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(x.w.root, filepath.Dir(filepath.FromSlash(p)), dir)
			}
			add(dir, "go.mod")
		}
	}
	for _, sh := range x.snapshot.Shares() {
		if filepath.Base(sh.Source) != "node_modules" {
			continue
		}
		links, _ := filepath.Glob(filepath.Join(sh.Source, "*"))        // the pattern is well formed
		scoped, _ := filepath.Glob(filepath.Join(sh.Source, "@*", "*")) // as is this
		for _, link := range append(links, scoped...) {
			if info, err := os.Lstat(link); err == nil && info.Mode()&os.ModeSymlink != 0 {
				add(link, "package.json")
			}
		}
	}
	return found
}

// confine closes the bench of the suite to what was needed to look for tools,
// which may be anywhere.
func (x *world) confine(ctx context.Context) error {
	x.wide = false
	if x.tier == sandbox.Supervised {
		return nil
	}
	b := x.suite
	if err := errors.Join(b.cell.Close(), shadow.RemoveAll(b.scratch)); err != nil {
		return err
	}
	layered, ok := b.fork.(*shadow.Layered)
	if ok {
		if err := layered.Set(ctx, textedit.State{}); err != nil {
			return fmt.Errorf("make a copy to work on: %w", err)
		}
		defer layered.Drop()
	}
	fresh, err := x.benchOn(ctx, b.fork)
	if err != nil {
		x.suite = nil // all of it is closed
		return err
	}
	b.cell, b.scratch = fresh.cell, fresh.scratch
	return nil
}

// absentPath finds, in what a test failed with, an absolute path that could not
// be found or opened.
var absentPath = regexp.MustCompile(`(?i)(?:no such file or directory|permission denied)(?:: '|: "|, \w+ '|: )(/[^'"\n]+)|(?:open|stat|lstat|readlink|chdir|scandir) (/[^\s'":]+): (?:no such file or directory|permission denied)|\b(/[^\s'":]+): (?:No such file or directory|Permission denied)`)

// hidden marks the tests that failed because they could not read something that
// is there, outside of what they may read.
func hidden(cell *sandbox.Cell, result testresult.Result) {
	for _, u := range result.Units {
		for i, t := range u.Tests {
			if t.Status != testresult.Failed || t.Failure == nil || t.Failure.Kind == "assertion" {
				continue
			}
			for _, m := range absentPath.FindAllStringSubmatch(t.Failure.Message, -1) {
				path := filepath.Clean(m[1] + m[2] + m[3])
				if _, err := os.Stat(path); err == nil && !cell.Reads(path) {
					t.Failure.Thing, t.Failure.Setting = "read "+path, fmt.Sprintf("read = [%q]", path)
					u.Tests[i].Status = testresult.Blocked
					break
				}
			}
		}
	}
}
