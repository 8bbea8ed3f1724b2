package event

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEventsAreReadBack(t *testing.T) {
	t.Parallel()
	for k := RunStarted; k <= RunFinished; k++ {
		want := Event{Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Kind: k, N: 7, Text: "text", Detail: "detail", Files: []string{"a", "b"}}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Event
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", k, diff)
		}
	}
}

func TestUnknownKindIsInvalid(t *testing.T) {
	t.Parallel()
	k := RunStarted
	if err := k.UnmarshalText([]byte("of a later version")); err != nil || k != Invalid {
		t.Errorf("got %s, %v", k, err)
	}
}
