package gotest

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"autocoder/engine/runner"
)

// Given returns the unit of a user's own command, "go test" with its flags and
// packages, in a folder of the tree. ok is false when the command is none that
// can be run with our reporter, or runs no tests of a module in that folder.
func Given(tree fs.FS, dir string, words []string) (unit runner.Unit, ok bool, err error) {
	given, ok := parseGiven(words)
	if !ok {
		return runner.Unit{}, false, nil
	}
	units, err := detect(tree)
	if err != nil {
		return runner.Unit{}, false, err
	}
	i := slices.IndexFunc(units, func(u runner.Unit) bool { return u.Root == dir })
	manifest, err := fs.ReadFile(tree, path.Join(dir, "go.mod"))
	if i < 0 || err != nil {
		return runner.Unit{}, false, nil // there is no module, as far as one can see
	}
	unit = units[i]
	unit.Command = words
	module := modfile.ModulePath(manifest)
	unit.Parts = slices.DeleteFunc(unit.Parts, func(part string) bool { return !given.names(module, part) })
	return unit, len(unit.Parts) > 0, nil
}

// given is what a go test command asks for.
type given struct {
	// flags are those that go before the packages, and tail is what goes behind them.
	flags, packages, tail []string
}

// withoutValue are the flags of go test that take no value; every other one takes
// one, joined by "=" or as the next word.
var withoutValue = map[string]bool{
	"a": true, "n": true, "x": true, "v": true, "i": true, "c": true, "race": true, "msan": true, "asan": true,
	"cover": true, "work": true, "linkshared": true, "modcacherw": true, "trimpath": true, "json": true,
	"benchmem": true, "failfast": true, "fullpath": true, "short": true, "artifacts": true,
}

// leftOut are the flags that would change how results come to us, hide failures,
// make runs differ, or only measure.
var leftOut = map[string]bool{
	"json": true, "v": true, "count": true, "timeout": true, "fullpath": true, "failfast": true, "shuffle": true,
	"cover": true, "covermode": true, "coverpkg": true, "coverprofile": true, "cpuprofile": true, "memprofile": true,
	"memprofilerate": true, "blockprofile": true, "blockprofilerate": true, "mutexprofile": true,
	"mutexprofilefraction": true, "trace": true, "outputdir": true, "o": true, "x": true, "work": true, "artifacts": true,
}

// parseGiven reads the words of a command; ok is false for one that does not run
// tests, or runs them in another folder.
func parseGiven(words []string) (g given, ok bool) {
	if len(words) < 2 || strings.TrimSuffix(path.Base(words[0]), ".exe") != "go" || words[1] != "test" {
		return given{}, false
	}
	for i := 2; i < len(words); i++ {
		word := words[i]
		if word == "-args" || word == "--args" {
			g.tail = words[i:]
			break
		}
		if !strings.HasPrefix(word, "-") {
			g.packages = append(g.packages, word)
			continue
		}
		name, _, joined := strings.Cut(strings.TrimLeft(word, "-"), "=")
		name = strings.TrimPrefix(name, "test.")
		if slices.Contains([]string{"C", "c", "n", "list", "exec"}, name) {
			return given{}, false
		}
		flag := []string{word}
		if !withoutValue[name] && !joined && i+1 < len(words) {
			i++
			flag = []string{word + "=" + words[i]}
		}
		if !leftOut[name] {
			g.flags = append(g.flags, flag...)
		}
	}
	return g, true
}

// names reports whether the command's packages hold one of a module.
func (g given) names(module, pkg string) bool {
	if len(g.packages) == 0 {
		return pkg == module
	}
	return slices.ContainsFunc(g.packages, func(pattern string) bool {
		if pattern == "." || strings.HasPrefix(pattern, "./") {
			pattern = path.Join(module, pattern)
		}
		base, all := strings.CutSuffix(pattern, "/...")
		return pkg == pattern || all && (pkg == base || strings.HasPrefix(pkg, base+"/"))
	})
}

// without are the flags but those of that name.
func without(flags []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(flags), func(flag string) bool {
		_, found := valueOf(flag, name)
		return found
	})
}

// valueOf is the value of a flag when it has that name.
func valueOf(flag, name string) (string, bool) {
	got, value, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
	return value, strings.TrimPrefix(got, "test.") == name
}
