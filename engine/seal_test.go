package engine_test

import (
	"testing"

	"autocoder/engine"
	"autocoder/engine/outcome"
)

// TestCacheIsSealed has tests of an edit tamper with the build cache: no later run
// sees it, and what the baseline built is still there.
func TestCacheIsSealed(t *testing.T) {
	t.Parallel()
	p := newProject(t, `
-- go.mod --
module m
go 1.21
-- answer.txt --
wrong
-- m_test.go --
package m
import ("os"; "path/filepath"; "strings"; "testing")
func answer(t *testing.T) string {
	b, err := os.ReadFile("answer.txt")
	if err != nil { t.Fatal(err) }
	return strings.TrimSpace(string(b))
}
func TestAnswer(t *testing.T) { if answer(t) != "right" { t.Fatal("not right") } }
func TestCache(t *testing.T) {
	mark := filepath.Join(os.Getenv("GOCACHE"), "mark")
	b, _ := os.ReadFile(mark)
	want := "of the baseline"
	if answer(t) == "wrong" && len(b) == 0 { want = "" }
	if string(b) != want { t.Fatalf("found %q, want %q", b, want) }
	text := "of an edit"
	if answer(t) == "wrong" { text = "of the baseline" }
	if err := os.WriteFile(mark, []byte(text), 0o600); err != nil { t.Fatal(err) }
}
`)
	p.need(t, "go")
	p.script(t, `[{"write":{"answer.txt":"half\n"}},{"write":{"answer.txt":"right\n"}}]`)
	r := p.fix(t, engine.FixRequest{})
	if r.Outcome != outcome.Fixed {
		t.Errorf("%v: %s\n%+v", r.Outcome, r.Reason, r.Attempts)
	}
}
