package lsp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"autocoder/engine"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// jobSpec is a piece of work that a command starts. Progress, cancelling, the
// last words and what happens when it crashes are the same for all.
type jobSpec struct {
	// title is what the user sees of the job.
	title string
	root  string
	// from is the document that the user was in, "" when that is not known.
	from string
	// docs are the documents that were open when the job began.
	docs documents
	rank rank
	run  func(ctx context.Context, j *job) (ending, error)
}

// rank says which of the jobs of a root goes first: one at a time runs, and a
// higher one ends a lower one.
type rank uint8

const (
	// beside jobs run beside others.
	beside rank = iota
	// background jobs were asked for by nobody: they tell nothing but what they find.
	background
	// looking jobs show how things are.
	looking
	// fixing jobs change them.
	fixing
)

// ending is the last word of a job.
type ending struct {
	kind protocol.MessageType
	text string
	// quiet: the user has been told already, or need not be.
	quiet bool
}

// job is a jobSpec that runs.
type job struct {
	jobSpec
	id string
	// request is the one that started the job.
	request jsonrpc2.ID
	cancel  context.CancelFunc
	// ending: it was cancelled, and what comes next waits for its end. It is guarded by
	// the server's mutex.
	ending bool
	// disk is how often files had changed on disk when the job took what it works on.
	disk     int
	progress *progress
	// finish takes the job out of the server's list, and done is then closed.
	finish func()
	done   chan struct{}
}

// stop cancels a job. The server's mutex is held.
func (j *job) stop() {
	j.ending = true
	j.cancel()
}

// started is the answer of a command that starts a job.
type started struct {
	Job string `json:"job"`
	// Running says that the job was there before, and the command started nothing.
	Running bool `json:"running,omitempty"`
}

// start runs a job, or says which one is in its way.
func (s *Server) start(request context.Context, spec jobSpec) started {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.base.Err() != nil {
		return started{}
	}
	var before []*job
	for _, other := range s.jobs {
		if spec.rank == beside || other.rank == beside || other.root != spec.root {
			continue
		}
		if other.rank >= spec.rank && other.rank != background && !other.ending {
			if spec.rank == background {
				return started{Job: other.id, Running: true}
			}
			s.say(protocol.MessageTypeWarning, "%q is running in %s: cancel it, or wait for its end", other.title, spec.root)
			return started{Job: other.id, Running: true}
		}
		before = append(before, other)
		other.stop()
	}
	s.lastJob++
	ctx, cancel := context.WithCancel(s.base)
	j := &job{jobSpec: spec, id: fmt.Sprintf("autocoder-%d", s.lastJob), cancel: cancel, done: make(chan struct{})}
	j.request, _ = request.Value(requestKey{}).(jsonrpc2.ID)
	j.progress = s.newProgress(j)
	if j.root != "" {
		s.watchFrom(j.root)
		j.disk = s.project(j.root).disk
	}
	j.finish = sync.OnceFunc(func() { s.forgetJob(j) })
	s.jobs[j.id] = j
	s.work.Go(func() {
		defer j.finish()
		for _, other := range before {
			<-other.done
		}
		s.work1(ctx, j)
	})
	return started{Job: j.id}
}

// forgetJob makes room for the next.
func (s *Server) forgetJob(j *job) {
	s.mu.Lock()
	delete(s.jobs, j.id)
	idle := len(s.jobs) == 0
	s.mu.Unlock()
	j.cancel()
	close(j.done)
	if idle {
		// A server has nothing to do for most of its life: what a job needed is given back.
		s.work.Go(debug.FreeOSMemory)
	}
}

// work1 does a job with all that goes around it.
func (s *Server) work1(ctx context.Context, j *job) {
	if j.rank == background {
		end, err := s.guarded(ctx, j)
		if err != nil && ctx.Err() == nil {
			s.note("%s: %v", j.title, err)
		}
		j.finish()
		j.progress.end(end.text)
		return
	}
	j.progress.begin(ctx)
	end, err := s.guarded(ctx, j)
	if err != nil {
		end = s.failed(ctx, j, err)
	}
	j.finish() // before the user hears of it, who may start the next at once
	j.progress.end(end.text)
	if !end.quiet && s.base.Err() == nil {
		s.say(end.kind, "%s", end.text)
	}
}

// crash is the error of a job that panicked.
type crash struct{ value any }

func (c *crash) Error() string { return fmt.Sprintf("autocoder has a bug: %v", c.value) }

// guarded runs a job and makes an error of its panic.
func (s *Server) guarded(ctx context.Context, j *job) (end ending, err error) {
	defer func() {
		if r := recover(); r != nil {
			s.cfg.Log.Error("panic", "job", j.title, "value", r, "stack", string(debug.Stack()))
			err = &crash{r}
		}
	}()
	return j.run(ctx, j)
}

// safely does something that is no job, and survives its panic.
func (s *Server) safely(what string, do func()) {
	defer func() {
		if r := recover(); r != nil {
			s.cfg.Log.Error("panic", "while", what, "value", r, "stack", string(debug.Stack()))
		}
	}()
	do()
}

// failed says what became of a job that came to nothing.
func (s *Server) failed(ctx context.Context, j *job, err error) ending {
	var locked *engine.Locked
	switch {
	case ctx.Err() != nil:
		return ending{kind: protocol.MessageTypeInfo, text: j.title + ": cancelled"}
	case errors.As(err, &locked):
		return ending{kind: protocol.MessageTypeWarning, text: locked.Error()}
	}
	s.showFailure(j, err)
	return ending{kind: protocol.MessageTypeError, text: fmt.Sprintf("%s: %v", j.title, err)}
}

// cancelJobs ends the jobs that match, and says how many.
func (s *Server) cancelJobs(match func(*job) bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, j := range s.jobs {
		if match(j) {
			j.stop()
			n++
		}
	}
	return n
}

// cancelProgress ends the job whose progress the user cancelled.
func (s *Server) cancelProgress(p *protocol.WorkDoneProgressCancelParams) {
	token, _ := p.Token.(protocol.String)
	s.cancelJobs(func(j *job) bool { return j.id == string(token) })
}
