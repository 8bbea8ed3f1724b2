package chat

import (
	"fmt"
	"time"
)

// Fault is the class of an Error.
type Fault uint8

// The faults.
const (
	InvalidFault Fault = iota
	// NoKey means that the provider needs a key and there is none.
	NoKey
	// Unreachable means that no connection came about.
	Unreachable
	// Untrusted means that the server's certificate is not valid for us.
	Untrusted
	// WrongKey means that the provider does not accept the key.
	WrongKey
	// NoCredit means that the account may not be charged any more.
	NoCredit
	// UnknownModel means that the server has no such model, or not for this key.
	UnknownModel
	// Limited means that the provider asks to wait.
	Limited
	// Overloaded means that the server failed by its own fault.
	Overloaded
	// Rejected means that the server does not understand the request.
	Rejected
	// TooLong means that the prompt does not fit the model, or was cut by the server.
	TooLong
	// Stalled means that the server stopped to answer.
	Stalled
	// Broken means that the answer ended early or is no answer of the protocol.
	Broken
	// Oversized means that the answer is larger than any answer should be.
	Oversized
	// Proxied means that a proxy on the way did not let the call through.
	Proxied
)

// String tells the fault in words.
func (f Fault) String() string {
	switch f {
	case NoKey:
		return "there is no key"
	case Unreachable:
		return "can't be reached"
	case Untrusted:
		return "has a certificate that is not trusted"
	case WrongKey:
		return "does not accept the key"
	case NoCredit:
		return "does not let this account spend more"
	case UnknownModel:
		return "has no such model"
	case Limited:
		return "asks to wait: too many requests"
	case Overloaded:
		return "failed"
	case Rejected:
		return "does not accept the request"
	case TooLong:
		return "can't take a prompt of this length"
	case Stalled:
		return "stopped answering"
	case Broken:
		return "gave an answer that can't be read"
	case Oversized:
		return "gave an answer that is too large"
	case Proxied:
		return "can't be reached through the proxy"
	case InvalidFault:
		return "invalid"
	default:
		return fmt.Sprintf("Fault(%d)", uint8(f))
	}
}

// Passing reports whether the same call may well succeed a little later.
func (f Fault) Passing() bool {
	switch f {
	case Limited, Overloaded, Unreachable, Stalled, Broken:
		return true
	case InvalidFault, NoKey, Untrusted, WrongKey, NoCredit, UnknownModel, Rejected, TooLong, Oversized, Proxied:
		return false
	default:
		return false
	}
}

// Error is a call that brought no answer. Its text is one sentence and never
// holds a key.
type Error struct {
	Fault Fault
	// Provider is the provider's name, Endpoint where it was asked, without
	// credentials, and Model what was asked for.
	Provider, Endpoint, Model string
	// Detail is what the server, or the system, said, shortened. Remedy is what the
	// user can do.
	Detail, Remedy string
	// Status is the HTTP status, 0 when there was none.
	Status int
	// After is how long the server asks to wait, 0 when it does not say.
	After time.Duration
}

// Error is the sentence.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s at %s %s", e.Provider, e.Endpoint, e.Fault)
	switch e.Fault {
	case NoKey:
		text = fmt.Sprintf("there is no key for %s", e.Provider)
	case UnknownModel:
		text = fmt.Sprintf("%s at %s has no model %q", e.Provider, e.Endpoint, e.Model)
	case InvalidFault, Unreachable, Untrusted, WrongKey, NoCredit, Limited, Overloaded, Rejected, TooLong, Stalled, Broken, Oversized, Proxied:
	default:
	}
	if e.Status > 0 {
		text += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}
