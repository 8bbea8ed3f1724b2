// Package syntax is the tree that the scan reads, the same for every language:
// what is imported, declared, assigned, called and compared, with the line of
// each.
//
// It is made for reading only: there are no spans, and what the scan never asks
// about is Other with its children kept, so that nothing below it is lost.
package syntax

// Kind is what a node is.
type Kind uint8

// The kinds of node. Children are named in order; a trailing … repeats.
const (
	Other     Kind = iota // anything else; its children still count
	File                  // statement…
	Func                  // Param…, Decorator…, Block; Name
	Class                 // Base…, Decorator…, Block; Name
	Lambda                // Param…, Block
	Param                 // Name; its default value, if any
	Decorator             // expression
	Base                  // expression; Name is the keyword, "" for a base class
	Block                 // statement…
	Import                // Name is what it is called here ("*" for all of it), Path what is imported
	Assign                // target…, value; Name is the operator
	Return                // value, if any
	Raise                 // value, if any
	ExprStmt              // expression
	If                    // condition, Block, Block for else, if any
	For                   // target, iterable, Block…
	While                 // condition, Block…
	Try                   // Block, Handler…, Finally, Block for else
	Handler               // type…, Block; Name is what is caught is called
	Finally               // statement…
	Switch                // subject, Case…
	Case                  // value…, Block; no value is the default
	With                  // expression or Assign…, Block
	Assert                // expression…
	Delete                // expression…
	Global                // Name: the name is not the function's own
	Directive             // Name and Path: a comment that the tool chain obeys
	Method                // Param…, Block; Name: a function by its place in an object or by its receiver, which is Path

	Ident    // Name
	Attr     // object; Name
	Index    // object, key
	Call     // callee, argument…; Name is "new" where it makes an object
	Keyword  // value; Name
	Const    // Value
	List     // element…
	Tuple    // element…
	Set      // element…
	Dict     // Pair or Spread…
	Pair     // key, value
	Spread   // expression
	Compare  // left, right; Name is the operator
	Logical  // left, right; Name is "and", "or" or "??"
	Not      // operand
	Binary   // left, right; Name is the operator
	Unary    // operand; Name is the operator
	Cond     // condition, then, else
	Comp     // element…, For…, condition…
	Template // part…
	Slice    // object, bound…
	Await    // expression
	Yield    // value, if any
	kinds
)

var names = [kinds]string{
	"Other", "File", "Func", "Class", "Lambda", "Param", "Decorator", "Base", "Block", "Import", "Assign", "Return", "Raise",
	"ExprStmt", "If", "For", "While", "Try", "Handler", "Finally", "Switch", "Case", "With", "Assert", "Delete", "Global",
	"Directive", "Method", "Ident", "Attr", "Index", "Call", "Keyword", "Const", "List", "Tuple", "Set", "Dict", "Pair", "Spread",
	"Compare", "Logical", "Not", "Binary", "Unary", "Cond", "Comp", "Template", "Slice", "Await", "Yield",
}

// String returns the name of the kind.
func (k Kind) String() string { return names[k] }

// Kinds returns the kinds by their names.
func Kinds() map[string]Kind {
	m := make(map[string]Kind, kinds)
	for k, name := range names {
		m[name] = Kind(k)
	}
	return m
}

// Function reports whether the kind has a body of its own that runs later.
func (k Kind) Function() bool { return k == Func || k == Lambda || k == Method }

// Node is one node.
type Node struct {
	Kind Kind
	Line int // from 1
	Name string
	// Path is what an Import imports, in the language's own words with members
	// after a dot ("os.environ", "os/exec"), the text of a Directive, or the
	// receiver of a Method.
	Path  string
	Value Value // of a Const
	Kids  []*Node
}

// ValueKind is the type of a constant.
type ValueKind uint8

// The types of constants.
const (
	NoValue ValueKind = iota
	Text
	Number
	Bool
	Null
)

// Value is a constant.
type Value struct {
	Kind ValueKind
	Text string  // of a Text
	Num  float64 // of a Number; 1 for true
}

// Walk calls visit for n and everything below it, parents first; visit returns
// false to leave out what is below.
func Walk(n *Node, visit func(*Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	for _, kid := range n.Kids {
		Walk(kid, visit)
	}
}

// Body returns the last Block of a node, nil when it has none.
func (n *Node) Body() *Node {
	for i := len(n.Kids) - 1; i >= 0; i-- {
		if n.Kids[i].Kind == Block {
			return n.Kids[i]
		}
	}
	return nil
}

// Params returns the names of a function's parameters.
func (n *Node) Params() []string {
	var list []string
	for _, kid := range n.Kids {
		if kid.Kind == Param {
			list = append(list, kid.Name)
		}
	}
	return list
}
