package nodetest

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// script is what a package's script gives to node --test.
type script struct {
	// name is the script's name in package.json.
	name string
	// options go before --test, env are assignments, files are paths and patterns.
	options, env, files []string
	// before are the steps of the script that come first and are not run.
	before []string
	// plain means that it starts its files without node --test.
	plain bool
}

// manifest is the part of package.json that is of interest.
type manifest struct {
	Scripts map[string]string
}

// findScript returns the first script that starts node --test: "test", then
// those named after it, then any. Without one it is the first test script that
// starts files of tests by node alone or by a runner that only loads them.
func findScript(packageJSON []byte) (script, bool) {
	var m manifest
	if json.Unmarshal(packageJSON, &m) != nil {
		return script{}, false
	}
	names := make([]string, 0, len(m.Scripts))
	for name := range m.Scripts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if ra, rb := rank(a), rank(b); ra != rb {
			return ra - rb
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		if s, ok := parseScript(m.Scripts[name]); ok {
			s.name = name
			return s, true
		}
	}
	for _, name := range names {
		if s, ok := parsePlain(m.steps(name, map[string]bool{})); ok && rank(name) < others {
			s.name = name
			return s, true
		}
	}
	return script{}, false
}

// steps are those of a script, with the steps of the test scripts that it runs in their
// places; seen has those that were looked at.
func (m manifest) steps(name string, seen map[string]bool) [][]string {
	seen[name] = true
	var all [][]string
	for _, step := range splitSteps(m.Scripts[name]) {
		called, ok := runsScript(step)
		switch {
		case !ok || rank(called) == others:
			all = append(all, step)
		case !seen[called]:
			all = append(all, m.steps(called, seen)...)
		}
	}
	return all
}

// runsScript returns the script that a step runs by the package manager.
func runsScript(step []string) (string, bool) {
	if len(step) < 3 || !slices.Contains([]string{"npm", "yarn", "pnpm"}, step[0]) || step[1] != "run" && step[1] != "run-script" {
		return "", false
	}
	return step[2], true
}

// others is the rank of scripts that are not named after tests.
const others = 2

func rank(name string) int {
	switch {
	case name == "test":
		return 0
	case strings.HasPrefix(name, "test"):
		return 1
	default:
		return others
	}
}

// parseScript reads a script's command line, of which it needs no more than the
// step that starts node --test. What a shell would compute is left out.
func parseScript(line string) (script, bool) {
	var s script
	for _, step := range splitSteps(line) {
		words := step
		for len(words) > 0 && !isNode(words[0]) {
			if name, _, ok := strings.Cut(words[0], "="); ok && isVariable(name) {
				s.env = append(s.env, words[0])
			}
			words = words[1:]
		}
		if len(words) > 0 && slices.Contains(words, "--test") {
			s.take(words[1:])
			return s, true
		}
		s.env = nil
		s.before = append(s.before, strings.Join(step, " "))
	}
	return script{}, false
}

// parsePlain reads the steps of a command line that give files of tests to node, or to
// tape or tap, which load them as node does.
func parsePlain(steps [][]string) (script, bool) {
	s := script{plain: true}
	for _, step := range steps {
		i := slices.IndexFunc(step, func(word string) bool { return isNode(word) || isLoader(word) })
		if i < 0 {
			continue
		}
		var own script
		own.take(step[i+1:])
		if isLoader(step[i]) {
			own.options = nil // they are the loader's
		} else if own.files = slices.DeleteFunc(asModule(own.files), func(file string) bool { return !isTest(file) }); len(own.files) == 0 {
			continue
		}
		if slices.ContainsFunc(own.files, func(file string) bool { return !slices.Contains(s.files, file) }) { // else it is the same by other options
			s.files, s.options = append(s.files, own.files...), append(s.options, own.options...)
		}
	}
	return s, len(s.files) > 0
}

// asModule are the files that node may load when it is given one argument: it adds what
// the name lacks.
func asModule(args []string) []string {
	if len(args) != 1 {
		return nil
	}
	file := path.Clean(args[0])
	if path.Ext(file) != "" {
		return args
	}
	return []string{file + ".js", file + "/index.js"}
}

func isLoader(word string) bool {
	base := path.Base(word)
	return base == "tape" || base == "tap"
}

func isNode(word string) bool {
	base := strings.TrimSuffix(path.Base(word), ".exe")
	return base == "node" || base == "nodejs"
}

func isVariable(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) < 0
}

// dropped are options that would change how results come to us, keep the runner
// from ending, or only measure. Those with true take the next word with them.
var dropped = map[string]bool{
	"--test": false, "--watch": false, "--watch-path": true, "--watch-preserve-output": false,
	"--test-reporter": true, "--test-reporter-destination": true,
	"--experimental-test-coverage": false, "--test-coverage-lines": true, "--test-coverage-branches": true,
	"--test-coverage-functions": true, "--test-coverage-include": true, "--test-coverage-exclude": true,
	"--test-isolation": true, "--experimental-test-isolation": true, "--test-shard": true,
	"--test-update-snapshots": false, "--test-rerun-failures": true,
	"--inspect": false, "--inspect-brk": false, "--inspect-wait": false,
}

// withValue are the kept options whose value may be the next word.
var withValue = map[string]bool{
	"-r": true, "--require": true, "--import": true, "--loader": true, "--experimental-loader": true,
	"-C": true, "--conditions": true, "--test-name-pattern": true, "--test-skip-pattern": true,
	"--test-concurrency": true, "--test-timeout": true, "--test-global-setup": true, "--env-file": true,
	"--env-file-if-exists": true, "--input-type": true, "--title": true, "--dns-result-order": true,
	"--unhandled-rejections": true, "--icu-data-dir": true, "--test-random-seed": true,
}

// take sorts the words behind node into options and files.
func (s *script) take(words []string) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		name, _, joined := strings.Cut(word, "=")
		takesNext, isDropped := dropped[name]
		switch {
		case word == "--":
			s.files = append(s.files, words[i+1:]...)
			return
		case isDropped && takesNext && !joined:
			i++
		case isDropped:
		case withValue[word] && i+1 < len(words):
			s.options = append(s.options, word, words[i+1])
			i++
		case strings.HasPrefix(word, "-"):
			s.options = append(s.options, word)
		default:
			s.files = append(s.files, word)
		}
	}
}

// splitSteps splits a command line into its steps, and those into words, as a
// shell does. A word that the shell would compute ends up as the text it has.
func splitSteps(line string) [][]string {
	var steps [][]string
	var words []string
	var word strings.Builder
	inWord := false
	endWord := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	endStep := func() {
		endWord()
		if len(words) > 0 {
			steps = append(steps, words)
		}
		words = nil
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\n':
			endWord()
		case '&', '|', ';', '(', ')':
			endStep()
		case '\'', '"':
			inWord = true
			i = quoted(line, i, &word)
		case '\\':
			inWord = true
			if i++; i < len(line) {
				word.WriteByte(line[i])
			}
		default:
			inWord = true
			word.WriteByte(c)
		}
	}
	endStep()
	return steps
}

// quoted appends what is between the quote at i and its end, and returns where
// that is.
func quoted(line string, i int, word *strings.Builder) int {
	quote := line[i]
	for i++; i < len(line) && line[i] != quote; i++ {
		if quote == '"' && line[i] == '\\' && i+1 < len(line) && strings.IndexByte("\"\\$`", line[i+1]) >= 0 {
			i++
		}
		word.WriteByte(line[i])
	}
	return i
}
