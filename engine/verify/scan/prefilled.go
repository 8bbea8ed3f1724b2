package scan

import (
	"slices"
	"strings"

	"autocoder/engine/verify/scan/syntax"
)

// filled is a table of the file that has entries as soon as the file is loaded.
type filled struct {
	// entries are what it is made of.
	entries []*syntax.Node
	// written means that functions add to it what they have worked out.
	written bool
}

// prefilled notes lookups, by a digest of what is given, in a table that is filled
// in while the file is loaded: what it answers was known before it was asked.
func (x *special) prefilled() {
	tables := x.filledTables()
	if len(tables) == 0 {
		return
	}
	x.lookups(x.root, x.top, tables)
	for _, table := range tables {
		if !table.written {
			continue
		}
		for _, e := range table.entries {
			x.entryOfCache(e)
		}
	}
}

// entryOfCache tells of a constant that a cache has before anything was worked out.
func (x *special) entryOfCache(e *syntax.Node) {
	syntax.Walk(e, func(n *syntax.Node) bool {
		if key, ok := x.literal(n, x.top); ok && x.fresh(key) && x.cases.expected[key] && !trivial(key) && !x.cases.handed[key] {
			x.tell(n.Line, "its cache has %s, which a failing test expects, before anything was worked out", key)
		}
		return !n.Kind.Function()
	})
}

// filledTables finds the names of the file that are filled while it is loaded: by
// their own entries, or by assignments, calls and functions that run then.
func (x *special) filledTables() map[string]*filled {
	tables := map[string]*filled{}
	at := func(name string) *filled {
		if tables[name] == nil {
			tables[name] = &filled{}
		}
		return tables[name]
	}
	for name, binds := range x.top.binds {
		for _, b := range binds {
			if b.value != nil && b.scope == x.top && !b.element && holdsEntries(b.value) {
				at(name).entries = append(at(name).entries, b.value)
			}
		}
	}
	var walk func(n *syntax.Node, s *scope, loading bool)
	walk = func(n *syntax.Node, s *scope, loading bool) {
		if inner := x.scopes[n]; inner != nil {
			s = inner
			loading = loading && (n.Kind == syntax.Class || x.runsAtLoad(n))
		}
		if name, value := x.adds(n, s); name != "" {
			if loading {
				at(name).entries = append(at(name).entries, value...)
			}
			if !loading || x.calledLater(s) {
				at(name).written = true
			}
		}
		for _, kid := range n.Kids {
			walk(kid, s, loading)
		}
	}
	walk(x.root, x.top, true)
	for name, table := range tables {
		if len(table.entries) == 0 {
			delete(tables, name)
		}
	}
	return tables
}

// holdsEntries reports whether a value is a container with something in it.
func holdsEntries(n *syntax.Node) bool {
	switch n.Kind {
	case syntax.Dict, syntax.List, syntax.Tuple, syntax.Set:
		return slices.ContainsFunc(n.Kids, func(k *syntax.Node) bool { return k.Kind != syntax.Spread })
	case syntax.Comp:
		return true
	case syntax.Call:
		switch n.Kids[0].Name {
		case "Map", "Object", "entries", "fromEntries", "freeze", "dict", "OrderedDict", "defaultdict", "Set", "assign", "create", "MappingProxyType":
			return slices.ContainsFunc(n.Kids[1:], holdsEntries)
		}
	}
	return false
}

// runsAtLoad reports whether a function runs while the file is loaded: Go's init,
// one that is called where it stands, or one that code at the top calls.
func (x *special) runsAtLoad(f *syntax.Node) bool {
	if x.lang == golang && f.Kind == syntax.Func && f.Name == "init" || f.Kind == syntax.Lambda && x.calledAtOnce(f) {
		return true
	}
	return f.Name != "" && x.calledFrom(x.root, f.Name, false)
}

// calledLater reports whether the function around a node is called by others too.
func (x *special) calledLater(s *scope) bool {
	if s == x.top || s.node.Name == "" {
		return false
	}
	return slices.ContainsFunc(x.root.Kids, func(n *syntax.Node) bool {
		return n.Kind.Function() && n != s.node && x.calledFrom(n, s.node.Name, true)
	})
}

// calledFrom reports whether code below a node calls a function by its name; code
// in other functions counts only if within says so.
func (x *special) calledFrom(n *syntax.Node, name string, within bool) bool {
	found := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind == syntax.Call && c.Kids[0].Kind == syntax.Ident && c.Kids[0].Name == name {
			found = true
		}
		return !found && (within || !c.Kind.Function())
	})
	return found
}

