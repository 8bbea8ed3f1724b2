// Package node is the language-neutral syntax tree that repair templates work
// on. A language adds a parser that produces it; a template never learns which
// language it edits, beyond the spellings in Dialect.
//
// Nodes carry byte spans into the file they were parsed from, and edits are
// byte ranges, so that formatting, comments and line ends of everything else
// stay as they are.
package node

// Kind is what a node is, in terms that Python, Go and JavaScript share.
type Kind uint8

// The kinds of node.
const (
	Other Kind = iota // anything templates don't look into; its children still count
	File
	Function // children: Param…, Block; Name is its name
	Param    // Name
	Block    // a list of statements

	// Statements.
	ExprStmt
	Assign    // children: target…, value; Op is "=", ":=", "+=" …
	VarDecl   // a declaration with a value: children as Assign
	Return    // children: value…
	If        // children: condition, then-Block, else (Block or If) or nothing
	While     // children: condition, Block (For with only a condition in Go)
	For       // counting or iterating loop; children as the language has them, last is the Block
	Break     //
	Continue  //
	Raise     // raise, throw, panic(...)
	Assert    //
	Try       //
	With      //
	OtherStmt // any other statement

	// Expressions.
	Name      // an identifier in an expression; Name has its text
	Number    // Text is the literal
	String    // Text is the literal with its quotes
	Bool      // true or false
	Nil       // None, nil, null, undefined
	Binary    // arithmetic, bitwise, concatenation: left, right; Op
	Compare   // left, right; Op. A chain a<b<c is Other with Compare-like operands
	Logical   // and, or: left, right; Op
	Unary     // operand; Op: "-", "not", "!", "~", "+"
	Call      // callee, argument…
	Keyword   // a keyword argument: value; Name
	Index     // object, index
	Slice     // object, then low, high, step, each an Empty node where left out
	Attribute // object; Name is the attribute
	Cond      // conditional expression: condition, then, else
	List      // list, slice or array literal
	Tuple     //
	Dict      // dict, map or object literal
	Lambda    //
	Comp      // a comprehension
	Empty     // a zero-width placeholder
)

// Node is one node of the tree. Children lie within their parent, in source
// order, without overlap.
type Node struct {
	Kind Kind
	// Start and End are byte offsets into the file.
	Start, End int
	// OpStart and OpEnd are the span of the operator, where Op is set.
	OpStart, OpEnd int
	Op             string
	// Name is the identifier of a Name, Function, Param, Attribute or Keyword.
	Name string
	// Type is what the language's checker knows of the expression, in its own
	// words ("int", "[]string"); empty when unknown.
	Type     string
	Children []*Node
	// Line is the line of Start, from 1, and EndLine that of End.
	Line, EndLine int
	// Scope are the names visible at a Function, Block or statement, as the parser
	// knows them; nil means as in the parent.
	Scope []Symbol
}

// Symbol is a name that is visible somewhere.
type Symbol struct {
	Name string
	// Type is as in Node; empty when unknown.
	Type string
	// Callable means that it is a function or class.
	Callable bool
	// Local means that it is a parameter or local variable of the function.
	Local bool
}

// Walk calls visit for n and everything below it, parents first; visit returns
// false to leave out what is below.
func Walk(n *Node, visit func(*Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	for _, c := range n.Children {
		Walk(c, visit)
	}
}
