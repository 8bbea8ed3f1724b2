package javascript

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	// byCommand is the runner of units whose tests a command of the user's runs.
	byCommand = "command"
	// mostForeign bounds the test files that are looked at for such a command.
	mostForeign = 150
)

// tests finds the usual places and names of test files.
var tests = regexp.MustCompile(`(^|/)(tests?|specs?|__tests__)/|(^|/)tests?[-_.][^/]*$|[-_.](test|spec)s?\.[^/.]+$`)

// isTest reports whether a file looks like one of tests in JavaScript.
func isTest(name string) bool { return tests.MatchString(name) && isScript(name) }

// foreign are the parts of a unit whose command does not say which files it runs:
// those first that the failures speak of.
func (s *session) foreign() []part {
	said := map[string]bool{}
	for _, id := range s.task.Targets {
		t := s.task.View.Result.Lookup(id)
		said[path.Join(s.task.Unit.Root, t.Part)] = true
		if t.Failure == nil {
			continue
		}
		said[t.Failure.At.File] = true
		for _, f := range t.Failure.Frames {
			said[f.File] = true
		}
	}
	files := slices.DeleteFunc(slices.Clone(s.task.View.Files), func(name string) bool { return !isTest(name) })
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(rank(said[a]), rank(said[b])) })
	var out []part
	for _, name := range files[:min(len(files), mostForeign)] {
		rel, inside := strings.CutPrefix(name, path.Join(s.task.Unit.Root)+"/")
		if s.task.Unit.Root == "." {
			rel, inside = name, true
		}
		if inside {
			out = append(out, part{Part: rel, Targets: []string{}, Passing: []string{}})
		}
	}
	return out
}

// take takes over what the worker saw of the tests of such a unit.
func (s *session) take(order []string, status map[string]string) {
	s.targets, s.passing = nil, nil
	for _, id := range order {
		switch status[id] {
		case "fail", "fuel", "hung":
			s.targets = append(s.targets, id)
		case "sub": // what is below it fails
		case "pass":
			s.passing = append(s.passing, id)
		}
	}
}

// isScriptID reports whether an id is that of a file which is one test to node --test.
func isScriptID(id string) bool { return !strings.Contains(id, separator) }

// scripted reports whether a file that is one test takes part. The worker looks into
// it as a command's files are looked into.
func (s *session) scripted() bool {
	return slices.ContainsFunc(slices.Concat(natives(s.task.Targets), s.passing), isScriptID)
}

// takeScripts puts in the place of files that are one test what the worker saw in
// them, and returns how many targets there should be: a file in which it saw nothing
// fail is one that it can't judge.
func (s *session) takeScripts(order []string, status map[string]string) int {
	red, green := map[string]bool{}, map[string]bool{}
	split := func(ids []string, scripts map[string]bool) []string {
		return slices.DeleteFunc(ids, func(id string) bool {
			scripts[id] = isScriptID(id)
			return scripts[id]
		})
	}
	s.targets, s.passing = split(s.targets, red), split(s.passing, green)
	seen := map[string]bool{}
	for _, id := range order {
		file := fileOf(id)
		switch status[id] {
		case "fail", "fuel", "hung":
			if red[file] {
				s.targets, seen[file] = append(s.targets, id), true
			}
		case "pass":
			if red[file] || green[file] {
				s.passing = append(s.passing, id)
			}
		}
	}
	want := len(s.targets)
	for file, isScript := range red {
		if isScript && !seen[file] {
			want++
		}
	}
	return want
}
