package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A control group bounds the processes of a cell where nothing else does: root is
// exempt from the limits of users. One of the second version bounds memory too. It
// is made beside or below our own group, where that is allowed, and removed with the
// cell; what a killed owner leaves behind, an empty group, goes when the next cell
// opens.

// groupPrefix begins the names of our groups.
const groupPrefix = "autocoder-"

// controlGroup is a group that we hold, by a lock on its folder.
type controlGroup struct {
	path   string
	held   *os.File
	bounds groupBounds
	memory bool // the kernel bounds that too
}

// groupBounds are what the processes of a group may be and have. The kernel's are
// above those that a launcher looks at, so that it sees who passes them.
type groupBounds struct {
	processes int
	memory    int64
}

// ceiling are the numbers for the kernel.
func (b groupBounds) ceiling() groupBounds {
	return groupBounds{ceiling(b.processes) + ownThreads, b.memory + b.memory/4}
}

// enterGroup moves a process that has just started into a group of its own. It
// returns nil where that can't be had, and where one that bounds memory is wanted and
// none does.
func enterGroup(pid int, b groupBounds, forMemory bool) *controlGroup {
	for _, parent := range groupParents(readLines("/proc/self/mountinfo"), readLines("/proc/self/cgroup")) {
		if forMemory && !boundsMemory(parent) {
			continue
		}
		sweepGroups(parent)
		for range 5 { // who sweeps may be faster than our lock
			if g, err := newGroup(parent, pid, b); err == nil {
				return g
			}
		}
	}
	return nil
}

// boundsMemory reports whether groups in a folder have a limit of memory.
func boundsMemory(parent string) bool {
	b, err := os.ReadFile(filepath.Join(parent, "cgroup.subtree_control"))
	return err == nil && slices.Contains(strings.Fields(string(b)), "memory")
}

// newGroup makes a group in parent for a process.
func newGroup(parent string, pid int, b groupBounds) (*controlGroup, error) {
	dir, err := os.MkdirTemp(parent, groupPrefix)
	if err != nil {
		return nil, fmt.Errorf("make a control group: %w", err)
	}
	g := &controlGroup{path: dir, bounds: b}
	if err := g.take(pid); err != nil {
		g.remove()
		return nil, fmt.Errorf("use a control group: %w", err)
	}
	return g, nil
}

// take holds the group, and moves a process into it.
func (g *controlGroup) take(pid int) error {
	var err error
	if g.held, err = os.Open(g.path); err != nil {
		return err
	}
	if err := unix.Flock(int(g.held.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	most := g.bounds.ceiling()
	err = g.set("memory.max", most.memory)
	if err != nil && !errors.Is(err, os.ErrNotExist) { // the first version has none
		return err
	}
	g.memory = err == nil
	return errors.Join(g.set("pids.max", int64(most.processes)), g.set("cgroup.procs", int64(pid)))
}

// set writes a file of the group.
func (g *controlGroup) set(name string, value int64) error {
	f, err := os.OpenFile(filepath.Join(g.path, name), os.O_WRONLY|os.O_TRUNC, 0) // never made: it is not our folder then
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(strconv.FormatInt(value, 10))
	return err
}

// watch returns a function that says so when the kernel has killed a process of the
// group for its memory since; nil knows of none.
func (g *controlGroup) watch() (over func() string) {
	before := g.kills()
	return func() string {
		if g.kills() == before {
			return ""
		}
		return fmt.Sprintf("what the kernel counts as memory, more than memory = %d allows", g.bounds.memory>>20)
	}
}

// kills is how many processes were killed for memory.
func (g *controlGroup) kills() string {
	if g == nil {
		return ""
	}
	for _, line := range readLines(filepath.Join(g.path, "memory.events")) {
		if count, ok := strings.CutPrefix(line, "oom_kill "); ok {
			return count
		}
	}
	return ""
}

// remove removes the group once nothing is in it; nil has none.
func (g *controlGroup) remove() {
	if g == nil {
		return
	}
	_ = os.Remove(g.path) // what is left is swept later
	if g.held != nil {
		g.held.Close()
	}
}

// sweepGroups removes the groups that nobody holds any more.
func sweepGroups(parent string) {
	entries, _ := os.ReadDir(parent) // what can't be listed is not ours
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), groupPrefix) {
			continue
		}
		f, err := os.Open(filepath.Join(parent, e.Name()))
		if err != nil {
			continue
		}
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			_ = os.Remove(f.Name()) // as long as something is in it, it stays
		}
		f.Close()
	}
}

// groupParents returns the folders in which a group for processes may be made, by
// what /proc says of our mounts and of our groups.
func groupParents(mounts, groups []string) []string {
	var parents []string
	for _, line := range groups {
		fields := strings.SplitN(line, ":", 3)
		if len(fields) != 3 {
			continue
		}
		switch controllers := strings.Split(fields[1], ","); {
		case slices.Contains(controllers, "pids"):
			if dir, ok := groupFolder(mounts, "cgroup", "pids", fields[2]); ok {
				parents = append(parents, dir)
			}
		case fields[1] == "":
			if dir, ok := groupFolder(mounts, "cgroup2", "", fields[2]); ok {
				parents = append(parents, unifiedParent(dir)...)
			}
		}
	}
	return parents
}

// unifiedParent is where a group can be made in the second version of groups: only
// the first may hold both processes and groups with limits, so that it is beside
// ours, unless ours has limits that it would escape.
func unifiedParent(own string) []string {
	if _, err := os.Stat(filepath.Join(own, "cgroup.type")); err != nil {
		return []string{own} // the first has no such file
	}
	for _, limit := range []string{"pids.max", "memory.max", "cpu.max"} {
		if b, err := os.ReadFile(filepath.Join(own, limit)); err == nil && !strings.HasPrefix(string(b), "max") {
			return nil
		}
	}
	return []string{filepath.Dir(own)}
}

// groupFolder is the folder of a group: that of the first mount of the kind, with
// the option where one is wanted, which shows it.
func groupFolder(mounts []string, kind, option, group string) (string, bool) {
	for _, line := range mounts {
		place, of, ok := strings.Cut(line, " - ")
		where, what := strings.Fields(place), strings.Fields(of)
		if !ok || len(where) < 5 || len(what) < 3 || what[0] != kind {
			continue
		}
		if option != "" && !slices.Contains(strings.Split(what[2], ","), option) {
			continue
		}
		if rel, err := filepath.Rel(where[3], group); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(where[4], rel), true
		}
	}
	return "", false
}

func readLines(path string) []string {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var lines []string
	for s := bufio.NewScanner(f); s.Scan(); {
		lines = append(lines, s.Text())
	}
	return lines
}
