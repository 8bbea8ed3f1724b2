package scan

import "autocoder/engine/verify/scan/syntax"

// part is what a member of a class or of a literal of the file is made of; nil
// where that is not known.
func (u *unit) part(object *syntax.Node, name string, s *scope) (*syntax.Node, *scope) {
	if object.Kind != syntax.Ident {
		return nil, nil
	}
	binds, _ := s.lookup(object.Name)
	for _, b := range binds {
		if b.value == nil {
			continue
		}
		switch b.value.Kind {
		case syntax.Class:
			inner := u.scopes[b.value]
			if inner != nil && len(inner.binds[name]) > 0 {
				return inner.binds[name][0].value, inner
			}
			if len(u.fields[name]) > 0 {
				return u.fields[name][0].value, u.fields[name][0].scope
			}
		case syntax.Dict:
			for _, pair := range b.value.Kids {
				if key, ok := u.text(pair.Kids[0], b.scope); ok && pair.Kind == syntax.Pair && key == name && len(pair.Kids) > 1 {
					return pair.Kids[1], b.scope
				}
			}
		}
	}
	return nil, nil
}

// functions are the functions of the file that an expression may stand for.
func (u *unit) functions(n *syntax.Node, s *scope) []*syntax.Node {
	if n.Kind == syntax.Lambda {
		return []*syntax.Node{n}
	}
	if n.Kind != syntax.Ident {
		return nil
	}
	var out []*syntax.Node
	binds, _ := s.lookup(n.Name)
	for _, b := range binds {
		if b.value != nil && !b.element && b.value.Kind.Function() {
			out = append(out, b.value)
		}
	}
	return out
}

// returned is what a call of a function of the file gives.
func (u *unit) returned(n *syntax.Node, s *scope, depth int) []string {
	var all []string
	for _, f := range u.functions(n, s) {
		for _, a := range answers(f) {
			all = append(all, u.follow(a, u.scopes[f], depth-1)...)
		}
	}
	return all
}
