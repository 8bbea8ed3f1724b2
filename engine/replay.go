package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync/atomic"
	"time"

	"autocoder/engine/budget"
	"autocoder/engine/chat"
	"autocoder/engine/config"
	"autocoder/engine/event"
	"autocoder/engine/llm"
	"autocoder/engine/llm/transport"
	"autocoder/engine/outcome"
	"autocoder/engine/redact"
	"autocoder/engine/report"
	"autocoder/engine/textedit"
	"autocoder/engine/trajectory"
)

// setup is how a run was begun, as its record has it.
type setup struct {
	Only     []string        `json:"only,omitempty"`
	Unit     string          `json:"unit,omitempty"`
	Settings config.Settings `json:"settings"`
	// Files is the digest of the project's files; empty when it is not known.
	Files string `json:"files,omitempty"`
}

// setup is that of a request; a record without it can't be replayed.
func (w *Workspace) setup(ctx context.Context, req FixRequest, model *llm.Model) json.RawMessage {
	how := setup{Only: req.Only, Unit: req.Unit, Settings: w.settings}
	if how.Settings.BaseURL != "" {
		how.Settings.BaseURL = transport.Shown(how.Settings.BaseURL) // it may hold credentials
	}
	if model != nil { // it is such runs that are replayed
		if files, err := w.filesDigest(ctx); err == nil {
			how.Files = files
		}
	}
	text, err := json.Marshal(how)
	if err != nil {
		return nil
	}
	return text
}

// beforeEdits records of each file that is to be edited what stood there, so that a
// replay works on the same files when they have changed since.
func (x *world) beforeEdits(sink event.Sink) event.Sink {
	seen := map[string]bool{}
	return func(e event.Event) {
		sink(e)
		if e.Kind != event.Proposed {
			return
		}
		for _, path := range e.Files {
			if seen[path] {
				continue
			}
			seen[path] = true
			f, err := x.shadow.Read(path)
			if err != nil || f.Kind != textedit.Regular && f.Kind != textedit.Absent {
				continue
			}
			before := event.Event{Time: e.Time, Kind: event.Before, Text: path, Blob: f.Content}
			if f.Kind == textedit.Absent {
				before.Detail = "absent"
			}
			sink(before)
		}
	}
}

// Replayed is what the replay of a run came to.
type Replayed struct {
	// Recorded is the report of the run, and Report that of the replay.
	Recorded, Report report.Report
	// Same means that both have the same outcome, Changed that the project's files are
	// not those of then.
	Same, Changed bool
}

// RecordedSettings are the settings with which a recorded run was made, and the
// folder it worked on. The error is a *trajectory.NotFound when there is no such
// run, and a *UsageError when it can't be replayed.
func RecordedSettings(runsDir, id string) (root string, s config.Settings, err error) {
	_, how, root, err := recorded(runsDir, id)
	return root, how.Settings, err
}

// recorded reads a run that can be replayed.
func recorded(runsDir, id string) (record trajectory.Record, how setup, root string, err error) {
	if record, err = trajectory.Load(runsDir, id); err != nil {
		return record, how, "", err
	}
	switch {
	case record.Report == nil:
		return record, how, "", &UsageError{Message: fmt.Sprintf("the run %s has no report: it can't be replayed", record.Header.Run)}
	case record.Header.Setup == nil:
		return record, how, "", &UsageError{Message: fmt.Sprintf("the run %s was recorded without its settings: it can't be replayed", record.Header.Run)}
	}
	if err := json.Unmarshal(record.Header.Setup, &how); err != nil {
		return record, how, "", fmt.Errorf("read the settings of the run %s: %w", record.Header.Run, err)
	}
	return record, how, record.Header.Root, nil
}

