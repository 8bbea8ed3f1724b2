package repair

import (
	"fmt"
	"slices"
	"strings"

	"autocoder/engine/propose"
	"autocoder/engine/repair/localise"
	"autocoder/engine/repair/node"
	"autocoder/engine/testresult"
)

// mostGroups is how many groups of targets are searched for by themselves.
const mostGroups = 6

// groups splits the targets by what fails in them: several bugs need several
// edits, and each that makes its own group pass is a step that the loop keeps. When
// all fail in the same functions each is a group; what makes one of them pass may
// then as well hide the fault, so that everything that is built on it is unsure.
func (h *hunt) groups(view propose.View) []*hunt {
	if len(h.targets) < 2 || len(h.files) == 0 {
		return nil
	}
	byKey := map[string][]testresult.ID{}
	var keys []string
	for _, id := range h.targets {
		k := h.key(view, id)
		if byKey[k] == nil {
			keys = append(keys, k)
		}
		byKey[k] = append(byKey[k], id)
	}
	alike := len(keys) == 1
	if alike {
		keys = nil
		for _, id := range h.targets {
			keys = append(keys, id.Native)
			byKey[id.Native] = []testresult.ID{id}
		}
	}
	var out []*hunt
	for _, k := range keys[:min(len(keys), mostGroups)] {
		part := h.only(byKey[k])
		part.unsure = alike
		out = append(out, part)
	}
	return out
}

// apart reports whether the targets fail in several ways.
func (h *hunt) apart() bool {
	return len(h.parts) > 0 && !h.parts[0].unsure
}

// common reports whether a function that may be edited is run by all targets, as far
// as that is known: one edit may then be enough for all.
func (h *hunt) common() bool {
	var all []string
	for k, id := range h.targets {
		ran := h.ran(id)
		if k == 0 {
			all = ran
		}
		all = slices.DeleteFunc(all, func(f string) bool { return !slices.Contains(ran, f) })
	}
	return len(all) > 0
}

// only is a hunt for some of the targets. What the whole hunt traced is used
// again, without the rows of the targets that are left out.
func (h *hunt) only(targets []testresult.ID) *hunt {
	part := &hunt{search: h.search, language: h.language, unit: h.unit, targets: targets, passing: h.passing, earlier: h.earlier}
	for _, r := range h.spectrum.Rows {
		if !r.Failed || slices.ContainsFunc(targets, func(id testresult.ID) bool { return rowOf(r, id) }) {
			part.spectrum.Rows = append(part.spectrum.Rows, r)
		}
	}
	return part
}

// rowOf reports whether a row is that of a test, or of an assertion of it.
func rowOf(r localise.Row, id testresult.ID) bool { return strings.HasPrefix(r.Name, id.Native) }

// key says how a target fails: by the deepest frame that may be at fault, else by
// the functions that it runs.
func (h *hunt) key(view propose.View, id testresult.ID) string {
	if f := view.Result.Lookup(id).Failure; f != nil {
		for _, frame := range slices.Backward(f.Frames) {
			if view.Editable(frame.File) == nil {
				return frame.File + " " + frame.Func
			}
		}
	}
	ran := h.ran(id)
	if len(ran) == 0 {
		name, _, _ := strings.Cut(id.Native, "[")
		return name
	}
	return strings.Join(ran, " ")
}

// ran are the functions that a target runs, sorted.
func (h *hunt) ran(id testresult.ID) []string {
	var ran []string
	for _, r := range h.spectrum.Rows {
		if !r.Failed || !rowOf(r, id) {
			continue
		}
		for f, lines := range r.Lines {
			ran = append(ran, h.functionsAt(f, lines)...)
		}
	}
	slices.Sort(ran)
	return slices.Compact(ran)
}

// functionsAt are the functions of a file that have some of the lines.
func (h *hunt) functionsAt(file string, lines []int) []string {
	src := h.files[file]
	if src == nil {
		return nil
	}
	var out []string
	node.Walk(src.info.Root, func(n *node.Node) bool {
		if (n.Kind == node.Function || n.Kind == node.Lambda) && slices.ContainsFunc(lines, func(l int) bool { return l >= n.Line && l <= n.EndLine }) {
			out = append(out, fmt.Sprintf("%s:%s:%d", file, n.Name, n.Line))
		}
		return true
	})
	return out
}

func failureFile(f *testresult.Failure) string {
	if f == nil {
		return ""
	}
	return f.At.File
}
