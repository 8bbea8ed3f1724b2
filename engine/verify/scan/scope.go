package scan

import (
	"autocoder/engine/verify/scan/syntax"
)

// binding is one thing that a name stands for.
type binding struct {
	// path is what an import names.
	path string
	// value is the expression that was assigned, seen from scope; element means one
	// of its elements.
	value   *syntax.Node
	scope   *scope
	element bool
	param   bool
	// declared means that the name is declared there, and not only assigned.
	declared bool
	// caught means the name of what a handler caught.
	caught bool
}

// scope is a function, class or file with the names that it declares.
type scope struct {
	parent *scope
	node   *syntax.Node
	// name is the qualified name of the function; "" at the top.
	name  string
	binds map[string][]binding
	// global are names that belong to the file.
	global map[string]bool
}

// lookup returns what a name stands for in the scope or around it.
func (s *scope) lookup(name string) ([]binding, bool) {
	for ; s != nil; s = s.parent {
		if b, ok := s.binds[name]; ok {
			return b, true
		}
	}
	return nil, false
}

// param reports whether the name is a parameter of the function around.
func (s *scope) param(name string) bool {
	binds, _ := s.lookup(name)
	for _, b := range binds {
		if b.param {
			return true
		}
	}
	return false
}

// unit is a file with its names.
type unit struct {
	path string
	lang *language
	root *syntax.Node
	top  *scope
	// scopes are those of the functions and classes.
	scopes map[*syntax.Node]*scope
	// fields are what is assigned to attributes of the object itself.
	fields map[string][]binding
	// stars are modules of which all names are imported.
	stars []string
	// peers are the other changed files, by the names they are imported as, and
	// siblings those that share the top names.
	peers    map[string]*unit
	siblings []*unit
	// followed is what expressions stand for, as far as that was asked. steps and
	// folds count what was looked at for the current expression, and tangled says that
	// it was once too much.
	followed     map[*syntax.Node][]string
	steps, folds int
	tangled      bool
}

func newUnit(path string, lang *language, root *syntax.Node) *unit {
	u := &unit{path: path, lang: lang, root: root, scopes: map[*syntax.Node]*scope{}, fields: map[string][]binding{}, followed: map[*syntax.Node][]string{}}
	u.top = &scope{node: root, binds: map[string][]binding{}, global: map[string]bool{}}
	// Where names are declared, functions know those that stand below them.
	for _, functions := range []bool{false, true} {
		for _, kid := range root.Kids {
			if lang == python && !functions || lang != python && kid.Kind.Function() == functions {
				u.collect(u.top, kid)
			}
		}
	}
	return u
}

func (u *unit) bind(s *scope, name string, b binding) {
	if s.global[name] {
		s = u.top
	}
	b.scope = s
	s.binds[name] = append(s.binds[name], b)
}

// collect finds the names that n declares in s.
func (u *unit) collect(s *scope, n *syntax.Node) {
	switch n.Kind {
	case syntax.Import:
		if n.Name == "*" {
			u.stars = append(u.stars, n.Path)
		} else if n.Name != "" {
			u.bind(s, n.Name, binding{path: n.Path, declared: true})
		}
	case syntax.Func, syntax.Method, syntax.Lambda, syntax.Class:
		u.enter(s, n)
		return
	case syntax.Assign:
		value := n.Kids[len(n.Kids)-1]
		for _, target := range n.Kids[:len(n.Kids)-1] {
			u.assign(s, target, value, n.Name == ":=")
		}
	case syntax.For:
		u.target(s, n.Kids[0], n.Kids[1])
	case syntax.Handler:
		if n.Name != "" {
			u.bind(s, n.Name, binding{caught: true, declared: true})
		}
	}
	for _, kid := range n.Kids {
		u.collect(s, kid)
	}
}

// enter makes the scope of a function or class.
func (u *unit) enter(s *scope, n *syntax.Node) {
	inner := &scope{parent: s, node: n, name: qualified(s.name, n), binds: map[string][]binding{}, global: map[string]bool{}}
	u.scopes[n] = inner
	if n.Name != "" && n.Kind != syntax.Method {
		u.bind(s, n.Name, binding{value: n, declared: true})
	}
	syntax.Walk(n, func(g *syntax.Node) bool {
		if g.Kind == syntax.Global {
			inner.global[g.Name] = true
		}
		return g == n || !g.Kind.Function()
	})
	for _, kid := range n.Kids {
		if kid.Kind == syntax.Param {
			b := binding{param: true, declared: true}
			if len(kid.Kids) > 0 {
				b.value = kid.Kids[0]
			}
			u.bind(inner, kid.Name, b)
		}
		u.collect(inner, kid)
	}
}

// qualified is the name of a function in its surroundings.
func qualified(around string, n *syntax.Node) string {
	name := n.Name
	if n.Kind == syntax.Method && n.Path != "" {
		name = n.Path + "." + n.Name
		if around == n.Path {
			name = n.Name
		}
	}
	if name == "" {
		name = "λ"
	}
	if around == "" {
		return name
	}
	return around + "." + name
}

// assign binds the names of a target to a value.
func (u *unit) assign(s *scope, target, value *syntax.Node, declared bool) {
	switch target.Kind {
	case syntax.Ident:
		if _, known := s.lookup(target.Name); known && !declared {
			s = u.home(s, target.Name)
		}
		u.bind(s, target.Name, binding{value: value, declared: declared})
	case syntax.Attr:
		if isSelf(target.Kids[0]) {
			u.fields[target.Name] = append(u.fields[target.Name], binding{value: value, scope: s})
		}
	case syntax.Tuple, syntax.List:
		same := (value.Kind == syntax.Tuple || value.Kind == syntax.List) && len(value.Kids) == len(target.Kids)
		for i, t := range target.Kids {
			if same {
				u.assign(s, t, value.Kids[i], declared)
			} else {
				u.target(s, t, value)
			}
		}
	}
}

// home is the scope that an assignment without a declaration changes: in
// languages that declare names, the one that has the name.
func (u *unit) home(s *scope, name string) *scope {
	if u.lang == python {
		return s
	}
	for at := s; at != nil; at = at.parent {
		if _, ok := at.binds[name]; ok {
			return at
		}
	}
	return s
}

// target binds the names of a loop's target to elements of what is iterated.
func (u *unit) target(s *scope, target, iterable *syntax.Node) {
	switch target.Kind {
	case syntax.Ident:
		u.bind(s, target.Name, binding{value: iterable, element: true})
	case syntax.Tuple, syntax.List, syntax.Assign:
		for _, t := range target.Kids {
			u.target(s, t, iterable)
		}
	}
}

func isSelf(n *syntax.Node) bool {
	return n.Kind == syntax.Ident && (n.Name == "self" || n.Name == "this" || n.Name == "cls")
}
