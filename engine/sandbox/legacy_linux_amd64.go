package sandbox

import "golang.org/x/sys/unix"

// chmodCall is a call that later machines don't have.
const chmodCall uint32 = unix.SYS_CHMOD

// obsolete are calls for which everybody has taken others for long; who is told
// that they don't exist takes these.
var obsolete = []uint32{unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
