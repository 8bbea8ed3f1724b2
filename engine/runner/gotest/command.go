package gotest

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"autocoder/engine/command"
	"autocoder/engine/runner"
)

// commands builds the go test commands of a selection. One is enough unless a
// test is to be skipped: -skip goes by name alone, so that each package with
// such a test gets a command of its own, lest another package's test of the
// same name be left out too. A skipped id that is a package's import path and
// nothing more leaves out the package.
func commands(unit runner.Unit, sel runner.Selection, report runner.Report, limits runner.Limits) ([]command.Spec, error) {
	unit = WithCache(unit, filepath.Dir(report.Folder))
	asked, _ := parseGiven(unit.Command)
	b := builder{unit: unit, asked: asked, base: []string{
		unit.Interpreter, "test", "-json", "-count=1", "-fullpath", "-timeout=" + timeout(limits),
	}}
	selected, skipped := group(sel.IDs), group(sel.Skip)
	if sel.Drill != nil {
		overlay, err := layDrill(unit, report, sel.Drill)
		if err != nil {
			return nil, err
		}
		b.base = append(b.base, "-overlay="+overlay)
		selected = withCanaries(selected, sel.Drill)
	}
	switch {
	case sel.IDs != nil:
		b.addSelected(selected, skipped)
	case len(skipped) == 0:
		b.add(nil, nil, nil)
	default:
		b.addRest(skipped)
	}
	return b.specs, nil
}

// timeout is what go test itself allows a package. It only takes over should
// our own limit over the whole command, which ends earlier, not do its work.
func timeout(limits runner.Limits) string {
	if limits.Suite <= 0 {
		return "0"
	}
	return (limits.Suite + 10*time.Second).Round(time.Second).String()
}

// everything names all packages of the module on the command line.
const everything = "./..."

type builder struct {
	unit  runner.Unit
	asked given
	base  []string
	specs []command.Spec
}

// add appends the command that runs the named tests, or all for none, but the
// skipped ones, in packages.
func (b *builder) add(run, skip, packages []string) {
	args, flags := slices.Clone(b.base), b.asked.flags
	if len(run) > 0 {
		args, flags = append(args, "-run="+runPattern(run)), without(flags, "run")
	}
	if len(skip) > 0 {
		skipped := pattern(skip)
		for _, flag := range flags {
			if theirs, ok := valueOf(flag, "skip"); ok {
				skipped += "|" + theirs
			}
		}
		args, flags = append(args, "-skip="+skipped), without(flags, "skip")
	}
	if len(packages) == 0 {
		packages = b.all()
	}
	args = slices.Concat(args, flags, packages, b.asked.tail)
	b.specs = append(b.specs, command.Spec{Args: args, Dir: b.unit.Root, Env: b.unit.Env})
}

// all names every package of the unit.
func (b *builder) all() []string {
	if len(b.unit.Command) == 0 || slices.Equal(b.asked.packages, []string{everything}) || len(b.unit.Parts) == 0 {
		return []string{everything}
	}
	return b.unit.Parts
}

// addSelected appends the commands for the selected tests of each package.
func (b *builder) addSelected(selected, skipped map[string][]string) {
	maps.DeleteFunc(selected, func(_ string, tests []string) bool { return wholly(tests) }) // no ids of ours
	plain := maps.Clone(selected)
	maps.DeleteFunc(plain, func(pkg string, _ []string) bool { _, skip := skipped[pkg]; return skip })
	if len(plain) > 0 {
		b.add(names(plain), nil, packages(plain))
	}
	for _, pkg := range packages(skipped) {
		if len(selected[pkg]) > 0 && !wholly(skipped[pkg]) {
			b.add(selected[pkg], skipped[pkg], []string{pkg})
		}
	}
}

// addRest appends the commands for everything but the skipped tests.
func (b *builder) addRest(skipped map[string][]string) {
	var plain []string
	for _, part := range b.unit.Parts {
		if _, skip := skipped[part]; !skip {
			plain = append(plain, part)
		}
	}
	if len(plain) > 0 {
		b.add(nil, nil, plain)
	}
	for _, pkg := range packages(skipped) {
		if !wholly(skipped[pkg]) {
			b.add(nil, skipped[pkg], []string{pkg})
		}
	}
}

// wholly reports whether the names of a package leave out all of it.
func wholly(names []string) bool { return slices.Contains(names, "") }

// group sorts native ids by package. What is no id is a package's import path,
// and stands in its group as the empty name.
func group(ids []string) map[string][]string {
	groups := map[string][]string{}
	for _, id := range ids {
		pkg, test, ok := SplitID(id)
		if !ok {
			pkg = id
		}
		groups[pkg] = append(groups[pkg], test)
	}
	return groups
}

func packages(groups map[string][]string) []string { return slices.Sorted(maps.Keys(groups)) }

// names returns the tests of all groups, each once.
func names(groups map[string][]string) []string {
	all := slices.Concat(slices.Collect(maps.Values(groups))...)
	slices.Sort(all)
	return slices.Compact(all)
}

// pattern matches exactly the tests of those names. The testing package splits
// a pattern at each bar, then at each slash, both where they aren't quoted, and
// matches a name level by level. Of two alternatives the first that matches a
// parent wins, so a parent comes before its subtests, as in sorted names.
func pattern(tests []string) string {
	alternatives := make([]string, len(tests))
	for i, test := range slices.Sorted(slices.Values(tests)) {
		levels := strings.Split(test, "/")
		for j, level := range levels {
			levels[j] = "^" + regexp.QuoteMeta(level) + "$"
		}
		alternatives[i] = strings.Join(levels, "/")
	}
	return strings.Join(alternatives, "|")
}

// longest is the most that one argument may have; Linux allows 128 KiB.
const longest = 100 << 10

// runPattern matches the tests, and more of them when there are too many to
// name: their whole functions, or everything.
func runPattern(tests []string) string {
	if p := pattern(tests); len(p) <= longest {
		return p
	}
	functions := make([]string, len(tests))
	for i, test := range tests {
		functions[i], _, _ = strings.Cut(test, "/")
	}
	slices.Sort(functions)
	if p := pattern(slices.Compact(functions)); len(p) <= longest {
		return p
	}
	return "."
}

// skippedBy reads back which tests a command leaves out.
func skippedBy(args []string) []string {
	for _, arg := range args {
		if p, ok := strings.CutPrefix(arg, "-skip="); ok {
			return unquote(p)
		}
	}
	return nil
}

// unquote returns the names of a pattern made by pattern.
func unquote(p string) []string {
	var names []string
	var name strings.Builder
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '^', '$':
		case '|':
			names = append(names, name.String())
			name.Reset()
		case '\\':
			i++
			if i < len(p) {
				name.WriteByte(p[i])
			}
		default:
			name.WriteByte(p[i])
		}
	}
	return append(names, name.String())
}
