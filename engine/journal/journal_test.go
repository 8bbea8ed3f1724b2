//go:build unix

package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"autocoder/engine/textedit"

	"github.com/google/go-cmp/cmp"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// project is a folder with a file of each kind that the journal knows.
func project(t *testing.T) (cfg Config) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	root := filepath.Join(home, "project")
	for name, text := range map[string]string{
		"a.txt": "a\n", "sub/b.txt": "b\r\n", "sub/deep/c.txt": "c", "odd \"na\xffme\n.txt": "odd", "tool.sh": "#!/bin/sh\n", "empty": "",
		"deps/lib.txt": "lib",
	} {
		path := filepath.Join(root, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
		must(t, os.Chtimes(path, time.Time{}, time.Unix(1e9, 0)))
	}
	must(t, os.Chmod(filepath.Join(root, "tool.sh"), 0o755))
	must(t, os.Symlink("sub/b.txt", filepath.Join(root, "link")))
	must(t, os.Mkdir(filepath.Join(root, "void"), 0o750))
	must(t, syscall.Mkfifo(filepath.Join(root, "fifo"), 0o644))
	return Config{
		Root: root, Dir: filepath.Join(home, "journals"), ID: "run", Saved: filepath.Join(home, "saved"),
		Skip: []string{"deps"},
	}
}

// picture is everything of a folder that must not change.
func picture(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		switch {
		case info.IsDir():
			text += " " + info.ModTime().UTC().String()
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrPermission) {
				content, err = []byte("closed"), nil
			}
			if err != nil {
				return err
			}
			text += fmt.Sprintf(" %q %s", content, info.ModTime().UTC())
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text += " " + target
		}
		all[strings.TrimPrefix(path, root)] = text
		return nil
	}))
	return all
}

// timeless is a picture without the times of folders, for where somebody else
// worked in them too.
func timeless(t *testing.T, root string) map[string]string {
	t.Helper()
	all := picture(t, root)
	for path, text := range all {
		if mode, _, ok := strings.Cut(text, " "); ok && strings.HasPrefix(mode, "d") {
			all[path] = mode
		}
	}
	return all
}

func begin(t *testing.T, cfg Config) *Journal {
	t.Helper()
	j, err := Begin(t.Context(), cfg)
	must(t, err)
	return j
}

// state is an edit of one file.
func state(t *testing.T, path, content string) textedit.State {
	t.Helper()
	s, err := textedit.State{}.Apply(
		func(string) (textedit.File, error) { return textedit.File{}, nil },
		textedit.Patch{Ops: []textedit.Op{{Kind: textedit.OpCreate, Path: path, AnyBase: true, Content: []byte(content)}}},
	)
	must(t, err)
	return s
}

// deeds are what a test run may do to the folder.
var deeds = []struct {
	name string
	do   func(root string) error
}{
	{"nothing", func(string) error { return nil }},
	{"change", func(root string) error { return os.WriteFile(root+"/a.txt", []byte("changed"), 0o644) }},
	{"change and hide it", func(root string) error {
		err := os.WriteFile(root+"/a.txt", []byte("b\n"), 0o644)
		return errors.Join(err, os.Chtimes(root+"/a.txt", time.Time{}, time.Unix(1e9, 0)))
	}},
	{"create", func(root string) error {
		return errors.Join(os.MkdirAll(root+"/new/x", 0o755), os.WriteFile(root+"/new/x/y", []byte("y"), 0o600), os.WriteFile(root+"/sub/z", nil, 0o600))
	}},
	{"delete", func(root string) error {
		return errors.Join(os.RemoveAll(root+"/sub"), os.Remove(root+"/empty"), os.Remove(root+"/void"), os.Remove(root+"/link"))
	}},
	{"modes", func(root string) error {
		return errors.Join(os.Chmod(root+"/tool.sh", 0o600), os.Chmod(root+"/sub", 0o555), os.Chmod(root+"/void", 0o755))
	}},
	{"somebody's rights", func(root string) error {
		return errors.Join(os.Chmod(root+"/tool.sh", 0o755|os.ModeSetuid), os.Chmod(root+"/sub", 0o755|os.ModeSetgid), os.Chmod(root+"/void", 0o777|os.ModeSticky))
	}},
	{"swap kinds", func(root string) error {
		return errors.Join(os.Remove(root+"/a.txt"), os.Mkdir(root+"/a.txt", 0o755), os.WriteFile(root+"/a.txt/in", nil, 0o644),
			os.RemoveAll(root+"/sub"), os.WriteFile(root+"/sub", []byte("x"), 0o644), os.Remove(root+"/link"), os.Symlink("elsewhere", root+"/link"))
	}},
	{"closed folder", func(root string) error {
		return errors.Join(os.Mkdir(root+"/closed", 0o755), os.WriteFile(root+"/closed/f", nil, 0), os.Chmod(root+"/closed", 0))
	}},
	{"link out", func(root string) error {
		outside := filepath.Dir(root) + "/outside"
		return errors.Join(os.MkdirAll(outside+"/deep", 0o755), os.WriteFile(outside+"/b.txt", []byte("mine"), 0o644),
			os.RemoveAll(root+"/sub"), os.Symlink(outside, root+"/sub"))
	}},
	{"fifo and odd names", func(root string) error {
		return errors.Join(syscall.Mkfifo(root+"/f2", 0o644), os.WriteFile(root+"/n\xfe\n", nil, 0o644), os.Remove(root+"/odd \"na\xffme\n.txt"))
	}},
}

