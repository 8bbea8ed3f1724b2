package config

import (
	"fmt"
	"strings"
)

// SandboxMode says which sandbox a run asks for.
type SandboxMode uint8

// The sandbox modes.
const (
	// SandboxBest takes the best tier that works; supervised only with consent.
	SandboxBest SandboxMode = iota
	// SandboxRequired takes isolated or nothing.
	SandboxRequired
	// SandboxSupervised takes supervised even where better exists.
	SandboxSupervised
)

// String returns the name used in settings.
func (m SandboxMode) String() string {
	switch m {
	case SandboxBest:
		return "best"
	case SandboxRequired:
		return "required"
	case SandboxSupervised:
		return "supervised"
	default:
		return fmt.Sprintf("SandboxMode(%d)", uint8(m))
	}
}

// MarshalText writes the name.
func (m SandboxMode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads a name written by MarshalText.
func (m *SandboxMode) UnmarshalText(text []byte) error {
	return named(m, text, SandboxBest, SandboxRequired, SandboxSupervised)
}

// AmbiguousMode says what to do with several green patches that differ.
type AmbiguousMode uint8

// The modes of ambiguity.
const (
	// AmbiguousAsk ends in gave_up with the alternatives.
	AmbiguousAsk AmbiguousMode = iota
	// AmbiguousBest takes the first-ranked.
	AmbiguousBest
)

// String returns the name used in settings.
func (m AmbiguousMode) String() string {
	switch m {
	case AmbiguousAsk:
		return "ask"
	case AmbiguousBest:
		return "best"
	default:
		return fmt.Sprintf("AmbiguousMode(%d)", uint8(m))
	}
}

// MarshalText writes the name.
func (m AmbiguousMode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads a name written by MarshalText.
func (m *AmbiguousMode) UnmarshalText(text []byte) error {
	return named(m, text, AmbiguousAsk, AmbiguousBest)
}

// BackgroundMode says what happens on save in an editor.
type BackgroundMode uint8

// The background modes.
const (
	// BackgroundOff does nothing.
	BackgroundOff BackgroundMode = iota
	// BackgroundTest runs the tests and shows what fails.
	BackgroundTest
	// BackgroundFix also prepares a fix, and offers it.
	BackgroundFix
)

// String returns the name used in settings.
func (m BackgroundMode) String() string {
	switch m {
	case BackgroundOff:
		return "off"
	case BackgroundTest:
		return "test"
	case BackgroundFix:
		return "fix"
	default:
		return fmt.Sprintf("BackgroundMode(%d)", uint8(m))
	}
}

// MarshalText writes the name.
func (m BackgroundMode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads a name written by MarshalText.
func (m *BackgroundMode) UnmarshalText(text []byte) error {
	return named(m, text, BackgroundOff, BackgroundTest, BackgroundFix)
}

// EditFormat is how a language model is asked to write its edits.
type EditFormat uint8

// The formats.
const (
	// FormatAuto picks one by the model and the size of the files.
	FormatAuto EditFormat = iota
	// FormatWhole asks for whole files.
	FormatWhole
	// FormatSearch asks for pieces to search for and what to put in their place.
	FormatSearch
	// FormatFunction asks for whole functions.
	FormatFunction
)

// String returns the name used in settings.
func (f EditFormat) String() string {
	switch f {
	case FormatAuto:
		return "auto"
	case FormatWhole:
		return "whole"
	case FormatSearch:
		return "search"
	case FormatFunction:
		return "function"
	default:
		return fmt.Sprintf("EditFormat(%d)", uint8(f))
	}
}

// MarshalText writes the name.
func (f EditFormat) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads a name written by MarshalText.
func (f *EditFormat) UnmarshalText(text []byte) error {
	return named(f, text, FormatAuto, FormatWhole, FormatSearch, FormatFunction)
}

// named sets to the mode whose name is text.
func named[M fmt.Stringer](to *M, text []byte, all ...M) error {
	var names []string
	for _, m := range all {
		if m.String() == string(text) {
			*to = m
			return nil
		}
		names = append(names, m.String())
	}
	return fmt.Errorf("%q is none of %s", text, strings.Join(names, ", "))
}
