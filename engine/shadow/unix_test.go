//go:build unix

package shadow

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"autocoder/engine/foldertest"
	"autocoder/engine/sandbox"
	"autocoder/engine/textedit"
	"autocoder/engine/workspace"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// TestMain is also the other process of TestSweep: it opens a shadow, says so,
// and waits to be killed.
func TestMain(m *testing.M) {
	sandbox.Main()
	root, cache := os.Getenv("SHADOW_TEST_ROOT"), os.Getenv("SHADOW_TEST_CACHE")
	if root == "" {
		os.Exit(m.Run())
	}
	snap, err := workspace.Scan(context.Background(), workspace.Config{Root: root})
	if err == nil {
		_, err = Open(context.Background(), snap, Config{Cache: cache})
	}
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString("open\n")
	time.Sleep(time.Hour)
}

func TestSweep(t *testing.T) {
	t.Parallel()
	root, cache := t.TempDir(), t.TempDir()
	files{"a": "1", "locked/b": "2"}.Write(t, root)
	check(t, os.Chmod(filepath.Join(root, "locked"), 0o555))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "locked"), 0o755) })

	exe, err := os.Executable()
	check(t, err)
	other := exec.Command(exe)
	other.Env = append(os.Environ(), "SHADOW_TEST_ROOT="+root, "SHADOW_TEST_CACHE="+cache)
	out, err := other.StdoutPipe()
	check(t, err)
	check(t, other.Start())
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "open\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	mine := openAt(t, root, workspace.Config{}, Config{Cache: cache})
	check(t, os.Mkdir(filepath.Join(cache, "shadow-without-owner"), 0o700))
	check(t, os.Mkdir(filepath.Join(cache, "shadow-foreign"), 0o700))
	check(t, os.WriteFile(filepath.Join(cache, "shadow-foreign", "x"), nil, 0o600))
	check(t, os.Mkdir(filepath.Join(cache, "else"), 0o700))

	if swept, err := Sweep(cache); err != nil || len(swept) > 0 {
		t.Errorf("with both owners alive Sweep removes %q, %v", swept, err)
	}
	check(t, other.Process.Kill())
	_ = other.Wait()
	swept, err := Sweep(cache)
	if err != nil || len(swept) != 1 || swept[0] == mine.Dir() {
		t.Errorf("with the other owner dead Sweep removes %q, %v", swept, err)
	}
	list, err := os.ReadDir(cache)
	check(t, err)
	var names []string
	for _, d := range list {
		names = append(names, d.Name())
	}
	want := []string{cacheLock, "else", filepath.Base(mine.Dir()), "shadow-foreign"}
	slices.Sort(want)
	if d := gocmp.Diff(want, names); d != "" {
		t.Errorf("the cache -want +got:\n%s", d)
	}
	if _, err := mine.Read("a"); err != nil {
		t.Error(err)
	}
	if swept, err := Sweep(filepath.Join(cache, "none")); err != nil || swept != nil {
		t.Errorf("Sweep of no folder = %q, %v", swept, err)
	}
}

func TestPrivateAndNoHardLinks(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files{"a": "1"}.Write(t, root)
	check(t, os.Link(filepath.Join(root, "a"), filepath.Join(root, "b")))
	foldertest.Untouched(t, root)
	s := openAt(t, root, workspace.Config{}, Config{})
	f := fork(t, s, textedit.State{})
	info, err := os.Stat(s.Dir())
	check(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("mode of the shadow = %v", info.Mode())
	}
	inodes := map[uint64]string{}
	for _, dir := range []string{s.base(), f.Dir()} {
		for _, name := range []string{"a", "b"} {
			info, err := os.Stat(filepath.Join(dir, name))
			check(t, err)
			st := info.Sys().(*syscall.Stat_t)
			if st.Nlink != 1 || inodes[st.Ino] != "" {
				t.Errorf("%s/%s shares its file with another name", dir, name)
			}
			inodes[st.Ino] = name
		}
	}
}

func TestLargeSparseAndExecutableFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	big := filepath.Join(root, "big")
	write(t, big, "head")
	check(t, os.Truncate(big, 200<<20))
	f, err := os.OpenFile(big, os.O_WRONLY, 0)
	check(t, err)
	_, err = f.WriteAt([]byte("middle"), 100<<20+17)
	check(t, errors.Join(err, f.Close()))
	files{"dense": strings.Repeat("0123456789", 30_000), "edge": strings.Repeat("x", smallFile), "binary": "\x00\xff\x00"}.Write(t, root)
	check(t, os.Chmod(big, 0o755))
	foldertest.Untouched(t, root)
	s := openAt(t, root, workspace.Config{}, Config{})
	k := fork(t, s, textedit.State{})
	if d := gocmp.Diff(foldertest.Look(t, root), foldertest.Look(t, k.Dir())); d != "" {
		t.Errorf("-folder +fork:\n%s", d)
	}
	info, err := os.Stat(filepath.Join(k.Dir(), "big"))
	check(t, err)
	orig, err := os.Stat(big)
	check(t, err)
	if got, was := info.Sys().(*syscall.Stat_t).Blocks, orig.Sys().(*syscall.Stat_t).Blocks; was < 1000 && got > 1000 {
		t.Errorf("the copy of a file with holes takes %d blocks, the file %d", got, was)
	}
}

