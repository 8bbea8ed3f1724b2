package golang

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// complaint is a place that the compiler names. belongs is where woven text begins that is
// a candidate's: a copy of a function, which has the number of its first one, a choice,
// and a value of a variable.
var (
	complaint = regexp.MustCompile(`(?m)^\s*\S*\b(` + ours + `[/\\]\d+[/\\]\S+\.go):(\d+):\d+: `)
	belongs   = regexp.MustCompile(`^func .*?\bautocoder(\d+)_|\bif ` + alias + `\.M == (\d+) \{$|^var _ = ` + alias + `\.Hook\((\d+), `)
)

// blamed are the changes at whose text the compiler stops in a build of l. Of a copy that
// holds several, the text between two of them counts as the one's before it.
func (l layer) blamed(broken *buildError, changes []*change) []*change {
	ids := map[int]bool{}
	for _, m := range complaint.FindAllStringSubmatch(broken.output, -1) {
		line, err := strconv.Atoi(m[2])
		lines := bytes.Split(l[broken.of[filepath.ToSlash(m[1])]], []byte("\n"))
		if err != nil || line > len(lines) {
			continue
		}
		for _, text := range slices.Backward(lines[:line]) {
			if found := belongs.FindSubmatch(text); found != nil {
				id, _ := strconv.Atoi(string(slices.Concat(found[1:]...)))
				ids[id] = true
				break
			}
		}
	}
	var out []*change
	for _, c := range changes {
		if ids[c.ID] {
			out = append(out, c)
		}
	}
	return out
}
