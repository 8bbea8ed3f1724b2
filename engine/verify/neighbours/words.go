package neighbours

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// named is how many inputs are named, longest how long each may be.
	named   = 3
	longest = 80
)

func (f Function) sayAlone(moved []Input, n int) string {
	var inputs []string
	for _, in := range moved {
		inputs = append(inputs, in.Text)
	}
	return fmt.Sprintf("%s: %s special-cases the tests' inputs: it answers otherwise than before the edit only for %s, which the tests give, and for none of %d inputs like them",
		f.File, f.Name, list(inputs), n)
}

func (f Function) sayAloneAt(moved []Input, place string, n int) string {
	var values []string
	for _, in := range moved {
		if v, ok := in.Places[place]; ok && !slices.Contains(values, v.Text) {
			values = append(values, v.Text)
		}
	}
	return fmt.Sprintf("%s: %s special-cases the tests' inputs: it answers otherwise than before the edit only where %s is %s, as in the tests, and for none of %d values like that",
		f.File, f.Name, place, list(values), n)
}

func (f Function) sayTurns(in Input) string {
	return fmt.Sprintf("%s: what %s answers depends on how often it was called, which it did not before the edit: %s gives %s at first and %s later",
		f.File, f.Name, short(in.Text), short(*in.After), short(*in.Later))
}

func (f Function) sayBlind(n int) string {
	return fmt.Sprintf("%s: %s gives the tests' answer whatever it is asked: the same for all of %d inputs like those of the tests, which it did not before the edit", f.File, f.Name, n)
}

func (f Function) sayTouches(how string) string {
	what := "changes what it is given"
	if how == sharing {
		what = "gives back the very thing that it is given"
	}
	return fmt.Sprintf("%s: %s now %s, which it did not before the edit: a test that looks at both compares a thing with itself", f.File, f.Name, what)
}

func (f Function) sayForgets(place string, n int) string {
	return fmt.Sprintf("%s: %s no longer depends on %s: it gives the tests' answer for all of %d values of it", f.File, f.Name, place, n)
}

// list names a few texts.
func list(texts []string) string {
	more := ""
	if over := len(texts) - named; over > 0 {
		texts, more = texts[:named], fmt.Sprintf(" and %d more", over)
	}
	cut := make([]string, len(texts))
	for i, t := range texts {
		cut[i] = short(t)
	}
	if n := len(cut); n > 1 && more == "" {
		return strings.Join(cut[:n-1], ", ") + " and " + cut[n-1]
	}
	return strings.Join(cut, ", ") + more
}

func short(text string) string {
	if r := []rune(text); len(r) > longest {
		return string(r[:longest-1]) + "…"
	}
	return text
}
