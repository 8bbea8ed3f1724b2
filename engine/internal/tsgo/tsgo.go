// Package shim opens the parser of TypeScript's Go port, which is the only Go
// parser that knows all of JavaScript, TypeScript and JSX and tells byte
// offsets. Its packages are internal to the module
// github.com/microsoft/typescript-go, so this package lives in a module whose
// path begins with that one, which go.mod replaces by this folder.
//
// It adds nothing of its own: a source goes in by Parse, a tree comes out whose
// nodes are the parser's, with accessors such as n.Expression(), n.Body() and
// n.AsBinaryExpression(). All offsets are into the UTF-8 bytes of the source.
// What the parser makes up from comments in JavaScript files (types in JSDoc) is
// left out of Children.
//
// The version is pinned: the parser promises no stable interface. kinds.go names
// the kinds; add those that are missing.
package shim

import (
	"path"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/core"
	"github.com/microsoft/typescript-go/internal/parser"
	"github.com/microsoft/typescript-go/internal/scanner"
	"github.com/microsoft/typescript-go/internal/tspath"
)

type (
	// Node is a node of the tree.
	Node = ast.Node
	// Kind is what a node is.
	Kind = ast.Kind
)

// Tree is a parsed source.
type Tree struct {
	// Root is the whole file; its children are statements and an end of file.
	Root *Node
	// Errors are what is wrong with the source. The tree is there nevertheless.
	Errors []Error

	file *ast.SourceFile
}

// Error is a place where the source is not what the language allows.
type Error struct {
	Start, End int
	Text       string
}

// Known reports whether Parse knows the language of a file by its name.
func Known(name string) bool {
	switch core.GetScriptKindFromFileName(name) {
	case core.ScriptKindJS, core.ScriptKindJSX, core.ScriptKindTS, core.ScriptKindTSX:
		return true
	default:
		return false
	}
}

// Parse reads a source in the language that the name's extension says, which is
// JavaScript where it says none. Only the name's last element counts.
func Parse(name string, source []byte) *Tree {
	kind := core.GetScriptKindFromFileName(name)
	if !Known(name) {
		kind = core.ScriptKindJS
	}
	full := "/" + path.Base(strings.ReplaceAll(name, `\`, "/"))
	file := parser.ParseSourceFile(ast.SourceFileParseOptions{FileName: full, Path: tspath.Path(full)}, string(source), kind)
	t := &Tree{Root: file.AsNode(), file: file}
	for _, d := range file.Diagnostics() {
		t.Errors = append(t.Errors, Error{Start: d.Pos(), End: d.End(), Text: d.String()})
	}
	return t
}

// Start is where a node's own text begins, without the blanks and comments
// before it; n.End() is where it ends.
func (t *Tree) Start(n *Node) int { return scanner.GetTokenPosOfNode(n, t.file, false) }

// Line is the line of an offset, from 1.
func (t *Tree) Line(offset int) int { return scanner.GetECMALineOfPosition(t.file, offset) + 1 }

// Text is a node's own text.
func (t *Tree) Text(n *Node) string { return t.file.Text()[t.Start(n):n.End()] }

// Children are a node's children in the order of the source.
func Children(n *Node) []*Node {
	var all []*Node
	n.ForEachChild(func(c *Node) bool {
		if c.Flags&ast.NodeFlagsReparsed == 0 {
			all = append(all, c)
		}
		return false
	})
	return all
}

// Optional reports whether an access or a call belongs to a chain with ?. .
func Optional(n *Node) bool { return n.Flags&ast.NodeFlagsOptionalChain != 0 }

// Const and Let report how the names of a list of declarations are declared;
// neither is var.
func Const(list *Node) bool { return list.Flags&ast.NodeFlagsBlockScoped == ast.NodeFlagsConst }

// Let is described at Const.
func Let(list *Node) bool { return list.Flags&ast.NodeFlagsBlockScoped == ast.NodeFlagsLet }

// Async reports whether a function has the modifier async.
func Async(n *Node) bool { return n.ModifierFlags()&ast.ModifierFlagsAsync != 0 }

// Generator reports whether a function is one.
func Generator(n *Node) bool {
	body := n.BodyData()
	return body != nil && body.AsteriskToken != nil
}

// Static reports whether a member of a class has the modifier static.
func Static(n *Node) bool { return n.ModifierFlags()&ast.ModifierFlagsStatic != 0 }
