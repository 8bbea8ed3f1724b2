package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// watchEvery is how often a launcher looks at what its tree takes. A shorter
// command is never looked at.
const watchEvery = 50 * time.Millisecond

// watchClosely is how often when half of the memory that there may be is taken.
const watchClosely = 10 * time.Millisecond

// Limits of a command where its cell names none.
const (
	defaultProcesses = 5000
	memoryParts      = 4 // all but one of these parts of the machine's memory
	treeParts        = 8 // one of these parts of what is free for a tree in memory
)

// watcher bounds what one command and all that it starts take together. Control
// groups would do that better, but are rarely given to those who are not root.
type watcher struct {
	memory    int64
	processes int
	isolated  bool
	disk      []diskReserve
	pause     time.Duration
	over      chan overrun // takes the limit that was passed
}

// overrun is a limit that was passed, in words; whole when the whole tree has to
// end for it.
type overrun struct {
	what  string
	whole bool
}

func newWatcher(l limits) *watcher {
	w := &watcher{memory: l.Memory, processes: processesOf(l.Processes), isolated: l.Tier == Isolated, pause: watchEvery, over: make(chan overrun, 1)}
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err == nil {
		if all := int64(info.Totalram) * int64(max(info.Unit, 1)); w.memory == 0 || w.memory > all {
			w.memory = all - all/memoryParts
		}
	}
	w.disk = reserveOf(l.Scratch)
	if free, _ := diskOf(l.MemoryTree); free > 0 {
		w.disk = append(w.disk, diskReserve{l.MemoryTree, free - free/treeParts})
	}
	return w
}

// watch looks until the launcher ends. The first passed limit ends the tree; too
// much memory only the process that has most of it, as the kernel would.
func (w *watcher) watch() {
	for {
		time.Sleep(w.pause)
		tree := w.tree()
		if count := countThreads(tree); count > w.processes {
			w.tell(fmt.Sprintf("%d processes and threads, more than processes = %d allows", count, w.processes))
			return
		}
		for _, d := range w.disk {
			if d.passed() {
				w.tell(fmt.Sprintf("the disk with %s is full", d.path))
				return
			}
		}
		w.checkMemory(tree)
	}
}

// tell says that a limit was passed for which the tree must end.
func (w *watcher) tell(what string) {
	select {
	case w.over <- overrun{what, true}:
	default:
	}
}

// checkMemory kills the process that has most when all have too much.
func (w *watcher) checkMemory(tree []int) {
	shared := w.sharedMemory()
	sum, _ := total(tree, residentOf)
	w.pause = watchEvery
	if sum+shared > w.memory/2 {
		w.pause = watchClosely
	}
	if sum+shared <= w.memory {
		return
	}
	// What forked processes still share counts once.
	var most int
	sum, most = total(tree, proportionalOf)
	if sum+shared <= w.memory || most == 0 {
		return
	}
	select {
	case w.over <- overrun{what: fmt.Sprintf("%d MB of memory, more than memory = %d allows", (sum+shared)>>20, w.memory>>20)}:
	default: // it was said
	}
	_ = syscall.Kill(most, syscall.SIGKILL) // it may have ended meanwhile
}

// tree returns the processes of the command: in isolated all that there are but
// ourselves.
func (w *watcher) tree() []int {
	self := os.Getpid()
	if !w.isolated {
		return descendants(self)
	}
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // those that were read before an error
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != self {
			pids = append(pids, pid)
		}
	}
	return pids
}

// descendants lists what a process has started, and what that has.
func descendants(pid int) []int {
	seen, list := map[int]bool{pid: true}, []int{pid}
	for i := 0; i < len(list); i++ {
		tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", list[i])) // it may have ended
		for _, task := range tasks {
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", list[i], task.Name()))
			if err != nil {
				continue
			}
			for field := range strings.FieldsSeq(string(b)) {
				if child, err := strconv.Atoi(field); err == nil && !seen[child] {
					seen[child], list = true, append(list, child)
				}
			}
		}
	}
	return list[1:]
}

// countThreads counts the threads of processes.
func countThreads(pids []int) int {
	count := 0
	for _, pid := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
		n := 1
		if len(fields) > 17 {
			if threads, err := strconv.Atoi(string(fields[17])); err == nil {
				n = threads
			}
		}
		count += n
	}
	return count
}

// total sums what processes have, and returns the one that has most.
func total(pids []int, of func(pid int) int64) (sum int64, most int) {
	var largest int64
	for _, pid := range pids {
		n := of(pid)
		sum += n
		if n > largest {
			largest, most = n, pid
		}
	}
	return sum, most
}

// residentOf is the memory of a process that no file backs.
func residentOf(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var size, resident, shared int64
	if _, err := fmt.Sscan(string(b), &size, &resident, &shared); err != nil {
		return 0
	}
	return max(resident-shared, 0) * int64(os.Getpagesize())
}

// proportionalOf is residentOf with what several processes share divided among
// them, and with what is swapped out. It takes longer to find out.
func proportionalOf(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return residentOf(pid)
	}
	var sum int64
	for line := range strings.Lines(string(b)) {
		name, rest, _ := strings.Cut(line, ":")
		if name != "Pss_Anon" && name != "SwapPss" {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64); err == nil {
			sum += n << 10
		}
	}
	return sum
}

// sharedMemory is what lies in the cell's own /dev/shm, which is memory too.
func (w *watcher) sharedMemory() int64 {
	var st unix.Statfs_t
	if !w.isolated || unix.Statfs(sharedMemory, &st) != nil {
		return 0
	}
	return int64(st.Blocks-st.Bfree) * st.Bsize
}

// diskReserve is a file system of which something must stay free.
type diskReserve struct {
	path  string
	least uint64
}

// reserveOf keeps a hundredth of a disk, at most 256 MB, unless there is not much
// more than that from the start.
func reserveOf(path string) []diskReserve {
	free, all := diskOf(path)
	least := min(all/100, 256<<20)
	if free < 2*least || all == 0 {
		return nil
	}
	return []diskReserve{{path, least}}
}

func (d diskReserve) passed() bool {
	free, all := diskOf(d.path)
	return all > 0 && free < d.least
}

func diskOf(path string) (free, all uint64) {
	var st unix.Statfs_t
	if unix.Statfs(path, &st) != nil {
		return 0, 0
	}
	return st.Bavail * uint64(st.Bsize), st.Blocks * uint64(st.Bsize)
}