// TestEverythingIsPutBack does each deed in a test run, alone and under an edit.
func TestEverythingIsPutBack(t *testing.T) {
	t.Parallel()
	for _, d := range deeds {
		for _, edited := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, edited %v", d.name, edited), func(t *testing.T) {
				t.Parallel()
				cfg := project(t)
				before := picture(t, cfg.Root)
				j := begin(t, cfg)
				if edited {
					must(t, j.Set(t.Context(), state(t, "sub/deep/c.txt", "edited")))
				}
				must(t, j.Running())
				must(t, d.do(cfg.Root))
				must(t, j.Ran(t.Context()))
				outside := filepath.Dir(cfg.Root) + "/outside"
				var far map[string]string
				if d.name == "link out" {
					far = picture(t, outside)
				}
				if d.name != "nothing" && cmp.Diff(before, picture(t, cfg.Root)) == "" {
					t.Fatal("the deed changed nothing")
				}
				result, err := j.Restore(t.Context())
				must(t, err)
				if diff := cmp.Diff(before, picture(t, cfg.Root)); diff != "" {
					t.Errorf("after: %s", diff)
				}
				if len(result.Left) > 0 || (len(result.Restored) > 0) != (edited || d.name != "nothing") {
					t.Errorf("result is %+v", result)
				}
				if far != nil {
					if diff := cmp.Diff(far, picture(t, outside)); diff != "" {
						t.Errorf("outside: %s", diff)
					}
				}
				checkGone(t, cfg)
			})
		}
	}
}

// A file that is put back is not written through what stands where it is made.
func TestAPlantedLinkIsNotWrittenThrough(t *testing.T) {
	t.Parallel()
	cfg := project(t)
	before := timeless(t, cfg.Root)
	j := begin(t, cfg)
	must(t, j.Set(t.Context(), state(t, "a.txt", "edited")))
	must(t, os.Symlink("sub/b.txt", filepath.Join(cfg.Root, "a.txt"+partSuffix)))
	_, err := j.Restore(t.Context())
	must(t, err)
	if diff := cmp.Diff(before, timeless(t, cfg.Root)); diff != "" {
		t.Error(diff)
	}
}

// A file that root puts back stays that of its owner.
func TestOwnersAreKept(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("not on this system: only root can give files away")
	}
	const somebody = 12345
	cfg := project(t)
	file := filepath.Join(cfg.Root, "a.txt")
	must(t, os.Lchown(file, somebody, somebody))
	j := begin(t, cfg)
	must(t, j.Set(t.Context(), state(t, "a.txt", "edited")))
	_, err := j.Restore(t.Context())
	must(t, err)
	info, err := os.Stat(file)
	must(t, err)
	if st := info.Sys().(*syscall.Stat_t); st.Uid != somebody || st.Gid != somebody {
		t.Errorf("a.txt belongs to %d:%d", st.Uid, st.Gid)
	}
}

func TestWhatCantBePutBackIsNamed(t *testing.T) {
	t.Parallel()
	cfg := project(t)
	j := begin(t, cfg)
	must(t, j.Running())
	must(t, os.Remove(filepath.Join(cfg.Root, "fifo")))
	must(t, j.Ran(t.Context()))
	got, err := j.Restore(t.Context())
	must(t, err)
	if diff := cmp.Diff(Result{Left: []Left{{Path: "fifo"}}}, got); diff != "" {
		t.Error(diff)
	}
}

func checkGone(t *testing.T, cfg Config) {
	t.Helper()
	entries, err := os.ReadDir(cfg.Dir)
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == storeLock })
	if err != nil || len(entries) > 0 {
		t.Errorf("the journal is still there: %v, %v", entries, err)
	}
}

func TestSetReplacesTheEditBefore(t *testing.T) {
	t.Parallel()
	cfg := project(t)
	before := timeless(t, cfg.Root)
	j := begin(t, cfg)
	must(t, j.Set(t.Context(), state(t, "sub/new/file", "one")))
	must(t, j.Running())
	must(t, os.WriteFile(cfg.Root+"/junk", nil, 0o644))
	must(t, j.Ran(t.Context()))
	must(t, j.Set(t.Context(), state(t, "a.txt", "two")))
	got := timeless(t, cfg.Root)
	for path, was := range before {
		if path != "/a.txt" && got[path] != was {
			t.Errorf("%s is %s, was %s", path, got[path], was)
		}
	}
	if len(got) != len(before) || !strings.Contains(got["/a.txt"], `"two"`) {
		t.Errorf("the folder is %v", got)
	}
	must(t, j.Set(t.Context(), textedit.State{}))
	if diff := cmp.Diff(before, timeless(t, cfg.Root)); diff != "" {
		t.Error(diff)
	}
}

