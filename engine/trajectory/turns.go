package trajectory

import (
	"encoding/json"

	"autocoder/engine/event"
	"autocoder/engine/llm"
	"autocoder/engine/outcome"
)

// TurnsSchema names the format and major version of Turns.
const TurnsSchema = "autocoder.turns/1"

// Turns is what a language model did in a run: a fold of its record.
type Turns struct {
	Schema string `json:"schema"`
	// TaskID is the run's, and Description what it was to do.
	TaskID      string     `json:"task_id"`
	Description string     `json:"description"`
	Turns       []llm.Turn `json:"turns"`
	// FinalStatus is the outcome, or how far the run is.
	FinalStatus string `json:"final_status"`
	Success     bool   `json:"success"`
	Totals      Totals `json:"totals"`
}

// Totals are the sums over all turns. CostUSD is nil when a price is not known.
type Totals struct {
	Turns            int      `json:"turns"`
	PromptTokens     int      `json:"prompt_tokens"`
	CompletionTokens int      `json:"completion_tokens"`
	CostUSD          *float64 `json:"cost_usd"`
}

// Turns returns the turns of a record. One that can't be read is left out.
func (r Record) Turns() Turns {
	t := Turns{
		Schema: TurnsSchema, TaskID: r.Header.Run, Description: "make the failing tests of " + r.Header.Root + " pass",
		Turns: []llm.Turn{}, FinalStatus: r.State.String(),
	}
	if r.Report != nil {
		t.FinalStatus = r.Report.Outcome.String()
		t.Success = r.Report.Outcome == outcome.Fixed || r.Report.Outcome == outcome.AlreadyGreen
	}
	cost, priced := 0.0, true
	for _, e := range r.Events {
		var turn llm.Turn
		if e.Kind != event.Turned || json.Unmarshal(e.Blob, &turn) != nil {
			continue
		}
		if turn.Reply != nil && turn.Reply.Text == turn.Thought {
			turn.Reply.Text = turn.Thought // one copy of it is enough
		}
		t.Turns = append(t.Turns, turn)
		t.Totals.PromptTokens += turn.Usage.Prompt + turn.Usage.Cached + turn.Usage.Written
		t.Totals.CompletionTokens += turn.Usage.Completion
		if turn.CostUSD == nil {
			priced = false
		} else {
			cost += *turn.CostUSD
		}
	}
	if t.Totals.Turns = len(t.Turns); priced {
		t.Totals.CostUSD = &cost
	}
	return t
}
