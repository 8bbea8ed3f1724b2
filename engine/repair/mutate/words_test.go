package mutate

import "testing"

func TestFirstWord(t *testing.T) {
	t.Parallel()
	for cond, want := range map[string]string{"not width": "width", "len(xs) == 0": "xs", "isinstance(a1, int)": "a1", "n < 0": "n", "0": "value"} {
		if got := firstWord(cond); got != want {
			t.Errorf("firstWord(%q) is %q, want %q", cond, got, want)
		}
	}
}
