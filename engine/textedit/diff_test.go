package textedit

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		ops  []Op
		want string
	}{
		{"edit", []Op{edit("a.py", Edit{4, 7, "TWO"})}, "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"},
		{
			"no final newline",
			[]Op{edit("crlf.txt", Edit{13, 18, "3"})},
			"diff --git a/crlf.txt b/crlf.txt\n--- a/crlf.txt\n+++ b/crlf.txt\n@@ -1,3 +1,3 @@\n \ufeffone\r\n two\r\n-three\n\\ No newline at end of file\n+3\n\\ No newline at end of file\n",
		},
		{"new", []Op{create("n", "x\n")}, "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n"},
		{"new and empty", []Op{create("n", "")}, "diff --git a/n b/n\nnew file mode 100644\n"},
		{"deleted", []Op{{Kind: OpDelete, Path: "dir/f", AnyBase: true}}, "diff --git a/dir/f b/dir/f\ndeleted file mode 100644\n--- a/dir/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-f\n"},
		{
			"mode",
			[]Op{{Kind: OpCreate, Path: "a.py", AnyBase: true, Content: base["a.py"].Content, Mode: 0o755}},
			"diff --git a/a.py b/a.py\nold mode 100644\nnew mode 100755\n",
		},
		{"binary", []Op{create("bin", "\x00")}, "diff --git a/bin b/bin\nBinary files a/bin and b/bin differ\n"},
		{
			"link",
			[]Op{{Kind: OpSymlink, Path: "l", Target: "a.py"}},
			"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+a.py\n\\ No newline at end of file\n",
		},
		{
			"a name that would break a line",
			[]Op{create("a\n\"b", "x\n")},
			"diff --git \"a/a\\n\\\"b\" \"b/a\\n\\\"b\"\nnew file mode 100644\n--- /dev/null\n+++ \"b/a\\n\\\"b\"\n@@ -0,0 +1 @@\n+x\n",
		},
	} {
		s, err := State{}.Apply(base.read, Patch{c.ops})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got, err := Diff(base.read, s)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestGitAppliesDiff holds the diff against the program that most users would
// give it to.
func TestGitAppliesDiff(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	s, err := State{}.Apply(base.read, Patch{[]Op{
		edit("crlf.txt", Edit{8, 11, "TWO"}), create("a new/file name", "x"), create("empty new", ""),
		create("q\"\n\t\x01ü", "x\n"),
		{Kind: OpDelete, Path: "dir/f", AnyBase: true},
		{Kind: OpDelete, Path: "empty", AnyBase: true},
		{Kind: OpCreate, Path: "a.py", AnyBase: true, Content: []byte("one\n2\nthree\n"), Mode: 0o755},
		{Kind: OpSymlink, Path: "link", AnyBase: true, Target: "run.sh"},
		{Kind: OpSymlink, Path: "run.sh", AnyBase: true, Target: "a.py"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	diff, err := Diff(base.read, s)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for path, f := range base {
		write(t, filepath.Join(dir, path), f)
	}
	patch := filepath.Join(t.TempDir(), "patch")
	write(t, patch, regular(diff))
	cmd := exec.Command(git, "apply", patch)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n%s", err, out, diff)
	}
	for _, path := range s.Paths() {
		want, _ := s.Lookup(path)
		if got := read(t, filepath.Join(dir, path)); !got.same(want) && gitMode(got) != gitMode(want) || got.Hash() != want.Hash() {
			t.Errorf("%s: got %+v, want %+v", path, got, want)
		}
	}
}

func write(t *testing.T, path string, f File) {
	t.Helper()
	if f.Kind == Other {
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	var err error
	if f.Kind == Symlink {
		err = os.Symlink(f.Target, path)
	} else {
		err = os.WriteFile(path, f.Content, f.Mode)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) File {
	t.Helper()
	info, err := os.Lstat(path)
	if os.IsNotExist(err) {
		return File{}
	}
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		if err != nil {
			t.Fatal(err)
		}
		return File{Kind: Symlink, Target: target}
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return File{Kind: Regular, Content: content, Mode: info.Mode()}
}
