package repair

import (
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/propose"
	"autocoder/engine/repair/mutate"
)

// mostWanted is how many texts that tests want are looked at, and longestWanted how long
// one may be.
const (
	mostWanted    = 12
	longestWanted = 2000
)

// says finds a text that a test wants and the one that it got, in what the usual libraries
// say of a text that has no part of a form.
var says = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^\s*(?:Regex|Expected regex): (['"])(?P<want>.*)['"]\s*\n\s*(?:Input|Actual message): (['"])(?P<got>.*)['"]\s*$`),
	regexp.MustCompile(`"(?P<want>[^"\n]+)" does not match "(?P<got>[^"\n]+)"`),
	regexp.MustCompile(`(?m)^(?:E\s+)?(?:AssertionError: )?assert '(?P<want>[^'\n]+)' in '(?P<got>[^'\n]+)'`),
	regexp.MustCompile(`(?m)^(?:AssertionError: )?'(?P<want>[^'\n]+)' not found in '(?P<got>[^'\n]+)'`),
}

// escaped is a character that stands for itself in a pattern.
var escaped = regexp.MustCompile(`\\([^\w\s])`)

// wanted are the texts that the targets got in the place of those that they want.
func (h *hunt) wanted(view propose.View) []mutate.Differing {
	var out []mutate.Differing
	add := func(want, got string) {
		d := mutate.Differing{Want: want, Got: got}
		if want != got && len(want)+len(got) <= 2*longestWanted && len(out) < mostWanted && !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	for _, id := range h.targets {
		f := view.Result.Lookup(id).Failure
		if f == nil {
			continue
		}
		want, got := strings.Split(unquoted(f.Expected), `\n`), strings.Split(unquoted(f.Actual), `\n`)
		if len(want) == len(got) && f.Expected != "" && f.Actual != "" {
			for k := range want {
				add(want[k], got[k])
			}
		}
		for _, p := range says {
			if m := p.FindStringSubmatch(f.Message); m != nil {
				want := escaped.ReplaceAllString(m[p.SubexpIndex("want")], "$1")
				add(want, facing(want, m[p.SubexpIndex("got")]))
			}
		}
	}
	return out
}

// unquoted is a text without the quotes that are around it.
func unquoted(s string) string {
	if len(s) > 1 && (s[0] == '\'' || s[0] == '"') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// facing is the part of got that want, which may be a part of a text, should be: from where
// it begins most like it, to where it ends most like it.
func facing(want, got string) string {
	start, end, most := 0, len(got), 0
	for k := range got {
		if n := shared(want, got[k:]); n > most {
			start, most = k, n
		}
	}
	most = 0
	for k := len(got); k > start; k-- {
		n := 0
		for n < min(len(want), k-start) && want[len(want)-1-n] == got[k-1-n] {
			n++
		}
		if n > most {
			end, most = k, n
		}
	}
	return got[start:end]
}

// shared is how long two texts begin alike.
func shared(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// tellsName and tellsAttribute find the name, or the attribute, that an error says is not there.
var (
	tellsName      = regexp.MustCompile(`(?:name|variable) '(\w+)' (?:is not defined|where it is not associated|referenced before assignment)`)
	tellsAttribute = regexp.MustCompile(`object has no attribute '(\w+)'`)
)

// missing are the names and attributes that the targets' errors say are not there.
func (h *hunt) missing(view propose.View) mutate.Missing {
	var out mutate.Missing
	for _, id := range h.targets {
		f := view.Result.Lookup(id).Failure
		if f == nil {
			continue
		}
		if m := tellsName.FindStringSubmatch(f.Message); m != nil && !slices.Contains(out.Names, m[1]) {
			out.Names = append(out.Names, m[1])
		}
		if m := tellsAttribute.FindStringSubmatch(f.Message); m != nil && !slices.Contains(out.Attributes, m[1]) {
			out.Attributes = append(out.Attributes, m[1])
		}
	}
	return out
}
