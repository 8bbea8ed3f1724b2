package golang

import (
	"regexp"
	"strings"
	"testing"
)

// However many tests are named, those of one parent are one alternative: go test compares
// each name with all of them.
func TestPattern(t *testing.T) {
	t.Parallel()
	const want = `^D$/^(TestA|TestB)$|^D$/^TestC$/^(x|y\(1\))$|^D$/^TestC$/^z$/^q$`
	got := pattern([]string{"^D$"}, []string{"TestA", "TestC/x", "TestB", "TestC/y(1)", "TestC/z/q"})
	if got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	last := got[strings.LastIndex(got[:strings.Index(got, "|^D$/^TestC$/^z")], "/")+1 : strings.Index(got, "|^D$/^TestC$/^z")]
	for name, matches := range map[string]bool{"x": true, "y(1)": true, "y": false, "xx": false} {
		if regexp.MustCompile(last).MatchString(name) != matches {
			t.Errorf("%s matches %s: %v", last, name, !matches)
		}
	}
}
