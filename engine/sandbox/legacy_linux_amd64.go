package sandbox

import "golang.org/x/sys/unix"

// chmodCall is a call that later machines don't have.
const chmodCall uint32 = unix.SYS_CHMOD

// chownCalls are calls that change the owner of a path.
var chownCalls = []uint32{unix.SYS_CHOWN, unix.SYS_LCHOWN}

// openCall, unlinkCall and linkCall are calls that later machines don't have.
const (
	openCall   uint32 = unix.SYS_OPEN
	unlinkCall uint32 = unix.SYS_UNLINK
	linkCall   uint32 = unix.SYS_LINK
)

// legacyCalls are those that the broker makes too.
var legacyCalls = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN}

// obsolete are calls for which everybody has taken others for long; who is told
// that they don't exist takes these.
var obsolete = []uint32{unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
