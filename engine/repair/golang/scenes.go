package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"strconv"
	"strings"
	"time"
)

const (
	// mostScenes is how many scenes behaviours are compared on, and scenesTime what
	// they may take together for one candidate.
	mostScenes = 300
	scenesTime = 1500 * time.Millisecond
	// mostChoices is how many values a scene's place may have, mostPlaces how many
	// places of the tests have others.
	mostChoices, mostPlaces = 5, 400
	// telling is how many different things a candidate must do in the scenes before
	// they are taken to tell candidates apart.
	telling = 3
)

// scene is a test with another value in one place; place is -1 where it has none.
type scene struct {
	test          string
	place, choice int
}

// place is a value of the tests that may be another.
type place struct {
	text   string
	others []string
	line   int
	file   string
}

// stage is what the scenes of a package's tests are made of.
type stage struct {
	*session
	tests *testPackage
	// woven are the test files, by absolute path.
	woven  layer
	places []place
	// looks are the expressions whose values are noted.
	looks []string
	// of are the places in each function of the tests.
	of map[string][]int
	// recent is the literal of each kind that was seen last: what stands beside a value is
	// one that the tests know to do something else.
	recent map[token.Token]string
}

// newStage weaves choices and looks into the test files of a package.
func (s *session) newStage(t *testPackage) (*stage, error) {
	st := &stage{session: s, tests: t, woven: layer{}, of: map[string][]int{}, recent: map[token.Token]string{}}
	for _, src := range []*source{t.internal, t.external} {
		if src.loose {
			return nil, nil
		}
		for _, f := range src.files {
			if !strings.HasSuffix(f.path, "_test.go") {
				continue
			}
			w := &sceneWeaver{weaver: weaver{offset: f.offset}, stage: st, file: f, skip: map[ast.Node]bool{}, fixed: map[ast.Node]bool{}}
			content, err := w.all()
			if err != nil {
				return nil, fmt.Errorf("weave %s: %w", f.path, err)
			}
			st.woven[s.absolute(f.path)] = content
		}
	}
	return st, nil
}

// scenes are the tests to play with other values in turn, the quick ones.
func (st *stage) scenes(tests []string) []scene {
	var out []scene
	var lists [][]scene
	left := scenesTime
	for _, name := range functions(tests) {
		took := st.traced.tests[st.tests.ImportPath+"."+name].duration
		if took > scenesTime/4 {
			continue
		}
		out = append(out, scene{name, -1, 0})
		var list []scene
		for choice := range mostChoices {
			for _, k := range append(st.of[name], st.of[""]...) {
				if choice < len(st.places[k].others) {
					list = append(list, scene{name, k, choice})
				}
			}
		}
		lists = append(lists, list)
	}
	for round := 0; len(out) < mostScenes && left > 0; round++ {
		some := false
		for _, list := range lists {
			if round < len(list) && len(out) < mostScenes {
				out = append(out, list[round])
				left -= st.traced.tests[st.tests.ImportPath+"."+list[round].test].duration
				some = true
			}
		}
		if !some {
			break
		}
	}
	return out
}

// describe is a scene for people.
func (st *stage) describe(s scene) string {
	if s.place < 0 {
		return s.test
	}
	p := st.places[s.place]
	return fmt.Sprintf("%s with %s for %s in line %d of %s", s.test, p.others[s.choice], p.text, p.line, path.Base(p.file))
}

// shown is what was seen in a scene, for people: the first thing that two do not have
// in common.
func (st *stage) shown(mine, other string) string {
	a, b := strings.Split(mine, "\x1f"), strings.Split(other, "\x1f")
	for k, event := range a {
		if k < len(b) && b[k] == event {
			continue
		}
		if strings.HasPrefix(event, "… (") { // only the sum of what came later is known
			return "something else further on"
		}
		number, value, _ := strings.Cut(event, " ")
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n >= len(st.looks) {
			return event
		}
		return st.looks[n] + " is " + value
	}
	return "nothing more"
}
