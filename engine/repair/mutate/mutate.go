// Package mutate makes the edits that the repair engine tries: a table of
// templates over the language-neutral tree, and a stream that yields their edits
// best first.
//
// A template is one entry of the table. It sees a node of a kind it asked for
// and emits edits of byte ranges; it knows no language but by its Dialect. What
// an edit costs is the template's prior, how unlikely the line is to be at
// fault, and what the edit does to the code around it (a variable that nobody
// reads any more, the only recursive call gone). Edits that are no repair by
// their form (deleting a statement, a condition made constant, an error no
// longer raised) are not made.
package mutate

import (
	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// Template is a way to change code.
type Template struct {
	// Name is how reports call it, Does what it does in a few words, Example one
	// edit as "before → after".
	Name, Does, Example string
	// Prior is the cost of its likeliest edit: lower is tried earlier.
	Prior float64
	// Kinds are the nodes it is asked about.
	Kinds []node.Kind
	// Suspicious means that its edits silence code more often than they repair it:
	// what they make green is shown when nothing else is, and never trusted.
	Suspicious bool
	// generate emits the edits of one node. Edits cost Prior plus what they say.
	generate func(g *site)
}

// Edit is one change of a file.
type Edit struct {
	// Edits are sorted and do not overlap.
	Edits    []textedit.Edit
	Template string
	// Line is that of the node that is changed.
	Line int
	Cost float64
	// Why says for people what the edit changes.
	Why string
	// Place is the part of Cost that is due to where the edit is.
	Place float64
	// Suspicious is as in Template.
	Suspicious bool
}

// Templates returns the table.
func Templates() []Template {
	var all []Template
	for _, family := range [][]Template{
		operators(), constants(), names(), conditions(), calls(), values(), containers(),
		assignments(), flow(), insertions(), slips(), wholes(), forms(), script(), steps(),
		lookups(), errs(), waiting(), texts(), queries(), objects(), throughout(), spelledOut(), exactly(),
		continued(),
		counterparts(),
		causes(),
		parametersHandedOn(), presence(), kinship(), misspelt(), whatIsMissing(),
	} {
		all = append(all, family...)
	}
	return all
}
