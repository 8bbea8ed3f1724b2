package sandbox_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"autocoder/engine/sandbox"
)

// Numbers and structures of calls that the library has no functions for.
const (
	noDump       = 0x40 // a flag of a file that its owner may set
	idle         = 5    // a scheduling policy below all others
	idleIO       = 3 << 13
	setAttribute = 463 // setxattrat
	setFileFlags = 469 // file_setattr
	ownMemory    = 0   // IPC_PRIVATE
	removeMemory = 0   // IPC_RMID
	queued       = -1  // SI_QUEUE
	queueSize    = 64
)

// escapes are ways to change what is outside by means that are no file's contents.
// Each tries one, and tells afterwards whether it has got through.
var escapes = []struct {
	name string
	try  func(g target) error
	// through reports what it has changed.
	through func(t *testing.T, g target) bool
}{
	{"a limit of another process", func(g target) error {
		return unix.Prlimit(g.victim, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 77, Max: 77}, nil)
	}, func(t *testing.T, g target) bool { return proc(t, g.victim, "limits", " 77 ") }},
	{
		"the priority of another process", func(g target) error { return unix.Setpriority(unix.PRIO_PROCESS, g.victim, 19) },
		func(t *testing.T, g target) bool {
			now, err := unix.Getpriority(unix.PRIO_PROCESS, g.victim)
			return err != nil || now == 1
		},
	},
	{"the scheduling of another process", func(g target) error {
		var priority int32
		return asError(try(unix.SYS_SCHED_SETSCHEDULER, uintptr(g.victim), idle, uintptr(unsafe.Pointer(&priority))))
	}, func(_ *testing.T, g target) bool {
		policy, _, _ := unix.Syscall(unix.SYS_SCHED_GETSCHEDULER, uintptr(g.victim), 0, 0)
		return policy == idle
	}},
	{"the processors of another process", func(g target) error {
		var one unix.CPUSet
		one.Set(0)
		return unix.SchedSetaffinity(g.victim, &one)
	}, func(t *testing.T, g target) bool { return proc(t, g.victim, "status", "Cpus_allowed_list:\t0\n") }},
	{"the disk priority of another process", func(g target) error {
		return asError(try(unix.SYS_IOPRIO_SET, 1, uintptr(g.victim), idleIO))
	}, func(_ *testing.T, g target) bool {
		is, _, _ := unix.Syscall(unix.SYS_IOPRIO_GET, 1, uintptr(g.victim), 0)
		return is == idleIO
	}},
	{"a signal by its queue", func(g target) error {
		info := [128]byte{}
		*(*int32)(unsafe.Pointer(&info[0])) = int32(unix.SIGKILL)
		*(*int32)(unsafe.Pointer(&info[8])) = queued
		return asError(try(unix.SYS_RT_SIGQUEUEINFO, uintptr(g.victim), uintptr(unix.SIGKILL), uintptr(unsafe.Pointer(&info[0]))))
	}, killed},
	{"a signal to a thread", func(g target) error { return unix.Tgkill(g.victim, g.victim, unix.SIGKILL) }, killed},
	{"a signal by a file", func(g target) error {
		fd, err := unix.PidfdOpen(g.victim, 0)
		if err != nil {
			return err
		}
		return unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}, killed},
	{"a signal of a pipe that has something to read", func(g target) error {
		var fds [2]int
		if err := unix.Pipe(fds[:]); err != nil {
			return err
		}
		for _, set := range [][2]int{{unix.F_SETOWN, g.victim}, {unix.F_SETSIG, int(unix.SIGKILL)}, {unix.F_SETFL, unix.O_ASYNC}} {
			if _, err := unix.FcntlInt(uintptr(fds[0]), set[0], set[1]); err != nil {
				return err
			}
		}
		_, err := unix.Write(fds[1], []byte("x"))
		return err
	}, killed},
	{"messages that others queue", func(g target) error {
		name := append([]byte(g.queue()), 0)
		fd, _, errno := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(&name[0])), unix.O_WRONLY, 0, 0, 0, 0)
		if errno != 0 {
			return errno
		}
		text := []byte("taken")
		_, _, errno = unix.Syscall6(unix.SYS_MQ_TIMEDSEND, fd, uintptr(unsafe.Pointer(&text[0])), uintptr(len(text)), 0, 0, 0)
		return asError(errno)
	}, func(t *testing.T, g target) bool {
		text := make([]byte, queueSize)
		n, _, errno := unix.Syscall6(unix.SYS_MQ_TIMEDRECEIVE, uintptr(g.messages), uintptr(unsafe.Pointer(&text[0])), uintptr(len(text)), 0, 0, 0)
		return errno == 0 && string(text[:n]) == "taken"
	}},
	{"memory that others share", func(g target) error {
		at, err := unix.SysvShmAttach(g.memory, 0, 0)
		if err != nil {
			return err
		}
		copy(at, "taken")
		return nil
	}, func(t *testing.T, g target) bool {
		at, err := unix.SysvShmAttach(g.memory, 0, unix.SHM_RDONLY)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.SysvShmDetach(at)
		return bytes.HasPrefix(at, []byte("taken"))
	}},
	{"attributes of a file", func(g target) error { return unix.Setxattr(g.file(), "user.mark", []byte("x"), 0) }, marked},
	{"attributes of a file, by a newer call", func(g target) error {
		path, name, value := append([]byte(g.file()), 0), []byte("user.mark\x00"), []byte("x")
		args := struct {
			value uint64
			size  uint32
			flags uint32
		}{uint64(uintptr(unsafe.Pointer(&value[0]))), 1, 0}
		at := unix.AT_FDCWD
		_, _, errno := unix.Syscall6(setAttribute, uintptr(at), uintptr(unsafe.Pointer(&path[0])), 0, uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args))
		return asError(errno)
	}, marked},
	{"flags of a file", func(g target) error {
		f, err := os.Open(g.file())
		if err != nil {
			return err
		}
		defer f.Close()
		return unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, noDump)
	}, flagged},
	{"flags of a file, by a newer call", func(g target) error {
		path := append([]byte(g.file()), 0)
		attributes := struct{ flags, extent, links, project, cow uint64 }{flags: 0x80} // the same flag
		at := unix.AT_FDCWD
		_, _, errno := unix.Syscall6(setFileFlags, uintptr(at), uintptr(unsafe.Pointer(&path[0])), uintptr(unsafe.Pointer(&attributes)), 24, 0, 0)
		return asError(errno)
	}, flagged},
	{
		"the owner of a file, which takes its set-uid bit", func(g target) error { return os.Chown(filepath.Join(g.dir, "suid"), -1, os.Getgid()) },
		func(t *testing.T, g target) bool {
			info, err := os.Stat(filepath.Join(g.dir, "suid"))
			if err != nil {
				t.Fatal(err)
			}
			return info.Mode()&os.ModeSetuid == 0
		},
	},
	{"a hard link", func(g target) error {
		if err := os.Link(g.file(), "mine"); err != nil {
			return err
		}
		return os.WriteFile("mine", []byte("linked"), 0)
	}, changed},
	{"a hard link by a file's number", func(g target) error {
		f, err := os.Open(g.file())
		if err != nil {
			return err
		}
		defer f.Close()
		if err := unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.AT_FDCWD, "mine2", unix.AT_SYMLINK_FOLLOW); err != nil {
			return err
		}
		return os.WriteFile("mine2", []byte("linked"), 0)
	}, changed},
	{"a file that is open for reading, opened again", func(g target) error {
		f, err := os.Open(g.file())
		if err != nil {
			return err
		}
		defer f.Close()
		return os.WriteFile(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), []byte("again"), 0)
	}, changed},
	{"a file moved away", func(g target) error { return os.Rename(g.file(), "moved") }, changed},
	{"a file exchanged", func(g target) error {
		if err := os.WriteFile("own", []byte("own"), 0o600); err != nil {
			return err
		}
		return unix.Renameat2(unix.AT_FDCWD, "own", unix.AT_FDCWD, g.file(), unix.RENAME_EXCHANGE)
	}, changed},
	{"room for a file", func(g target) error { return os.Truncate(g.file(), 1<<20) }, changed},
	{"the memory of another process", func(g target) error {
		f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", g.victim), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Close(), os.WriteFile(g.file(), []byte("mem"), 0))
	}, changed},
	{"the mode of another process's file in memory", func(g target) error {
		return os.Chmod(fmt.Sprintf("/proc/%d/fd/3", g.victim), 0o777)
	}, func(t *testing.T, g target) bool {
		info, err := g.held.Stat()
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm() != 0o600
	}},
	{"the folder of another process", func(g target) error {
		return os.WriteFile(fmt.Sprintf("/proc/%d/cwd/file", g.victim), []byte("cwd"), 0)
	}, changed},
	{"who dies first when memory is short", func(g target) error {
		return os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", g.victim), []byte("999"), 0)
	}, func(t *testing.T, g target) bool { return proc(t, g.victim, "oom_score_adj", "999") }},
}

