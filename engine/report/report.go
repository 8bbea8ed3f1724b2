// Package report is what a run tells: the Report with its JSON contract, and
// its text for a terminal.
//
// The JSON names are a contract. Additions are free; readers ignore fields
// they don't know and refuse a newer major schema by name.
package report

import (
	"autocoder/engine/outcome"
	"autocoder/engine/testresult"
)

// Schema names the format and major version of a Report.
const Schema = "autocoder.report/1"

// Check is what one layer of verification said: "passed", "failed", or "none"
// when that layer was not run.
type Check string

// The answers of a Check.
const (
	CheckNone   Check = "none"
	CheckPassed Check = "passed"
	CheckFailed Check = "failed"
)

// Report is everything a run says.
type Report struct {
	Schema  string          `json:"schema"`
	Run     string          `json:"run"`
	Outcome outcome.Outcome `json:"outcome"`
	// Reason is one sentence; Next says what the user can do, or is empty.
	Reason       string        `json:"reason"`
	Next         string        `json:"next"`
	Alternatives []Alternative `json:"alternatives"`
	Partial      *Partial      `json:"partial"`
	LeftFailing  []string      `json:"left_failing"`
	// Applied says whether the user's folder was changed.
	Applied    bool      `json:"applied"`
	Proposer   string    `json:"proposer"`
	Root       string    `json:"root"`
	Shadow     string    `json:"shadow"`
	Sandbox    string    `json:"sandbox"`
	Units      []Unit    `json:"units"`
	Baseline   Tests     `json:"baseline"`
	Final      Tests     `json:"final"`
	Attempts   []Attempt `json:"attempts"`
	Edits      Edits     `json:"edits"`
	TestRuns   int       `json:"test_runs"`
	Candidates int       `json:"candidates"`
	Diff       string    `json:"diff"`
	Warnings   []string  `json:"warnings"`
	Usage      Usage     `json:"usage"`
	// Spent is what a model cost, in the words that are the same everywhere; empty
	// when there was none.
	Spent        string       `json:"spent"`
	Timing       Timing       `json:"timing"`
	Verification Verification `json:"verification"`
	// Settings names what was allowed or loosened for this run, for the record.
	Settings []string `json:"settings"`
	// Why is the proposer's sentence about the patch that fixed it.
	Why string `json:"why"`
	// Ranking are the lines that the proposer suspected, most suspicious first.
	Ranking []Suspect `json:"ranking"`
}

// Alternative is one of several patches that make the tests pass.
type Alternative struct {
	ID     string `json:"id"`
	Diff   string `json:"diff"`
	Why    string `json:"why"`
	Input  string `json:"input"`
	Output string `json:"output"`
}

// Partial is a verified patch that repairs some of the targets.
type Partial struct {
	Diff  string   `json:"diff"`
	Fixed []string `json:"fixed"`
	Left  []string `json:"left"`
}

// Unit is a runner in a folder.
type Unit struct {
	Root    string   `json:"root"`
	Runner  string   `json:"runner"`
	Command []string `json:"command"`
}

// Tests sums up one run of the suite.
type Tests struct {
	Status   testresult.RunStatus `json:"status"`
	Passed   int                  `json:"passed"`
	Failed   int                  `json:"failed"`
	Skipped  int                  `json:"skipped"`
	Total    int                  `json:"total"`
	Failing  []Failing            `json:"failing"`
	Flaky    []string             `json:"flaky"`
	Unstable []string             `json:"unstable"`
	Unusable []Unusable           `json:"unusable"`
}

