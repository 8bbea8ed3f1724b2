package engine_test

import (
	"testing"
	"time"

	"autocoder/engine"
	"autocoder/engine/outcome"
	"autocoder/engine/sandbox"
)

// TestCacheIsSealed has tests of an edit tamper with the build cache: no later run
// sees it, and what the baseline built is still there, or, where nothing can be kept
// from them, nothing is.
func TestCacheIsSealed(t *testing.T) {
	t.Parallel()
	for _, tier := range []sandbox.Tier{sandbox.Isolated, sandbox.Confined, sandbox.Supervised} {
		t.Run(tier.String(), func(t *testing.T) {
			t.Parallel()
			p := newProject(t, sealProject)
			p.need(t, "go")
			p.settings.MaxTime = 20 * time.Minute // it builds, and others do so too
			p.options.Probes, p.options.Consent = only(tier), true
			p.script(t, `[{"write":{"answer.txt":"half\n"}},{"write":{"answer.txt":"right\n"}}]`)
			r := p.fix(t, engine.FixRequest{})
			if r.Outcome != outcome.Fixed || r.Sandbox != tier.String() {
				t.Errorf("%v in %s: %s\n%+v", r.Outcome, r.Sandbox, r.Reason, r.Attempts)
			}
		})
	}
}

// sealProject has a test that writes into whatever build caches it is told of, and
// fails when it finds what an edit's test wrote there.
const sealProject = `
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
	places := []string{os.Getenv("GOCACHE")}
	for _, word := range strings.Fields(os.Getenv("GOCACHEPROG")) {
		if filepath.IsAbs(word) && strings.HasSuffix(word, "go-build") && strings.Contains(word, "shadow-") { places = append(places, word) }
	}
	baseline := answer(t) == "wrong"
	for _, place := range places {
		if b, _ := os.ReadFile(filepath.Join(place, "mark")); string(b) == "of an edit" { t.Fatalf("found %q in %s", b, place) }
	}
	for _, place := range places {
		text := "of an edit"
		if baseline { text = "of the baseline" }
		if err := os.WriteFile(filepath.Join(place, "mark"), []byte(text), 0o600); err != nil && baseline { t.Fatal(err) }
	}
}
`
