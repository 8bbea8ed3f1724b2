package shadow

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"autocoder/engine/command"
	"autocoder/engine/foldertest"
	"autocoder/engine/sandbox"
	"autocoder/engine/textedit"
	"autocoder/engine/workspace"

	gocmp "github.com/google/go-cmp/cmp"
)

// stage is a layered fork with the cell that shows it.
type stage struct {
	*Layered
	cell *sandbox.Cell
}

func newStage(t testing.TB, s *Shadow) *stage {
	t.Helper()
	g := &stage{}
	var err error
	g.Layered, err = s.Layered(context.Background(), textedit.State{}, func() (*os.Root, error) { return g.cell.Files() })
	check(t, err)
	g.cell, err = sandbox.Open(context.Background(), sandbox.Config{
		Root: s.Root(), Scratch: t.TempDir(), Tier: sandbox.Isolated, Environ: []string{"PATH=/usr/bin:/bin"},
	}, g.tree())
	check(t, err)
	t.Cleanup(func() {
		check(t, g.cell.Close())
		check(t, g.Layered.Close())
	})
	return g
}

func (g *stage) tree() sandbox.Tree {
	tree := sandbox.Tree{Dir: g.Dir(), Layer: g.Layer()}
	for i, sh := range g.Shared() {
		tree.Shared = append(tree.Shared, sandbox.Shared{Path: sh.Path, Source: sh.Source, Layer: g.SharedLayer(i)})
	}
	return tree
}

func (g *stage) set(t testing.TB, state textedit.State) {
	t.Helper()
	check(t, g.Set(context.Background(), state))
	check(t, g.cell.Switch(context.Background(), g.tree()))
	g.Drop()
}

// look has f see the tree as commands do.
func (g *stage) look(t testing.TB, f func(dir string)) {
	t.Helper()
	root, err := g.cell.Files()
	check(t, err)
	defer root.Close()
	dir, err := root.Open(".")
	check(t, err)
	defer dir.Close()
	f(fmt.Sprintf("/proc/self/fd/%d/.", dir.Fd()))
}

func (g *stage) contents(t testing.TB) (seen map[string]string) {
	t.Helper()
	g.look(t, func(dir string) { seen = contents(t, dir) })
	return seen
}

func (g *stage) sh(t testing.TB, script string) string {
	t.Helper()
	out, err := command.Run(context.Background(), g.cell, command.Spec{Args: []string{"/bin/sh", "-ec", script}}, 1<<20)
	check(t, err)
	if !out.Exit.Success() {
		t.Errorf("%s: %v %s%s", script, out.Exit, out.Stdout, out.Stderr)
	}
	return strings.TrimSuffix(string(out.Stdout), "\n")
}

func (g *stage) changes(t testing.TB) string {
	t.Helper()
	list, err := g.Changes()
	check(t, err)
	var told []string
	for _, c := range list {
		told = append(told, c.Kind.String()+" "+c.Path)
	}
	return strings.Join(told, ", ")
}

// leaveMemory has layers made on disk, if that is wanted.
func leaveMemory(s *Shadow, want bool) {
	if s.memory != nil {
		s.memory.left.Store(want)
	}
}

