package textedit

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree is a base tree for tests.
type tree map[string]File

func (t tree) read(path string) (File, error) {
	if path == "unreadable" {
		return File{}, fs.ErrPermission
	}
	return t[path], nil
}

func regular(content string) File { return File{Kind: Regular, Content: []byte(content), Mode: 0o644} }

var base = tree{
	"a.py":     regular("one\ntwo\nthree\n"),
	"crlf.txt": regular("\ufeffone\r\ntwo\r\nthree"),
	"run.sh":   {Kind: Regular, Content: []byte("#!/bin/sh\n"), Mode: 0o755},
	"link":     {Kind: Symlink, Target: "a.py"},
	"dir":      {Kind: Other},
	"dir/f":    regular("f\n"),
	"bin":      regular("\x00\x01"),
	"empty":    regular(""),
}

func TestApplyEdits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, content string
		edits         []Edit
		want          string
		fails         bool
	}{
		{"none", "abc", nil, "abc", false},
		{"replace", "abc", []Edit{{1, 2, "XY"}}, "aXYc", false},
		{"insertions at one place keep their order", "abc", []Edit{{1, 1, "1"}, {1, 1, "2"}}, "a12bc", false},
		{"at the end", "abc", []Edit{{3, 3, "d"}}, "abcd", false},
		{"into nothing", "", []Edit{{0, 0, "x"}}, "x", false},
		{"CRLF is kept", "a\r\nb\r\n", []Edit{{3, 4, "c"}}, "a\r\nc\r\n", false},
		{"overlap", "abc", []Edit{{0, 2, ""}, {1, 3, ""}}, "", true},
		{"not sorted", "abc", []Edit{{2, 3, ""}, {0, 1, ""}}, "", true},
		{"behind the end", "abc", []Edit{{3, 4, ""}}, "", true},
		{"backwards", "abc", []Edit{{2, 1, ""}}, "", true},
		{"negative", "abc", []Edit{{-1, 1, ""}}, "", true},
	} {
		got, err := ApplyEdits([]byte(c.content), c.edits)
		if (err != nil) != c.fails || string(got) != c.want {
			t.Errorf("%s: got %q, %v", c.name, got, err)
		}
	}
}

func edit(path string, edits ...Edit) Op {
	return Op{Kind: OpEdit, Path: path, Base: base[path].Hash(), Edits: edits}
}

func create(path, content string) Op {
	return Op{Kind: OpCreate, Path: path, AnyBase: true, Content: []byte(content)}
}

