package sandbox

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// How the number of processes of a command is bounded, in words.
const (
	boundNamespace = "by the kernel, as the PIDs of their namespace"
	boundGroup     = "by the kernel, as a control group"
	boundUser      = "by the kernel, as those of a user"
	boundWatch     = "by looking"
)

// ownThreads is room for those of the cell itself.
const ownThreads = 64

// ceiling is where the kernel refuses more processes: above the limit, so that the
// watcher can see that it was passed and end the command for it.
func ceiling(processes int) int { return processes + processes/4 + 64 }

// processesOf is the limit of a command that its cell names, or the usual one.
func processesOf(named int) int {
	if named == 0 {
		return defaultProcesses
	}
	return named
}

// bound has the kernel bound the number of processes and threads of the command
// that we are about to start, and says how it does.
func bound(l limits) string {
	most := ceiling(processesOf(l.Processes))
	switch {
	case l.Tier == Isolated && boundPIDs(most):
		return boundNamespace
	case l.Grouped:
		return boundGroup
	case boundUserTo(l, most):
		return boundUser
	default:
		return boundWatch
	}
}

// reservedPIDs are those that the kernel never gives again once it has run
// through all.
const reservedPIDs = 300

// boundPIDs bounds our own PID namespace, whose /proc must be writable, and reports
// whether the kernel does. One that can't do so for a single namespace would do it
// to the whole system.
func boundPIDs(most int) bool {
	if !boundsNamespaces() || os.WriteFile("/proc/sys/kernel/pid_max", []byte(strconv.Itoa(reservedPIDs+most)), 0) != nil {
		return false
	}
	// Not every kernel can begin with the others; then there may be those more.
	_ = os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(reservedPIDs)), 0)
	return true
}

func boundsNamespaces() bool { return kernelAtLeast(6, 14) }

// boundUserTo bounds the processes of our user, of those that this command starts,
// and reports whether the kernel does, which exempts root. In a user namespace of
// our own there are no others; elsewhere all that run now come on top.
func boundUserTo(l limits, most int) bool {
	if os.Getuid() == 0 && allUsers() {
		return false
	}
	others, ok := ownThreads, true
	if !l.OwnUsers || !kernelAtLeast(5, 14) {
		if others, ok = running(); !ok {
			return false
		}
	}
	most += others
	var now unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NPROC, &now) != nil {
		return false
	}
	now.Max = min(now.Max, uint64(most))
	now.Cur = min(now.Cur, now.Max)
	return unix.Setrlimit(unix.RLIMIT_NPROC, &now) == nil
}

// running is how many processes and threads the whole system has.
func running() (int, bool) {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(b))
	if len(fields) < 4 {
		return 0, false
	}
	_, all, _ := strings.Cut(fields[3], "/")
	n, err := strconv.Atoi(all)
	return n, err == nil
}

// noCores has nothing that crashes leave its memory behind, neither in a file nor
// with a program of the host that takes it: to that the kernel gives cores of any
// size but one byte.
func noCores() {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1, Max: 1}) // else a core takes a place that is counted
}

// kernelAtLeast reports whether the running kernel has at least a version.
func kernelAtLeast(major, minor int) bool {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return false
	}
	first, rest, _ := strings.Cut(unix.ByteSliceToString(name.Release[:]), ".")
	second := strings.FieldsFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if len(second) == 0 {
		return false
	}
	have, err := strconv.Atoi(first)
	have2, err2 := strconv.Atoi(second[0])
	return err == nil && err2 == nil && (have > major || have == major && have2 >= minor)
}