// TestMemory has layers in memory, and on disk from when there is not enough of it.
// What a killed process leaves in memory is swept.
func TestMemory(t *testing.T) {
	t.Parallel()
	folder := MemoryFolder()
	if folder == "" {
		t.Skip("not on this system: no file system in memory that layers can be on")
	}
	s, _ := open(t, project, workspace.Config{}, Config{})
	g := newStage(t, s)
	quick := s.memory.dir
	if !strings.HasPrefix(g.Layer(), quick) || !strings.HasPrefix(quick, folder) {
		t.Errorf("the layer is %s, the part in memory %s", g.Layer(), quick)
	}
	g.sh(t, "echo x > made")
	if got := g.changes(t); got != "created made" {
		t.Errorf("changes: %s", got)
	}
	if s.LeaveMemory() {
		t.Error("a line was too much")
	}
	s.memory.free = 2 * freeOn(quick) // as if half of it had been written since
	if !s.LeaveMemory() || s.LeaveMemory() {
		t.Error("it does not leave memory, or twice")
	}
	g.set(t, textedit.State{})
	if strings.HasPrefix(g.Layer(), quick) {
		t.Errorf("the layer is %s", g.Layer())
	}
	if got := g.changes(t); got != "" {
		t.Errorf("changes: %s", got)
	}
	left := filepath.Join(folder, shadowPrefix+"left-behind")
	check(t, os.Mkdir(left, 0o700))
	check(t, os.WriteFile(filepath.Join(left, ownerName), nil, 0o600))
	other, _ := open(t, project, workspace.Config{}, Config{})
	for _, dir := range []string{left, filepath.Join(quick, "1")} {
		_, err := os.Lstat(dir)
		if gone := os.IsNotExist(err); gone != (dir == left) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	check(t, other.memory.close())
	if _, err := os.Lstat(other.memory.dir); !os.IsNotExist(err) {
		t.Errorf("closed, it left %s: %v", other.memory.dir, err)
	}
	other.memory = nil
}

// TestLayeredIsTheCopy brings a layered fork from each state over each mess to
// each state: what commands see is what a fresh copy has.
func TestLayeredIsTheCopy(t *testing.T) {
	t.Parallel()
	for name, mess := range messes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, root := open(t, project, workspace.Config{}, Config{})
			leaveMemory(s, len(name)%2 == 0)
			g := newStage(t, s)
			if d := gocmp.Diff(contents(t, root), g.contents(t)); d != "" {
				t.Fatalf("the fork is not the folder (-folder +fork):\n%s", d)
			}
			for _, from := range setStates() {
				for _, to := range setStates() {
					g.set(t, state(t, s, from))
					g.look(t, func(dir string) { mess(t, dir) })
					g.set(t, state(t, s, to))
					f := fork(t, s, state(t, s, to))
					if d := gocmp.Diff(contents(t, f.Dir()), g.contents(t)); d != "" {
						t.Fatalf("%v, then %s, then %v (-copy +layers):\n%s", from, name, to, d)
					}
					if got := g.changes(t); got != "" {
						t.Fatalf("%v, then %s, then %v: changes %s", from, name, to, got)
					}
					check(t, f.Close())
				}
			}
		})
	}
}

// TestLayeredChanges compares the lists of changes of both kinds of fork.
func TestLayeredChanges(t *testing.T) {
	t.Parallel()
	s, _ := open(t, project, workspace.Config{}, Config{})
	st := state(t, s, files{"a.py": "x = 2\n", "new/f.py": "1", "pkg/b.py": ""})
	for name, mess := range messes() {
		if name == "mode" {
			continue // of a folder, which is not listed
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fork(t, s, st)
			mess(t, f.Dir())
			copied, err := f.Changes()
			check(t, err)
			g := newStage(t, s)
			g.set(t, st)
			g.look(t, func(dir string) { mess(t, dir) })
			layered, err := g.Changes()
			check(t, err)
			if d := gocmp.Diff(copied, layered); d != "" {
				t.Errorf("(-copy +layers):\n%s", d)
			}
		})
	}
}

func TestLayeredRename(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("not on this system: only root's overlays rename folders of the base")
	}
	s, _ := open(t, project, workspace.Config{}, Config{})
	g := newStage(t, s)
	g.look(t, func(dir string) { check(t, os.Rename(filepath.Join(dir, "pkg"), filepath.Join(dir, "empty/moved"))) })
	if got := g.sh(t, "find . | sort | tr '\\n' ' '"); got != ". ./a.py ./empty ./empty/moved ./empty/moved/b.py ./empty/moved/deep ./empty/moved/deep/c.txt ./ln " {
		t.Errorf("saw %s", got)
	}
	want := "created empty/moved/b.py, created empty/moved/deep/c.txt, deleted pkg/b.py, deleted pkg/deep/c.txt"
	if got := g.changes(t); got != want {
		t.Errorf("changes %s\nwant    %s", got, want)
	}
	g.set(t, textedit.State{})
	if got := g.sh(t, "find pkg | sort | tr '\\n' ' '"); got != "pkg pkg/b.py pkg/deep pkg/deep/c.txt " {
		t.Errorf("after Set: %s", got)
	}
}