func TestCommitKeepsTheEditAlone(t *testing.T) {
	t.Parallel()
	cfg := project(t)
	before := picture(t, cfg.Root)
	j := begin(t, cfg)
	fix := state(t, "a.txt", "fixed")
	must(t, j.Set(t.Context(), fix))
	must(t, j.Running())
	must(t, os.WriteFile(cfg.Root+"/junk", nil, 0o644))
	must(t, os.WriteFile(cfg.Root+"/a.txt", []byte("a test wrote this"), 0o644))
	must(t, j.Ran(t.Context()))
	_, err := j.Commit(t.Context(), fix)
	must(t, err)
	got := picture(t, cfg.Root)
	if !strings.Contains(got["/a.txt"], `"fixed"`) {
		t.Errorf("a.txt is %s", got["/a.txt"])
	}
	for _, path := range []string{"", "/a.txt"} {
		delete(got, path)
		delete(before, path)
	}
	if diff := cmp.Diff(before, got); diff != "" {
		t.Error(diff)
	}
	checkGone(t, cfg)
}

// TestOthersWorkIsLeft edits files as a person would, while no test runs.
func TestOthersWorkIsLeft(t *testing.T) {
	t.Parallel()
	cfg := project(t)
	before := timeless(t, cfg.Root)
	j := begin(t, cfg)
	must(t, j.Set(t.Context(), state(t, "sub/b.txt", "edited")))
	must(t, j.Running())
	must(t, os.WriteFile(cfg.Root+"/junk", nil, 0o644))
	must(t, j.Ran(t.Context()))
	for name, text := range map[string]string{"a.txt": "mine", "sub/b.txt": "mine too", "mine/new/file": "my own"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(cfg.Root, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(cfg.Root, name), []byte(text), 0o644))
	}
	mine := timeless(t, cfg.Root)
	err := j.Set(t.Context(), state(t, "empty", "x"))
	var changed *Changed
	if !errors.As(err, &changed) || !slices.Equal(changed.Paths, []string{"a.txt", "mine", "sub/b.txt"}) {
		t.Errorf("set: %v", err)
	}
	if diff := cmp.Diff(mine, timeless(t, cfg.Root)); diff != "" {
		t.Errorf("set wrote: %s", diff)
	}

	result, err := j.Restore(t.Context())
	must(t, err)
	want := []Left{{"a.txt", cfg.Saved + "/originals/a.txt"}, {"mine", ""}, {"sub/b.txt", cfg.Saved + "/originals/sub/b.txt"}}
	if diff := cmp.Diff(want, result.Left); diff != "" {
		t.Error(diff)
	}
	for _, left := range want {
		if left.Saved == "" {
			continue
		}
		text, err := os.ReadFile(left.Saved)
		must(t, err)
		if was := before["/"+left.Path]; !strings.Contains(was, fmt.Sprintf("%q", text)) {
			t.Errorf("the original of %s is saved as %q, and was %s", left.Path, text, was)
		}
	}
	delete(mine, "/junk")
	if diff := cmp.Diff(mine, timeless(t, cfg.Root)); diff != "" {
		t.Errorf("restore: %s", diff)
	}
}

// TestWorkSavedDuringATestRunIsKept can't tell a person from a test, so it puts
// the file back and keeps the other version.
func TestWorkSavedDuringATestRunIsKept(t *testing.T) {
	t.Parallel()
	cfg := project(t)
	j := begin(t, cfg)
	must(t, j.Running())
	must(t, os.WriteFile(cfg.Root+"/a.txt", []byte("an hour of work"), 0o644))
	must(t, j.Ran(t.Context()))
	result, err := j.Restore(t.Context())
	must(t, err)
	if len(result.Discarded) != 1 || result.Discarded[0].Path != "a.txt" {
		t.Fatalf("discarded are %v", result.Discarded)
	}
	if text, err := os.ReadFile(result.Discarded[0].Saved); err != nil || string(text) != "an hour of work" {
		t.Errorf("saved is %q, %v", text, err)
	}
}

func TestBeginRefuses(t *testing.T) {
	t.Parallel()
	cfg := project(t)
	before := picture(t, cfg.Root)
	inside := cfg
	inside.Dir = filepath.Join(cfg.Root, "state")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Begin(t.Context(), inside); err == nil {
		t.Error("a journal was begun inside the folder")
	}
	if _, err := Begin(cancelled, cfg); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	checkGone(t, cfg)
	first := begin(t, cfg)
	if _, err := Begin(t.Context(), cfg); err == nil {
		t.Error("two journals have one name")
	}
	_, err := first.Restore(t.Context())
	must(t, err)
	if diff := cmp.Diff(before, picture(t, cfg.Root)); diff != "" {
		t.Error(diff)
	}
}
