package node

import "autocoder/engine/textedit"

// Idioms are what some languages have beside the common ground, and how they
// spell it. What is empty or nil a language does not have.
type Idioms struct {
	// Receiver is what methods call their own object ("self", "this").
	Receiver string
	// Await stands before what is waited for, Async before a function that waits, each
	// with its blank.
	Await, Async string
	// Spread gives the elements of a list as arguments ("*", "...").
	Spread string
	// Exceptions are classes of errors that are often raised, Raise spells raising one,
	// and Either catching one of several.
	Exceptions []string
	Raise      func(class, message string) string
	Either     func(classes []string) string
	// Lookup spells the value under a key with what is taken when there is none; an
	// empty one asks for the language's own.
	Lookup func(mapping, key, otherwise string) string
	// Fallbacks are values that stand for nothing, likely ones first, and Empties those
	// that variables start with.
	Fallbacks, Empties []string
	// Put spells statements that put a value under a key, in other ways than
	// assigning it.
	Put func(mapping, key, value string) []string
	// TypeTests are conditions on the type of a value.
	TypeTests func(x string) []string
	// Each spells the elements of x, each named by name and given to call, which has a
	// dot in front when it is a method.
	Each func(call, name, x string) string
	// Repeated spells a list of so many elements, each made anew.
	Repeated func(element, count string) string
	// Fill are the methods that fill a text up to a length.
	Fill []string
	// Without spells a text x without the text s at its ends, or anywhere.
	Without func(x, s string) []string
	// SortKeys are functions to sort by, in terms of the element x.
	SortKeys []string
	// Decorators are what methods are often decorated with.
	Decorators []string
	// Named spells an argument that is given by the name of its parameter, and Constructor
	// is the method that takes what a call of its class is given.
	Named       func(name, value string) string
	Constructor string
	// Absent spells the conditions that a value is none, and that it is not.
	Absent func(x string) (none, there string)
	// Otherwise are the functions that take, after so many arguments, what to give back
	// where there is nothing.
	Otherwise map[string]Otherwise
	// TypeTest is the function that tells whether a value is of a type, or of one of several,
	// and RelatedTypes groups of types of which one is often forgotten beside another.
	TypeTest     string
	RelatedTypes []string
	// Super is how a method calls what the base class has, OwnClass forms of the class of
	// the object $, and NotComparable what an operator's method gives back when it can't tell.
	Super         string
	OwnClass      []string
	NotComparable string
	// Base spells setting up the base class with arguments.
	Base func(arguments string) string
	// Interpolated is the prefix of a string in which braces hold expressions, and
	// Specs are formats for them.
	Interpolated string
	Specs        []string
	// Imports are the statements that names of the library need.
	Imports map[string]string
	// Delete spells the statement that takes a key out of a mapping.
	Delete func(from, key string) string
	// Import is the edit that imports what has a name: from where Imports says, else the
	// module of that name. Nil where a language has none.
	Import func(content []byte, name string) textedit.Edit
}

// Otherwise is a call's argument for where there is nothing: values to try when the call
// has After arguments.
type Otherwise struct {
	After  int
	Values []string
}