// TestLayeredWrite writes files while a command, which has seen the old ones, is
// there.
func TestLayeredWrite(t *testing.T) {
	t.Parallel()
	s, _ := open(t, files{"a.py": "1", "dir/b.py": "2", "closed/c.py": "3", "gone.py": "4"}, workspace.Config{}, Config{})
	g := newStage(t, s)
	g.sh(t, "cat a.py dir/b.py gone.py; chmod 555 closed; ls closed")
	for p, content := range map[string]string{"a.py": "one", "dir/b.py": "two", "closed/c.py": "three", "new/deep/d.py": "four", "gone.py": ""} {
		var b []byte
		if content != "" {
			b = []byte(content)
		}
		check(t, g.Write(p, b))
	}
	if got := g.sh(t, "cat a.py dir/b.py closed/c.py new/deep/d.py; test ! -e gone.py; stat -c %a closed"); got != "onetwothreefour555" {
		t.Errorf("saw %q", got)
	}
	if got := g.changes(t); got != "" {
		t.Errorf("Write counts as changes: %s", got)
	}
	g.sh(t, "echo x >> a.py; echo 4 > gone.py; rm dir/b.py")
	if got := g.changes(t); got != "modified a.py, deleted dir/b.py, created gone.py" {
		t.Errorf("changes %s", got)
	}
	g.set(t, textedit.State{})
	if got := g.sh(t, "cat a.py dir/b.py closed/c.py gone.py; test ! -e new"); got != "1234" {
		t.Errorf("after Set: %q", got)
	}
}

// TestLayeredTimes keeps the times of files that are not written, and gives those
// of a state new ones, in the middle of a change too.
func TestLayeredTimes(t *testing.T) {
	t.Parallel()
	s, root := open(t, project, workspace.Config{}, Config{})
	old := time.Unix(1_600_000_000, 123_456_789)
	check(t, os.Chtimes(filepath.Join(s.base(), "pkg/b.py"), old, old))
	g := newStage(t, s)
	g.set(t, state(t, s, files{"a.py": "x = 2\n"}))
	g.sh(t, "chmod 600 pkg/b.py") // which copies it up
	g.look(t, func(dir string) {
		info, err := os.Stat(filepath.Join(dir, "pkg/b.py"))
		check(t, err)
		if !info.ModTime().Equal(old) || info.Mode().Perm() != 0o600 {
			t.Errorf("time %v, mode %v", info.ModTime(), info.Mode())
		}
		edited, err := os.Stat(filepath.Join(dir, "a.py"))
		check(t, err)
		before, err := os.Stat(filepath.Join(root, "a.py"))
		check(t, err)
		if !edited.ModTime().After(before.ModTime().Add(time.Second)) {
			t.Errorf("edited at %v, before %v", edited.ModTime(), before.ModTime())
		}
	})
}

// TestLayeredLive edits the user's folder while commands run: it is not seen, but
// in the folders that are shared.
func TestLayeredLive(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "project")
	check(t, os.Mkdir(root, 0o755))
	files{"a.py": "1", ".gitignore": "node_modules/\n", "node_modules/dep/i.js": "js", "node_modules/.bin/x": "x"}.Write(t, root)
	s := openAt(t, root, workspace.Config{Share: []string{"node_modules"}}, Config{})
	g := newStage(t, s)
	check(t, os.WriteFile(filepath.Join(root, "a.py"), []byte("2"), 0o600))
	check(t, os.WriteFile(filepath.Join(root, "b.py"), []byte("new"), 0o600))
	if got := g.sh(t, "cat a.py node_modules/dep/i.js; ls | tr '\\n' ' '"); got != "1jsa.py node_modules " {
		t.Errorf("saw %q", got)
	}
	before := foldertest.Look(t, filepath.Join(root, "node_modules"))
	g.sh(t, "mkdir node_modules/.cache; echo 1 > node_modules/.cache/f; echo 2 > node_modules/dep/i.js; rm -r node_modules/.bin")
	if d := gocmp.Diff(before, foldertest.Look(t, filepath.Join(root, "node_modules"))); d != "" {
		t.Errorf("the shared folder has changed:\n%s", d)
	}
	g.set(t, textedit.State{})
	if got := g.sh(t, "find node_modules -type f | sort | tr '\\n' ' '; cat node_modules/dep/i.js"); got != "node_modules/.bin/x node_modules/dep/i.js js" {
		t.Errorf("after Set: %s", got)
	}
}

