//go:build linux && !amd64

package sandbox

// chmodCall is a call that this machine doesn't have.
const chmodCall uint32 = 1 << 30

// chownCalls and legacyCalls are calls that this machine doesn't have.
var chownCalls, legacyCalls []uint32

// obsolete are calls that this machine doesn't have.
var obsolete []uint32
