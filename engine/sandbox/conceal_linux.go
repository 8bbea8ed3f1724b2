package sandbox

import (
	"bytes"
	"os"
	"strconv"
)

// Where /proc/PID/stat has the ends of the environment, counted from the state,
// which comes after the name.
const (
	environStart = 47
	environEnd   = 48
)

// concealEnvironment blanks what the kernel shows as our environment to every process
// of our user, commands of supervised among them: there may be keys in it. Go has
// copied it for itself before. Who started us has an environment too, which is theirs.
func concealEnvironment() {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return // without /proc nobody sees it
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= environEnd {
		return
	}
	start, err1 := strconv.ParseInt(string(fields[environStart]), 10, 64)
	end, err2 := strconv.ParseInt(string(fields[environEnd]), 10, 64)
	if err1 != nil || err2 != nil || start == 0 || end <= start {
		return
	}
	// By way of the file, and not of a pointer that Go knows nothing of.
	memory, err := os.OpenFile("/proc/self/mem", os.O_WRONLY, 0)
	if err != nil {
		return // closed to ourselves, it is closed to others of our user too
	}
	defer memory.Close()
	_, _ = memory.WriteAt(make([]byte, end-start), start) // a kernel may refuse it; the rest works without
}
