package node

import "autocoder/engine/textedit"

// Class is what kind of value a type holds, as far as templates care.
type Class uint8

// The classes of type.
const (
	Unknown Class = iota
	Int
	Float
	Text
	Truth
	Sequence // list, slice, array
	Mapping  // dict, map
	Set
	Callable
	Pointer // a pointer, interface, channel or optional: may be nil
	Struct  // anything else that has attributes
)

// Dialect is how one language spells what templates write. It is data: a
// language fills it in once and nobody changes it. Optional parts are nil or
// empty where a language has no such thing, and templates that need them then
// make nothing.
type Dialect struct {
	// Language is the language's name; it is for people and tests only.
	Language string
	// Indented means that blocks are made by indentation, otherwise by braces.
	Indented bool
	// Comment starts a comment that ends with the line.
	Comment string
	// Unit is one step of indentation where the file does not show its own.
	Unit string

	// True, False and Nil are the literals.
	True, False, Nil string
	// And, Or are the operators, Not the prefix with its blank ("not ", "!").
	And, Or, Not string
	// Elif and Else are what continues an if ("elif", "else if"; "else").
	Elif, Else string
	// Pass is a statement that does nothing, where a block may not be empty.
	Pass string
	// Truthy means that any value may stand as a condition.
	Truthy bool
	// End ends a statement, Parenthesised means that conditions of statements stand in
	// parentheses.
	End           string
	Parenthesised bool
	// Strict are the operators that new code has in the place of == and !=.
	Strict map[string]string
	// Called is how the functions max and min are called, where not so.
	Called map[string]string
	// Walrus is the operator that declares on assignment (":="), if there is one.
	Walrus string

	// Compare, Arithmetic and Augmented give for an operator those to put in its
	// place, likely ones first. Negated and Mirrored are the comparison that says
	// the opposite (< and >=), and the one with its sides swapped (< and >).
	Compare, Arithmetic map[string][]string
	Negated, Mirrored   map[string]string
	// Precedence of binary operators: higher binds tighter. Unary is that of prefix
	// operators, Not included unless NotPrecedence says otherwise.
	Precedence           map[string]int
	Unary, NotPrecedence int
	// IntDivide and Divide are the operators for whole and for exact quotients;
	// equal where the operands decide.
	IntDivide, Divide string

	// Siblings are names of functions, methods and constants that are mistaken for
	// one another.
	Siblings map[string][]string
	// Wraps are calls to put around a value of a class.
	Wraps []Wrap
	// Forms are other things to make of a value.
	Forms []Form
	// Receivers are the classes of what has a method of a name, Results those of what a
	// function, method or attribute of a name gives.
	Receivers, Results map[string]Class
	// Copies are values to put in the place of calls of methods that change their
	// object, by the method's name: $ is the object, @ the arguments.
	Copies map[string]string
	// Keywords are arguments to add to calls of a name ("sorted": reverse=True).
	Keywords map[string][]string
	// Dangerous are parts of names ("os.remove", "subprocess", "WriteFile") whose
	// lines are not edited where cells are not confined.
	Dangerous []string
	// Reserved are the words that can't be variables, built-in names included.
	Reserved map[string]bool

	// Class sorts a type in the language's own words; Elem is the type of what a
	// container holds, Key that of a mapping's keys, "" when unknown.
	Class func(typ string) Class
	Elem  func(typ string) string
	Key   func(typ string) string
	// Assignable says whether a value of type from fits where a to is wanted; it
	// answers true when either is unknown.
	Assignable func(from, to string) bool
	// Zeros are the literals to try for a type, likely ones first.
	Zeros func(typ string) []string

	// Length spells the length of a value.
	Length func(x string) string
	// Append spells the statement that adds x at the end of a sequence, Insert the
	// one that adds it to a set or, as true, to a mapping.
	Append, Insert func(to, x string) string
	// Concat spells two lists after one another; nil where + does it.
	Concat func(a, b string) string
	// Last spells the index of the last element.
	Last func(seq string) string
	// Slice spells a slice; any but seq may be empty.
	Slice func(seq, low, high, step string) string
	// Conditional spells cond ? then : otherwise as an expression; nil where there
	// is none.
	Conditional func(cond, then, otherwise string) string
	// Increment spells the statement that adds by ("1", "-1") to x.
	Increment func(x string, by int) string
	// Quote spells a string (or character) literal in the manner of like, an existing
	// literal; Unquote reads one.
	Quote   func(text, like string) string
	Unquote func(literal string) (string, bool)
	// Idioms are what not every language has.
	Idioms
	// Complete returns the further edits, into the same content, that the file needs
	// to compile after edits: an import that is missing or no longer used. Nil where a
	// language needs none.
	Complete func(content []byte, edits []textedit.Edit) []textedit.Edit
}

// Wrap is a call to put around a value.
type Wrap struct {
	// Call is the function ("abs", "math.Abs"), or the method with its dot (".lower").
	Call string
	// Of are the classes it takes (empty: any), To the class it gives.
	Of []Class
	To Class
	// Cost is added to the template's prior.
	Cost float64
}

// Form is a piece of code in which a value stands as $.
type Form struct {
	Text string
	// Of are the classes it takes.
	Of []Class
	// Cost is added to the template's prior.
	Cost float64
}