func asError(errno unix.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

// killed waits a moment for a signal that was sent to arrive.
func killed(_ *testing.T, g target) bool {
	poll := []unix.PollFd{{Events: unix.POLLIN}}
	fd, err := unix.PidfdOpen(g.victim, 0)
	if err != nil {
		return true
	}
	defer unix.Close(fd)
	poll[0].Fd = int32(fd)
	n, err := unix.Poll(poll, 50)
	return err == nil && n > 0
}

func changed(t *testing.T, g target) bool {
	b, err := os.ReadFile(g.file())
	return err != nil || string(b) != "outside"
}

func marked(_ *testing.T, g target) bool {
	_, err := unix.Getxattr(g.file(), "user.mark", make([]byte, 8))
	return err == nil
}

func flagged(t *testing.T, g target) bool {
	f, err := os.Open(g.file())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	return err == nil && flags&noDump != 0
}

// proc reports whether a file of a process has a text.
func proc(t *testing.T, pid int, file, text string) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(b), text)
}

// escape tries one of escapes.
func escape(args []string) error {
	n, err1 := strconv.Atoi(args[0])
	victim, err2 := strconv.Atoi(args[2])
	memory, err3 := strconv.Atoi(args[3])
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	return escapes[n].try(target{dir: args[1], victim: victim, memory: memory})
}