// Replay carries out a recorded run again, without a model: its answers are those
// of the record. Files that were edited are as they were then. A run that was
// cancelled is cancelled at the same place, and one whose time ended has no time left
// there: its model takes none. The workspace must have been opened with the run's own
// settings. Nothing is applied.
func (w *Workspace) Replay(ctx context.Context, id string) (Replayed, error) {
	record, how, _, err := recorded(w.runsDir(), id)
	if err != nil {
		return Replayed{}, err
	}
	out := Replayed{Recorded: *record.Report}
	buffers, completer, options := w.buffers, w.completer, w.options
	defer func() { w.buffers, w.completer, w.options = buffers, completer, options }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.buffers, w.options.CostGiven = before(buffers, record.Events), false
	answers := &recordedAnswers{turns: record.Turns().Turns, cancel: cancel}
	w.completer = answers
	outOfTime := &budget.Exceeded{What: budget.Time, Limit: w.settings.MaxTime.String()}
	switch {
	case out.Recorded.Outcome == outcome.Cancelled:
		w.options.Sink = after(milestones(record.Events), cancel, options.Sink)
	case out.Recorded.Outcome == outcome.Budget && out.Recorded.Reason == outOfTime.Error():
		answers.late = outOfTime
		clock := &leap{now: options.Now, by: w.settings.MaxTime}
		w.options.Now = clock.read
		w.options.Sink = after(milestones(record.Events), func() { clock.leapt.Store(true) }, options.Sink)
	}
	if files, err := w.filesDigest(ctx); err == nil {
		out.Changed = how.Files != "" && files != how.Files
	}
	out.Report, err = w.Fix(ctx, FixRequest{Only: how.Only, Unit: how.Unit})
	out.Same = err == nil && out.Report.Outcome == out.Recorded.Outcome
	return out, err
}

// before lays what stood in the edited files over the buffers.
func before(buffers map[string][]byte, events []event.Event) map[string][]byte {
	all := map[string][]byte{}
	maps.Copy(all, buffers)
	for _, e := range events {
		// What was kept without its secrets is not what stood there.
		if e.Kind == event.Before && e.Detail == "" && !bytes.Contains(e.Blob, []byte(redact.Mark)) {
			all[e.Text] = e.Blob
		}
	}
	return all
}

// milestones is how many steps a run has made, as its events tell.
func milestones(events []event.Event) int {
	n := 0
	for _, e := range events {
		if milestone(e.Kind) {
			n++
		}
	}
	return n
}

func milestone(k event.Kind) bool {
	switch k {
	case event.RunStarted, event.PhaseChanged, event.TestsFinished, event.Proposed, event.AttemptFinished, event.Turned, event.Verified:
		return true
	case event.Invalid, event.CandidatesTried, event.Before, event.Warned, event.RunFinished:
		return false
	default:
		return false
	}
}

// after is a sink that does something when a run has made so many steps.
func after(steps int, do func(), sink event.Sink) event.Sink {
	return func(e event.Event) {
		if milestone(e.Kind) {
			steps--
		}
		if steps <= 0 {
			do()
		}
		sink(e)
	}
}

// leap is a clock that goes on by much at once.
type leap struct {
	now   func() time.Time
	by    time.Duration
	leapt atomic.Bool
}

func (l *leap) read() time.Time {
	if l.leapt.Load() {
		return l.now().Add(l.by)
	}
	return l.now()
}

// recordedAnswers are a model's answers of a record, one after the other.
type recordedAnswers struct {
	turns []llm.Turn
	next  int
	// cancel ends the run, and late is the error of a call whose time ended.
	cancel context.CancelFunc
	late   *budget.Exceeded
}

// Complete answers as the record does. An error that may pass stays the answer for as
// long as it is asked for again: it ended the call then, too.
func (a *recordedAnswers) Complete(ctx context.Context, _ chat.Request) (chat.Reply, error) {
	if a.next >= len(a.turns) {
		return chat.Reply{}, &chat.Error{Fault: chat.Rejected, Provider: "the record", Endpoint: "the end", Detail: "it has no more answers"}
	}
	t := a.turns[a.next]
	switch {
	case t.Error != nil:
		if !t.Error.Fault.Passing() && a.next+1 < len(a.turns) {
			a.next++ // the run went on without what was refused
		}
		return chat.Reply{}, t.Error
	case t.Reply == nil && a.late != nil:
		return chat.Reply{}, a.late
	case t.Reply == nil:
		a.cancel() // the call was cancelled before it had an answer
		return chat.Reply{}, ctx.Err()
	}
	a.next++
	return *t.Reply, nil
}
