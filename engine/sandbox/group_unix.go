//go:build unix && !linux

package sandbox

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"autocoder/engine/command"
)

// group is a process group, which daemons can leave: these systems have nothing
// that they can't.
type group struct {
	id     int
	gentle bool
}

func (g *group) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	g.id = cmd.Process.Pid
	if g.gentle {
		_ = unix.Setpriority(unix.PRIO_PGRP, g.id, gentleness) // else it is as fast as the rest
	}
	return nil
}

func (g *group) kill() { _ = syscall.Kill(-g.id, syscall.SIGKILL) } // it may have ended

// end kills what is left of the group.
func (g *group) end() { _ = syscall.Kill(-g.id, syscall.SIGKILL) } // mostly nothing is

func exitOf(s *os.ProcessState) command.Exit {
	ws, ok := s.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		return command.Exit{Code: -1, Signal: unix.SignalName(ws.Signal())}
	}
	return command.Exit{Code: s.ExitCode()}
}
