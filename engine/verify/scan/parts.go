package scan

import (
	"slices"

	"autocoder/engine/verify/scan/syntax"
)

// sides are the names of what a comparison compares.
func sides(f *syntax.Node) []string {
	params := f.Params()
	if len(params) == 1 && f.Kind == syntax.Method {
		params = append([]string{"this"}, params...)
	}
	return params
}

// partByPart reports whether a comparison goes through the parts of one side and says
// no where the other has another: its last word is a constant then.
func partByPart(f *syntax.Node) bool {
	params := sides(f)
	if !f.Kind.Function() || f.Body() == nil || len(params) != 2 {
		return false
	}
	found := false
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		if n.Kind == syntax.For && len(n.Kids) > 2 {
			for i := range params {
				if mentions(n.Kids[1], params[i:i+1]) && saysNo(n, params[1-i:2-i]) {
					found = true
				}
			}
		}
		return !found && (n == f.Body() || !n.Kind.Function())
	})
	return found
}

// saysNo reports whether a loop ends with no where a part of what it goes through and
// the other side are not alike.
func saysNo(loop *syntax.Node, other []string) bool {
	part := namesIn(loop.Kids[0])
	other = slices.Clone(other)
	if mentions(loop.Kids[1], other) {
		other = append(other, part...) // it goes through both at once
	}
	found := false
	for _, kid := range loop.Kids[2:] {
		syntax.Walk(kid, func(n *syntax.Node) bool {
			if n.Kind == syntax.If && len(n.Kids) > 1 && mentions(n.Kids[0], other) && mentions(n.Kids[0], part) {
				found = found || slices.ContainsFunc(answers(n.Kids[1]), isNo)
			}
			return !found
		})
	}
	return found
}

func isNo(n *syntax.Node) bool {
	return n.Kind == syntax.Const && n.Value.Kind == syntax.Bool && n.Value.Num == 0
}

// marksErrors notes the records with which a call makes an error: their fields are no
// table.
func (x *special) marksErrors(n *syntax.Node) {
	if n.Kind != syntax.Call || n.Kids[0].Name != "super" && !makesError(n) {
		return
	}
	for _, kid := range n.Kids[1:] {
		x.ofError[kid] = kid.Kind == syntax.Dict
	}
}

func namesIn(n *syntax.Node) []string {
	var out []string
	syntax.Walk(n, func(c *syntax.Node) bool {
		if c.Kind == syntax.Ident && c.Name != "_" {
			out = append(out, c.Name)
		}
		return true
	})
	return out
}

// registers reports whether a method that the language calls for a new class, or for a
// new member of one, only takes it over: it puts nothing on the class by a name that
// it has worked out.
func registers(method string, f *syntax.Node) bool {
	if method != "__set_name__" && method != "__init_subclass__" || !f.Kind.Function() {
		return false
	}
	puts := false
	syntax.Walk(f.Body(), func(n *syntax.Node) bool {
		puts = puts || n.Kind == syntax.Call && (n.Kids[0].Name == "setattr" || n.Kids[0].Name == "delattr" || n.Kids[0].Name == "__setattr__")
		puts = puts || n.Kind == syntax.Delete
		return !puts
	})
	return !puts
}

// makesError reports whether an expression makes an error: what stands in it is what
// went wrong.
func makesError(n *syntax.Node) bool {
	found := false
	syntax.Walk(n, func(c *syntax.Node) bool {
		name := ""
		if c.Kind == syntax.Call && c.Name == "new" {
			name = c.Kids[0].Name
		}
		found = found || len(name) >= 5 && name[len(name)-5:] == "Error"
		return !found && !c.Kind.Function()
	})
	return found
}
