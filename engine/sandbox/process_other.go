//go:build !linux

package sandbox

import (
	"io"
	"os"
	"os/exec"
	"sync"

	"autocoder/engine/command"
)

// process is a command and the group that the system knows it by.
type process struct {
	cmd   *exec.Cmd
	group group
	done  chan struct{} // closed when the group is dead
	exit  command.Exit  // valid once done is closed

	mu            sync.Mutex // guards the fields below, and the group against being killed after its end
	killed, ended bool
}

// start starts the command in a group of its own, with pipes.
func (p *process) start(stdin bool) (*command.Process, error) {
	out := &command.Process{Kill: p.kill, Wait: p.wait}
	var theirs, ours []*os.File
	fail := func(err error) (*command.Process, error) {
		closeFiles(theirs)
		closeFiles(ours)
		return nil, err
	}
	for _, stream := range []struct {
		cmd *io.Writer
		out *io.Reader
	}{{&p.cmd.Stdout, &out.Stdout}, {&p.cmd.Stderr, &out.Stderr}} {
		r, w, err := os.Pipe()
		if err != nil {
			return fail(err)
		}
		theirs, ours = append(theirs, w), append(ours, r)
		*stream.cmd, *stream.out = w, r
	}
	if stdin {
		r, w, err := os.Pipe()
		if err != nil {
			return fail(err)
		}
		theirs, ours = append(theirs, r), append(ours, w)
		p.cmd.Stdin, out.Stdin = r, w
	}
	if err := p.group.start(p.cmd); err != nil {
		return fail(err)
	}
	closeFiles(theirs)
	return out, nil
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// await ends the group when the command has ended.
func (p *process) await() {
	_ = p.cmd.Wait() // ProcessState says it
	p.mu.Lock()
	p.group.end()
	p.ended = true
	p.exit = exitOf(p.cmd.ProcessState)
	p.exit.Killed = p.killed && !p.cmd.ProcessState.Success()
	p.mu.Unlock()
	close(p.done)
}

func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.killed = true
	p.group.kill()
}

func (p *process) wait() command.Exit {
	<-p.done
	return p.exit
}
