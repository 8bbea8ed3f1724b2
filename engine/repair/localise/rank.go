package localise

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

const (
	// traceback and recently are what a line's score is multiplied by when a failure
	// went through it, and when it was changed lately.
	traceback = 1.5
	recently  = 1.5
)

// Suspect is a line and how suspicious it is.
type Suspect struct {
	Place
	// Score is from 0 to 1; the most suspicious line has 1.
	Score float64
	// Why says what speaks against the line, for people.
	Why string
}

// Options say what is known beside the spectrum.
type Options struct {
	// Recent returns the lines of a file that were changed lately; nil when that is
	// not known.
	Recent func(file string) []int
	// Keep says which files may be at fault at all.
	Keep func(file string) bool
}

// count is how many rows ran a line.
type count struct{ failed, passed int }

// Rank sorts the lines by how suspicious they are, the most suspicious first.
// Only lines that a failing row ran are in it. Without any coverage of a failing
// row it falls back to the frames of the failures, the deepest first.
func Rank(s Spectrum, o Options) []Suspect {
	counts, failing := tally(s, o.Keep)
	frames := framesOf(s, o.Keep)
	if len(counts) == 0 {
		return fallback(frames)
	}
	recent := map[string]map[int]bool{}
	var out []Suspect
	for p, c := range counts {
		if c.failed == 0 {
			continue
		}
		x := Suspect{Place: p, Score: ochiai(c, failing), Why: because(c, failing)}
		if frames[p] > 0 {
			x.Score *= traceback
			x.Why += ", in the traceback"
		}
		if o.Recent != nil {
			if recent[p.File] == nil {
				recent[p.File] = set(o.Recent(p.File))
			}
			if recent[p.File][p.Line] {
				x.Score *= recently
				x.Why += ", changed lately"
			}
		}
		out = append(out, x)
	}
	return sorted(out)
}

// tally counts for each line the rows that ran it, and the failing rows.
func tally(s Spectrum, keep func(string) bool) (map[Place]count, int) {
	counts := map[Place]count{}
	failing := 0
	for _, r := range s.Rows {
		if r.Failed {
			failing++
		}
		for file, lines := range r.Lines {
			if !keep(file) {
				continue
			}
			for line := range set(lines) {
				c := counts[Place{file, line}]
				if r.Failed {
					c.failed++
				} else {
					c.passed++
				}
				counts[Place{file, line}] = c
			}
		}
	}
	for _, c := range counts {
		if c.failed > 0 {
			return counts, failing
		}
	}
	return nil, failing
}

// framesOf gives the places of the tracebacks, each with how deep it was: 1 for
// the deepest frame.
func framesOf(s Spectrum, keep func(string) bool) map[Place]float64 {
	out := map[Place]float64{}
	for _, r := range s.Rows {
		if !r.Failed {
			continue
		}
		depth := 1.0
		for _, p := range slices.Backward(r.Frames) {
			if keep(p.File) {
				out[p] = max(out[p], depth)
				depth *= 0.8
			}
		}
	}
	return out
}

func fallback(frames map[Place]float64) []Suspect {
	var out []Suspect
	for p, score := range frames {
		out = append(out, Suspect{Place: p, Score: score, Why: "in the traceback; no coverage is known"})
	}
	return sorted(out)
}

// ochiai is the share of the failing rows that ran the line, held against how
// many rows ran it in all.
func ochiai(c count, failing int) float64 {
	return float64(c.failed) / math.Sqrt(float64(failing)*float64(c.failed+c.passed))
}

func because(c count, failing int) string {
	why := fmt.Sprintf("run by %d of %d failing", c.failed, failing)
	if c.passed > 0 {
		why += fmt.Sprintf(" and %d passing", c.passed)
	} else {
		why += " and no passing"
	}
	return why
}

// sorted brings the scores to at most 1 and sorts, with a fixed order for equal
// ones.
func sorted(list []Suspect) []Suspect {
	top := 0.0
	for _, s := range list {
		top = max(top, s.Score)
	}
	for i := range list {
		if top > 0 {
			list[i].Score /= top
		}
	}
	slices.SortFunc(list, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return list
}

func set(lines []int) map[int]bool {
	m := map[int]bool{}
	for _, l := range lines {
		m[l] = true
	}
	return m
}
