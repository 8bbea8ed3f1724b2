package custom

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	t.Parallel()
	plain := func(words ...string) Line { return Line{Args: words, Words: words, Dir: "."} }
	shell := func(text string) Line { return Line{Args: []string{"sh", "-c", text}} }
	for text, want := range map[string]Line{
		"make test":                        plain("make", "test"),
		"  python3 -m pytest -q  ":         plain("python3", "-m", "pytest", "-q"),
		`run "two words" 'and $more'`:      plain("run", "two words", "and $more"),
		`one\ word a\\b`:                   plain("one word", `a\b`),
		"long \\\n line":                   plain("long", "line"),
		`empty "" ''`:                      plain("empty", "", ""),
		"glued'to'\"gether\"":              plain("gluedtogether"),
		"make test | tee log":              shell("make test | tee log"),
		"make build && make test":          shell("make build && make test"),
		"make build; make test":            shell("make build; make test"),
		"test $X":                          shell("test $X"),
		`test "$X"`:                        shell(`test "$X"`),
		"test `x`":                         shell("test `x`"),
		"ls *.py":                          shell("ls *.py"),
		"ls ~/x":                           shell("ls ~/x"),
		"make > log":                       shell("make > log"),
		"! make":                           shell("! make"),
		"make &":                           shell("make &"),
		`make "a\"b"`:                      shell(`make "a\"b"`),
		"cd sub && pytest -q":              {Args: []string{"sh", "-c", "cd sub && pytest -q"}, Words: []string{"pytest", "-q"}, Dir: "sub"},
		"cd ./sub/ && go test":             {Args: []string{"sh", "-c", "cd ./sub/ && go test"}, Words: []string{"go", "test"}, Dir: "sub"},
		"cd .. && pytest":                  shell("cd .. && pytest"),
		"cd /tmp && pytest":                shell("cd /tmp && pytest"),
		"cd a b && pytest":                 shell("cd a b && pytest"),
		"cd sub && make | tee log":         shell("cd sub && make | tee log"),
		"A=1 B='x y' pytest":               {Args: []string{"sh", "-c", "A=1 B='x y' pytest"}, Words: []string{"pytest"}, Dir: ".", Env: []string{"A=1", "B=x y"}},
		"A=$B pytest":                      shell("A=$B pytest"),
		"A=1":                              shell("A=1"),
		"for f in a b; do echo $f; done":   shell("for f in a b; do echo $f; done"),
		"pytest # what follows is nothing": plain("pytest"),
	} {
		got, err := Parse(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, diff)
		}
	}
	for _, text := range []string{"", "  ", "# nothing", "run 'open", "a && ", "a )"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q: got %v and no error", text, got)
		}
	}
}

func TestParseReport(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]Report{
		"": {Format: Exit}, "exit": {Format: Exit}, "tap": {Format: TAP},
		"junit:build/*.xml": {Format: JUnit, Glob: "build/*.xml"},
	} {
		if got, err := ParseReport(setting); err != nil || got != want {
			t.Errorf("%q: got %v, %v", setting, got, err)
		}
	}
	for _, setting := range []string{"junit", "junit:", "junit:/tmp/x.xml", "junit:../x.xml", "TAP", "xml"} {
		if got, err := ParseReport(setting); err == nil {
			t.Errorf("%q: got %v and no error", setting, got)
		}
	}
}
