package scan

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/textedit"
)

// selfActing are names of files that a tool picks up by itself, whatever refers to them.
var selfActing = regexp.MustCompile(`(?i)^(conftest\.py|sitecustomize\.py|usercustomize\.py|pytest\.ini|tox\.ini|setup\.cfg|setup\.py|pyproject\.toml|entry_points\.txt|go\.work|go\.mod|vendor|package\.json|\.npmrc|\.noderc|node\.config\.json|jest\.config\..*|vitest\..*|babel\.config\..*|\.babelrc.*|\.swcrc|tsconfig.*\.json|\.mocharc.*|\.taprc|\.coveragerc|\.pdbrc|__main__\.py|pythonstartup|\.pythonrc.*|binding\.gyp|node-gyp|deno\.json.*|bunfig\.toml|\.envrc|\.env.*|python|python3?|pytest|node|go)$`)

// selfActingExt are extensions of files that are compiled, linked or imported
// though nothing names them.
var selfActingExt = regexp.MustCompile(`(?i)\.(pth|egg-link|so|pyd|dll|dylib|pyc|pyo|s|sx|syso|c|cc|cpp|cxx|h|hpp|m|swig|swigcxx|f|f90|node|a|o|whl|egg|wasm)$`)

// systems are words at the end of a Go file's name that make it be built only
// there.
var systems = regexp.MustCompile(`_(aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris|wasip1|windows|unix|386|amd64|arm|arm64|loong64|mips|mips64|mips64le|mipsle|ppc64|ppc64le|riscv64|s390x|wasm)\.go$`)

// pickup finds what a changed path does by its name alone.
func (x *scanner) pickup(p string) []Finding {
	finding := func(c Capability, l Level, what string) []Finding {
		return []Finding{{Capability: c, Level: l, Path: p, What: what}}
	}
	f, _ := x.in.State.Lookup(p)
	if f.Kind == textedit.Symlink {
		return finding(Link, Refuses, "to "+f.Target)
	}
	if languageOf(p) == nil && !x.isNew(p) || f.Kind == textedit.Absent {
		if x.testsName(p) {
			return finding(Data, Warns, "a test names "+path.Base(p))
		}
		return nil
	}
	if f.Kind != textedit.Regular || !x.isNew(p) {
		return nil
	}
	base := path.Base(p)
	switch {
	case selfActing.MatchString(base) || strings.Contains(p, ".dist-info/") || strings.Contains(p, ".egg-info/") || strings.Contains(p, "node_modules/"):
		return finding(Pickup, Refuses, base)
	case selfActingExt.MatchString(base):
		return finding(Pickup, Warns, base)
	case systems.MatchString(base):
		return finding(Pickup, Warns, base+" is built only for one system")
	}
	if other := x.shadowed(p); other != "" {
		return finding(Shadowing, Warns, "instead of "+other)
	}
	return x.answers(p, f.Content)
}

// testsName reports whether a test names the file, so that its content is what the
// test goes by.
func (x *scanner) testsName(p string) bool {
	return slices.Contains(x.in.TestFiles, p) || x.tests.words[path.Base(p)] || x.tests.words[p]
}

// moduleName is the name under which Python would import a file from its folder.
func moduleName(p string) string {
	base := strings.TrimSuffix(path.Base(p), path.Ext(p))
	if base == "__init__" {
		return path.Base(path.Dir(p))
	}
	return base
}

// shadowed returns the file or module in whose place a new file would be loaded,
// "" for none.
func (x *scanner) shadowed(p string) string {
	dir, base := path.Dir(p), path.Base(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	if languageOf(p) == python {
		name := moduleName(p)
		where := dir
		if base == "__init__.py" {
			where = path.Dir(dir)
		}
		inPackage := slices.Contains(x.in.Files, path.Join(where, "__init__.py"))
		if slices.Contains(x.installed, name) && !inPackage {
			return "the installed module " + name
		}
	}
	bare := languageOf(p) == nil && path.Ext(base) == "" // what JavaScript looks for first
	for _, f := range x.in.Files {
		if bare && languageOf(f) == javascript && strings.TrimSuffix(f, path.Ext(f)) == p {
			return f
		}
		if f == p || languageOf(f) == nil && path.Ext(f) != ".json" && path.Ext(f) != ".node" {
			continue
		}
		fd, fs := path.Dir(f), strings.TrimSuffix(path.Base(f), path.Ext(f))
		same := fd == dir && fs == stem && languageOf(f) != golang
		// a.py or a.js beside a/__init__.py or a/index.js, and the other way round.
		folder := (fs == "__init__" || fs == "index") && fd == path.Join(dir, stem)
		file := (stem == "__init__" || stem == "index") && path.Join(fd, fs) == dir
		if (same || folder || file) && languageOf(p) != golang && (languageOf(p) != nil || path.Ext(p) == ".json") {
			return f
		}
	}
	return ""
}

// answers looks into a new file of data for what the tests expect.
func (x *scanner) answers(p string, content []byte) []Finding {
	if languageOf(p) != nil {
		return nil
	}
	own := newCases()
	own.data(p, content)
	known := 0
	for key := range own.expected {
		if x.tests.cases.expected[key] && !trivial(key) && !strings.HasPrefix(key, "[") {
			known++
		}
	}
	if known < 2 || 3*known < len(own.expected) {
		return nil
	}
	return []Finding{{Capability: Literal, Level: Warns, Path: p, What: "it holds expected values of failing tests"}}
}
