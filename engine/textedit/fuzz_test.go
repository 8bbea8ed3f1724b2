package textedit

import (
	"bytes"
	"errors"
	"testing"
)

// FuzzMinimal holds that the edits between two contents lead from one to the
// other, and back.
func FuzzMinimal(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc\n")
	f.Add("\ufeffa\r\nb", "a\r\nb\r\n")
	f.Add("", "\x00\xff")
	f.Fuzz(func(t *testing.T, old, new string) {
		for _, way := range [][2]string{{old, new}, {new, old}} {
			got, err := ApplyEdits([]byte(way[0]), Minimal([]byte(way[0]), []byte(way[1])))
			if err != nil || string(got) != way[1] {
				t.Errorf("from %q: got %q, %v, want %q", way[0], got, err, way[1])
			}
		}
	})
}

// FuzzApplyEdits holds that any edits either fit or are refused, and that what
// lies outside them is kept.
func FuzzApplyEdits(f *testing.F) {
	f.Add([]byte("hello"), 1, 2, 3, 4, "x", "")
	f.Add([]byte("\r\n"), 0, 0, 2, 2, "\ufeff", "é")
	f.Fuzz(func(t *testing.T, content []byte, s1, e1, s2, e2 int, n1, n2 string) {
		got, err := ApplyEdits(content, []Edit{{s1, e1, n1}, {s2, e2, n2}})
		fits := 0 <= s1 && s1 <= e1 && e1 <= s2 && s2 <= e2 && e2 <= len(content)
		if fits != (err == nil) {
			t.Fatalf("edits that fit: %v, error: %v", fits, err)
		}
		if !fits {
			return
		}
		if len(got) != len(content)-(e1-s1)-(e2-s2)+len(n1)+len(n2) || !bytes.HasPrefix(got, content[:s1]) || !bytes.HasSuffix(got, content[e2:]) {
			t.Errorf("got %q of %q", got, content)
		}
	})
}

// FuzzState plays operations that are read from data and holds what is true of
// any of them.
func FuzzState(f *testing.F) {
	f.Add([]byte("\x02\x00\x01x\x03\x01\x00\x00\x04\x02\x03y\x05\x01\x02z"))
	f.Fuzz(func(t *testing.T, data []byte) {
		paths := []string{"a.py", "link", "new", "new/deep", "bin", "dir", "dir/f", "../x"}
		s := State{}
		for ; len(data) >= 4; data = data[4:] {
			op := Op{
				Kind: OpKind(data[0] % 7), Path: paths[int(data[1])%len(paths)], To: paths[int(data[2])%len(paths)],
				AnyBase: true, Content: data[3:4], Target: string(data[3:4]),
				Edits: []Edit{{int(data[2]) % 8, int(data[3]) % 8, "e"}},
			}
			next, err := s.Apply(base.read, Patch{[]Op{op}})
			if err != nil {
				if !errors.Is(err, ErrNotApplicable) || next.Hash() != s.Hash() {
					t.Fatalf("%s %s: %v", op.Kind, op.Path, err)
				}
				continue
			}
			s = next
		}
		p, err := s.Patch(base.read)
		if err != nil {
			t.Fatal(err)
		}
		again, err := State{}.Apply(base.read, p)
		if err != nil || again.Hash() != s.Hash() {
			t.Errorf("the patch of %v leads to %v: %v", s.Paths(), again.Paths(), err)
		}
		if diff, err := Diff(base.read, s); err != nil || (diff == "") != s.Empty() {
			t.Errorf("the diff of %v is %q: %v", s.Paths(), diff, err)
		}
	})
}
