// Package node is the language-neutral syntax tree that repair templates work
// on. A language adds a parser that produces it; a template never learns which
// language it edits, beyond the spellings in Dialect.
//
// Nodes carry byte spans into the file they were parsed from, and edits are
// byte ranges, so that formatting, comments and line ends of everything else
// stay as they are.
//
// What a parser must keep to, beside the comments at the kinds:
//   - Parentheses around an expression are no node and belong to no node but
//     those around it: the span of a in (a)+b is that of a alone, the sum's span
//     begins at the parenthesis. Info.Outer finds them again.
//   - Names of types, annotations, decorators, import paths and labels are no
//     expressions: they are Other, or left out.
//   - An If in the place of an else (elif, else if) starts at its own keyword
//     (elif in Python, if in Go) and is the third child of the If before it.
//   - A Block with braces spans them; one without (indented, or the statements
//     of a case) spans from its first statement to the end of its last.
//   - A statement's span has neither its indentation nor its line end.
//   - What catches an error is Other with Op "except": the kinds that it catches,
//     if it names any, and its Block.
//   - Several targets or values side by side (a, b = b, a) are one Tuple each.
//   - f-strings and template strings are Other, with their expressions below.
package node

// Kind is what a node is, in terms that Python, Go and JavaScript share.
type Kind uint8

// The kinds of node.
const (
	Other Kind = iota // anything templates don't look into; its children still count
	File
	Function // children: Param…, Block; Name is its name, Type its result's type ("" unknown or none)
	Param    // Name, Type; its default value is its only child
	Block    // a list of statements

	// Statements.
	ExprStmt
	Assign  // children: target…, value; Op is "=", ":=", "+=" …; i++ has Op "++" and an Empty value
	VarDecl // a declaration with a value: children as Assign
	Return  // children: value…
	If      // children: condition, then-Block, else (Block or If) or nothing
	While   // children: condition, Block (For with only a condition in Go)
	// For: Op is "in" when it iterates: target… (none in Go's "for range x"),
	// iterable, Block; and ";" when it counts: init, condition, step, Block, each Empty
	// where left out. Python's else Block comes after the Block, as for While.
	For
	Break     //
	Continue  //
	Raise     // raise, throw, panic(...)
	Assert    //
	Try       // Blocks, and what else it has
	With      //
	OtherStmt // any other statement: switch, select, defer, go, del, global, a class …

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
	Call      // callee, argument…; a conversion T(x) is one too. *x and x... are Other
	Keyword   // a keyword argument: value; Name
	Index     // object, index
	Slice     // object, then low, high, step, each an Empty node where left out
	Attribute // object; Name is the attribute
	Cond      // conditional expression: condition, then, else
	List      // list, slice or array literal
	Tuple     //
	Dict      // dict, map or object literal
	Lambda    // Param…, then an expression or a Block
	Comp      // a comprehension: element (key and value), then what it iterates as For "in" without Block, conditions
	Yield     // value; Op is "yield" or "yield from"
	Empty     // a zero-width placeholder
)

// Statement reports whether the kind is a statement.
func (k Kind) Statement() bool { return k >= ExprStmt && k <= OtherStmt }

// Expression reports whether the kind is an expression.
func (k Kind) Expression() bool { return k >= Name && k < Empty }

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
	// Types are what is known of the types of a File; nil when nothing is.
	Types *Types
}

// Types are what a language's checker knows of types, by how nodes spell them.
type Types struct {
	// Under is what a named type is made of: "int" for "Level".
	Under map[string]string
	// Members are the fields and methods of a value that may be used in the file.
	Members map[string][]Symbol
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
