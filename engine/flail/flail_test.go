package flail_test

import (
	"fmt"
	"testing"

	"autocoder/engine/chat"
	"autocoder/engine/flail"
)

func call(id, name, arguments string) chat.Call {
	return chat.Call{ID: id, Name: name, Arguments: arguments}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	base := []chat.Call{call("1", "read", `{"path":"a","start":1}`), call("2", "bash", `{"command":"ls"}`)}
	for _, c := range []struct {
		name  string
		calls []chat.Call
		same  bool
	}{
		{"other ids", []chat.Call{call("8", "read", `{"path":"a","start":1}`), call("9", "bash", `{"command":"ls"}`)}, true},
		{"another order", []chat.Call{base[1], base[0]}, true},
		{"keys and blanks", []chat.Call{call("", "read", "{ \"start\": 1,\n\"path\": \"a\" }"), base[1]}, true},
		{"another argument", []chat.Call{call("1", "read", `{"path":"a","start":2}`), base[1]}, false},
		{"another name", []chat.Call{call("1", "search", `{"path":"a","start":1}`), base[1]}, false},
		{"one more", append([]chat.Call{base[0]}, base...), false},
		{"no JSON", []chat.Call{call("1", "read", `{"path":"a"`), base[1]}, false},
	} {
		if got := flail.Fingerprint(c.calls) == flail.Fingerprint(base); got != c.same {
			t.Errorf("%s: the same %v", c.name, got)
		}
	}
	if flail.Fingerprint(nil) != "" || len(flail.Fingerprint(base)) != 64 {
		t.Errorf("%q, %q", flail.Fingerprint(nil), flail.Fingerprint(base))
	}
	// The form is a contract: sha256 of [{"arguments":{},"name":"a"}].
	if got, want := flail.Fingerprint([]chat.Call{call("", "a", "{}")}), "4a2d3ee052170b24308ccde6f9f1151cafd31a564b5c448dc36a350a6f86c9e9"; got != want {
		t.Errorf("got %q", got)
	}
}

func TestFlailing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		play string
		want bool
	}{
		{"", false},
		{"aa", false},
		{"aaa", true},
		{"a.a.a", true}, // a turn without calls does not hide it
		{"aabaab", false},
		{"......", false},
		{"ababab", false}, // editing and testing in turns is work
	} {
		var d flail.Detector
		got := false
		for _, x := range c.play {
			var calls []chat.Call
			if x != '.' {
				calls = []chat.Call{call("", string(x), "{}")}
			}
			got = d.Flailing(calls) || got
		}
		if got != c.want {
			t.Errorf("%q: %v", c.play, got)
		}
	}
	var d flail.Detector
	for n := range 15 {
		d.Flailing([]chat.Call{call("", fmt.Sprint(n), "")})
	}
	if prints := d.Fingerprints(); len(prints) != 10 || prints[9] != flail.Fingerprint([]chat.Call{call("", "14", "")}) {
		t.Errorf("fingerprints %q", prints)
	}
}

func TestOscillating(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		play string
		want bool
	}{
		{"", false},
		{"aaaaaa", false},
		{"abcdef", false},
		{"aba", false},
		{"ababa", true},
		{"abcabc", true},
	} {
		var o flail.Oscillation
		got := false
		for _, x := range c.play {
			got = o.Oscillating(string(x)) || got
		}
		if got != c.want {
			t.Errorf("%q: %v", c.play, got)
		}
	}
}