// Failing is one failing test.
type Failing struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Message  string `json:"message"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Frame    string `json:"frame"`
	Expected string `json:"expected,omitempty"`
	Actual   string `json:"actual,omitempty"`
	Output   string `json:"output,omitempty"`
	// Setting would allow what a blocked test was refused.
	Setting string `json:"setting,omitempty"`
}

// Unusable is a part that could not be run.
type Unusable struct {
	Part   string            `json:"part"`
	Reason testresult.Reason `json:"reason"`
	Detail string            `json:"detail"`
	File   string            `json:"file"`
	Line   int               `json:"line"`
}

// Attempt is one propose, guard, apply, test.
type Attempt struct {
	N         int             `json:"n"`
	Files     []string        `json:"files"`
	Verdict   outcome.Verdict `json:"verdict"`
	Note      string          `json:"note"`
	Signature string          `json:"signature"`
	// Result is "pass", "fail", "unusable", or empty when nothing was run.
	Result string `json:"result"`
	Title  string `json:"title"`
	Origin string `json:"origin"`
}

// Edits counts verdicts.
type Edits struct {
	Applied       int `json:"applied"`
	Refused       int `json:"refused"`
	RolledBack    int `json:"rolled_back"`
	NotApplicable int `json:"not_applicable"`
}

// Usage is what a model cost. CostUSD is nil when the price is not known.
type Usage struct {
	Model            string   `json:"model"`
	Calls            int      `json:"calls"`
	PromptTokens     int      `json:"prompt_tokens"`
	CachedTokens     int      `json:"cached_tokens"`
	CompletionTokens int      `json:"completion_tokens"`
	CostUSD          *float64 `json:"cost_usd"`
	// Fingerprints are those of the last ten turns with tool calls.
	Fingerprints []string `json:"fingerprints,omitempty"`
}

// Timing is wall time in milliseconds. Tests is the time with at least one test
// command running, confirmation and verification included.
type Timing struct {
	TotalMS  int64 `json:"total_ms"`
	TestsMS  int64 `json:"tests_ms"`
	ShadowMS int64 `json:"shadow_ms"`
}

// Verification says what each layer of the verification found.
type Verification struct {
	Fresh  Check `json:"fresh"`
	Canary Check `json:"canary"`
	Forced Check `json:"forced"`
	Scan   Check `json:"scan"`
}

// Suspect is a line that may be at fault.
type Suspect struct {
	File  string  `json:"file"`
	Line  int     `json:"line"`
	Score float64 `json:"score"`
	Why   string  `json:"why"`
}

// DoctorSchema names the format and major version of a Doctor.
const DoctorSchema = "autocoder.doctor/1"

// Doctor is what can be said of a project before a run.
type Doctor struct {
	Schema    string           `json:"schema"`
	Units     []DoctorUnit     `json:"units"`
	Sandbox   DoctorSandbox    `json:"sandbox"`
	Proposers []DoctorProposer `json:"proposers"`
	Warnings  []string         `json:"warnings"`
	Timing    Timing           `json:"timing"`
}

// DoctorUnit is one unit with its tools.
type DoctorUnit struct {
	Root           string            `json:"root"`
	Runner         string            `json:"runner"`
	Why            string            `json:"why"`
	Command        []string          `json:"command"`
	Interpreter    string            `json:"interpreter"`
	Version        string            `json:"version"`
	Tests          int               `json:"tests"`
	UnusableReason testresult.Reason `json:"unusable_reason"`
	Detail         string            `json:"detail"`
	Rejected       []Rejected        `json:"rejected"`
}

// Rejected is a runner or interpreter that was found and not taken.
type Rejected struct {
	Runner string `json:"runner"`
	Why    string `json:"why"`
}

// DoctorSandbox is the tier that a run would get.
type DoctorSandbox struct {
	Tier   string  `json:"tier"`
	Probes []Probe `json:"probes"`
	// Better says how to get a stronger tier, when this is not the strongest.
	Better []string `json:"better"`
	// Compared are the tests that end otherwise without a sandbox; nil when that was
	// not tried.
	Compared []Difference `json:"compared"`
}

// Difference is a test that ends in one way in the sandbox and in another outside.
type Difference struct {
	ID      string `json:"id"`
	Inside  string `json:"inside"`
	Outside string `json:"outside"`
	// Why explains it, as far as that is known.
	Why string `json:"why"`
}

// Probe is one thing that was really tried.
type Probe struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// DoctorProposer says whether a proposer could be used.
type DoctorProposer struct {
	Name   string `json:"name"`
	Ready  bool   `json:"ready"`
	Detail string `json:"detail"`
}
