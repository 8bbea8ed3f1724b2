package neighbours

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

const (
	// enough is how many inputs near those of the tests must be as before.
	enough = 20
	// few are too few values in one place of one input to tell whether answers vary.
	few = 5
	// kinds are as many different answers as a table's neighbours seldom get.
	kinds = 3
	// beside is how many values on either side of a bound must be on its sides.
	beside = 2
)

// Judge says what is to be said of functions, a line each.
func Judge(functions []Function) []string {
	var out []string
	wide := slices.ContainsFunc(functions, func(f Function) bool { return !f.Unedited && f.wide() })
	for _, f := range functions {
		if said := f.judge(wide); said != "" && !slices.Contains(out, said) {
			out = append(out, said)
		}
	}
	return out
}

// judge says what is to be said of a function: the surest first, and only that. explained
// means that a function which the edit changes answers otherwise for inputs that no test
// gives: that one which calls it has such an answer for a value of a test alone may be due
// to that, as where the test has a word that follows no rule.
func (f Function) judge(explained bool) string {
	if i := slices.IndexFunc(f.Inputs, func(in Input) bool { return in.Later != nil && !fails(*in.Later) && len(in.Places) > 0 }); i >= 0 {
		return f.sayTurns(f.Inputs[i])
	}
	moved := slices.DeleteFunc(slices.Clone(f.Inputs), func(in Input) bool { return !in.moved() })
	if len(moved) == 0 {
		return ""
	}
	for _, how := range []string{changing, sharing} {
		if f.touches(how) {
			return f.sayTouches(how)
		}
	}
	if n := blind(f.Inputs, nil); n >= enough {
		return f.sayBlind(n)
	}
	for _, place := range placesOf(moved) {
		if n := blind(f.Inputs, &place); n >= enough {
			return f.sayForgets(place, n)
		}
	}
	if n, ok := f.alone(moved); ok {
		return f.sayAlone(moved, n)
	}
	if f.differs(together) || explained && f.Unedited {
		return ""
	}
	for _, place := range placesOf(moved) {
		if n, ok := f.aloneAt(moved, place); ok {
			return f.sayAloneAt(moved, place, n)
		}
	}
	return ""
}

// moved reports whether both answers are known and not the same.
func (a Answers) moved() bool { return a.told() && *a.Before != *a.After }

func (a Answers) told() bool { return a.Before != nil && a.After != nil }

// same reports whether a call is answered as before: one that fails is no answer.
func (a Answers) same() bool { return a.told() && *a.Before == *a.After && !fails(*a.After) }

// fails reports whether a call ended without an answer.
func fails(answer string) bool {
	return strings.HasPrefix(answer, "raises ") || answer == "does not end"
}

