// Package llm lets a language model propose edits: the prompt it is given, the
// forms in which it may answer, what a call costs, and when to stop.
//
// A Model is a propose.Proposer like any other. The loop guards, tests and
// verifies what it proposes; a model can't say what its edit is worth. It sees
// the project through its View only, no secret reaches it, and every call is
// bounded before it is made: by turns, tokens, money and time, and by a circuit
// breaker that nothing resets. What a provider says of the cost of a call is held
// against what went over the wire.
package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"autocoder/engine/chat"
	"autocoder/engine/circuit"
	"autocoder/engine/config"
	"autocoder/engine/event"
	"autocoder/engine/flail"
	"autocoder/engine/llm/answer"
	"autocoder/engine/propose"
	"autocoder/engine/redact"
	"autocoder/engine/report"
	"autocoder/engine/textedit"
)

// Completer asks a language model. An error that is a *chat.Error says how the
// call failed.
type Completer interface {
	Complete(ctx context.Context, r chat.Request) (chat.Reply, error)
}

// Options are what a Model works with.
type Options struct {
	Completer Completer
	// Provider and Model name what is asked.
	Provider, Model string
	// Price is what it costs; Priced is false when nobody knows.
	Price  Price
	Priced bool
	// Context is the most tokens of prompt and answer; 0 when it is not known.
	Context int
	Format  config.EditFormat
	// Tools lets the model work with tools in a cell, instead of answering with edits.
	Tools bool
	// Requirement is what is wanted beside passing tests.
	Requirement string
	// Locate runs the failing tests with coverage, for a model that is the only
	// proposer; nil when that can't be.
	Locate func(ctx context.Context, view propose.View) (propose.Coverage, error)
	// Root is the path at which the model sees the workspace.
	Root string
	// Redact takes secrets out of what is sent.
	Redact redact.Redactor
	// Mark is in the marks around data in prompts, and must not be guessed by it.
	Mark string
	Now  func() time.Time
	// Sleep waits between two tries of a call.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Model is a language model as a proposer. It serves one run.
type Model struct {
	options Options
	vault   *vault
	breaker *circuit.Breaker
	flail   flail.Detector
	states  flail.Oscillation
	// format is the one that is asked for now; 0 until the first prompt.
	format  config.EditFormat
	found   propose.Coverage
	learnt  string
	located bool
	turns   int
	usage   report.Usage
	// claimed are the words with which the model said that it is done.
	claimed string
	// left is how many targets did not pass when it was asked last, kept what its edits
	// left in the files, and likely the files that it was shown and may edit.
	left   int
	kept   leftovers
	likely []string
	warned bool
	lied   bool
	probed bool
	// mostAnswer is the most tokens of an answer that the server can give; 0 while it
	// did not complain.
	mostAnswer int
	// thinking is how many tokens a model needs that thinks before it answers; 0 for
	// what is usual.
	thinking int
	// pending is a turn whose calls have no results yet, and detail its words.
	pending *Turn
	detail  string
}

var _ propose.Proposer = (*Model)(nil)

// New returns a model for one run.
func New(o Options) *Model {
	m := &Model{options: o, vault: newVault(o.Redact), breaker: circuit.New(o.Now), format: o.Format}
	m.usage.Model = m.Name()
	if o.Priced {
		m.usage.CostUSD = new(float64)
	}
	return m
}

// Name is "provider:model".
func (m *Model) Name() string { return m.options.Provider + ":" + m.options.Model }

// Usage is what all calls cost so far.
func (m *Model) Usage() report.Usage { return m.usage }

// Fingerprints are those of the last tool calls.
func (m *Model) Fingerprints() []string { return m.flail.Fingerprints() }

// Learn tells the model what an earlier proposer found out.
func (m *Model) Learn(found propose.Coverage, note string) {
	m.found, m.learnt, m.located = found, note, true
}

const (
	// locateShare is the share of the time that is left for finding where the fault is,
	// and locateMost the most of it.
	locateShare = 0.15
	locateMost  = time.Minute
)

// locate finds out, once, where the fault may be. A model can do without.
func (m *Model) locate(ctx context.Context, view propose.View) {
	if m.located || m.options.Locate == nil {
		return
	}
	m.located = true
	most := locateMost
	if end, ok := ctx.Deadline(); ok {
		most = min(most, time.Duration(locateShare*float64(end.Sub(m.options.Now()))))
	}
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	view.Emit(event.Event{Kind: event.PhaseChanged, Text: "finding the lines that the failing tests run"})
	found, err := m.options.Locate(limited, view)
	m.found = found
	if err != nil && limited.Err() == nil {
		view.Emit(event.Event{Kind: event.Warned, Text: fmt.Sprintf("which lines the failing tests run could not be found: %s", oneLine(err.Error(), 200))})
	}
}

// end is an error whose text is a reason by itself.
type end struct {
	text string
	as   error
}

func (e *end) Error() string { return e.text }
func (e *end) Unwrap() error { return e.as }

// giveUp ends the run as gave_up with that reason.
func giveUp(format string, args ...any) error {
	return &end{fmt.Sprintf(format, args...), propose.ErrNothingLeft}
}

// circles ends the run as no_progress.
func circles(format string, args ...any) error {
	return &end{fmt.Sprintf(format, args...), propose.ErrNoProgress}
}

// Propose asks the model for an edit.
func (m *Model) Propose(ctx context.Context, view propose.View, history []propose.Attempt) (propose.Proposal, error) {
	m.warnPrice(view)
	m.locate(ctx, view)
	left := len(view.Result.NotPassing(view.Targets))
	improved := left < m.left
	m.left = left
	m.kept.learn(history, improved)
	if m.claimed != "" && !improved {
		return propose.Proposal{}, giveUp("the model said that it is done, and the tests say that it is not; its last words: %s", m.claimed)
	}
	ask := m.write
	if m.options.Tools {
		ask = m.work
	}
	p, err := ask(ctx, view, history)
	if m.options.Tools && noTools(err) {
		m.options.Tools = false
		view.Emit(event.Event{Kind: event.Warned, Text: m.Name() + " takes no tools: it answers with edits instead"})
		p, err = m.write(ctx, view, history)
	}
	if err != nil {
		return p, err
	}
	p.Patch = m.lean(ctx, view, p.Patch)
	m.kept.propose(view.Read, p.Patch)
	return p, nil
}

// noTools reports whether a server does not take a question because tools are offered
// with it.
func noTools(err error) bool {
	var failed *chat.Error
	if !errors.As(err, &failed) || failed.Fault != chat.Rejected {
		return false
	}
	detail := strings.ToLower(failed.Detail)
	return strings.Contains(detail, "tool") || strings.Contains(detail, "function call")
}

// warnPrice says once that the money limit can't hold.
func (m *Model) warnPrice(view propose.View) {
	if m.warned || m.options.Priced {
		return
	}
	m.warned = true
	view.Emit(event.Event{Kind: event.Warned, Text: fmt.Sprintf(
		"the price of %s is not known, so max_cost can't hold: the run is held by turns, tokens and time; the setting prices gives a price", m.Name())})
}

// Prober is a Completer that can say what it knows of a model.
type Prober interface {
	Probe(ctx context.Context, model string) (chat.Info, error)
}

// learnContext asks a server of one's own, once, how much its model can take: it
// would make no larger context, whatever it is told. A server that does not say so
// is asked all the same.
func (m *Model) learnContext(ctx context.Context) {
	prober, ok := m.options.Completer.(Prober)
	if m.options.Context > 0 || m.probed || m.options.Provider != "ollama" || !ok {
		return
	}
	m.probed = true
	limited, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if info, err := prober.Probe(limited, m.options.Model); err == nil {
		m.options.Context = info.Context
	}
}

// brief is what the prompt is made of now.
func (m *Model) brief(ctx context.Context, view propose.View, history []propose.Attempt) brief {
	b := brief{
		view: view, history: history, requirement: m.options.Requirement, found: m.found, learnt: m.learnt,
		tools: m.options.Tools, mark: m.options.Mark,
	}
	m.learnContext(ctx)
	if m.options.Context > 0 {
		b.most = m.options.Context / 2
	}
	b.code = newCode(b)
	b.lately = b.code.lately(ctx)
	m.likely = b.code.likely()
	if m.format == config.FormatAuto {
		m.format = formatFor(m.options.Provider, m.options.Model, b.code.longest())
	}
	b.format = m.format
	return b
}

// probeTime is how long a server may take to say what it knows of its model.
const probeTime = 10 * time.Second

// mostFailures is how many answers of one attempt may be no edit.
const mostFailures = 3

// write lets the model answer with edits. An answer that is none is asked for
// again in another format, at the cost of a turn.
func (m *Model) write(ctx context.Context, view propose.View, history []propose.Attempt) (propose.Proposal, error) {
	messages := m.brief(ctx, view, history).render()
	base := len(messages)
	problem := ""
	for range mostFailures {
		reply, err := m.ask(ctx, view, messages, nil)
		if err != nil {
			return propose.Proposal{}, err
		}
		text, cut := m.vault.Restore(reply.Text), reply.Stop == chat.Length
		if cut {
			var looped bool
			text, looped = answer.Looped(text)
			cut = !looped // what comes before the loop is whole
		}
		patch, edits, err := m.read(view, text)
		switch {
		case err == nil && edits && !cut:
			return m.proposal(patch, reply.Text), nil // also one that changes nothing: the loop says so
		case err != nil && !isProblem(err):
			return propose.Proposal{}, err
		case cut:
			problem = "the answer was cut at its limit: write less, and only what changes"
		case err != nil:
			problem = err.Error()
		case strings.TrimSpace(text) == "":
			problem = "the answer was empty"
		default:
			if err := m.last(reply.Text); err != nil {
				return propose.Proposal{}, err
			}
			problem = "there is no edit in the answer"
		}
		m.format = nextFormat(m.format)
		again := fmt.Sprintf("That can't be taken: %s.\n\n%s\n\nAnswer again, with all of the edit.", problem, instructions(m.format))
		messages = append(messages[:base:base], chat.Message{Role: chat.Assistant, Text: nonEmpty(clip(reply.Text, 8000))}, chat.Message{Role: chat.User, Text: again})
	}
	return propose.Proposal{}, giveUp("%s gave no edit that can be taken in %d answers: %s", m.Name(), mostFailures, oneLine(problem, 300))
}

func nonEmpty(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(nothing)"
	}
	return text
}

// last is the end of the run when a model says so by itself: with a question for
// a person, or giving up.
func (m *Model) last(text string) error {
	for line := range strings.Lines(text) {
		line = strings.Trim(strings.TrimSpace(line), "*`# ")
		if q, ok := strings.CutPrefix(line, "QUESTION:"); ok {
			return giveUp("the model asks: %s", oneLine(q, 400))
		}
		if why, ok := strings.CutPrefix(line, "GIVE UP:"); ok {
			return giveUp("the model gave up: %s", oneLine(why, 400))
		}
		if line == "DONE" {
			return giveUp("the model says that it is done, and nothing is edited; its last words: %s", oneLine(text, 400))
		}
	}
	return nil
}

// proposal is a patch as the loop takes it, with what the model says of it: only the
// patch has secrets in the place of their names.
func (m *Model) proposal(patch textedit.Patch, text string) propose.Proposal {
	return propose.Proposal{
		Patch: patch, Title: "edit by " + m.Name(), Why: m.why(text), Origin: m.Name(), Ranking: m.found.Suspects,
	}
}
