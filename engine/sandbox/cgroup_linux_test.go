package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGroupParents looks for a place for groups on systems of several kinds.
func TestGroupParents(t *testing.T) {
	t.Parallel()
	unified := filepath.Join(t.TempDir(), "cgroup")
	for _, name := range []string{"user.slice/cgroup.type", "user.slice/app.scope/cgroup.type", "user.slice/app.scope/pids.max", "user.slice/small.scope/cgroup.type", "user.slice/small.scope/memory.max"} {
		path := filepath.Join(unified, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		limit := "max\n"
		if strings.Contains(name, "small") {
			limit = "1000000\n"
		}
		if err := os.WriteFile(path, []byte(limit), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first := "36 31 0:36 / /sys/fs/cgroup/pids rw,relatime shared:9 - cgroup cgroup rw,pids"
	second := "41 31 0:38 / " + unified + " rw,relatime - cgroup2 cgroup2 rw"
	for _, c := range []struct {
		name           string
		mounts, groups []string
		want           []string
	}{
		{"first version", []string{first, second}, []string{"8:pids:/user", "4:memory:/"}, []string{"/sys/fs/cgroup/pids/user"}},
		{"first version, seen from a container", []string{"36 31 0:36 /docker/7 /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids"}, []string{"8:pids:/docker/7/x"}, []string{"/sys/fs/cgroup/pids/x"}},
		{"first version, not shown", []string{"36 31 0:36 /docker/7 /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids"}, []string{"8:pids:/"}, nil},
		{"both", []string{first, second}, []string{"8:pids:/", "0::/"}, []string{"/sys/fs/cgroup/pids", unified}},
		{"second version, the first group", []string{second}, []string{"0::/"}, []string{unified}},
		{"second version", []string{second}, []string{"0::/user.slice/app.scope"}, []string{unified + "/user.slice"}},
		{"second version, with a limit of its own", []string{second}, []string{"0::/user.slice/small.scope"}, nil},
		{"none", nil, nil, nil},
	} {
		if got := groupParents(c.mounts, c.groups); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestGroupsAreSwept makes groups in an ordinary folder, where they hold nothing.
func TestGroupsAreSwept(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	if g, err := newGroup(parent, os.Getpid(), groupBounds{100, 100}); err == nil {
		t.Errorf("%s took a process", g.path)
	}
	held := &controlGroup{path: filepath.Join(parent, groupPrefix+"held")}
	for _, dir := range []string{held.path, filepath.Join(parent, groupPrefix+"left"), filepath.Join(parent, "other")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := held.take(os.Getpid()); err == nil {
		t.Error("a folder took a process")
	}
	sweepGroups(parent)
	held.held.Close()
	left, err := filepath.Glob(filepath.Join(parent, "*"))
	if err != nil || !slices.Equal(left, []string{held.path, filepath.Join(parent, "other")}) {
		t.Errorf("%v: left are %q", err, left)
	}
}

// TestGroupOfMemory takes a folder that is made up like a group of the second
// version: what would be written to the kernel, and what is read of it.
func TestGroupOfMemory(t *testing.T) {
	t.Parallel()
	g := &controlGroup{path: t.TempDir(), bounds: groupBounds{100, 512 << 20}}
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(g.path, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"memory.max", "pids.max", "cgroup.procs"} {
		put(name, "max\n")
	}
	put("memory.events", "low 0\noom 0\noom_kill 2\n")
	if err := g.take(77); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"memory.max": "671088640", "pids.max": "253", "cgroup.procs": "77"} {
		if b, err := os.ReadFile(filepath.Join(g.path, name)); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v, want %s", name, b, err, want)
		}
	}
	if !g.memory {
		t.Error("it is not said that memory is bounded")
	}
	over := g.watch()
	if got := over(); got != "" {
		t.Errorf("killed before: %s", got)
	}
	put("memory.events", "low 0\noom 1\noom_kill 3\n")
	if got := over(); !strings.Contains(got, "memory = 512") {
		t.Errorf("killed since: %q", got)
	}
	if got := (*controlGroup)(nil).watch()(); got != "" {
		t.Errorf("no group: %q", got)
	}
	if err := os.Remove(filepath.Join(g.path, "memory.max")); err != nil {
		t.Fatal(err)
	}
	g.held.Close()
	first := &controlGroup{path: g.path, bounds: g.bounds}
	if err := first.take(77); err != nil || first.memory {
		t.Errorf("without a limit of memory: %v, %v", err, first.memory)
	}
	first.held.Close()
}

func TestBoundsMemory(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	for controllers, want := range map[string]bool{"cpu memory pids\n": true, "memory": true, "cpu pids\n": false, "hugetlb": false, "": false} {
		if err := os.WriteFile(filepath.Join(parent, "cgroup.subtree_control"), []byte(controllers), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := boundsMemory(parent); got != want {
			t.Errorf("%q: %t", controllers, got)
		}
	}
	if boundsMemory(t.TempDir()) {
		t.Error("a folder that is no group bounds memory")
	}
}
