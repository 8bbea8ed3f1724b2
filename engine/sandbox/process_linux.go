package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"autocoder/engine/command"
)

// process is our side of a command in a cell.
type process struct {
	stdin          *os.File // nil when the command reads nothing
	stdout, stderr *drain
	leash          *net.UnixConn
	done           chan struct{} // closed when the whole tree is dead
	exit           command.Exit  // valid once done is closed
	bound          string        // how the number of its processes is bounded

	mu     sync.Mutex // guards killed
	killed bool
}

// launch has the supervisor fork a launcher, gives it t, and returns when the
// command runs.
func (c *Cell) launch(t task, stdin bool) (*process, error) {
	p := &process{done: make(chan struct{})}
	theirs, err := p.open(stdin)
	defer closeAll(theirs)
	if err != nil {
		p.release()
		return nil, err
	}
	if err := c.enter(p); err != nil {
		p.release()
		return nil, err
	}
	over := c.group.watch()
	err = c.order(order{Start: true}, theirs...)
	closeAll(theirs) // else the pipes would never end
	if err == nil {
		if err = sendFrame(p.leash, t); err != nil {
			err = fmt.Errorf("send to launcher: %w", err)
		}
	}
	var n news
	if err == nil {
		if err = receiveFrame(p.leash, &n); err != nil {
			err = c.lost(fmt.Errorf("launcher: %w", err))
		}
	}
	if err == nil && n.Fault != nil {
		err = startError(n.Fault)
	}
	p.bound = n.Bound
	if err != nil {
		p.release()
		close(p.done)
		c.forget()
		return nil, err
	}
	go func() { // ends when the tree is dead; Close waits for it
		p.follow(c.dead, over)
		c.forget()
	}()
	return p, nil
}

// startError makes the error of Start of what the launcher says.
func startError(f *fault) error {
	if f.Missing != "" {
		return &exec.Error{Name: f.Missing, Err: fmt.Errorf("%w in %s", ErrNotFound, f.What)}
	}
	return f.err()
}

// open makes the pipes and the leash and returns the command's ends: stdin,
// stdout, stderr, leash.
func (p *process) open(stdin bool) (theirs []*os.File, err error) {
	in, err := os.Open(os.DevNull)
	if stdin {
		if in != nil {
			in.Close()
		}
		in, p.stdin, err = pipe()
		p.stdin, err = ours(p.stdin, err)
	}
	if err != nil {
		return nil, err
	}
	theirs = append(theirs, in)
	for _, out := range []**drain{&p.stdout, &p.stderr} {
		r, w, err := pipe()
		if err != nil {
			return theirs, err
		}
		theirs = append(theirs, w)
		if r, err = ours(r, nil); err != nil {
			return theirs, err
		}
		*out = &drain{file: r}
	}
	leash, end, err := socketPair(unix.SOCK_STREAM)
	if err != nil {
		return theirs, err
	}
	p.leash = leash
	return append(theirs, end), nil
}

// follow reads the leash until the tree is dead. over says what else was too much.
func (p *process) follow(supervisorDead <-chan struct{}, over func() string) {
	defer close(p.done)
	p.exit = command.Exit{Code: -1}
	reaped, known := false, false
	for {
		var n news
		if err := receiveFrame(p.leash, &n); err != nil {
			break
		}
		reaped = reaped || n.Reaped
		if e := n.Exit; e != nil {
			known = true
			p.exit = command.Exit{Code: e.Code, Killed: e.Killed, Over: e.Over, Refused: e.Refused}
			if e.Signal != 0 {
				p.exit.Code, p.exit.Signal = -1, unix.SignalName(e.Signal)
			}
		}
	}
	if !reaped {
		<-supervisorDead // it was killed; what it held dies with it
	}
	p.exit.Over = cmp.Or(p.exit.Over, over())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leash.Close()
	if p.stdin != nil {
		p.stdin.Close() // nobody reads it any more
	}
	if !known {
		p.exit.Killed = p.killed
		if !p.killed {
			p.exit.Signal = "SIGKILL" // someone killed the launcher
		}
	}
}

// kill has the launcher end the tree, by closing our direction of the leash.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.killed = true
	_ = p.leash.CloseWrite() // already closed when the tree is dead
}

func (p *process) wait() command.Exit {
	<-p.done
	return p.exit
}

// release closes our ends of the pipes.
func (p *process) release() {
	if p.stdin != nil {
		p.stdin.Close()
	}
	for _, d := range []*drain{p.stdout, p.stderr} {
		if d != nil {
			d.close()
		}
	}
	if p.leash != nil {
		p.leash.Close()
	}
}

// enter adds p to what Close waits for.
func (c *Cell) enter(p *process) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	c.processes[p] = true
	return nil
}

// forget drops the processes of which nothing is left to close.
func (c *Cell) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p := range c.processes {
		select {
		case <-p.done:
			if p.stdout.closed.Load() && p.stderr.closed.Load() {
				delete(c.processes, p)
			}
		default:
		}
	}
}

// drain is our end of an output pipe; it closes itself when it has been read to
// its end, because a Process has no Close.
type drain struct {
	file   *os.File
	closed atomic.Bool
}

func (d *drain) Read(b []byte) (int, error) {
	n, err := d.file.Read(b)
	if errors.Is(err, os.ErrClosed) {
		err = io.EOF
	}
	if err != nil {
		d.close()
	}
	return n, err
}

func (d *drain) close() {
	d.closed.Store(true)
	d.file.Close()
}

// pipe makes a pipe whose ends block, as programs expect theirs to.
func pipe() (r, w *os.File, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	return os.NewFile(uintptr(fds[0]), "pipe"), os.NewFile(uintptr(fds[1]), "pipe"), nil
}

// ours makes f an end that can be closed while it is being read or written.
func ours(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	f.Close()
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fd), "pipe"), nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
