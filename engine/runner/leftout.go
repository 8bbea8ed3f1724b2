package runner

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"autocoder/engine/testresult"
)

// absent are the forms in which languages print that a file isn't there, each
// with the file's name in a group.
var absent = []*regexp.Regexp{
	// Python: FileNotFoundError: [Errno 2] No such file or directory: '.env'
	regexp.MustCompile(`(?i)\bno such file or directory: ['"]?([^'"\n]+)`),
	// Node: ENOENT: no such file or directory, open '/home/x/.env'
	regexp.MustCompile(`\bENOENT: no such file or directory, \w+ '([^'\n]+)'`),
	// Go: open ../.env: no such file or directory. A shell: cat: .env: No such file…
	regexp.MustCompile(`(?i)(?:^|[\s:(])([^\s:('"]+): no such file or directory`),
	// Go: pattern .env: no matching files found
	regexp.MustCompile(`\bpattern ([^\s:]+): no matching files found`),
}

// Blocked is Blocked for what one command showed: it also knows the files that
// were left out of the workspace and the variables that were withheld, so that an error
// which says that one of them isn't there is no fault of the project's, and what the
// sandbox says it refused.
func (r Report) Blocked(message string) (thing, setting string, ok bool) {
	if thing, setting, ok := Blocked(message, r.Root, r.Folder); ok {
		return thing, setting, true
	}
	return r.withheld(message)
}

// withheld is Blocked without what the text alone shows.
func (r Report) withheld(message string) (thing, setting string, ok bool) {
	if thing, setting, ok := r.missing(message); ok {
		return thing, setting, true
	}
	return r.refused(message)
}

// missing finds the left-out file, or the withheld variable, that an error names.
func (r Report) missing(message string) (thing, setting string, ok bool) {
	for _, name := range r.Withheld {
		if unset(message, name) {
			return "the variable " + name + ", which is not passed on to the tests", fmt.Sprintf("env = [%q]", name), true
		}
	}
	if len(r.LeftOut) == 0 {
		return "", "", false
	}
	for _, form := range absent {
		for _, m := range form.FindAllStringSubmatch(message, -1) {
			for _, left := range r.LeftOut {
				if r.names(m[1], left) {
					return "the file " + left + ", which was left out of the copy as secret", fmt.Sprintf("include = [%q]", left), true
				}
			}
		}
	}
	return "", "", false
}

// lacks are the words with which programs say that a variable is missing.
var lacks = regexp.MustCompile(`(?i)\b(?:environ\w*|env|(?:not|be|isn't) (?:set|defined|found|provided)|unset|missing|undefined|required?|empty)\b`)

// unset reports whether an error says that a variable of the environment is not there:
// as Python does, by its name alone, or in words. A name alone may be a key of any
// mapping, when it is one word.
func unset(message, name string) bool {
	if strings.Contains(name, "_") && strings.Contains(message, "KeyError: '"+name+"'") {
		return true
	}
	for line := range strings.Lines(message) {
		for rest := line; ; {
			at := strings.Index(rest, name)
			if at < 0 {
				break
			}
			end := at + len(name)
			if (at == 0 || !wordByte(rest[at-1])) && (end == len(rest) || !wordByte(rest[end])) && lacks.MatchString(line) {
				return true
			}
			rest = rest[end:]
		}
	}
	return false
}

func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}

// names reports whether a path as an error prints it can be the workspace's file
// left. Of a relative one nobody knows to which folder.
func (r Report) names(printed, left string) bool {
	if filepath.IsAbs(printed) {
		rel, ok := r.Relative(printed)
		return ok && Within(left, rel)
	}
	printed = path.Clean(filepath.ToSlash(printed))
	for strings.HasPrefix(printed, "../") {
		printed = strings.TrimPrefix(printed, "../")
	}
	return Within(left, printed) || strings.HasSuffix(left, "/"+printed)
}

// withoutLeftOut gives the parts that could not be run for want of a left-out
// file or a withheld variable, as a module that reads it when it is imported, that for a
// reason.
func withoutLeftOut(run testresult.UnitRun, report Report) testresult.UnitRun {
	judge := func(reason *testresult.Reason, detail *string) {
		thing, setting, ok := report.missing(*detail)
		if ok && *reason != testresult.NoReason && *reason != testresult.SandboxBlocked {
			*reason = testresult.SandboxBlocked
			*detail = fmt.Sprintf("it needs %s (allow it with %s): %s", thing, setting, *detail)
		}
	}
	judge(&run.Reason, &run.Detail)
	for i := range run.Unusable {
		judge(&run.Unusable[i].Reason, &run.Unusable[i].Detail)
	}
	return run
}
