package sandbox

import (
	"math"

	"golang.org/x/sys/unix"
)

// keepFiles keeps every open file but the first three from whatever is executed
// next: what whoever started us left open is not for commands, which could write
// through it whatever else they are denied. Only what is passed on purpose, which
// goes by way of a copy, reaches them.
func keepFiles() error {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	return keepListed("/proc/self/fd") // an old kernel, or a filter that does not know the call
}
