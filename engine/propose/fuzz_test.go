package propose

import (
	"context"
	"errors"
	"testing"
)

// FuzzScripted reads any script: it is refused, or every proposal of it can be
// asked for until there is nothing left.
func FuzzScripted(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "[]", "null", `{"write": {"a.py": "x"}}`, `[{"write": {"a.py": "x"}}, {"delete": ["a.py"], "symlink": {"b": "/etc"}}]`,
		`{"write": {"": ""}}`, `{"write": {"../a": 1}}`, `{"write": null, "delete": null}`, `[[]]`, `{"write": {"a": "\ud800"}}`, `[{"write": {}}] x`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		p, err := Scripted("fuzz", script)
		if err != nil {
			return
		}
		var history []Attempt
		for range len(script) + 2 {
			proposal, err := p.Propose(context.Background(), View{}, history)
			if errors.Is(err, ErrNothingLeft) {
				return
			}
			if err != nil {
				t.Fatalf("attempt %d: %v", len(history)+1, err)
			}
			history = append(history, Attempt{Proposal: proposal})
		}
		t.Errorf("a script of %d bytes never ends", len(script))
	})
}