// TestEscapes tries the escapes, each on a target of its own. Supervised, which
// refuses nothing, is the control: there they get through where this system knows
// them at all.
func TestEscapes(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		missed := 0
		p := newPlace(t)
		cell := open(t, p.config(tier), p.tree())
		for n, e := range escapes {
			g := newTarget(t, p)
			out, exit := runSpec(t, cell, toolSpec("escape", itoa(n), g.dir, itoa(g.victim), itoa(g.memory)))
			through := e.through(t, g)
			if tier != sandbox.Supervised && through {
				t.Errorf("%s got through: %v %s", e.name, exit, out)
			}
			if tier == sandbox.Supervised && !through {
				missed++
				t.Logf("%s does not get through here: %v %s", e.name, exit, out)
			}
		}
		if missed > len(escapes)/3 {
			t.Errorf("outside %d of %d don't get through: this is no test", missed, len(escapes))
		}
	})
}

// TestOwnProcesses does to the command's own files and processes what escapes may
// not do to others.
func TestOwnProcesses(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		cell := open(t, p.config(tier), p.tree())
		sh(t, cell, `touch own; chown "$(id -u):$(id -g)" own; ln own linked; mv linked moved
sleep 1000 & renice -n 19 $! && kill $!
prlimit --pid $$ --nofile=100:100; test "$(ulimit -n)" = 100
test "$(ulimit -c)" = 0 || test "$(ulimit -c)" = 1`)
		out, exit := run(t, cell, "/usr/bin/python3", "-c", `import os, subprocess
os.sched_setaffinity(0, os.sched_getaffinity(0)); os.setpriority(os.PRIO_PGRP, 0, 19)
child = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE)
os.sched_setaffinity(child.pid, os.sched_getaffinity(0)); os.setpriority(os.PRIO_PROCESS, child.pid, 19)
child.communicate()`)
		if !exit.Success() {
			t.Errorf("%v %s", exit, out)
		}
	})
}
