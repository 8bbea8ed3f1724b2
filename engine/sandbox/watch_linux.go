package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
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
	shared    int64 // of the whole system, when unseen was counted
	unseen    int64 // what processes held without showing it
	looks     int
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
	return &watcher{
		memory: memoryOf(l.Memory), shared: systemShared(), processes: processesOf(l.Processes), isolated: l.Tier == Isolated,
		disk: append(reserveOf(l.Scratch), reserveOfMemory(l.MemoryTree)...), pause: watchEvery, over: make(chan overrun, 1),
	}
}

// memoryOf is the limit of memory that a cell names, or the usual one.
func memoryOf(named int64) int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err == nil {
		if all := int64(info.Totalram) * int64(max(info.Unit, 1)); named == 0 || named > all {
			return all - all/memoryParts
		}
	}
	return named
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
			if what, passed := d.passed(); passed {
				w.tell(what)
				return
			}
		}
		w.checkMemory(tree)
	}
}

// tell says that a limit was passed for which the tree must end. Whoever is told
// listens until it has.
func (w *watcher) tell(what string) { w.over <- overrun{what, true} }

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

// diskReserve is a file system of which something must stay free.
type diskReserve struct {
	path  string
	least room
}

// room is what a file system can take: bytes, and files however small. Some don't
// count files; then there are none of them.
type room struct{ bytes, files uint64 }

// The most that is kept free.
const (
	reservedBytes = 256 << 20
	reservedFiles = 10_000
)

// reserveOf keeps a hundredth of a disk, unless there is not much more than that
// from the start.
func reserveOf(path string) []diskReserve {
	free, all := roomOn(path)
	least := room{min(all.bytes/100, reservedBytes), min(all.files/100, reservedFiles)}
	if free.bytes < 2*least.bytes {
		least.bytes = 0
	}
	if free.files < 2*least.files {
		least.files = 0
	}
	if least == (room{}) {
		return nil
	}
	return []diskReserve{{path, least}}
}

// reserveOfMemory lets a tree in memory take a part of what is free there.
func reserveOfMemory(path string) []diskReserve {
	free, all := roomOn(path)
	if path == "" || all == (room{}) {
		return nil
	}
	return []diskReserve{{path, room{free.bytes - free.bytes/treeParts, free.files - free.files/treeParts}}}
}

// passed says so when there is less than must stay free.
func (d diskReserve) passed() (what string, passed bool) {
	switch free, all := roomOn(d.path); {
	case all.bytes > 0 && free.bytes < d.least.bytes:
		return fmt.Sprintf("the disk with %s is full", d.path), true
	case all.files > 0 && free.files < d.least.files:
		return fmt.Sprintf("the disk with %s can't take many more files", d.path), true
	default:
		return "", false
	}
}

func roomOn(path string) (free, all room) {
	var st unix.Statfs_t
	if unix.Statfs(path, &st) != nil {
		return room{}, room{}
	}
	block := uint64(st.Bsize)
	return room{st.Bavail * block, st.Ffree}, room{st.Blocks * block, st.Files}
}