func TestSpecialFilesOfARun(t *testing.T) {
	t.Parallel()
	s, _ := open(t, files{"a": "1"}, workspace.Config{}, Config{})
	f := fork(t, s, textedit.State{})
	check(t, os.Remove(filepath.Join(f.Dir(), "a")))
	check(t, unix.Mkfifo(filepath.Join(f.Dir(), "a"), 0o600))
	check(t, unix.Mkfifo(filepath.Join(f.Dir(), "b"), 0o600))
	want := []Change{{"a", Modified}, {"b", Created}}
	if got, err := f.Changes(); err != nil || !slices.Equal(got, want) {
		t.Errorf("Changes = %v, %v, want %v", got, err, want)
	}
	check(t, f.Set(context.Background(), textedit.State{}))
	if d := gocmp.Diff(contents(t, fork(t, s, textedit.State{}).Dir()), contents(t, f.Dir())); d != "" {
		t.Errorf("-fresh +reset:\n%s", d)
	}
}

// A FIFO that took the place of a file since the plan must not block the copy.
func TestFIFOInThePlaceOfAFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files{"a": "1", "b": "1"}.Write(t, root)
	snap, err := workspace.Scan(context.Background(), workspace.Config{Root: root})
	check(t, err)
	check(t, os.Remove(filepath.Join(root, "a")))
	check(t, unix.Mkfifo(filepath.Join(root, "a"), 0o600))
	s, err := Open(context.Background(), snap, Config{Cache: t.TempDir()})
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	if got := s.Sources(); !slices.Equal(got, []string{"b"}) {
		t.Errorf("Sources = %q", got)
	}
}

func TestUnreadableFiles(t *testing.T) {
	t.Parallel()
	if foldertest.AsOrdinaryUser(t) {
		return
	}
	root := t.TempDir()
	files{"a": "1", "locked": "2", "ro/b": "3", "ro/deep/c": "4"}.Write(t, root)
	check(t, os.Chmod(filepath.Join(root, "locked"), 0))
	check(t, os.Chmod(filepath.Join(root, "ro/deep"), 0o555))
	check(t, os.Chmod(filepath.Join(root, "ro/b"), 0o444))
	check(t, os.Chmod(filepath.Join(root, "ro"), 0o555))
	t.Cleanup(func() {
		_ = os.Chmod(filepath.Join(root, "ro"), 0o755)
		_ = os.Chmod(filepath.Join(root, "ro/deep"), 0o755)
	})
	s := openAt(t, root, workspace.Config{Buffers: map[string][]byte{"ro/b": []byte("buffer")}}, Config{})
	want := []string{`the file "locked" can't be read and is left out: permission denied`}
	if d := gocmp.Diff(want, s.Warnings()); d != "" {
		t.Errorf("warnings -want +got:\n%s", d)
	}
	if got, err := s.Read("locked"); err != nil || got.Kind != textedit.Absent {
		t.Errorf("Read = %v, %v, want Absent", got, err)
	}
	if got, err := s.Read("ro/b"); err != nil || string(got.Content) != "buffer" {
		t.Errorf("Read = %v, %v, want the buffer", got, err)
	}
	f := fork(t, s, textedit.State{})
	for range 2 {
		check(t, f.Set(context.Background(), state(t, s, files{"ro/b": "edit", "ro/deep/new/d": "new", "ro/deep/c": ""})))
		check(t, os.Chmod(filepath.Join(f.Dir(), "ro"), 0))
		check(t, f.Set(context.Background(), textedit.State{}))
		if d := gocmp.Diff(contents(t, fork(t, s, textedit.State{}).Dir()), contents(t, f.Dir())); d != "" {
			t.Errorf("-fresh +reset:\n%s", d)
		}
	}
	info, err := os.Stat(filepath.Join(f.Dir(), "ro"))
	check(t, err)
	if info.Mode() != fs.ModeDir|0o555 {
		t.Errorf("mode of ro = %v", info.Mode())
	}
}

// The whole of TestSet once more, without the powers of root.
func TestSetAsOrdinaryUser(t *testing.T) {
	t.Parallel()
	if foldertest.AsOrdinaryUser(t) {
		return
	}
	testSet(t)
}

func groupOf(info fs.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Gid) }
