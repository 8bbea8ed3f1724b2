// Package localise ranks lines by how likely they are at fault, from which
// tests ran them (spectrum-based fault localisation).
package localise

// Row is one test, or one assertion of one, and the lines it ran.
type Row struct {
	Name   string
	Failed bool
	// Lines are the executed lines by file, from 1, project files only.
	Lines map[string][]int
	// Frames are the lines of the failure's traceback by file, the deepest last.
	Frames []Place
}

// Place is a line of a file.
type Place struct {
	File string
	Line int
}

// Spectrum is what a set of tests ran.
type Spectrum struct{ Rows []Row }
