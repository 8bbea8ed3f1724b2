// Package flail notices when a model goes round in circles: it calls the same
// tools with the same arguments again and again, or comes back to states that it
// left.
//
// Both detectors look at a whole run and never forget. They are pure.
package flail

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"autocoder/engine/chat"
)

const (
	// mostRepeats is how often the same calls may come one after the other.
	mostRepeats = 3
	// mostReturns is how often a run may come back to states that it left.
	mostReturns = 3
	// shown is how many fingerprints a report has.
	shown = 10
)

// Fingerprint identifies calls by their names and arguments, in whatever order and
// with whatever ids; it is empty when there are none.
func Fingerprint(calls []chat.Call) string {
	if len(calls) == 0 {
		return ""
	}
	type call struct {
		Arguments json.RawMessage `json:"arguments"`
		Name      string          `json:"name"`
	}
	texts := make([]string, len(calls))
	for i, c := range calls {
		text, err := json.Marshal(call{Name: c.Name, Arguments: canonical(c.Arguments)})
		if err != nil {
			text = []byte(c.Name + c.Arguments) // both are texts
		}
		texts[i] = string(text)
	}
	slices.Sort(texts)
	h := sha256.New()
	for i, t := range texts {
		h.Write([]byte{"[,"[min(i, 1)]})
		h.Write([]byte(t))
	}
	h.Write([]byte("]"))
	return hex.EncodeToString(h.Sum(nil))
}

// canonical is JSON with sorted keys and no blanks; what is no JSON is a text.
func canonical(arguments string) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader([]byte(arguments)))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil || d.More() {
		value = arguments
	}
	text, err := json.Marshal(value) // sorts the keys of objects
	if err != nil {
		return json.RawMessage(`""`)
	}
	return text
}

// Detector finds calls that repeat. The zero Detector is ready.
type Detector struct {
	last    string
	repeats int
	prints  []string
}

// Flailing notes the calls of a turn and reports whether the same ones came too
// often, one turn after the other. A turn without calls is never flailing.
func (d *Detector) Flailing(calls []chat.Call) bool {
	print := Fingerprint(calls)
	if print == "" {
		return false
	}
	d.prints = append(d.prints, print)
	d.prints = d.prints[max(0, len(d.prints)-shown):]
	if print != d.last {
		d.last, d.repeats = print, 0
	}
	d.repeats++
	return d.repeats >= mostRepeats
}

// Fingerprints are the last ten, the oldest first.
func (d *Detector) Fingerprints() []string { return slices.Clone(d.prints) }

// Oscillation finds states that are visited again. The zero Oscillation is ready.
type Oscillation struct {
	seen    map[string]bool
	last    string
	returns int
}

// Oscillating notes the state after a turn and reports whether the run came back
// too often to states that it had left. Staying in a state is no return.
func (o *Oscillation) Oscillating(state string) bool {
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	if state != o.last && o.seen[state] {
		o.returns++
	}
	o.seen[state], o.last = true, state
	return o.returns >= mostReturns
}
