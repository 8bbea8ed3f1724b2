package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// typeText is the type of an expression as the package under test writes it.
func (f *finder) typeText(x ast.Expr) string {
	t := f.src.info.TypeOf(x)
	if t == nil {
		return ""
	}
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == f.under {
			return ""
		}
		return p.Name()
	})
}

// value reads an expression that stands for itself.
func (f *finder) value(x ast.Expr) (value, bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		return value{kind: x.Kind, text: x.Value}, true
	case *ast.UnaryExpr:
		v, ok := f.value(x.X)
		if ok && x.Op == token.SUB && (v.kind == token.INT || v.kind == token.FLOAT) {
			v.text = "-" + v.text
			return v, true
		}
		return value{}, false
	case *ast.Ident:
		if x.Name == "true" || x.Name == "false" {
			return value{kind: token.IDENT, text: x.Name}, true
		}
		return value{text: x.Name}, x.Name == "nil"
	case *ast.CompositeLit:
		return f.composite(x)
	case *ast.ParenExpr:
		return f.value(x.X)
	default:
		return value{}, false
	}
}

func (f *finder) composite(x *ast.CompositeLit) (value, bool) {
	v := value{list: true}
	if x.Type != nil {
		if v.text = f.typeText(x); v.text == "" {
			return v, false
		}
	}
	for _, e := range x.Elts {
		if _, ok := e.(*ast.KeyValueExpr); ok {
			return f.keyed(x, v)
		}
		elem, ok := f.value(e)
		if !ok {
			return v, false
		}
		v.elems = append(v.elems, elem)
	}
	return v, true
}

// keyed reads a literal with keys; it is taken as it is.
func (f *finder) keyed(x *ast.CompositeLit, v value) (value, bool) {
	var parts []string
	for _, e := range x.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return v, false
		}
		elem, ok := f.value(kv.Value)
		if !ok {
			return v, false
		}
		key := ""
		if id, ok := kv.Key.(*ast.Ident); ok {
			key = id.Name
		} else if k, ok := f.value(kv.Key); ok {
			key = k.String()
		} else {
			return v, false
		}
		parts = append(parts, key+": "+elem.String())
	}
	return value{text: v.text + "{" + strings.Join(parts, ", ") + "}"}, true
}
