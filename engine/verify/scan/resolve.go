package scan

import (
	"path"
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// unknown begins the path of a member of something that is not known.
const unknown = "?"

// mostPaths is how many things one expression may stand for.
const mostPaths = 8

// paths returns what an expression may stand for outside of the file: "os.environ",
// "process.env", "Error().stack", or "?.name" for a member of what is not known.
// Aliases, imports under other names, getattr and constants put together are
// seen through.
func (u *unit) paths(n *syntax.Node, s *scope) []string {
	u.steps = 0
	return u.follow(n, s, farthest)
}

// mostSteps is how much is looked at for one expression: aliases of aliases can
// multiply.
const mostSteps = 20000

// farthest is how many aliases of aliases are followed.
const farthest = 60

func (u *unit) follow(n *syntax.Node, s *scope, depth int) []string {
	if n == nil || depth <= 0 {
		return nil
	}
	if paths, ok := u.followed[n]; ok {
		return paths
	}
	if u.steps++; u.steps > mostSteps {
		u.tangled = true
		return nil
	}
	u.followed[n] = nil // names that lead back to themselves end here
	paths := u.step(n, s, depth)
	u.followed[n] = paths
	return paths
}

// step is follow for one node.
func (u *unit) step(n *syntax.Node, s *scope, depth int) []string {
	switch n.Kind {
	case syntax.Ident:
		return u.followName(n, s, depth)
	case syntax.Attr:
		return u.member(n.Kids[0], n.Name, s, depth)
	case syntax.Index:
		if key, ok := u.text(n.Kids[1], s); ok {
			return u.member(n.Kids[0], key, s, depth)
		}
		return suffixed(u.follow(n.Kids[0], s, depth-1), "[]")
	case syntax.Call:
		return u.followCall(n, s, depth)
	case syntax.Cond:
		return u.union(n.Kids[1:], s, depth)
	case syntax.Logical:
		return u.union(n.Kids, s, depth)
	case syntax.Assign, syntax.Other:
		if len(n.Kids) > 0 {
			return u.follow(n.Kids[len(n.Kids)-1], s, depth-1)
		}
		return nil
	case syntax.Await, syntax.Unary, syntax.Spread, syntax.Slice:
		return u.follow(n.Kids[0], s, depth-1)
	default:
		return nil
	}
}

func (u *unit) union(list []*syntax.Node, s *scope, depth int) []string {
	var all []string
	for _, n := range list {
		all = append(all, u.follow(n, s, depth-1)...)
	}
	return few(all)
}

func few(paths []string) []string {
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return paths[:min(len(paths), mostPaths)]
}

func suffixed(paths []string, end string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = p + end
	}
	return out
}

func (u *unit) followName(n *syntax.Node, s *scope, depth int) []string {
	binds, ok := s.lookup(n.Name)
	for _, sibling := range u.siblings {
		if !ok {
			binds, ok = sibling.top.lookup(n.Name)
		}
	}
	if !ok {
		out := []string{u.lang.normal(n.Name)}
		for _, module := range u.stars {
			out = append(out, u.lang.normal(module+"."+n.Name))
		}
		return out
	}
	var all []string
	for _, b := range binds {
		switch {
		case b.path != "":
			all = append(all, u.imported(b.path, depth)...)
		case b.caught:
			all = append(all, "caught()")
		case b.value == nil:
		case b.value.Kind == syntax.Ident && b.value.Name == n.Name:
			all = append(all, u.lang.normal(n.Name)) // exit = exit
		case b.element:
			if b.value.Kind == syntax.List || b.value.Kind == syntax.Tuple || b.value.Kind == syntax.Set {
				all = append(all, u.union(b.value.Kids, b.scope, depth-1)...)
			} else {
				all = append(all, suffixed(u.follow(b.value, b.scope, depth-1), "[]")...)
			}
		default:
			all = append(all, u.follow(b.value, b.scope, depth-1)...)
		}
	}
	return few(all)
}

// imported is what an import names: for a name of another changed file, what
// that file has under it.
func (u *unit) imported(p string, depth int) []string {
	module, name, ok := lastDot(p)
	if peer := u.peers[u.lang.moduleKey(module)]; ok && peer != nil && peer != u {
		if _, bound := peer.top.lookup(name); bound {
			return peer.followName(&syntax.Node{Kind: syntax.Ident, Name: name}, peer.top, depth-1)
		}
	}
	return []string{u.lang.normal(p)}
}

