//go:build unix

package gotest

import (
	"os/exec"
	"syscall"
)

// own gives a command a process group, for killGroup.
func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
