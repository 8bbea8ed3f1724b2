package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// killChildren kills, once, each of our children that chosen takes and all their
// descendants, and returns these children. It reaps nothing. Orphans become our
// children, so that killing and reaping until there is none leaves nothing.
func killChildren(chosen func(pid int) bool) []int {
	all := processes()
	mine := slices.DeleteFunc(all[os.Getpid()], func(pid int) bool { return !chosen(pid) })
	for _, pid := range mine {
		killBelow(all, pid)
	}
	return mine
}

// anyChild is what killChildren takes when all must go.
func anyChild(int) bool { return true }

// childless reports whether we have no child at all, dead ones included.
func childless() bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == unix.ECHILD
}

// killBelow kills pid before what it started, so that it can't start more.
func killBelow(children map[int][]int, pid int) {
	_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended meanwhile
	for _, child := range children[pid] {
		killBelow(children, child)
	}
}

// pauseForDeath gives killed processes the time to go.
func pauseForDeath() { time.Sleep(time.Millisecond) }

// processes returns the children of every process that /proc shows.
func processes() map[int][]int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		if pid, parent, ok := parents(b); ok {
			children[parent] = append(children[parent], pid)
		}
	}
	return children
}

// parents reads "pid (name) state ppid …"; the name may hold anything.
func parents(stat []byte) (pid, parent int, ok bool) {
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 1 || end < open {
		return 0, 0, false
	}
	fields := bytes.Fields(stat[end+1:])
	if len(fields) < 2 {
		return 0, 0, false
	}
	pid, err1 := strconv.Atoi(string(bytes.TrimSpace(stat[:open])))
	parent, err2 := strconv.Atoi(string(fields[1]))
	return pid, parent, err1 == nil && err2 == nil
}
