//go:build !linux

package sandbox

// concealEnvironment has nothing to do where there is no /proc that shows the
// environment of a process.
func concealEnvironment() {}
