package golang

import (
	"go/types"
	"slices"

	"autocoder/engine/repair/node"
)

// mostMembers is up to how many members of a type are told.
const mostMembers = 60

// typeName is a type in Go's words, with names of the own package bare. What the
// named types in it are made of is noted.
func (b *builder) typeName(t types.Type) string {
	if t == nil || t == types.Typ[types.Invalid] {
		return ""
	}
	text := types.TypeString(t, b.qualify)
	if b.named.Under[text] != "" {
		return text
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if _, ok := t.Underlying().(*types.Struct); !ok {
			b.named.Under[text] = types.TypeString(t.Underlying(), b.qualify)
		}
		for e := range elements(t.Underlying()) {
			b.typeName(e)
		}
	case *types.TypeParam:
		if under := numeric(t); under != "" {
			b.named.Under[text] = under
		}
	default:
		for e := range elements(t) {
			b.typeName(e)
		}
	}
	return text
}

func (b *builder) qualify(p *types.Package) string {
	if p == b.pkg {
		return ""
	}
	return p.Name()
}

// elements are the types that values of a container hold.
func elements(t types.Type) func(func(types.Type) bool) {
	return func(yield func(types.Type) bool) {
		switch t := t.(type) {
		case *types.Slice:
			yield(t.Elem())
		case *types.Array:
			yield(t.Elem())
		case *types.Map:
			_ = yield(t.Key()) && yield(t.Elem())
		}
	}
}

// numeric is a type that stands for the numbers that a parameter takes; empty when
// it takes others too.
func numeric(p *types.TypeParam) string {
	set, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok {
		return ""
	}
	found := types.BasicInfo(0)
	var visit func(t types.Type)
	visit = func(t types.Type) {
		switch u := t.Underlying().(type) {
		case *types.Basic:
			found |= u.Info()
		case *types.Interface:
			for e := range u.EmbeddedTypes() {
				visit(e)
			}
		default:
			found |= types.IsString
		}
		if union, ok := t.(*types.Union); ok {
			for term := range union.Terms() {
				visit(term.Type())
			}
		}
	}
	for e := range set.EmbeddedTypes() {
		visit(e)
	}
	switch {
	case found&^(types.IsInteger|types.IsUnsigned) == 0 && found != 0:
		return "int"
	case found&^(types.IsInteger|types.IsUnsigned|types.IsFloat) == 0 && found != 0:
		return "float64"
	default:
		return ""
	}
}

// members notes what values of a type have, as far as the file may use it: fields,
// also promoted ones, and methods.
func (b *builder) members(t types.Type) {
	if t == nil {
		return
	}
	text := b.typeName(t)
	if text == "" || b.named.Members[text] != nil {
		return
	}
	out := []node.Symbol{}
	visible := func(o types.Object) bool { return o.Name() != "_" && (o.Exported() || o.Pkg() == b.pkg) }
	for f := range structFields(t, 2) {
		if visible(f) {
			out = append(out, node.Symbol{Name: f.Name(), Type: b.typeName(f.Type())})
		}
	}
	methods := types.NewMethodSet(t)
	if _, pointer := t.Underlying().(*types.Pointer); !pointer && !types.IsInterface(t) {
		methods = types.NewMethodSet(types.NewPointer(t))
	}
	for m := range methods.Methods() {
		if visible(m.Obj()) {
			out = append(out, node.Symbol{Name: m.Obj().Name(), Type: b.signature(m.Type()), Callable: true})
		}
	}
	b.named.Members[text] = slices.Clip(out[:min(len(out), mostMembers)])
}

// signature is the type of a method without the names of its parameters, so that
// equal ones are spelled alike.
func (b *builder) signature(t types.Type) string {
	sig, ok := t.(*types.Signature)
	if !ok {
		return ""
	}
	unnamed := func(list *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range list.Variables() {
			vars = append(vars, types.NewParam(v.Pos(), v.Pkg(), "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	return b.typeName(types.NewSignatureType(nil, nil, nil, unnamed(sig.Params()), unnamed(sig.Results()), sig.Variadic()))
}

// structFields are those of a struct, or of the one a pointer leads to, and those of what
// is embedded in it.
func structFields(t types.Type, depth int) func(func(*types.Var) bool) {
	return func(yield func(*types.Var) bool) {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return
		}
		for f := range s.Fields() {
			if !yield(f) {
				return
			}
			if f.Embedded() && depth > 0 {
				for inner := range structFields(f.Type(), depth-1) {
					if !yield(inner) {
						return
					}
				}
			}
		}
	}
}
