package sandbox

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// cellMain plays r, a part that only Linux has.
func cellMain(r role) int {
	// Whoever wants us to end closes our socket.
	// Ignoring signals would be inherited by the commands; catching them is not.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	if r == roleLauncher {
		return launcherMain()
	}
	control, err := connOf(os.NewFile(3, "control"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return (&supervisor{control: control}).serve()
}

// supervisor is the first process of a cell, in isolated PID 1 of its own PID
// namespace.
type supervisor struct {
	control  *net.UnixConn
	config   Config
	mounts   *mounts  // nil unless isolated
	lifeline *os.File // held open for as long as we live; launchers watch the other end
	alive    *os.File // that other end

	wg sync.WaitGroup // one for each launcher

	mu        sync.Mutex // held while forking; guards launchers
	launchers map[int]bool
}

// serve does what it is told until the control socket ends, then kills all.
func (s *supervisor) serve() int {
	for {
		var o order
		files, err := receivePacket(s.control, &o)
		if err != nil {
			break
		}
		seen, fault := s.obey(o, files)
		closeAll(files)
		err = sendPacket(s.control, answer{fault}, seen...)
		closeAll(seen)
		if err != nil {
			break
		}
	}
	if s.lifeline != nil {
		s.lifeline.Close() // the launchers end their trees
	}
	if s.config.Tier != Isolated { // there the kernel kills all when PID 1 ends
		s.wg.Wait()
		s.killStrays()
	}
	return 0
}

// obey does what it is told, and returns what was asked to be seen.
func (s *supervisor) obey(o order, files []*os.File) (seen []*os.File, _ *fault) {
	if o.Setup != nil {
		s.config = *o.Setup
		var f *fault
		if seen, f = s.setup(); f != nil {
			return nil, f
		}
	}
	if o.Switch != nil {
		if f := s.switchTo(*o.Switch); f != nil {
			closeAll(seen)
			return nil, f
		}
	}
	if o.Start {
		return nil, s.start(files)
	}
	if o.Look {
		f, err := os.Open(s.config.Root)
		if err != nil {
			return nil, fail("open the tree's folder", err)
		}
		return []*os.File{f}, nil
	}
	return seen, nil
}

// setup makes the cell, and returns the listeners of what may be reached.
func (s *supervisor) setup() ([]*os.File, *fault) {
	s.launchers = map[int]bool{}
	var err error
	if s.alive, s.lifeline, err = pipe(); err != nil {
		return nil, fail("make lifeline", err)
	}
	if s.config.Tier != Isolated {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return nil, fail("prctl(PR_SET_CHILD_SUBREAPER)", err)
		}
		return nil, nil
	}
	reached := forwarded(s.config)
	var listeners []*os.File
	if s.config.Network == NetworkLoopback || len(reached) > 0 {
		if f := loopbackUp(); f != nil {
			return nil, f
		}
		var f *fault
		if listeners, f = listenAll(reached); f != nil {
			return nil, f
		}
	}
	m, f := makeMounts(s.config)
	if f == nil && len(reached) > 0 {
		f = showHosts(s.config.Scratch)
	}
	s.mounts = m
	return listeners, f
}

func (s *supervisor) switchTo(t Tree) *fault {
	if s.mounts == nil {
		if t.Layer != "" {
			return noLayers("lay folders over each other without a mount namespace", unix.EPERM)
		}
		return nil // commands are told its path
	}
	return s.mounts.show(t)
}

// start forks a launcher and has it waited for.
func (s *supervisor) start(files []*os.File) *fault {
	if len(files) != 4 || s.alive == nil {
		return fail(fmt.Sprintf("start launcher with %d files", len(files)), unix.EBADMSG)
	}
	fds := make([]uintptr, 0, 5)
	for _, f := range append(files, s.alive) {
		fds = append(fds, f.Fd())
	}
	attr := &syscall.ProcAttr{Dir: "/", Env: []string{}, Files: fds, Sys: &syscall.SysProcAttr{Setsid: true}}
	if s.config.Tier == Isolated {
		attr.Sys.Cloneflags = unix.CLONE_NEWPID | unix.CLONE_NEWNS
	}
	leash, err := unix.FcntlInt(fds[3], unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return fail("fcntl", err)
	}
	s.mu.Lock()
	pid, err := syscall.ForkExec("/proc/self/exe", []string{"autocoder", roleLauncher.arg(), s.config.Tier.String()}, attr)
	if err == nil {
		s.launchers[pid] = true
	}
	s.mu.Unlock()
	if err != nil {
		unix.Close(leash)
		return fail("fork launcher", err)
	}
	s.wg.Go(func() { s.reap(pid, os.NewFile(uintptr(leash), "leash")) })
	return nil
}

// reap waits for a launcher and says so on its leash.
func (s *supervisor) reap(pid int, leash *os.File) {
	defer leash.Close()
	var ws syscall.WaitStatus
	for {
		if _, err := syscall.Wait4(pid, &ws, 0, nil); err != syscall.EINTR {
			break
		}
	}
	s.mu.Lock()
	delete(s.launchers, pid)
	s.mu.Unlock()
	if s.config.Tier != Isolated && ws.Signaled() { // else it has ended its tree
		s.killStrays()
	}
	_ = sendFrame(leash, news{Reaped: true}) // nobody may be listening any more
}

// killStrays kills every child that is no launcher, with its descendants. Such
// children exist only when a command has killed its launcher.
func (s *supervisor) killStrays() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !childless() {
		strays := killChildren(func(pid int) bool { return !s.launchers[pid] })
		if len(strays) == 0 {
			return
		}
		for _, pid := range strays {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // or the next time
		}
		pauseForDeath()
	}
}
