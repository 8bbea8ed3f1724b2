package lsp

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"autocoder/engine/event"

	"go.lsp.dev/protocol"
)

// MethodStatus is the notification that tells what goes on in a root, for a
// status line.
const MethodStatus = "autocoder/status"

// Status is the content of MethodStatus.
type Status struct {
	Root string `json:"root"`
	// State is "running" or "idle".
	State string `json:"state"`
	// Outcome and Run are those of the last run that ended, "" when there is none.
	Outcome string `json:"outcome"`
	Message string `json:"message"`
	Run     string `json:"run"`
	// Job is the id of the job that runs, "" when none does.
	Job      string `json:"job"`
	Attempts int    `json:"attempts"`
	// Spent is what the run that goes on, or the last one, has cost so far.
	Spent string `json:"spent"`
	// Ready says, when nothing runs, that a fix that nobody asked for waits to be taken.
	Ready bool `json:"ready"`
}

// reportEvery is how far apart two reports of a job's progress are at least.
const reportEvery = 500 * time.Millisecond

// createWait is how long an editor may take to make room for progress; a job
// does not wait for more.
const createWait = 3 * time.Second

// progress tells an editor how a job goes: it begins once, reports at most twice
// a second, and ends once.
type progress struct {
	s    *Server
	job  *job
	root string

	mu sync.Mutex
	// guarded by mu
	shown, ended bool
	// told: the status line knows of the job.
	told     bool
	last     time.Time
	message  string
	attempts int
	spent    string
	timer    *time.Timer
}

func (s *Server) newProgress(j *job) *progress { return &progress{s: s, job: j, root: j.root} }

// begin shows the job. It is not shown in an editor that can't, or does not
// answer.
func (p *progress) begin(ctx context.Context) {
	p.s.mu.Lock()
	can := p.s.caps.workDone
	p.s.mu.Unlock()
	if can {
		limited, cancel := context.WithTimeout(ctx, createWait)
		err := p.s.call(limited, protocol.MethodWindowWorkDoneProgressCreate,
			&protocol.WorkDoneProgressCreateParams{Token: protocol.String(p.job.id)}, nil)
		cancel()
		can = err == nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = p.s.cfg.Now()
	p.shown = can
	if can {
		p.send(&protocol.WorkDoneProgressBegin{Kind: "begin", Title: p.job.title, Cancellable: ptr(true)})
	}
	p.status("running")
}

// send sends a value of the progress. p.mu is held.
func (p *progress) send(value any) {
	raw, err := protocol.Marshal(value)
	if err != nil {
		p.s.cfg.Log.Error("encode progress", "error", err)
		return
	}
	p.s.out.send(protocol.MethodProgress, &protocol.ProgressParams{Token: protocol.String(p.job.id), Value: raw})
}

// status tells the status line. p.mu is held.
func (p *progress) status(state string) {
	st := Status{Root: p.root, State: state, Message: p.message, Job: p.job.id, Attempts: p.attempts, Spent: p.spent}
	if p.job.rank == background {
		st.Message = joined(": ", "in the background", p.message)
	}
	p.told = true
	p.s.out.send(MethodStatus, st)
}

// say reports how the job goes, now or when half a second has passed.
func (p *progress) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || text == "" {
		return
	}
	p.message = text
	if p.timer != nil {
		return
	}
	wait := reportEvery - p.s.cfg.Now().Sub(p.last)
	if wait <= 0 {
		p.report()
		return
	}
	p.timer = time.AfterFunc(wait, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.timer = nil
		if !p.ended {
			p.report()
		}
	})
}

// report sends what is to be told last. p.mu is held.
func (p *progress) report() {
	p.last = p.s.cfg.Now()
	if p.shown {
		p.send(&protocol.WorkDoneProgressReport{Kind: "report", Message: ptr(p.message)})
	}
	p.status("running")
}

// end ends the progress, whatever happened.
func (p *progress) end(text string) {
	p.mu.Lock()
	p.ended = true
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.shown {
		line, _, _ := strings.Cut(text, "\n")
		p.send(&protocol.WorkDoneProgressEnd{Kind: "end", Message: &line})
	}
	told := p.told
	p.mu.Unlock()
	if !told {
		p.s.mu.Lock()
		defer p.s.mu.Unlock()
		p.s.tellReady() // a fix may have come all the same
		return
	}
	if other := p.s.busiest(p.root); other != nil {
		other.progress.again()
		return
	}
	p.s.rests(p.root, text)
}

// again tells the status line what it was told last, unless that is over.
func (p *progress) again() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.status("running")
	}
}

// busiest is the job of the highest rank that runs in a root, nil for none.
func (s *Server) busiest(root string) (most *job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy(root)
}

// busy is busiest for who holds s.mu.
func (s *Server) busy(root string) (most *job) {
	for _, j := range s.jobs {
		if j.root == root && (most == nil || j.rank > most.rank) {
			most = j
		}
	}
	return most
}

// rests tells the status line that nothing runs in a root.
func (s *Server) rests(root, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tellIdle(root, text)
}

// tellIdle is rests for who holds s.mu: what is told last is how it is.
func (s *Server) tellIdle(root, text string) {
	line, _, _ := strings.Cut(text, "\n")
	st := Status{Root: root, State: "idle", Message: line}
	if p := s.projects[root]; p != nil {
		st.Ready = p.ready()
		p.toldReady = st.Ready
		if p.last != nil {
			st.Outcome, st.Run = p.last.Outcome.String(), p.last.Run
			st.Attempts, st.Spent = len(p.last.Attempts), p.last.Spent
		}
	}
	s.out.send(MethodStatus, st)
}

// tellReady tells the status lines in whose projects a fix that nobody asked for came or
// went. Where something runs its end tells that. s.mu is held.
func (s *Server) tellReady() {
	for root, p := range s.projects {
		if p.ready() != p.toldReady && s.busy(root) == nil {
			s.tellIdle(root, map[bool]string{true: fixIsReady}[p.ready()])
		}
	}
}

// sink tells the events of a run as progress.
func (p *progress) sink(e event.Event) {
	p.mu.Lock()
	if e.Kind == event.Proposed {
		p.attempts = e.N
	}
	if e.Kind == event.Turned {
		p.spent = e.Text
	}
	p.mu.Unlock()
	p.say(told(e))
}

// told is an event in a few words, "" when it is not worth them.
func told(e event.Event) string {
	switch e.Kind {
	case event.PhaseChanged:
		return e.Text
	case event.TestsFinished:
		return "tests: " + e.Text
	case event.Proposed:
		return fmt.Sprintf("#%d %s", e.N, e.Text)
	case event.AttemptFinished:
		return fmt.Sprintf("#%d %s", e.N, e.Text)
	case event.CandidatesTried:
		return fmt.Sprintf("looking for a fix: %d candidates tried", e.N)
	case event.Turned:
		return e.Text
	case event.Verified:
		return "verified: " + e.Text
	case event.Warned, event.RunStarted, event.RunFinished, event.Before, event.Invalid:
		return ""
	default:
		return ""
	}
}
