package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"autocoder/engine/chat"
	"autocoder/engine/propose"
	"autocoder/engine/textedit"
	"autocoder/engine/tool"
)

// theTask is the name of a run's one task for the breaker.
const theTask = "the task"

// work lets the model work with tools until it claims to be done. Each turn checks
// the budget, then whether it goes round in circles, then whether it is done. What
// the tools left is the proposal, whatever the model says of it.
func (m *Model) work(ctx context.Context, view propose.View, history []propose.Attempt) (_ propose.Proposal, err error) {
	box, err := tool.Open(ctx, view, m.vault)
	if err != nil {
		return propose.Proposal{}, err
	}
	defer func() {
		if closing := box.Close(); err == nil {
			err = closing
		}
	}()
	messages := m.brief(ctx, view, history).render()
	for {
		reply, err := m.ask(ctx, view, messages, tool.Tools())
		if err != nil {
			return propose.Proposal{}, err
		}
		if m.flail.Flailing(reply.Calls) {
			m.settleTurn(view, nil)
			return propose.Proposal{}, circles("%s called the same tools with the same arguments again and again", m.Name())
		}
		patch, err := box.Patch()
		if err != nil {
			return propose.Proposal{}, err
		}
		if len(reply.Calls) == 0 {
			return m.claim(view, patch, reply)
		}
		results, err := m.call(ctx, box, reply.Calls)
		m.settleTurn(view, results)
		if err != nil {
			return propose.Proposal{}, err
		}
		if m.states.Oscillating(stateOf(box)) {
			return propose.Proposal{}, circles("%s went back and forth between states that it had left", m.Name())
		}
		messages = append(messages,
			chat.Message{Role: chat.Assistant, Text: reply.Text, Calls: reply.Calls},
			chat.Message{Role: chat.ToolResults, Results: results})
	}
}

// call carries out the calls of one answer. Its error is an open circuit.
func (m *Model) call(ctx context.Context, box *tool.Box, calls []chat.Call) ([]chat.Result, error) {
	var results []chat.Result
	for i, c := range calls {
		if c.ID == "" {
			calls[i].ID = fmt.Sprintf("call-%d", i+1)
		}
		open := m.breaker.ToolCall(theTask)
		name := "tool " + oneLine(c.Name, 40)
		if open == nil {
			open = m.breaker.Allow(name)
		}
		if open != nil {
			return results, giveUp("%v", open)
		}
		c = calls[i]
		if c.Name == tool.Edit {
			c.Arguments = m.vault.Restore(c.Arguments) // a command gets no secret into its hands
		}
		result := box.Do(ctx, c)
		// That a command fails is what it is run for; that a tool can't do its work is not.
		if result.Error != "" {
			m.breaker.Failure(name, oneLine(result.Error, 120))
		} else {
			m.breaker.Success(name)
		}
		if ctx.Err() != nil {
			return results, ctx.Err()
		}
		results = append(results, result)
	}
	return results, nil
}

// claim is what the model's saying that it is done comes to: the edit that the
// tools left, or one that it wrote after all, or the end.
func (m *Model) claim(view propose.View, patch textedit.Patch, reply chat.Reply) (propose.Proposal, error) {
	text := reply.Text
	if len(patch.Ops) == 0 {
		written, _, err := m.read(view, m.vault.Restore(text))
		if err == nil && len(written.Ops) > 0 {
			return m.proposal(written, text), nil
		}
		if err := m.last(text); err != nil {
			return propose.Proposal{}, err
		}
		return propose.Proposal{}, giveUp("the model stopped and has edited nothing; its last words: %s", nonEmpty(oneLine(text, 300)))
	}
	m.claimed = nonEmpty(oneLine(text, 300))
	return m.proposal(patch, text), nil
}

// settleTurn records the results of the calls of the last turn.
func (m *Model) settleTurn(view propose.View, results []chat.Result) {
	if m.pending == nil {
		return
	}
	m.pending.Results = nil
	for _, r := range results {
		m.pending.Results = append(m.pending.Results, m.hiddenResult(r))
	}
	m.emitTurn(view, *m.pending, m.detail)
	m.pending = nil
}

// stateOf identifies what the tools made of the files.
func stateOf(box *tool.Box) string {
	patch, err := box.Patch()
	if err != nil {
		return ""
	}
	text, err := json.Marshal(patch)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
