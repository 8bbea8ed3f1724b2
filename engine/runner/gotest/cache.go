package gotest

import (
	"path/filepath"
	"slices"
	"strings"

	"autocoder/engine/runner"
	"autocoder/engine/sandbox"
)

// WithCache returns the unit with a build cache that reads the user's own and
// writes below folder only. Command does this with the cell's scratch for a unit
// that has none; a caller that keeps what earlier runs built gives its own
// folder, which the unit's cells must be able to write.
func WithCache(unit runner.Unit, folder string) runner.Unit {
	if lookup(unit.Env, "GOCACHEPROG") != "" {
		return unit
	}
	private := filepath.Join(folder, "go-build")
	users := lookup(unit.Env, "GOCACHE")
	env := slices.DeleteFunc(slices.Clone(unit.Env), func(pair string) bool { return strings.HasPrefix(pair, "GOCACHE=") })
	// The go command wants a GOCACHE that it can make even when a program keeps
	// the cache.
	unit.Env = append(env, "GOCACHE="+private)
	if users != "" {
		unit.Env = append(unit.Env, "GOCACHEPROG="+sandbox.GoCacheProg(users, private))
	}
	return unit
}

// lookup returns the last value of a variable, as a process would see it.
func lookup(env []string, name string) string {
	for _, pair := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}
