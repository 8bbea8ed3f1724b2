package repair_test

import (
	"context"
	"testing"

	"autocoder/engine/repair"
)

// TestUnlikely: an edit that is rarely the repair is not offered as the only answer, however
// alone it is; one that often is, is.
func TestUnlikely(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, code string
		tests      []toyTest
		unsure     bool
	}{
		{"likely", single, singleTests(), false},
		{
			"far-fetched", "def share(w, h):\n    a = w\n    return a\n",
			[]toyTest{{"test_a", "share.toy", "share", []int{97, 8}, 97 % 8}, {"test_b", "share.toy", "share", []int{53, 7}, 53 % 7}, {"test_c", "share.toy", "share", []int{31, 9}, 31 % 9}},
			true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(map[string]string{c.tests[0].file: c.code}, c.tests...)
			p, err := repair.New(w.clock, w.lang).Propose(context.Background(), w.view, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %s and %d alternatives", p.Origin, p.Why, len(p.Alternatives))
			if p.Unsure != c.unsure {
				t.Errorf("unsure is %v, want %v", p.Unsure, c.unsure)
			}
		})
	}
}
