package outcome

import (
	"encoding/json"
	"testing"
)

func TestNamesAreReadBack(t *testing.T) {
	t.Parallel()
	for _, o := range All() {
		var got Outcome
		text, err := json.Marshal(o)
		if err != nil || json.Unmarshal(text, &got) != nil || got != o {
			t.Errorf("%s is read as %s: %v", text, got, err)
		}
	}
	for v := Applied; v <= NotApplicable; v++ {
		var got Verdict
		text, err := json.Marshal(v)
		if err != nil || json.Unmarshal(text, &got) != nil || got != v {
			t.Errorf("%s is read as %s: %v", text, got, err)
		}
	}
	if len(All()) != int(Cancelled) {
		t.Errorf("All has %d of %d outcomes", len(All()), Cancelled)
	}
}

func TestWhatIsNoneIsNotWritten(t *testing.T) {
	t.Parallel()
	for _, x := range []any{Invalid, Cancelled + 1, InvalidVerdict, NotApplicable + 1} {
		if text, err := json.Marshal(x); err == nil {
			t.Errorf("%v is written as %s", x, text)
		}
	}
	var o Outcome
	var v Verdict
	for _, text := range []string{"", "invalid", "Fixed"} {
		if o.UnmarshalText([]byte(text)) == nil || v.UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is read", text)
		}
	}
}
