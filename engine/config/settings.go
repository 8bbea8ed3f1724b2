// Package config declares autocoder's settings: their names, meanings,
// defaults, classes, and how the layers that give them are merged.
//
// It is pure: it is given the text of files and the environment, and returns
// Settings together with where each value came from.
package config

import (
	"time"
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

// AmbiguousMode says what to do with several green patches that differ.
type AmbiguousMode uint8

// The modes of ambiguity.
const (
	// AmbiguousAsk ends in gave_up with the alternatives.
	AmbiguousAsk AmbiguousMode = iota
	// AmbiguousBest takes the first-ranked.
	AmbiguousBest
)

// BackgroundMode says what happens on save in an editor.
type BackgroundMode uint8

// The background modes.
const (
	BackgroundOff BackgroundMode = iota
	BackgroundTest
	BackgroundFix
)

// Settings are the values in force for one workspace. The doc comment of each
// field is its documentation for users; the tag is its name and, after a comma,
// "restricted" for what an untrusted project may not set.
type Settings struct {
	// What proposes edits: auto, repair, model, null, or script:FILE.
	Proposer string `setting:"proposer,restricted"`
	// The language model, as provider:model.
	Model string `setting:"model,restricted"`
	// Base URL of the model's provider.
	BaseURL string `setting:"base_url,restricted"`
	// The most attempts of a run.
	MaxAttempts int `setting:"max_attempts,restricted"`
	// How many attempts without progress end a run.
	Patience int `setting:"patience"`
	// The most time of a run, baseline and verification included.
	MaxTime time.Duration `setting:"max_time,restricted"`
	// The most money of a run, in US dollars.
	MaxCost float64 `setting:"max_cost,restricted"`
	// The most tokens of a run.
	MaxTokens int `setting:"max_tokens,restricted"`
	// The most model calls of a run.
	MaxTurns int `setting:"max_turns,restricted"`
	// The most test runs of a run.
	MaxTestRuns int `setting:"max_test_runs,restricted"`
	// The most candidates that a proposer may try by itself.
	MaxCandidates int `setting:"max_candidates,restricted"`
	// The most that one test may take; never more than a tenth of max_time.
	TestTimeout time.Duration `setting:"test_timeout"`
	// Whether an edit that makes a passing test fail is rolled back at once.
	RevertOnRegression bool `setting:"revert_on_regression"`
	// What to do when different patches make the tests pass: ask or best.
	Ambiguous AmbiguousMode `setting:"ambiguous"`
	// Accept a fix whose canary or forced run could not be placed.
	AllowUnverified bool `setting:"allow_unverified,restricted"`
	// Which sandbox to run in: best, required, or supervised.
	Sandbox SandboxMode `setting:"sandbox,restricted"`
	// What the tests may reach: off, loopback, on, or a list of HOST:PORT.
	Network []string `setting:"network,restricted"`
	// Names of variables of your environment that the tests may see.
	Env []string `setting:"env,restricted"`
	// Files that are left out of the copy as secret, to be included after all.
	Include []string `setting:"include,restricted"`
	// Folders to share read-only instead of copying them.
	Share []string `setting:"share"`
	// More patterns that no edit may touch.
	Protect []string `setting:"protect"`
	// Protected paths that edits may touch after all.
	Allow []string `setting:"allow,restricted"`
	// Units to leave out, by folder.
	Exclude []string `setting:"exclude"`
	// Which runner to use, when several fit: pytest, go test, node --test.
	Runner string `setting:"runner"`
	// The command that runs the tests, instead of what is found.
	TestCommand string `setting:"test_command,restricted"`
	// How test_command reports: junit:GLOB, tap, or exit.
	Report string `setting:"report,restricted"`
	// The interpreter or tool chain of a runner, by runner name.
	Interpreter map[string]string `setting:"interpreter,restricted"`
	// What happens on save in an editor: off, test, or fix.
	Background BackgroundMode `setting:"background"`
	// How many runs to keep, and for how many days.
	KeepRuns int `setting:"keep_runs"`
	KeepDays int `setting:"keep_days"`
}

// Default returns the settings in force when nothing is set.
func Default() Settings {
	return Settings{
		Proposer: "auto", MaxAttempts: 10, Patience: 2, MaxTime: 10 * time.Minute,
		MaxCost: 5, MaxTokens: 200_000, MaxTurns: 30, MaxTestRuns: 10_000, MaxCandidates: 1_000_000,
		TestTimeout: 10 * time.Second, RevertOnRegression: true,
		Network: []string{"loopback"}, KeepRuns: 100, KeepDays: 30,
	}
}
