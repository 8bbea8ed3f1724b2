package sandbox

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// launcher runs one command and ends its whole tree.
type launcher struct {
	leash    *net.UnixConn
	isolated bool
	ended    chan os.Signal
	let      chan struct{} // closed when the tree is to end
}

// launcherMain runs the command that comes over the leash, file 3. Files 0 to 2
// are the command's.
func launcherMain() int {
	leash, err := connOf(os.NewFile(3, "leash"))
	if err != nil {
		return 1
	}
	alive := os.NewFile(4, "lifeline")
	l := &launcher{leash: leash, isolated: len(os.Args) > 2 && os.Args[2] == Isolated.String(), let: make(chan struct{})}
	var t task
	if err := receiveFrame(leash, &t); err != nil {
		return 1 // nobody wants us any more
	}
	how, f := l.prepare(t.Limits)
	if f != nil {
		l.tell(news{Fault: f})
		return 1
	}
	pid, broker, f := start(t)
	if f != nil {
		l.tell(news{Fault: f})
		return 1
	}
	w := newWatcher(t.Limits)
	forgetStdio()
	go w.watch() // ends with us
	l.tell(news{Started: true, Bound: how})
	go watch(leash, alive, l.let)
	e := l.await(pid, w)
	if broker != nil {
		e.Refused = broker.refused.String()
	}
	l.tell(news{Exit: &e})
	return 0
}

// prepare makes us the one that orphans come to, and says how the command's
// processes are bounded.
func (l *launcher) prepare(limit limits) (how string, f *fault) {
	l.ended = make(chan os.Signal, 1)
	signal.Notify(l.ended, syscall.SIGCHLD)
	noCores()
	keepThreads()
	if l.isolated { // PID 1 gets all orphans
		f = privateProc(func() { how = bound(limit) })
		return how, f
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return "", fail("prctl(PR_SET_CHILD_SUBREAPER)", err)
	}
	return bound(limit), nil
}

// keepThreads starts the threads that we may need, which stay: when the command
// has taken all the processes that there may be, a new one can't be had.
func keepThreads() {
	const spare = 6
	var started sync.WaitGroup
	done := make(chan struct{})
	for range spare {
		started.Add(1)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			started.Done()
			<-done
		}()
	}
	started.Wait()
	close(done)
}

// tell says something over the leash; when nobody listens we are about to end.
func (l *launcher) tell(n news) { _ = sendFrame(l.leash, n) }

// watch closes let when our owner lets go of the leash or the supervisor dies.
func watch(leash *net.UnixConn, alive *os.File, let chan<- struct{}) {
	gone := make(chan struct{}, 2)
	for _, r := range []interface{ Read([]byte) (int, error) }{leash, alive} {
		go func() {
			_, _ = r.Read(make([]byte, 1)) // nothing is ever sent
			gone <- struct{}{}
		}()
	}
	<-gone
	close(let)
}

// await returns how pid ended, once nothing of its tree is left.
func (l *launcher) await(pid int, w *watcher) exit {
	let, killed, over := l.let, false, ""
	for {
		select {
		case o := <-w.over:
			over = o.what
			if !o.whole {
				continue // one process is killed, and how the command ends is its own
			}
			if l.isolated {
				return exit{Code: -1, Signal: syscall.SIGKILL, Over: over} // the kernel kills all when PID 1 ends
			}
			stopGrowth()
			killChildren(anyChild)
		case <-let:
			let, killed = nil, true
			if l.isolated {
				return exit{Code: -1, Killed: true} // the kernel kills all when PID 1 ends
			}
			stopGrowth()
			killChildren(anyChild)
		case <-l.ended:
		}
		status, found := reapUntil(pid)
		if !found {
			continue
		}
		if !l.isolated {
			stopGrowth()
			endTree()
		}
		e := exit{Code: status.ExitStatus(), Killed: killed, Over: over}
		if status.Signaled() {
			e.Code, e.Signal = -1, status.Signal()
		}
		return e
	}
}

// reapUntil reaps whatever is dead and returns pid's status when that is among
// it.
func reapUntil(pid int) (status syscall.WaitStatus, found bool) {
	for {
		var ws syscall.WaitStatus
		p, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
		case err == syscall.ECHILD && !found:
			return syscall.WaitStatus(syscall.SIGKILL), true // can't be; but never wait for nobody
		case err != nil || p == 0:
			return status, found
		case p == pid:
			status, found = ws, true
		}
	}
}

// endTree kills until we have no child.
func endTree() {
	for !childless() {
		killChildren(anyChild)
		reapUntil(0)
		pauseForDeath()
	}
}

// stopGrowth has what still runs start nothing more: all of it is stopped, in
// rounds until there is nothing new.
func stopGrowth() {
	stopped := map[int]bool{}
	for fresh := true; fresh; {
		fresh = false
		for _, pid := range descendants(os.Getpid()) {
			if !stopped[pid] {
				fresh, stopped[pid] = true, true
				_ = syscall.Kill(pid, syscall.SIGSTOP) // it may have ended meanwhile
			}
		}
	}
}

// start starts the command of t from a thread that is restricted first, so that
// the command is and we are not. That thread must not be the one by which the
// process is known, or the restrictions on signals would let the command reach
// us.
func start(t task) (pid int, b *broker, f *fault) {
	done := make(chan struct{})
	var run func()
	run = func() {
		runtime.LockOSThread() // never unlocked: the thread serves nothing else
		if unix.Gettid() == unix.Getpid() {
			go run() // runs on another thread while this one waits
			<-done
			return
		}
		pid, b, f = startHere(t)
		close(done)
		select {} // the thread must outlive the command
	}
	go run()
	<-done
	return pid, b, f
}

func startHere(t task) (int, *broker, *fault) {
	path, f := resolve(t)
	if f != nil {
		return 0, nil, f
	}
	if err := keepFiles(); err != nil {
		return 0, nil, fail("keep open files from the command", err)
	}
	broker, f := restrict(t.Limits)
	if f != nil {
		return 0, nil, f
	}
	if broker != nil {
		go broker.serve() // ends with us
	}
	attr := &syscall.ProcAttr{Dir: t.Dir, Env: t.Env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true}}
	pid, err := syscall.ForkExec(path, t.Args, attr)
	if err != nil {
		if _, e := os.Stat(t.Dir); e != nil {
			return 0, nil, fail(fmt.Sprintf("change into folder %q", t.Dir), e)
		}
		return 0, nil, fail(fmt.Sprintf("execute %q", path), err)
	}
	return pid, broker, nil
}

// resolve finds the program of t in the command's own PATH, or, with a slash in
// its name, relative to its folder.
func resolve(t task) (string, *fault) {
	name := t.Args[0]
	if strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(t.Dir, path)
		}
		if _, err := os.Stat(path); err != nil {
			return "", &fault{What: t.Dir, Missing: name}
		}
		return path, nil
	}
	path := lookup(t.Env, "PATH")
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return p, nil
		}
	}
	return "", &fault{What: "PATH " + path, Missing: name}
}

// forgetStdio drops our copies of the command's files, so that its pipes end
// when the tree is dead or has closed them.
func forgetStdio() {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return // then they end with us
	}
	for fd := range 3 {
		_ = unix.Dup3(null, fd, unix.O_CLOEXEC) // else it ends with us
	}
	unix.Close(null)
}
