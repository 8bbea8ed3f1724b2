package testresult

import "fmt"

// Reason says why a unit or a part of it could not be judged.
type Reason uint8

// The reasons of an unusable unit or part.
const (
	NoReason Reason = iota
	NotInstalled
	NoTests
	CollectionError
	BuildError
	SyntaxError
	ImportError
	Timeout
	Hang
	Crashed
	ExitedEarly
	OutOfMemory
	ConfigError
	InternalError
	ReportMissing
	ReportInvalid
	ReportTooLarge
	SandboxBlocked
	SandboxUnavailable
	TestsRunElsewhere
	SuiteLongerThanBudget
)

// Reasons lists every reason but NoReason.
func Reasons() []Reason {
	var all []Reason
	for r := NotInstalled; r <= SuiteLongerThanBudget; r++ {
		all = append(all, r)
	}
	return all
}

// String returns the name used in reports and JSON.
func (r Reason) String() string {
	switch r {
	case NoReason:
		return ""
	case NotInstalled:
		return "not_installed"
	case NoTests:
		return "no_tests"
	case CollectionError:
		return "collection_error"
	case BuildError:
		return "build_error"
	case SyntaxError:
		return "syntax_error"
	case ImportError:
		return "import_error"
	case Timeout:
		return "timeout"
	case Hang:
		return "hang"
	case Crashed:
		return "crashed"
	case ExitedEarly:
		return "exited_early"
	case OutOfMemory:
		return "out_of_memory"
	case ConfigError:
		return "config_error"
	case InternalError:
		return "internal_error"
	case ReportMissing:
		return "report_missing"
	case ReportInvalid:
		return "report_invalid"
	case ReportTooLarge:
		return "report_too_large"
	case SandboxBlocked:
		return "sandbox_blocked"
	case SandboxUnavailable:
		return "sandbox_unavailable"
	case TestsRunElsewhere:
		return "tests_run_elsewhere"
	case SuiteLongerThanBudget:
		return "suite_longer_than_budget"
	default:
		return fmt.Sprintf("Reason(%d)", uint8(r))
	}
}

// MarshalText writes the name; NoReason is the empty text.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a name written by MarshalText.
func (r *Reason) UnmarshalText(text []byte) error {
	for x := NoReason; x <= SuiteLongerThanBudget; x++ {
		if x.String() == string(text) {
			*r = x
			return nil
		}
	}
	return fmt.Errorf("unmarshal reason: unknown reason %q", text)
}
