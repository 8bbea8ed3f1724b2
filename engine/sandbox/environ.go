package sandbox

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// plain are variables that are the same for every command.
var plain = [][2]string{{"LANG", "C.UTF-8"}, {"LC_ALL", "C.UTF-8"}, {"TERM", "dumb"}, {"NO_COLOR", "1"}, {"CI", "1"}, {"COLUMNS", "200"}}

// Sets reports whether every command gets a variable of that name, the user's or one
// made for it.
func Sets(name string) bool {
	return slices.Contains([]string{"PATH", "HOME", "TMPDIR", "TZ"}, name) || slices.ContainsFunc(plain, func(kv [2]string) bool { return kv[0] == name })
}

// environment builds the environment of a command from nothing: what programs
// need to work at all, the user's PATH and time zone, what the user let through,
// and what the command asks for, which wins.
func environment(c Config, root, home, tmp string, extra []string) []string {
	var e environ
	e.set("PATH", searchPath(lookup(c.Environ, "PATH"), c.Root, root))
	e.set("HOME", home)
	e.set("TMPDIR", tmp)
	for _, kv := range plain {
		e.set(kv[0], kv[1])
	}
	keep := []string{"TZ"}
	if runtime.GOOS == "windows" {
		e.set("TEMP", tmp)
		e.set("TMP", tmp)
		e.set("USERPROFILE", home)
		e.set("LOCALAPPDATA", filepath.Join(home, "AppData", "Local"))
		e.set("APPDATA", filepath.Join(home, "AppData", "Roaming"))
		keep = append(keep, "SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "ProgramFiles", "NUMBER_OF_PROCESSORS")
	}
	for _, name := range slices.Concat(keep, c.PassEnv) {
		if v, ok := find(c.Environ, name); ok {
			e.set(name, v)
		}
	}
	for _, kv := range extra {
		name, v, _ := strings.Cut(kv, "=")
		e.set(name, v)
	}
	return e.list
}

// searchPath takes over the user's PATH without entries that depend on the
// working folder; entries in the workspace follow it to where it now is.
func searchPath(path, workspace, root string) string {
	var kept []string
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if dir = filepath.Clean(dir); root != workspace && within(dir, workspace) {
			rel, _ := filepath.Rel(workspace, dir) // within has just made it
			dir = filepath.Join(root, rel)
		}
		kept = append(kept, dir)
	}
	if len(kept) == 0 && runtime.GOOS != "windows" {
		return "/usr/local/bin:/usr/bin:/bin"
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}

// environ is a list of NAME=value without repeated names.
type environ struct{ list []string }

func (e *environ) set(name, value string) {
	kv := name + "=" + value
	for i, have := range e.list {
		if n, _, _ := strings.Cut(have, "="); sameName(n, name) {
			e.list[i] = kv
			return
		}
	}
	e.list = append(e.list, kv)
}

// find returns the value of name in env; the last one counts, as everywhere.
func find(env []string, name string) (string, bool) {
	for _, kv := range slices.Backward(env) {
		if n, v, ok := strings.Cut(kv, "="); ok && sameName(n, name) {
			return v, true
		}
	}
	return "", false
}

func lookup(env []string, name string) string {
	v, _ := find(env, name)
	return v
}

func sameName(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}
