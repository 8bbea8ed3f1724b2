package repair

import (
	"slices"
	"strings"

	"autocoder/engine/propose"
	"autocoder/engine/repair/localise"
	"autocoder/engine/testresult"
)

// mostGroups is how many groups of targets are searched for by themselves.
const mostGroups = 6

// groups splits the targets of each unit by what fails in them, when no edit makes
// all of them pass: several bugs need several edits, and each that makes its own
// group pass is a step that the loop keeps.
func (s *search) groups(view propose.View) []*hunt {
	var out []*hunt
	for _, h := range s.hunts {
		if len(h.targets) < 2 || len(h.files) == 0 {
			continue
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
		if len(keys) == 1 {
			// They fail alike; maybe two faults are on one way.
			keys = nil
			for _, id := range h.targets {
				keys = append(keys, id.Native)
				byKey[id.Native] = []testresult.ID{id}
			}
		}
		for _, k := range keys[:min(len(keys), mostGroups)] {
			out = append(out, h.only(byKey[k]))
		}
	}
	return out
}

// only is a hunt for some of the targets. What the whole hunt traced is used
// again, without the rows of the targets that are left out.
func (h *hunt) only(targets []testresult.ID) *hunt {
	part := &hunt{search: h.search, language: h.language, unit: h.unit, targets: targets, passing: h.passing}
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
// the files and the number of lines that it runs.
func (h *hunt) key(view propose.View, id testresult.ID) string {
	if f := view.Result.Lookup(id).Failure; f != nil {
		for _, frame := range slices.Backward(f.Frames) {
			if view.Editable(frame.File) == nil {
				return frame.File + " " + frame.Func
			}
		}
	}
	var files []string
	for _, r := range h.spectrum.Rows {
		if !r.Failed || !rowOf(r, id) {
			continue
		}
		for f, lines := range r.Lines {
			if view.Editable(f) == nil && len(lines) > 0 {
				files = append(files, f)
			}
		}
	}
	if len(files) == 0 {
		name, _, _ := strings.Cut(id.Native, "[")
		return name
	}
	slices.Sort(files)
	name, _, _ := strings.Cut(id.Native, "[")
	return strings.Join(slices.Compact(files), " ") + " " + name
}

func failureFile(f *testresult.Failure) string {
	if f == nil {
		return ""
	}
	return f.At.File
}