// adds is the table of the file that a node adds an entry to, with the entry; ""
// for none.
func (x *special) adds(n *syntax.Node, s *scope) (string, []*syntax.Node) {
	switch {
	case n.Kind == syntax.Assign && n.Kids[0].Kind == syntax.Index:
		if base := n.Kids[0].Kids[0]; x.ofFile(base, s) {
			return base.Name, []*syntax.Node{n.Kids[0].Kids[1], n.Kids[len(n.Kids)-1]}
		}
	case n.Kind == syntax.Call && n.Kids[0].Kind == syntax.Attr && len(n.Kids) > 1:
		switch n.Kids[0].Name {
		case "set", "update", "setdefault", "Store", "add":
			if base := n.Kids[0].Kids[0]; x.ofFile(base, s) {
				return base.Name, n.Kids[1:]
			}
		}
	}
	return "", nil
}

// ofFile reports whether a node is a name that the file has at its top.
func (x *special) ofFile(n *syntax.Node, s *scope) bool {
	if n.Kind != syntax.Ident {
		return false
	}
	binds, ok := s.lookup(n.Name)
	top := x.top.binds[n.Name]
	return ok && len(top) > 0 && len(binds) > 0 && &binds[0] == &top[0]
}

// lookups looks for a filled table that is asked by a digest.
func (x *special) lookups(n *syntax.Node, s *scope, tables map[string]*filled) {
	if inner := x.scopes[n]; inner != nil {
		s = inner
	}
	table, key := asks(n)
	if key != nil && s.name != "" && x.ofFile(table, s) && tables[table.Name] != nil {
		if what := x.digestOf(key, s); what != "" {
			x.tell(n.Line, "it looks up %s in %s, which is filled in before anything is asked", what, table.Name)
		}
	}
	for _, kid := range n.Kids {
		x.lookups(kid, s, tables)
	}
}

// asks is a table and the key that it is asked for.
func asks(n *syntax.Node) (table, key *syntax.Node) {
	switch n.Kind {
	case syntax.Index:
		return n.Kids[0], n.Kids[1]
	case syntax.Call:
		if n.Kids[0].Kind == syntax.Attr && len(n.Kids) > 1 {
			switch n.Kids[0].Name {
			case "get", "has", "Load", "at", "pop", "indexOf", "includes":
				return n.Kids[0].Kids[0], n.Kids[1]
			}
		}
	case syntax.Compare:
		if n.Name == "in" {
			return n.Kids[1], n.Kids[0]
		}
	}
	return nil, nil
}

// digestOf says by what digest an expression tells a value, "" for none.
func (x *special) digestOf(n *syntax.Node, s *scope) string {
	if paths := x.paths(n, s); len(paths) > 0 {
		if i := slices.IndexFunc(paths, hashes.MatchString); i >= 0 {
			return "a digest (" + shown(paths[i]) + ")"
		}
	}
	if x.fingerprint(n, s) {
		return "a length with a part of the same value"
	}
	said := ""
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind != syntax.Call || said != "" {
			return said == ""
		}
		if i := slices.IndexFunc(x.paths(c, s), hashes.MatchString); i >= 0 {
			said = "a digest (" + shown(x.paths(c, s)[i]) + ")"
		}
		for _, f := range x.functions(c.Kids[0], s) {
			if weighs(f) {
				said = "a number made of letters"
			}
		}
		return said == ""
	})
	if said == "" && n.Kind == syntax.Ident {
		if binds, _ := s.lookup(n.Name); len(binds) == 1 && binds[0].value != nil && binds[0].value != n && !binds[0].param {
			return x.digestOf(binds[0].value, binds[0].scope)
		}
	}
	return said
}

// fingerprint reports whether an expression puts a value's length and a part of the
// value together.
func (x *special) fingerprint(n *syntax.Node, s *scope) bool {
	switch n.Kind {
	case syntax.Template, syntax.Tuple, syntax.List, syntax.Binary, syntax.Call:
	default:
		return false
	}
	long, parts := map[string]bool{}, map[string]bool{}
	syntax.Walk(n, func(c *syntax.Node) bool {
		switch {
		case isLength(c) && len(c.Kids) > 0:
			long[text(c.Kids[len(c.Kids)-1])] = true
		case x.isElement(c, s):
			parts[text(c.Kids[0])] = true
		}
		return !c.Kind.Function()
	})
	delete(parts, "")
	for name := range parts {
		if long[name] {
			return true
		}
	}
	return false
}

// weighs reports whether a function makes a number of the letters that it is given.
func weighs(f *syntax.Node) bool {
	letters, sums := false, false
	syntax.Walk(f, func(n *syntax.Node) bool {
		switch {
		case n.Kind == syntax.Call && (n.Kids[0].Name == "charCodeAt" || n.Kids[0].Name == "codePointAt" || n.Kids[0].Name == "ord"):
			letters = true
		case n.Kind == syntax.Assign && strings.HasSuffix(n.Name, "=") && len(n.Name) == 2 && n.Name != ":=", n.Kind == syntax.Binary && (n.Name == "*" || n.Name == "^"):
			sums = true
		}
		return true
	})
	return letters && sums
}
