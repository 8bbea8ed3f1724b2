// Package gocache serves the go command's build cache over the GOCACHEPROG
// protocol: hits come from a private folder and from the user's own cache, which
// is only read; what is built goes to the private folder.
//
// Both folders have the layout of the go command's own cache: an entry
// xx/<action>-a names an output by id and size, the file xx/<output>-d holds it.
// Files are made under another name and renamed, so that several servers can
// share one private folder.
package gocache

import "strings"

// Quote joins arguments into the value of GOCACHEPROG, as the go command splits
// it: by spaces, with single or double quotes around what has spaces, and no
// escapes.
func Quote(args ...string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		switch {
		case a != "" && !strings.ContainsAny(a, " \t\r\n'\""):
			quoted[i] = a
		case !strings.Contains(a, "'"):
			quoted[i] = "'" + a + "'"
		default:
			quoted[i] = `"` + a + `"` // both kinds in one path can't be said
		}
	}
	return strings.Join(quoted, " ")
}
