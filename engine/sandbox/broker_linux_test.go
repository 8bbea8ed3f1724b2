package sandbox_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"autocoder/engine/sandbox"
)

// TestModesAndTimes changes modes and times of files, outside and inside, by every
// kind of call. Supervised is the control.
func TestModesAndTimes(t *testing.T) {
	attempts := map[string]string{
		"chmod": `chmod 777 "$0"`, "touch": `touch -d @1000 "$0"`,
		"python": `import os, sys; f = sys.argv[1]
os.chmod(f, 0o777); os.utime(f, (1000, 1000))`,
		"python by file": `import os, sys; f = os.open(sys.argv[1], os.O_RDONLY)
os.fchmod(f, 0o777); os.utime(f, (1000, 1000))`,
		"python by folder": `import os, sys; d = os.open(os.path.dirname(sys.argv[1]), os.O_RDONLY)
os.chmod("file", 0o777, dir_fd=d); os.utime("file", (1000, 1000), dir_fd=d)`,
		"python through a link": `import os, sys; os.path.lexists("l") and os.unlink("l"); os.symlink(sys.argv[1], "l")
os.chmod("l", 0o777); os.utime("l", (1000, 1000)); os.unlink("l")`,
		"python from there": `import os, sys; os.chdir(os.path.dirname(sys.argv[1]))
os.chmod("file", 0o777); os.utime("file", (1000, 1000))`,
		"python through proc": `import os, sys; f = os.open(sys.argv[1], os.O_RDONLY)
os.chmod("/proc/self/fd/%d" % f, 0o777); os.utime("/proc/self/fd/%d" % f, (1000, 1000))`,
	}
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		cell := open(t, p.config(tier), p.tree())
		for name, script := range attempts {
			for where, file := range map[string]string{"outside": p.path("outside/file"), "inside": p.path("scratch/file")} {
				before := time.Unix(1_600_000_000, 0)
				if err := os.Chmod(file, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(file, before, before); err != nil {
					t.Fatal(err)
				}
				args := []string{"/bin/sh", "-ec", script, file}
				if name != "chmod" && name != "touch" {
					args = []string{"/usr/bin/python3", "-c", script, file}
				}
				out, exit := run(t, cell, args...)
				info, err := os.Stat(file)
				if err != nil {
					t.Fatal(err)
				}
				want := where == "inside" || tier == sandbox.Supervised
				changed := info.Mode().Perm() == 0o777 || info.ModTime().Unix() == 1000
				if exit.Success() != want || changed != want {
					t.Errorf("%s, %s: %v, changed %v, want %v: %s", name, where, exit, changed, want, out)
				}
			}
		}
		sh(t, cell, `cp -a "$HOME/../file" copy; cp -p copy again; touch new; mkdir -m 700 d; test "$(stat -c %a d)" = 700`)
	})
}

// watchScript has inotify tell of a folder, and makes a file there or has it made.
const watchScript = `import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.inotify_init1(os.O_NONBLOCK)
if libc.inotify_add_watch(fd, sys.argv[1].encode(), 0xfff) < 0:
    sys.exit(os.strerror(ctypes.get_errno()))
try:
    os.mkdir(os.path.join(sys.argv[1], "made"))
except OSError:
    os.listdir("/proc/self/cwd") and print("watches")
else:
    assert b"made" in os.read(fd, 4096)
    print("watches")`

// TestWatches has inotify tell of folders that a command may read, and of one that it
// may not. Supervised is the control.
func TestWatches(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		c := p.config(tier)
		c.ReadAll = false
		cell := open(t, c, p.tree())
		for dir, want := range map[string]bool{p.path("outside"): tier == sandbox.Supervised, cell.Root(): true, "/usr/lib": true, ".": true, p.path("scratch"): true} {
			out, exit := run(t, cell, "/usr/bin/python3", "-c", watchScript, dir)
			if exit.Success() != want {
				t.Errorf("%s: %v %s, want %v", dir, exit, out, want)
			}
			if err := os.RemoveAll(filepath.Join(p.path("outside"), "made")); err != nil {
				t.Error(err)
			}
			sh(t, cell, "rm -rf made; rm -rf \"$HOME/../made\"")
		}
	})
}
