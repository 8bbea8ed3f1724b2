package runner

import (
	"slices"

	"autocoder/engine/testresult"
)

// In narrows a selection to the parts of a unit that isOpen names, and to what
// run does not show, for an adapter's Rest. partOf returns the part of an id. ok
// is false when nothing is left.
func (s Selection) In(unit Unit, isOpen func(part string) bool, partOf func(id string) string, run testresult.UnitRun) (left Selection, ok bool) {
	if s.IDs == nil {
		for _, part := range unit.Parts {
			if !isOpen(part) {
				s.Skip = append(slices.Clip(s.Skip), part)
			}
		}
		return s, true
	}
	s.IDs = slices.DeleteFunc(slices.Clone(s.IDs), func(id string) bool {
		return !isOpen(partOf(id)) || slices.Contains(s.Skip, id) ||
			slices.ContainsFunc(run.Tests, func(t testresult.Test) bool { return t.ID.Native == id })
	})
	return s, len(s.IDs) > 0
}
