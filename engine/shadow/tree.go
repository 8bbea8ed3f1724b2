package shadow

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"

	"autocoder/engine/textedit"
	"autocoder/engine/workspace"
)

// node is one entry of the base.
type node struct {
	kind  workspace.Kind
	mode  fs.FileMode
	mtime time.Time
	// target is what a link of the user holds, link what its copy holds: an
	// absolute link into the user's folder would lead out of the copy.
	target, link string
	// source is the stamp of the user's file when it was copied; a file of which
	// there is only a buffer has none.
	source stamp
}

// tree is the base as it is known without looking at the disk.
type tree struct {
	nodes  map[string]node
	roots  []string // every spelling of the user's root
	shares []workspace.Share
}

// share returns the shared folder that a path is or lies in.
func (t *tree) share(p string) (workspace.Share, bool) {
	for _, sh := range t.shares {
		if p == sh.Path || strings.HasPrefix(p, sh.Path+"/") {
			return sh, true
		}
	}
	return workspace.Share{}, false
}

// at returns what base plus state has at a path whose folders are no links.
func (t *tree) at(state textedit.State, p string) (kind workspace.Kind, target string) {
	if f, ok := state.Lookup(p); ok {
		switch f.Kind {
		case textedit.Regular:
			return workspace.File, ""
		case textedit.Symlink:
			return workspace.Symlink, f.Target
		case textedit.Absent, textedit.Other:
			return workspace.InvalidKind, ""
		}
	}
	if _, in := t.share(p); in {
		return workspace.Folder, ""
	}
	n := t.nodes[p]
	return n.kind, n.target
}

// maxLinks is how many links a path may lead through, as on Linux.
const maxLinks = 40

// resolve follows the links of a path in base plus state, and with last also a
// link in its own place. What does not exist is taken as it is written.
func (t *tree) resolve(state textedit.State, p string, last bool) (string, error) {
	if path.IsAbs(p) {
		return "", errors.New("it is not relative to the workspace")
	}
	pending := strings.Split(p, "/")
	at, links := "", 0
	for len(pending) > 0 {
		element := pending[0]
		pending = pending[1:]
		switch element {
		case "", ".":
			continue
		case "..":
			if at == "" {
				return "", errors.New("it leads out of the workspace")
			}
			at = parent(at)
			continue
		}
		next := path.Join(at, element)
		kind, target := t.at(state, next)
		switch {
		case kind == workspace.Symlink && (last || len(pending) > 0):
			if links++; links > maxLinks {
				return "", errors.New("it leads through too many links")
			}
			inside, ok := t.target(target)
			if !ok {
				return "", fmt.Errorf("it leads through the link %q out of the workspace, to %q", next, target)
			}
			if filepath.IsAbs(target) {
				at = ""
			}
			pending = append(strings.Split(inside, "/"), pending...)
		case kind == workspace.File && len(pending) > 0:
			return "", fmt.Errorf("%q is a file, not a folder", next)
		default:
			at = next
		}
	}
	if at == "" {
		return "", errors.New("it leads to the workspace's own folder")
	}
	return at, nil
}

func parent(p string) string {
	if dir := path.Dir(p); dir != "." {
		return dir
	}
	return ""
}

// target returns the slash path that a link leads along: from its own folder
// when it is relative, from the root when it is absolute.
func (t *tree) target(target string) (string, bool) {
	if !filepath.IsAbs(target) {
		return filepath.ToSlash(target), true
	}
	for _, root := range t.roots {
		rel, err := filepath.Rel(root, target)
		if err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// copied returns what the copy of a link at p holds. An absolute link into the
// user's folder becomes a relative one, so that it stays in the copy.
func (t *tree) copied(p, target string) string {
	if !filepath.IsAbs(target) {
		return target
	}
	inside, ok := t.target(target)
	if !ok {
		return target
	}
	rel, err := filepath.Rel(filepath.FromSlash(path.Dir(p)), filepath.FromSlash(inside))
	if err != nil {
		return target
	}
	return rel
}