// placesOf are the places of inputs, sorted.
func placesOf(inputs []Input) []string {
	all := map[string]bool{}
	for _, in := range inputs {
		for place := range in.Places {
			all[place] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// at are the neighbours of an input in one place.
func (in Input) at(place string) []Neighbour {
	return slices.DeleteFunc(slices.Clone(in.Near), func(n Neighbour) bool { return n.Place != place })
}

// differs reports whether some neighbour in a place shows the edit.
func (f Function) differs(place string) bool {
	return slices.ContainsFunc(f.Inputs, func(in Input) bool {
		return slices.ContainsFunc(in.at(place), in.shows)
	})
}

// wide reports whether some input that no test gives shows the edit.
func (f Function) wide() bool {
	return slices.ContainsFunc(f.Inputs, func(in Input) bool { return slices.ContainsFunc(in.Near, in.shows) })
}

// shows reports whether a neighbour shows the edit. One that has the very signs of the
// input's own value in another order does not: what adds them up takes it for the same.
func (in Input) shows(n Neighbour) bool {
	own, known := in.Places[n.Place]
	return n.moved() && (!known || own.At != nil || signs(own.Text) != signs(n.Text))
}

// signs are those of a text, sorted.
func signs(text string) string {
	r := []rune(text)
	slices.Sort(r)
	return string(r)
}

// alone counts the neighbours, all as before, when the edit shows for the tests'
// inputs only.
func (f Function) alone(moved []Input) (int, bool) {
	if f.wide() {
		return 0, false
	}
	count := 0
	for _, in := range moved {
		if in.bounded() {
			return 0, false
		}
		if f.edge(in) || !vary(in.Near) {
			continue
		}
		for _, n := range in.Near {
			if n.same() {
				count++
			}
		}
	}
	return count, count >= enough
}

// edge reports whether natural code may treat the input by itself.
func (f Function) edge(in Input) bool {
	for place, v := range in.Places {
		if !v.Edge && !f.codes(place, v) {
			return false
		}
	}
	return true
}

// coded are names of what has a table of codes by its nature.
var coded = regexp.MustCompile(`(?i)http|status|code|reason|errno|signal`)

// codes reports whether a value is a code of a table that the function is: what one of
// them means says nothing of the numbers beside it.
func (f Function) codes(place string, v Value) bool {
	return v.At != nil && *v.At == math.Trunc(*v.At) && *v.At < 1000 && (coded.MatchString(f.Name) || coded.MatchString(place))
}

// aloneAt counts the values in a place, all answered as before, when the edit shows
// only where it has a value that the tests give.
func (f Function) aloneAt(moved []Input, place string) (int, bool) {
	if f.differs(place) {
		return 0, false
	}
	values := map[string]bool{}
	for _, in := range moved {
		own, has := in.Places[place]
		near := in.at(place)
		switch {
		case !has || own.Edge || f.codes(place, own):
			continue
		case own.bound(in, near):
			return 0, false
		case !vary(near):
			continue
		}
		for _, n := range near {
			if n.same() {
				values[n.Text] = true
			}
		}
	}
	return len(values), len(values) >= enough
}

// vary reports whether the answers after the edit depend on the value: where nearly
// all are the same, the function does not know the values, and that it answers them
// as before says nothing.
func vary(near []Neighbour) bool {
	count, most, all := map[string]int{}, 0, 0
	for _, n := range near {
		if n.same() {
			all++
			count[*n.After]++
			most = max(most, count[*n.After])
		}
	}
	return all >= few && (4*most <= 3*all || len(count) > kinds && 10*most <= 9*all)
}

// bounded reports whether a value of the input is the bound of a range.
func (in Input) bounded() bool {
	for place, v := range in.Places {
		if v.bound(in, in.at(place)) {
			return true
		}
	}
	return false
}

// bound reports whether a value has only changed sides: it goes with what is on one
// side of it, and went with what is on the other. That is a bound put right.
func (v Value) bound(in Input, near []Neighbour) bool {
	if v.At == nil {
		return false
	}
	var below, above []Neighbour
	for _, n := range near {
		switch {
		case n.At == nil || !n.told():
		case *n.At < *v.At:
			below = append(below, n)
		case *n.At > *v.At:
			above = append(above, n)
		}
	}
	slices.SortFunc(below, func(a, b Neighbour) int { return cmp.Compare(*b.At, *a.At) })
	slices.SortFunc(above, func(a, b Neighbour) int { return cmp.Compare(*a.At, *b.At) })
	if len(below) < beside || len(above) < beside {
		return false
	}
	below, above = below[:beside], above[:beside]
	return in.changesSides(below, above) || in.changesSides(above, below)
}

// changesSides reports whether an input goes with one side now and went with the other
// before: by its answers, or by the ways through the code.
func (in Input) changesSides(to, from []Neighbour) bool {
	answers, ways := true, len(in.Ways) == 2
	for _, n := range to {
		answers = answers && *n.After == *in.After && *n.Before != *in.Before
		ways = ways && len(n.Ways) == 2 && n.Ways[1] == in.Ways[1] && n.Ways[0] != in.Ways[0]
	}
	for _, n := range from {
		answers = answers && *n.Before == *in.Before && *n.After != *in.After
		ways = ways && len(n.Ways) == 2 && n.Ways[0] == in.Ways[0] && n.Ways[1] != in.Ways[1]
	}
	return answers || ways
}

// What an answer says of a call that does something to what it was given: that it was
// changed, or that it was handed back itself.
const (
	changing = ", changing argument "
	sharing  = ", sharing argument "
)

// touches reports whether nearly all calls do something to what they are given, and none
// did before the edit. A test may then compare a thing with itself.
func (f Function) touches(how string) bool {
	now, all := 0, 0
	for _, in := range f.Inputs {
		answers := []Answers{in.Answers}
		for _, n := range in.Near {
			answers = append(answers, n.Answers)
		}
		for _, a := range answers {
			switch {
			case !a.told() || fails(*a.After) || fails(*a.Before):
				continue
			case strings.Contains(*a.Before, how):
				return false
			case strings.Contains(*a.After, how):
				now++
			}
			all++
		}
	}
	return now >= enough && 10*now >= 9*all
}

// given is what a call gave, without what it left behind on its object, unless that is
// all that it does.
func given(answer string) string {
	head, _, left := strings.Cut(answer, ", leaving ")
	if !left || head == "None" {
		return answer
	}
	return head
}

// blind counts values that all get one answer now and did not before: in one place, or
// anywhere when place is nil.
func blind(inputs []Input, place *string) int {
	seen := map[string]bool{}
	varied := false
	one := ""
	for _, in := range inputs {
		before, mine := map[string]int{}, ""
		for _, n := range in.Near {
			if !n.told() || place != nil && n.Place != *place {
				continue
			}
			if fails(*n.After) {
				return 0
			}
			mine = cmp.Or(mine, *n.After)
			if *n.After != mine || mine != *in.After {
				return 0
			}
			if !fails(*n.Before) {
				before[given(*n.Before)]++
				seen[n.Place+"\x00"+n.Text] = true
			}
		}
		if place == nil && one != "" && mine != one {
			return 0
		}
		one = cmp.Or(one, mine)
		varied = varied || len(before) >= few
	}
	if !varied {
		return 0
	}
	return len(seen)
}
