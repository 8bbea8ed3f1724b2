package testresult

import (
	"slices"
	"strings"
)

// NotPassing returns those of ids that did not pass in the result: failed,
// hung, lost, skipped, xfailed or in an unusable part. This is the meaning of
// a failing target.
func (r Result) NotPassing(ids []ID) []ID {
	return Without(ids, Set(r.Passing()))
}

// Signature identifies what is red in a result: "green" when it passes, else
// the sorted failing ids joined by "|". It is free of timings, paths and order.
func (r Result) Signature() string {
	if r.Status() == Pass {
		return "green"
	}
	return Signature(r.Failing())
}

// Signature joins failing ids into the signature of a result.
func Signature(failing []ID) string {
	names := make([]string, len(failing))
	for i, id := range failing {
		names[i] = id.String()
	}
	slices.Sort(names)
	return strings.Join(names, "|")
}

// Set returns ids as a set.
func Set(ids []ID) map[ID]bool {
	set := make(map[ID]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// StrictSubset reports whether every id of a is in b, and b has more.
func StrictSubset(a, b []ID) bool {
	in, of := Set(a), Set(b)
	return len(Without(a, of)) == 0 && len(in) < len(of)
}

// SameSet reports whether a and b hold the same ids.
func SameSet(a, b []ID) bool {
	in, of := Set(a), Set(b)
	return len(Without(a, of)) == 0 && len(in) == len(of)
}

// GrownParts returns the unusable parts of next that were usable in best: what
// an edit broke beyond single tests. A part is known by its unit and name.
func GrownParts(best, next Result) []Part {
	was := map[string]bool{}
	for _, u := range best.Units {
		if u.Reason != NoReason {
			was[u.Unit+"\x00"] = true
		}
		for _, p := range u.Unusable {
			was[u.Unit+"\x00"+p.Name] = true
		}
	}
	var grown []Part
	for _, u := range next.Units {
		if was[u.Unit+"\x00"] {
			continue
		}
		if u.Reason != NoReason {
			grown = append(grown, Part{Name: u.Unit, Reason: u.Reason, Detail: u.Detail, At: u.At})
		}
		for _, p := range u.Unusable {
			if !was[u.Unit+"\x00"+p.Name] {
				grown = append(grown, p)
			}
		}
	}
	return grown
}
