// Package pylayout is the Python module that sets up where a project's own code is
// imported from: src folders, and the workspace's copy of what is installed in
// place. All processes that run a project's tests lay it beside their own files,
// so that they import the same code.
package pylayout

import (
	_ "embed"
	"slices"
)

//go:embed autocoder_layout.py
var source []byte

// File is the name under which the module is laid.
const File = "autocoder_layout.py"

// Source returns the module's text.
func Source() []byte { return slices.Clone(source) }
