package testresult

import "slices"

// WorseThan reports whether a test that now shows s is worse off than when it
// showed was: a pass that is no pass any more, a new failure, or an id that was
// lost. A failing test that fails in another way is not worse.
func (s Status) WorseThan(was Status) bool {
	switch was {
	case Passed:
		return s != Passed
	case Skipped, XFailed:
		return s == Missing || s.Failing()
	case Failed, Hung, Blocked:
		return s == Missing
	case Missing:
		return s.Failing()
	default:
		return true
	}
}

// Worse returns the ids that are worse off in next than in best, sorted.
// Both are taken to be runs of the whole suite.
func Worse(best, next Result) []ID {
	was, now := statuses(best), statuses(next)
	var ids []ID
	for _, t := range best.Tests() {
		if now[t.ID].WorseThan(t.Status) {
			ids = append(ids, t.ID)
		}
	}
	for _, t := range next.Tests() {
		if _, known := was[t.ID]; !known && t.Status.WorseThan(Missing) {
			ids = append(ids, t.ID)
		}
	}
	slices.SortFunc(ids, ID.Compare)
	return ids
}

// Without returns those of ids that are not in set.
func Without(ids []ID, set map[ID]bool) []ID {
	var out []ID
	for _, id := range ids {
		if !set[id] {
			out = append(out, id)
		}
	}
	return out
}

func statuses(r Result) map[ID]Status {
	set := map[ID]Status{}
	for _, u := range r.Units {
		for _, t := range u.Tests {
			set[t.ID] = t.Status
		}
	}
	return set
}