// TestLayeredBits keeps modes, links that lead out, and what a run makes of
// special files.
func TestLayeredBits(t *testing.T) {
	t.Parallel()
	f := files{"run.sh": "#!/bin/sh\necho ran\n", "data/r.txt": "r", "out -> /etc/hostname": "", "rel -> data/r.txt": ""}
	root := filepath.Join(t.TempDir(), "project")
	check(t, os.Mkdir(root, 0o750))
	f.Write(t, root)
	check(t, os.Chmod(filepath.Join(root, "run.sh"), 0o755))
	check(t, os.Chmod(filepath.Join(root, "data/r.txt"), 0o440))
	check(t, os.Chmod(filepath.Join(root, "data"), 0o711))
	s := openAt(t, root, workspace.Config{}, Config{})
	g := newStage(t, s)
	if d := gocmp.Diff(contents(t, root), g.contents(t)); d != "" {
		t.Errorf("(-folder +fork):\n%s", d)
	}
	got := g.sh(t, `./run.sh; readlink out; cat rel; stat -c %a . data data/r.txt | tr '\n' ' '; mkfifo fifo; python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.bind("s"); s.listen(1); c = socket.socket(socket.AF_UNIX); c.connect("s")'; test -S s; test -p fifo`)
	if got != "ran\n/etc/hostname\nr750 711 440 " {
		t.Errorf("saw %q", got)
	}
	if got := g.changes(t); got != "created fifo, created s" {
		t.Errorf("changes %s", got)
	}
	g.set(t, textedit.State{})
	if _, ok := g.contents(t)["s"]; ok {
		t.Error("the socket is still there")
	}
}

// TestLayeredDiscards leaves nothing of layers that are not shown any more, even
// where a run has locked its folders.
func TestLayeredDiscards(t *testing.T) {
	t.Parallel()
	s, _ := open(t, project, workspace.Config{}, Config{})
	g := newStage(t, s)
	for range 5 {
		g.sh(t, "mkdir -p deep/er; echo 1 > deep/er/f; chmod 000 deep/er; chmod 500 deep")
		g.set(t, textedit.State{})
	}
	s.removing.Wait()
	var left []string
	for _, dir := range []string{g.dir, g.quick} {
		found, err := filepath.Glob(filepath.Join(dir, "*"))
		check(t, err)
		left = append(left, found...)
	}
	if !slices.Equal(left, []string{g.Layer()}) {
		t.Errorf("left %q, want only %s", left, g.Layer())
	}
}

// TestGroupOfShadow has the cache in a folder that gives its group to all that is
// in it, which a user namespace would not know.
func TestGroupOfShadow(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("not on this system: only root can give a folder a strange group")
	}
	cache := filepath.Join(t.TempDir(), "cache")
	check(t, os.Mkdir(cache, 0o755))
	check(t, os.Chown(cache, -1, 12345))
	check(t, os.Chmod(cache, fs.ModeSetgid|0o755))
	s, _ := open(t, project, workspace.Config{}, Config{Cache: cache})
	g := newStage(t, s)
	for _, p := range []string{s.baseFile("a.py"), s.baseFile("pkg"), g.upper(".")} {
		info, err := os.Stat(p)
		check(t, err)
		if gid := groupOf(info); gid != os.Getgid() || info.Mode()&fs.ModeSetgid != 0 {
			t.Errorf("%s has the group %d, mode %v", p, gid, info.Mode())
		}
	}
}
