package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"autocoder/engine/command"
)

// group is a job object, which no process can leave.
type group struct {
	job    windows.Handle
	gentle bool
}

func (g *group) start(cmd *exec.Cmd) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("CreateJobObject: %w", err)
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		windows.CloseHandle(job)
		return fmt.Errorf("SetInformationJobObject: %w", err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
	if g.gentle {
		cmd.SysProcAttr.CreationFlags |= windows.BELOW_NORMAL_PRIORITY_CLASS
	}
	if err := cmd.Start(); err != nil {
		windows.CloseHandle(job)
		return err
	}
	g.job = job
	if err := g.adopt(uint32(cmd.Process.Pid)); err != nil {
		_ = cmd.Process.Kill() // outside the job it must not run
		_ = cmd.Wait()
		windows.CloseHandle(job)
		return err
	}
	return nil
}

// adopt puts a process that has just started into the job.
func (g *group) adopt(pid uint32) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return fmt.Errorf("OpenProcess: %w", err)
	}
	defer windows.CloseHandle(h)
	if err := windows.AssignProcessToJobObject(g.job, h); err != nil {
		return fmt.Errorf("AssignProcessToJobObject: %w", err)
	}
	return nil
}

func (g *group) kill() { _ = windows.TerminateJobObject(g.job, 1) } // it may have ended

// end kills what is left in the job.
func (g *group) end() {
	_ = windows.TerminateJobObject(g.job, 1) // mostly nothing is
	windows.CloseHandle(g.job)
}

func exitOf(s *os.ProcessState) command.Exit { return command.Exit{Code: s.ExitCode()} }
