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
	return withCaches(unit, cacheIn(folder), "")
}

// WithSealedCache is WithCache for cells that may only read what was built below the
// folder built; none is empty.
func WithSealedCache(unit runner.Unit, folder, built string) runner.Unit {
	if built != "" {
		built = cacheIn(built)
	}
	return withCaches(unit, cacheIn(folder), built)
}

// WithHomeCache is WithSealedCache for cells that are not there yet: what they build
// is in the home of each.
func WithHomeCache(unit runner.Unit, built string) runner.Unit {
	if built != "" {
		built = cacheIn(built)
	}
	return withCaches(unit, "~/.cache/go-build", built) // the usual place
}

func cacheIn(folder string) string { return filepath.Join(folder, "go-build") }

// withCaches sets the variables.
func withCaches(unit runner.Unit, private, built string) runner.Unit {
	if lookup(unit.Env, "GOCACHEPROG") != "" {
		return unit
	}
	users := lookup(unit.Env, "GOCACHE")
	unit.Env = slices.DeleteFunc(slices.Clone(unit.Env), func(pair string) bool { return strings.HasPrefix(pair, "GOCACHE=") })
	// The go command wants a GOCACHE that it can make even when a program keeps
	// the cache.
	if filepath.IsAbs(private) {
		unit.Env = append(unit.Env, "GOCACHE="+private)
	}
	if users != "" || built != "" {
		unit.Env = append(unit.Env, "GOCACHEPROG="+sandbox.GoCacheProg(users, private, built))
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
