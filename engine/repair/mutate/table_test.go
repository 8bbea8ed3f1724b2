package mutate

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of templates anew")

// The table of templates is what the templates say of themselves.
func TestTable(t *testing.T) {
	t.Parallel()
	const file = "templates.md"
	want := table()
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale: go test ./engine/repair/mutate -run TestTable -update", file)
	}
}

func table() []byte {
	all := Templates()
	slices.SortStableFunc(all, func(a, b Template) int { return cmp.Or(cmp.Compare(a.Prior, b.Prior), cmp.Compare(a.Name, b.Name)) })
	var b bytes.Buffer
	b.WriteString(`<!-- generated: go test ./engine/repair/mutate -run TestTable -update -->
# Templates

Every way in which the repair engine changes code, the likeliest first. What an edit costs is the
template's prior, what the template adds for the less likely of its edits, how little speaks against
the line, and what the edit does to the code around it; lower is tried earlier. Templates marked
with * silence code more often than they repair it: what they make pass is shown only when nothing
else is found, and is never taken as the only answer.

Where the priors come from. They are set by hand, by how often such a repair was the right one among
known bugs, and by how often it made the tests pass and was wrong. Whoever moves one should count on
development sets: with c right first patches and w wrong ones of n bugs in all, -log10 of
(c + 0.5) / (n + 1), plus 0.2 for each time that w is as large as c, kept between 0.2 and 3.
Templates that no bug of the sets needed keep the prior of their family. Sets on which the engine is
judged are never counted.

| template | what it does | for example | prior |
|---|---|---|---|
`)
	cell := strings.NewReplacer("|", `\|`)
	for _, t := range all {
		name := t.Name
		if t.Suspicious {
			name += " *"
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | %.1f |\n", cell.Replace(name), cell.Replace(t.Does), cell.Replace(t.Example), t.Prior)
	}
	return b.Bytes()
}