// lastDot splits a path before its last member; dots in the last element of a
// file's path are no members.
func lastDot(p string) (head, tail string, ok bool) {
	i := strings.LastIndexByte(p, '.')
	if i <= 0 || strings.HasSuffix(p[:i], ".") && !strings.HasPrefix(p, "..") {
		return p, "", false
	}
	return p[:i], p[i+1:], true
}

// member is what a member of an object stands for.
func (u *unit) member(object *syntax.Node, name string, s *scope, depth int) []string {
	if isSelf(object) {
		var all []string
		for _, b := range u.fields[name] {
			all = append(all, u.follow(b.value, b.scope, depth-1)...)
		}
		return few(append(all, unknown+"."+name))
	}
	if part, inner := u.part(object, name, s); part != nil {
		if paths := u.follow(part, inner, depth-1); len(paths) > 0 {
			return paths
		}
	}
	objects := u.follow(object, s, depth-1)
	if len(objects) == 0 {
		return []string{unknown + "." + name}
	}
	var all []string
	for _, p := range objects {
		if p == "globals()" || p == "locals()" || p == "vars()" {
			all = append(all, u.followName(&syntax.Node{Kind: syntax.Ident, Name: name}, u.top, depth-1)...)
			continue
		}
		if peer := u.peers[u.lang.moduleKey(p)]; peer != nil && peer != u {
			if _, bound := peer.top.lookup(name); bound {
				all = append(all, peer.followName(&syntax.Node{Kind: syntax.Ident, Name: name}, peer.top, depth-1)...)
				continue
			}
		}
		all = append(all, u.lang.normal(p+"."+name))
	}
	return few(all)
}

// followCall is what a call gives: a module for an import by a function, a member
// for getattr, the function itself for partial and bind.
func (u *unit) followCall(n *syntax.Node, s *scope, depth int) []string {
	callees, args := u.follow(n.Kids[0], s, depth-1), n.Kids[1:]
	all := u.returned(n.Kids[0], s, depth)
	for _, callee := range callees {
		call, ok := u.lang.calls[callee]
		if !ok {
			call = u.lang.calls[unknown+"."+lastName(callee)]
		}
		switch call {
		case callImport:
			if name, ok := u.firstText(args, s); ok {
				all = append(all, u.imported(u.lang.importPath(callee, name), depth)...)
				continue
			}
		case callMember:
			if len(args) > 1 {
				if name, ok := u.text(args[1], s); ok {
					all = append(all, u.member(args[0], name, s, depth-1)...)
					continue
				}
			}
		case callSame:
			if len(args) > 0 {
				all = append(all, u.follow(args[0], s, depth-1)...)
				continue
			}
		case callObject:
			if object, _, ok := lastDot(callee); ok {
				all = append(all, object)
				continue
			}
		case callOwn:
			if object, _, known := lastDot(callee); known && object != unknown && n.Kids[0].Kind == syntax.Attr {
				if name, ok := u.firstText(args, s); ok {
					all = append(all, u.member(n.Kids[0].Kids[0], name, s, depth-1)...)
					continue
				}
			}
		case callGetter:
			if name, ok := u.firstText(n.Kids[0].Kids[1:], s); ok && n.Kids[0].Kind == syntax.Call && len(args) > 0 {
				all = append(all, u.member(args[0], name, s, depth-1)...)
				continue
			}
		case callNone:
		}
		all = append(all, u.lang.normal(callee+"()"))
	}
	return few(all)
}

func (u *unit) firstText(args []*syntax.Node, s *scope) (string, bool) {
	if len(args) == 0 {
		return "", false
	}
	return u.text(args[0], s)
}

func lastName(p string) string {
	_, name, _ := lastDot(p)
	return name
}

// moduleKey is the name under which another changed file is known: that of its
// file without folders and extension.
func (l *language) moduleKey(module string) string {
	module = strings.TrimLeft(module, ".")
	if strings.Contains(module, "/") || l.slashes {
		module = path.Base(module)
		for _, ext := range l.extensions {
			module = strings.TrimSuffix(module, ext)
		}
		return module
	}
	if i := strings.LastIndexByte(module, '.'); i >= 0 {
		return module[i+1:]
	}
	return module
}
