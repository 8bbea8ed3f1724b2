package shadow

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"autocoder/engine/textedit"
	"autocoder/engine/workspace"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// plants are what a run can leave at the place of a file, or of the folder that it
// is in, for us to stumble over.
func plants(outside string) map[string]string {
	return map[string]string{
		"a fifo":                      `rm dir/b.py; mkfifo dir/b.py`,
		"a socket":                    `rm dir/b.py; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("dir/b.py")'`,
		"a link to a file outside":    `ln -sf "` + outside + `/b.py" dir/b.py`,
		"a link to the folder":        `rm -r dir; ln -s "` + outside + `" dir`,
		"a link to itself":            `rm -r dir; ln -s dir dir`,
		"a link to what blocks":       `ln -sf /dev/tty dir/b.py`,
		"a folder":                    `rm dir/b.py; mkdir -p dir/b.py/c; touch dir/b.py/c/d; chmod 0 dir/b.py`,
		"a file of a terabyte":        `truncate -s 1T dir/b.py`,
		"many files of a terabyte":    `for i in 1 2 3 4 5 6 7 8 9; do truncate -s 1T dir/$i; done`,
		"a name that is no text":      `touch "$(printf 'dir/\377\n\033[2Jx')"`,
		"a hard link to another file": `ln -f a.py dir/b.py`,
		"hooks and settings of git":   `mkdir -p .git/hooks; echo 'touch "` + outside + `/hooked"' > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout; printf '[core]\n\tfsmonitor = touch %s/hooked\n' "` + outside + `" > .git/config`,
	}
}

// TestPlanted lists, writes and resets a fork in which a run has planted something.
// None of it may block, lead outside, or stay.
func TestPlanted(t *testing.T) {
	t.Parallel()
	for _, layered := range []bool{true, false} {
		name := map[bool]string{true: "layered", false: "copied"}[layered]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outside := t.TempDir()
			before := files{"b.py": "outside\n"}
			before.Write(t, outside)
			s, root := open(t, files{"a.py": "a = 1\n", "dir/b.py": "b = 1\n"}, workspace.Config{}, Config{})
			var f planted
			if layered {
				f = stagePlanted{newStage(t, s)}
			} else {
				f = forkPlanted{fork(t, s, textedit.State{})}
			}
			for what, script := range plants(outside) {
				f.plant(t, script)
				changes, err := f.Changes()
				if err != nil || len(changes) == 0 {
					t.Errorf("%s: changes %v, %v", what, changes, err)
				}
				if err := f.Write("dir/b.py", []byte("b = 2\n")); err == nil {
					f.look(t, func(dir string) {
						if got := read(t, filepath.Join(dir, "dir/b.py")); got != "b = 2\n" {
							t.Errorf("%s: written was %.20q", what, got)
						}
					})
				}
				f.reset(t)
				f.look(t, func(dir string) {
					if d := gocmp.Diff(contents(t, root), contents(t, dir)); d != "" {
						t.Errorf("%s: reset (-folder +fork):\n%s", what, d)
					}
				})
				onlyOutside(t, what, outside)
			}
		})
	}
}

// planted is a fork in which something is planted.
type planted interface {
	plant(t *testing.T, script string)
	Changes() ([]Change, error)
	Write(p string, content []byte) error
	reset(t *testing.T)
	look(t testing.TB, f func(dir string))
}

type stagePlanted struct{ *stage }

func (g stagePlanted) plant(t *testing.T, script string) { g.sh(t, script) }
func (g stagePlanted) reset(t *testing.T)                { g.set(t, textedit.State{}) }

type forkPlanted struct{ *Fork }

func (f forkPlanted) plant(t *testing.T, script string) {
	cmd := exec.Command("/bin/sh", "-ec", script)
	cmd.Dir = f.Dir()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v %s", script, err, out)
	}
}

func (f forkPlanted) reset(t *testing.T)                      { check(t, f.Set(context.Background(), textedit.State{})) }
func (f forkPlanted) look(_ testing.TB, see func(dir string)) { see(f.Dir()) }

// onlyOutside holds that the folder outside has its file and nothing else.
func onlyOutside(t *testing.T, what, outside string) {
	t.Helper()
	now, err := filepath.Glob(filepath.Join(outside, "*"))
	check(t, err)
	if !slices.Equal(now, []string{filepath.Join(outside, "b.py")}) || read(t, now[0]) != "outside\n" {
		t.Errorf("%s: outside there is %q", what, now)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	check(t, err)
	return string(b)
}

// TestSwappedLinks writes into a fork while a folder of it becomes a link to the
// outside and back, again and again.
func TestSwappedLinks(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	files{"b.py": "outside\n"}.Write(t, outside)
	s, _ := open(t, files{"a.py": "a = 1\n", "dir/b.py": "b = 1\n"}, workspace.Config{}, Config{})
	f := fork(t, s, textedit.State{})
	dir := filepath.Join(f.Dir(), "dir")
	check(t, os.Symlink(outside, filepath.Join(f.Dir(), "other")))
	stop, swapped := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for ; ; n++ {
			select {
			case <-stop:
				swapped <- n
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, dir, unix.AT_FDCWD, filepath.Join(f.Dir(), "other"), unix.RENAME_EXCHANGE) // we may have removed it
			}
		}
	}()
	wrote := 0
	for range 300 {
		if f.Write("dir/b.py", []byte("b = 2\n")) == nil {
			wrote++
		}
		if f.Write("dir/b.py", nil) == nil {
			wrote++
		}
	}
	close(stop)
	if n := <-swapped; n == 0 || wrote == 0 {
		t.Errorf("swapped %d times, written %d times: this is no test", n, wrote)
	}
	onlyOutside(t, "swapped links", outside)
}
