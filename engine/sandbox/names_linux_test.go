package sandbox_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autocoder/engine/command"
	"autocoder/engine/sandbox"
)

// namesScript uses shared memory and semaphores by their names, by itself and with
// processes that it starts.
const namesScript = `import multiprocessing, os, sys
from multiprocessing import shared_memory

def double(n):
    return 2 * n

def write(name):
    other = shared_memory.SharedMemory(name=name)
    other.buf[0] = 7
    other.close()

if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    with fork.Lock():
        pass
    with fork.Pool(2) as pool:
        assert pool.map(double, range(4)) == [0, 2, 4, 6]
    memory = shared_memory.SharedMemory(name=sys.argv[1], create=True, size=100000)
    child = fork.Process(target=write, args=(sys.argv[1],))
    child.start()
    child.join()
    assert memory.buf[0] == 7
    try:
        shared_memory.SharedMemory(name=sys.argv[1], create=True, size=1)
        sys.exit("made twice")
    except FileExistsError:
        pass
    print(os.path.exists("/dev/shm/" + sys.argv[1]))
    memory.close()
    memory.unlink()
    try:
        shared_memory.SharedMemory(name=sys.argv[1])
        sys.exit("still there")
    except FileNotFoundError:
        pass
    fork.Array("i", 1000)[0] = 1
`

// TestSharedNames has programs share memory and semaphores by names, and finds none
// of them outside.
func TestSharedNames(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		c := p.config(tier)
		c.ReadAll = false
		cell := open(t, c, p.tree())
		name := filepath.Base(p.dir)
		out, exit := run(t, cell, "/usr/bin/python3", "-c", namesScript, name)
		// In confined the name is seen by nobody who does not share memory.
		if want := map[bool]string{true: "False\n", false: "True\n"}[tier == sandbox.Confined]; !exit.Success() || out != want {
			t.Errorf("%v %s", exit, out)
		}
		if _, err := os.Lstat("/dev/shm/" + name); err == nil {
			t.Errorf("it is left outside")
		}
	})
}

// TestNamesOfOthers goes for what others share by name. Supervised is the control.
func TestNamesOfOthers(t *testing.T) {
	attempts := map[string]string{
		"read":      `print(open("/dev/shm/" + name).read())`,
		"list":      `assert name in os.listdir("/dev/shm"); print("outside")`,
		"write":     `open("/dev/shm/" + name, "r+").write("changed")`,
		"as memory": `m = shared_memory.SharedMemory(name=name); print(bytes(m.buf[:7]).decode()); m.buf[0] = 88`,
		"remove":    `os.unlink("/dev/shm/" + name)`,
		"link":      `os.link("/dev/shm/" + name, "/dev/shm/" + name + "2"); print(os.readlink("/proc/self/cwd") and "outside")`,
		"rename":    `os.rename("/dev/shm/" + name, "/dev/shm/" + name + "2")`,
		"new file":  `open("/dev/shm/" + name + "2", "w").write("x")`,
	}
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		c := p.config(tier)
		c.ReadAll = false
		cell := open(t, c, p.tree())
		for what, script := range attempts {
			file := filepath.Join("/dev/shm", filepath.Base(p.dir))
			write(t, file, "outside")
			out, exit := run(t, cell, "/usr/bin/python3", "-c", "import os, sys\nfrom multiprocessing import resource_tracker, shared_memory\nresource_tracker.register = lambda *a: None\nname = sys.argv[1]\n"+script, filepath.Base(file))
			b, err := os.ReadFile(file)
			_, err2 := os.Lstat(file + "2")
			through := strings.Contains(out, "outside") || err != nil || string(b) != "outside" || err2 == nil
			if through != (tier == sandbox.Supervised) {
				t.Errorf("%s: got through %v: %v %.300q", what, through, exit, out)
			}
			_, _ = os.Remove(file), os.Remove(file+"2") // an attempt may have done so
		}
	})
}

// TestNamesLeadNowhere has a command put something else where the files of shared
// names are, so that whoever makes them for it would reach what is outside.
func TestNamesLeadNowhere(t *testing.T) {
	t.Parallel()
	const use = `import os, sys
for flags in (os.O_RDWR, os.O_RDWR | os.O_CREAT, os.O_RDWR | os.O_CREAT | os.O_TRUNC):
    try:
        os.write(os.open("/dev/shm/" + sys.argv[1], flags | os.O_NOFOLLOW), b"changed")
    except OSError:
        pass
for f in (lambda: os.unlink("/dev/shm/" + sys.argv[1]), lambda: os.link("/dev/shm/" + sys.argv[1], "/dev/shm/b"), lambda: os.open("/dev/shm/b", os.O_RDWR | os.O_NOFOLLOW | os.O_TRUNC)):
    try:
        f()
    except OSError:
        pass
`
	for name, c := range map[string]struct{ before, file string }{
		"a link in the folder":    {`mkdir -p "$S/shm" && ln -sfn "$D/file" "$S/shm/file"`, "file"},
		"a link for the folder":   {`rm -rf "$S/shm" && ln -sfn "$D" "$S/shm"`, "file"},
		"a way up":                {`true`, "../../.." + "$D/file"},
		"a folder":                {`true`, "../shm"},
		"a link of another's":     {`true`, "x/../../../$D/file"},
		"the folder of the links": {`rm -rf "$S/shm" && mkdir "$S/shm" && ln -s "$D" "$S/shm/d"`, "d/file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			cell := open(t, p.config(sandbox.Confined), p.tree())
			env := []string{"D=" + p.path("outside"), "S=" + p.path("scratch")}
			if out, exit := runSpec(t, cell, command.Spec{Args: []string{"/bin/sh", "-ec", c.before}, Env: env}); !exit.Success() {
				t.Fatalf("%v %s", exit, out)
			}
			runSpec(t, cell, command.Spec{Args: []string{"/usr/bin/python3", "-c", use, strings.ReplaceAll(c.file, "$D", p.path("outside"))}, Env: env})
			list, err := filepath.Glob(p.path("outside/*"))
			if err != nil || !slices.Equal(list, []string{p.path("outside/file")}) || read(t, list[0]) != "outside" {
				t.Errorf("the folder outside has changed: %q, %v", list, err)
			}
		})
	}
}

// TestRefusedIsTold holds that a command's end names what it was refused. Supervised,
// which refuses nothing, is the control.
func TestRefusedIsTold(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		cell := open(t, p.config(tier), p.tree())
		for _, c := range []struct {
			spec command.Spec
			want map[sandbox.Tier]string
		}{
			{toolSpec("socket", "2"), map[sandbox.Tier]string{sandbox.Confined: command.RefusedNetwork}},
			{toolSpec("socket", "38"), map[sandbox.Tier]string{sandbox.Isolated: "a socket of the family 38", sandbox.Confined: "a socket of the family 38"}},
			{toolSpec("hog", "segments", "32"), map[sandbox.Tier]string{sandbox.Confined: "the system call shmget"}},
			{command.Spec{Args: []string{"/usr/bin/unshare", "-U", "true"}}, map[sandbox.Tier]string{sandbox.Isolated: "the system call unshare", sandbox.Confined: "the system call unshare"}},
			{command.Spec{Args: []string{"/bin/true"}}, nil},
		} {
			out, exit := runSpec(t, cell, c.spec)
			if exit.Refused != c.want[tier] || c.want[tier] != "" && exit.Success() {
				t.Errorf("%q: %+v, want %q: %s", c.spec.Args, exit, c.want[tier], out)
			}
		}
	})
}
