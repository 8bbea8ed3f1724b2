// Package repairtest checks that the templates of the repair engine make the
// edits they are for, in a language's own spelling, from the trees of the
// language's own parser. Every language runs it.
package repairtest

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"autocoder/engine/repair/mutate"
	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// Case is a repair that must be among the first edits of its source.
type Case struct {
	// Template is the one that makes it.
	Template string
	// Source is code with the repair marked in it: "a ‹<|<=› b" is a < b before and
	// a <= b after. A ¦ stands for a | of the language.
	Source string
	// Rank is the place in which the edit comes at the latest, from 1, with every
	// line equally suspicious.
	Rank int
}

// Parse makes the tree of a source.
type Parse func(source []byte) (*node.Node, error)

// Split returns a marked source before and after the repair.
func Split(marked string) (before, after string) {
	var b, a strings.Builder
	for marked != "" {
		plain, rest, ok := strings.Cut(marked, "‹")
		b.WriteString(plain)
		a.WriteString(plain)
		if !ok {
			break
		}
		change, rest, _ := strings.Cut(rest, "›")
		old, text, _ := strings.Cut(change, "|")
		b.WriteString(old)
		a.WriteString(text)
		marked = rest
	}
	bar := strings.NewReplacer("¦", "|")
	return bar.Replace(b.String()), bar.Replace(a.String())
}

// Run checks the cases of a language. Only the named templates count for the
// rank of an edit, but every edit of every template must apply.
func Run(t *testing.T, d *node.Dialect, parse Parse, cases []Case) {
	t.Helper()
	for k, c := range cases {
		t.Run(fmt.Sprintf("%s_%d", strings.ReplaceAll(c.Template, " ", "_"), k), func(t *testing.T) {
			before, after := Split(c.Source)
			root, err := parse([]byte(before))
			if err != nil {
				t.Fatalf("parse: %v\n%s", err, before)
			}
			check(t, d, root, c, before, after)
		})
	}
}

// check looks for the repair among the edits.
func check(t *testing.T, d *node.Dialect, root *node.Node, c Case, before, after string) {
	t.Helper()
	stream := mutate.NewStream([]mutate.File{{Path: "a", Info: node.NewInfo(root, []byte(before), d), Score: everywhere(before)}},
		mutate.Options{Cut: 4})
	seen := map[string]string{}
	rank, cost := 0, 0.0
	for n := 1; ; n++ {
		batch := stream.Next(1)
		if len(batch) == 0 {
			break
		}
		e := batch[0]
		text, err := textedit.ApplyEdits([]byte(before), e.Edits)
		if err != nil {
			t.Fatalf("%s makes edits that don't apply: %v", e.Template, err)
		}
		got := string(text)
		if got == before {
			t.Errorf("%s changes nothing: %s", e.Template, e.Why)
		}
		if old, ok := seen[got]; ok {
			t.Errorf("%s makes what %s made before: %s", e.Template, old, e.Why)
		}
		seen[got] = e.Template
		// What an edit does to the code around it is known only when it is made, and
		// may speak for it.
		if e.Cost < cost-1 {
			t.Errorf("%s comes at %.2f after %.2f", e.Template, e.Cost, cost)
		}
		cost = e.Cost
		if got == after && rank == 0 {
			rank = n
			if e.Template != c.Template {
				t.Errorf("made by %q (%s), want %q", e.Template, e.Why, c.Template)
			}
		}
	}
	if rank == 0 {
		t.Errorf("no template makes it:\n%s", after)
	} else if rank > c.Rank {
		t.Errorf("it comes as number %d of %d, want at most %d", rank, len(seen), c.Rank)
	}
}

// everywhere suspects every line alike.
func everywhere(source string) map[int]float64 {
	m := map[int]float64{}
	for l := range strings.Count(source, "\n") + 2 {
		m[l] = 1
	}
	return m
}

// results returns what every edit of a source makes of it.
func results(t *testing.T, d *node.Dialect, root *node.Node, source string) []string {
	t.Helper()
	stream := mutate.NewStream([]mutate.File{{Path: "a", Info: node.NewInfo(root, []byte(source), d), Score: everywhere(source)}},
		mutate.Options{Cut: 4})
	var out []string
	for {
		batch := stream.Next(100)
		if len(batch) == 0 {
			return out
		}
		for _, e := range batch {
			text, err := textedit.ApplyEdits([]byte(source), e.Edits)
			if err != nil {
				t.Fatalf("%s: %v", e.Template, err)
			}
			out = append(out, string(text))
		}
	}
}

//go:embed testdata/*.txtar
var corpora embed.FS

// Corpus returns the cases of a language's corpus, "python" or "go": little
// functions with one bug each.
func Corpus(name string) ([]Case, error) {
	data, err := corpora.ReadFile("testdata/" + name + ".txtar")
	if err != nil {
		return nil, fmt.Errorf("read the corpus of %s: %w", name, err)
	}
	var out []Case
	for _, f := range txtar.Parse(data).Files {
		at := strings.LastIndexByte(f.Name, ' ')
		rank, err := strconv.Atoi(f.Name[at+1:])
		if err != nil {
			return nil, fmt.Errorf("read the corpus of %s: %q ends with no rank", name, f.Name)
		}
		out = append(out, Case{Template: f.Name[:at], Source: string(f.Data), Rank: rank})
	}
	return out, nil
}
