package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Memory is counted in two ways: roughly, which costs little, at every look, and
// exactly when that is too much. What is shared, and files in memory with or without
// a name, are memory like any other: a process may hold them without showing it.

// worthALook is from how much shared memory of a process on it matters whether it is
// that of files on a disk.
const worthALook = 16 << 20

// unseenEvery is at how many looks what is not seen is looked for in any case.
const unseenEvery = 20

// memoryUse is what the processes of a command hold together.
type memoryUse struct {
	// files is what no process has to itself: files in memory and System V segments.
	files int64
	// sum is all together, most the process that has most to itself.
	sum  int64
	most int
}

// checkMemory kills the process that has most when all have too much, or all when
// it is not theirs one by one.
func (w *watcher) checkMemory(tree []int) {
	rough := w.roughly(tree)
	w.pause = watchEvery
	if rough > w.memory/2 {
		w.pause = watchClosely
	}
	if rough <= w.memory {
		return
	}
	now := w.exactly(tree)
	if now.sum <= w.memory {
		return
	}
	what := fmt.Sprintf("%d MB of memory, more than memory = %d allows", now.sum>>20, w.memory>>20)
	if now.files > w.memory {
		w.tell(what)
		return
	}
	if now.most == 0 {
		return
	}
	select {
	case w.over <- overrun{what: what}:
	default: // it was said
	}
	_ = syscall.Kill(now.most, syscall.SIGKILL) // it may have ended meanwhile
}

// roughly is about no less than what processes hold.
func (w *watcher) roughly(tree []int) int64 {
	var own, shared int64
	for _, pid := range tree {
		of, with := residentOf(pid)
		own, shared = own+of, shared+with
	}
	w.lookForUnseen(tree)
	return own + max(shared, w.unseen+w.sharedMemory())
}

// lookForUnseen counts what processes hold without showing it, which takes longer:
// when the whole system has come to share more, and now and then, as others may
// share less meanwhile.
func (w *watcher) lookForUnseen(tree []int) {
	now := systemShared()
	w.looks++
	if now <= w.shared+worthALook && w.looks%unseenEvery != 0 {
		w.shared = min(w.shared, now)
		return
	}
	w.shared, w.unseen = now, w.segments()
	for _, size := range unnamedFiles(tree) {
		w.unseen += size
	}
}

// exactly counts once what several processes share.
func (w *watcher) exactly(tree []int) memoryUse {
	use := memoryUse{files: w.sharedMemory() + w.segments()}
	unnamed := unnamedFiles(tree)
	for _, size := range unnamed {
		use.files += size
	}
	use.sum = use.files
	var largest int64
	for _, pid := range tree {
		n := w.proportionalOf(pid, unnamed)
		use.sum += n
		if n > largest {
			largest, use.most = n, pid
		}
	}
	return use
}

// systemShared is the memory of the whole system that files in memory and shared
// mappings have.
func systemShared() int64 {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	return field(b, "Shmem")
}

// residentOf is the memory of a process that no file backs, and what it shares by
// way of files in memory.
func residentOf(pid int) (own, shared int64) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, 0
	}
	var size, resident, backed int64
	if _, err := fmt.Sscan(string(b), &size, &resident, &backed); err != nil {
		return 0, 0
	}
	page := int64(os.Getpagesize())
	own = max(resident-backed, 0) * page
	if backed*page < worthALook {
		return own, 0
	}
	b, err = os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return own, 0
	}
	return own, field(b, "RssShmem")
}

// proportionalOf is what a process has to itself, with what several processes share
// divided among them and with what is swapped out. Files that are counted by
// themselves are left out.
func (w *watcher) proportionalOf(pid int, counted map[uint64]int64) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		own, _ := residentOf(pid)
		return own
	}
	sum := field(b, "Pss_Anon") + field(b, "SwapPss")
	if field(b, "Pss_Shmem") < worthALook {
		return sum
	}
	return sum + w.sharedMappings(pid, counted)
}

// sharedMappings is the part of a process in shared mappings that are of no file.
func (w *watcher) sharedMappings(pid int, counted map[uint64]int64) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", pid))
	if err != nil {
		return 0
	}
	var sum int64
	counts := false
	for line := range bytes.Lines(b) {
		words := bytes.Fields(line)
		switch {
		case len(words) > 0 && !bytes.HasSuffix(words[0], []byte(":")): // the head of a mapping
			counts = w.mappingCounts(words, counted)
		case counts && len(words) > 1 && string(words[0]) == "Pss:":
			sum += number(words[1]) << 10
		}
	}
	return sum
}

// mappingCounts reports whether a mapping, by its head "range rights offset device
// inode name", is of memory that is counted nowhere else.
func (w *watcher) mappingCounts(head [][]byte, counted map[uint64]int64) bool {
	if len(head) < 6 {
		return false
	}
	_, known := counted[uint64(number(head[4]))]
	switch name := string(head[5]); {
	case name == "/dev/zero": // as a shared mapping of no file is called
		return true
	case strings.HasPrefix(name, "/memfd:"):
		return !known
	case strings.HasPrefix(name, "/SYSV"):
		return !w.isolated
	default:
		return false
	}
}

// unnamedFiles are the files in memory without a name that processes have open, by
// their numbers.
func unnamedFiles(tree []int) map[uint64]int64 {
	files := map[uint64]int64{}
	for _, pid := range tree {
		dir := fmt.Sprintf("/proc/%d/fd/", pid)
		open, _ := os.ReadDir(dir) // it may have ended
		for _, d := range open {
			if name, err := os.Readlink(dir + d.Name()); err != nil || !strings.HasPrefix(name, "/memfd:") {
				continue
			}
			var st unix.Stat_t
			if unix.Stat(dir+d.Name(), &st) == nil {
				files[st.Ino] = st.Blocks * 512
			}
		}
	}
	return files
}

// segments is what the System V segments of the cell's own namespace hold.
func (w *watcher) segments() int64 {
	b, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil || !w.isolated {
		return 0
	}
	const resident, swapped = 14, 15
	var sum int64
	for line := range bytes.Lines(b) {
		if words := bytes.Fields(line); len(words) > swapped {
			sum += number(words[resident]) + number(words[swapped]) // the head has no numbers
		}
	}
	return sum
}

// sharedMemory is what lies in the cell's own /dev/shm.
func (w *watcher) sharedMemory() int64 {
	var st unix.Statfs_t
	if !w.isolated || unix.Statfs(sharedMemory, &st) != nil {
		return 0
	}
	return int64(st.Blocks-st.Bfree) * st.Bsize
}

// field is a line "name: N kB" in bytes.
func field(text []byte, name string) int64 {
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(name+":")); ok {
			return number(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB"))) << 10
		}
	}
	return 0
}

func number(text []byte) int64 {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