func TestApply(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		ops  []Op
		want map[string]File
	}{
		{
			"edit keeps byte order mark, CRLF and the missing newline",
			[]Op{edit("crlf.txt", Edit{8, 11, "TWO"})},
			map[string]File{"crlf.txt": regular("\ufeffone\r\nTWO\r\nthree")},
		},
		{
			"edit keeps the mode",
			[]Op{edit("run.sh", Edit{10, 10, "exit 1\n"})},
			map[string]File{"run.sh": {Kind: Regular, Content: []byte("#!/bin/sh\nexit 1\n"), Mode: 0o755}},
		},
		{"create", []Op{create("new/b.py", "b")}, map[string]File{"new/b.py": regular("b")}},
		{
			"replacing keeps the mode",
			[]Op{create("run.sh", "x")},
			map[string]File{"run.sh": {Kind: Regular, Content: []byte("x"), Mode: 0o755}},
		},
		{
			"a mode alone is a change",
			[]Op{{Kind: OpCreate, Path: "a.py", AnyBase: true, Content: base["a.py"].Content, Mode: 0o755}},
			map[string]File{"a.py": {Kind: Regular, Content: base["a.py"].Content, Mode: 0o755}},
		},
		{"delete", []Op{{Kind: OpDelete, Path: "link", Base: "link:a.py"}}, map[string]File{"link": {}}},
		{
			"rename",
			[]Op{{Kind: OpRename, Path: "a.py", To: "b.py", AnyBase: true}},
			map[string]File{"a.py": {}, "b.py": base["a.py"]},
		},
		{"symlink", []Op{{Kind: OpSymlink, Path: "l", Target: "a.py"}}, map[string]File{"l": {Kind: Symlink, Target: "a.py"}}},
		{"back to the base is no change", []Op{create("a.py", "x"), create("a.py", "one\ntwo\nthree\n")}, nil},
		{"created and deleted is no change", []Op{create("n", ""), {Kind: OpDelete, Path: "n", AnyBase: true}}, nil},
		{
			"a file's place becomes a folder",
			[]Op{{Kind: OpDelete, Path: "a.py", AnyBase: true}, create("a.py/b", "")},
			map[string]File{"a.py": {}, "a.py/b": regular("")},
		},
		{"binary", []Op{create("bin", "\x00\xff")}, map[string]File{"bin": regular("\x00\xff")}},
	} {
		got, err := State{}.Apply(base.read, Patch{c.ops})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, got.files, cmp.Transformer("empty", nilWhenEmpty)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func nilWhenEmpty(m map[string]File) map[string]File {
	if len(m) == 0 {
		return nil
	}
	return m
}

func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	start, err := State{}.Apply(base.read, Patch{[]Op{create("made/x", "x")}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		op   Op
		why  string
	}{
		{"another base", Op{Kind: OpEdit, Path: "a.py", Base: "other"}, "not the one"},
		{"an absent base that is there", Op{Kind: OpCreate, Path: "a.py"}, "not the one"},
		{"edit of nothing", Op{Kind: OpEdit, Path: "nowhere"}, "no regular file"},
		{"edit of a link", Op{Kind: OpEdit, Path: "link", AnyBase: true}, "no regular file"},
		{"edit of a folder", Op{Kind: OpEdit, Path: "dir", AnyBase: true}, "not a regular file"},
		{"edits that don't fit", edit("a.py", Edit{0, 999, ""}), "does not fit"},
		{"a file over a folder", create("dir", ""), "not a regular file"},
		{"a file over a new folder", create("made", ""), "is a folder"},
		{"a file below a file", create("a.py/x", ""), "not a folder"},
		{"a link below a file", Op{Kind: OpSymlink, Path: "a.py/x", Target: "y"}, "not a folder"},
		{"delete nothing", Op{Kind: OpDelete, Path: "nowhere"}, "nothing to delete"},
		{"rename nothing", Op{Kind: OpRename, Path: "nowhere", To: "x"}, "nothing to rename"},
		{"rename onto a file", Op{Kind: OpRename, Path: "a.py", To: "bin", AnyBase: true}, "exists"},
		{"rename below a file", Op{Kind: OpRename, Path: "a.py", To: "bin/x", AnyBase: true}, "not a folder"},
		{"rename to outside", Op{Kind: OpRename, Path: "a.py", To: "../x", AnyBase: true}, "simplest form"},
		{"a link to nothing", Op{Kind: OpSymlink, Path: "l"}, "needs a target"},
		{"no kind", Op{Path: "a.py", AnyBase: true}, "no kind"},
		{"an unknown kind", Op{Kind: 99, Path: "a.py", AnyBase: true}, "unknown kind"},
		{"no path", create("", ""), "empty"},
		{"the root", create(".", ""), "empty"},
		{"an absolute path", create("/etc/passwd", ""), "not relative"},
		{"a path with NUL", create("a\x00b", ""), "not relative"},
		{"a path to outside", create("../x", ""), "simplest form"},
		{"a path through outside", create("a/../../x", ""), "simplest form"},
		{"a path with a slash at its end", create("a/", ""), "simplest form"},
	} {
		first := create("other", "x")
		got, err := start.Apply(base.read, Patch{[]Op{first, c.op}})
		if !errors.Is(err, ErrNotApplicable) || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: error %v, want one about %q", c.name, err, c.why)
		}
		if got.Hash() != start.Hash() {
			t.Errorf("%s: the state changed: %v", c.name, got.Paths())
		}
	}
	if _, err := start.Apply(base.read, Patch{[]Op{create("unreadable", "")}}); err == nil || errors.Is(err, ErrNotApplicable) {
		t.Errorf("an unreadable base: error %v", err)
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	apply := func(s State, ops ...Op) State {
		next, err := s.Apply(base.read, Patch{ops})
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	one := apply(State{}, create("a.py", "x"), create("b.py", "y"))
	two := apply(apply(apply(State{}, create("b.py", "y")), create("a.py", "z")), create("a.py", "x"))
	if one.Hash() != two.Hash() {
		t.Error("the way matters")
	}
	seen := map[Hash]string{}
	for name, s := range map[string]State{
		"base": {}, "one": one, "content": apply(one, create("a.py", "xx")),
		"mode":      apply(one, Op{Kind: OpCreate, Path: "a.py", AnyBase: true, Content: []byte("x"), Mode: 0o755}),
		"deleted":   apply(one, Op{Kind: OpDelete, Path: "a.py", AnyBase: true}),
		"link":      apply(one, Op{Kind: OpSymlink, Path: "a.py", AnyBase: true, Target: "x"}),
		"elsewhere": apply(State{}, create("a.py", "y"), create("b.py", "x")),
	} {
		if other, ok := seen[s.Hash()]; ok {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[s.Hash()] = name
	}
	if s := one.Without(func(p string) bool { return p == "a.py" }); len(s.Paths()) != 1 || len(one.Paths()) != 2 {
		t.Errorf("without a.py: %v, and before: %v", s.Paths(), one.Paths())
	}
}

func TestPatchLeadsToState(t *testing.T) {
	t.Parallel()
	s, err := State{}.Apply(base.read, Patch{[]Op{
		edit("crlf.txt", Edit{8, 11, "TWO"}), create("new", "n"),
		{Kind: OpDelete, Path: "bin", AnyBase: true},
		{Kind: OpCreate, Path: "a.py", AnyBase: true, Content: []byte("one\n"), Mode: 0o755},
		{Kind: OpSymlink, Path: "link", AnyBase: true, Target: "run.sh"},
		{Kind: OpRename, Path: "dir/f", To: "g", AnyBase: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Patch(base.read)
	if err != nil {
		t.Fatal(err)
	}
	again, err := State{}.Apply(base.read, p)
	if err != nil || again.Hash() != s.Hash() {
		t.Errorf("got %v, %v", again.Paths(), err)
	}
	for _, op := range p.Ops {
		if op.AnyBase || op.Base != base[op.Path].Hash() {
			t.Errorf("%s %s has base %q", op.Kind, op.Path, op.Base)
		}
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	p := Patch{[]Op{create("b", ""), {Kind: OpRename, Path: "c", To: "a"}, create("b", "")}}
	if diff := cmp.Diff([]string{"a", "b", "c"}, p.Paths()); diff != "" {
		t.Error(diff)
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	s, err := State{}.Apply(base.read, Patch{[]Op{create("a.py", "x")}})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"a.py": "x", "dir/f": "f\n", "nowhere": ""} {
		if f, err := s.Over(base.read)(path); err != nil || string(f.Content) != want {
			t.Errorf("%s: %q, %v", path, f.Content, err)
		}
	}
	if _, ok := s.Lookup("dir/f"); ok || s.Empty() || !(State{}).Empty() {
		t.Error("the state knows too much, or too little")
	}
}

func TestKindsHaveNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for k := InvalidOp; k <= OpSymlink+1; k++ {
		if seen[k.String()] || k.String() == "" {
			t.Errorf("kind %d is called %q", k, k)
		}
		seen[k.String()] = true
	}
}
