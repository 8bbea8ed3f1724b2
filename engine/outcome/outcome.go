// Package outcome names how a run ends and what became of an attempt.
//
// It is pure vocabulary: every run ends in exactly one Outcome, every attempt
// in exactly one Verdict, and both are types so that a switch over them can be
// checked to be complete. The zero value of each is invalid.
package outcome

import "fmt"

// Outcome is how a run ended. Exactly one holds, and it is always true.
type Outcome uint8

// The outcomes of a run.
const (
	Invalid Outcome = iota
	// Fixed means that a patch makes every target pass, loses nothing, and was
	// verified on a fresh copy.
	Fixed
	// NoProgress means that the proposer repeated failures until patience ended.
	NoProgress
	// Budget means that a limit (attempts, time, tests, turns, tokens, money) was
	// reached before it would have been overspent.
	Budget
	// GaveUp means that there was nothing left to try, or that what was found
	// must be decided by a person.
	GaveUp
	// Unrunnable means that the tests could not be run well enough to judge an
	// edit: nothing was touched.
	Unrunnable
	// AlreadyGreen means that nothing was failing.
	AlreadyGreen
	// Cancelled means that the user stopped the run.
	Cancelled
)

// All lists the outcomes in the order in which documents show them.
func All() []Outcome {
	return []Outcome{Fixed, NoProgress, Budget, GaveUp, Unrunnable, AlreadyGreen, Cancelled}
}

// String returns the name used in reports, diagnostics and JSON.
func (o Outcome) String() string {
	switch o {
	case Fixed:
		return "fixed"
	case NoProgress:
		return "no_progress"
	case Budget:
		return "budget"
	case GaveUp:
		return "gave_up"
	case Unrunnable:
		return "unrunnable"
	case AlreadyGreen:
		return "already_green"
	case Cancelled:
		return "cancelled"
	case Invalid:
		return "invalid"
	default:
		return fmt.Sprintf("Outcome(%d)", uint8(o))
	}
}

// MarshalText writes the name; an invalid outcome is an error, since a report
// without an outcome must not exist.
func (o Outcome) MarshalText() ([]byte, error) {
	if o == Invalid || o > Cancelled {
		return nil, fmt.Errorf("marshal outcome: %v is not an outcome", o)
	}
	return []byte(o.String()), nil
}

// UnmarshalText reads a name written by MarshalText.
func (o *Outcome) UnmarshalText(text []byte) error {
	for _, x := range All() {
		if x.String() == string(text) {
			*o = x
			return nil
		}
	}
	return fmt.Errorf("unmarshal outcome: unknown outcome %q", text)
}

// Verdict is what became of one attempt.
type Verdict uint8

// The verdicts of an attempt.
const (
	InvalidVerdict Verdict = iota
	// Applied means that the edit was taken into the state the next proposal
	// builds on.
	Applied
	// Refused means that the guard did not let the edit through.
	Refused
	// RolledBack means that the edit was tried and thrown away.
	RolledBack
	// NotApplicable means that the edit could not be applied, changed nothing or
	// led to a state already tested.
	NotApplicable
)

// String returns the name used in reports and JSON.
func (v Verdict) String() string {
	switch v {
	case Applied:
		return "applied"
	case Refused:
		return "refused"
	case RolledBack:
		return "rolled_back"
	case NotApplicable:
		return "not_applicable"
	case InvalidVerdict:
		return "invalid"
	default:
		return fmt.Sprintf("Verdict(%d)", uint8(v))
	}
}

// MarshalText writes the name; an invalid verdict is an error.
func (v Verdict) MarshalText() ([]byte, error) {
	if v == InvalidVerdict || v > NotApplicable {
		return nil, fmt.Errorf("marshal verdict: %v is not a verdict", v)
	}
	return []byte(v.String()), nil
}

// UnmarshalText reads a name written by MarshalText.
func (v *Verdict) UnmarshalText(text []byte) error {
	for x := Applied; x <= NotApplicable; x++ {
		if x.String() == string(text) {
			*v = x
			return nil
		}
	}
	return fmt.Errorf("unmarshal verdict: unknown verdict %q", text)
}
