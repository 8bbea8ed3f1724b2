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

func TestSingles(t *testing.T) {
	t.Parallel()
	for cond, want := range map[string]bool{"n === 1": true, "n == -3": true, "n == 0": false, "n >= 1": false, "n === null": false} {
		if got := singles(cond); got != want {
			t.Errorf("singles(%q) is %v, want %v", cond, got, want)
		}
	}
}
