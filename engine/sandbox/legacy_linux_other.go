//go:build linux && !amd64

package sandbox

// chmodCall is a call that this machine doesn't have.
const chmodCall uint32 = 1 << 30

// openCall, unlinkCall and linkCall are calls that this machine doesn't have.
const (
	openCall   uint32 = 1<<30 + 1
	unlinkCall uint32 = 1<<30 + 2
	linkCall   uint32 = 1<<30 + 3
)

// chownCalls and legacyCalls are calls that this machine doesn't have.
var chownCalls, legacyCalls []uint32

// obsolete are calls that this machine doesn't have.
var obsolete []uint32
