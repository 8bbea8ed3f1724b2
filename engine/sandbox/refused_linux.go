package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"autocoder/engine/command"
)

// refusals are what was refused to a command, in words, for whoever has to explain
// why it failed.
type refusals struct {
	mu    sync.Mutex // guards words
	words []string
}

// mostRefusals is how many there may be: a command could make them without end.
const mostRefusals = 8

func (r *refusals) add(words string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.words) < mostRefusals && !slices.Contains(r.words, words) {
		r.words = append(r.words, words)
	}
}

func (r *refusals) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.words, ", ")
}

// refused says in words what a call that is refused was for, of those of which the
// broker is told.
func (n notification) refused() (words string, is bool) {
	switch call := uint32(n.Call); call {
	case unix.SYS_SOCKET, unix.SYS_SOCKETPAIR:
		return ofSocket(int(int32(n.Args[0]))), true
	default:
		name, is := toldCalls[call]
		return "the system call " + name, is
	}
}

// ofSocket says what a refused socket is of.
func ofSocket(family int) string {
	switch family {
	case unix.AF_INET, unix.AF_INET6:
		return command.RefusedNetwork
	case unix.AF_UNIX:
		return "a datagram socket"
	default:
		return fmt.Sprintf("a socket of the family %d", family)
	}
}
