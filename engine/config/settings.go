// Package config declares autocoder's settings: their names, meanings,
// defaults, classes, and how the layers that give them are merged.
//
// It is pure: it is given the text of files and the environment, and returns
// Settings together with where each value came from.
package config

import (
	"time"
)

// Settings are the values in force for one workspace.
//
// The doc comment of each field is its documentation for users. The tag
// "setting" is its name and, after a comma, its class: "restricted" for what a
// project may set only once it is trusted, "limit" for what an untrusted project
// may lower but not raise, "adds" for a list that every layer adds to. "values"
// lists what the value may be, a word in capitals standing for any text; "min"
// is the least number; "kind" is the form of a text: glob, folder, envname, url,
// or endpoint.
type Settings struct {
	// What proposes edits: whatever is to be had (auto), the repair engine, a
	// language model, nothing (null), or a script.
	Proposer string `setting:"proposer,restricted" values:"auto|repair|model|null|script:FILE"`
	// The language model, as provider:model.
	Model string `setting:"model,restricted"`
	// Base URL of the model's provider.
	BaseURL string `setting:"base_url,restricted" kind:"url"`
	// Whether the model works with tools in a cell (read, search, edit, bash),
	// instead of answering with edits.
	ModelTools bool `setting:"model_tools,restricted"`
	// How the model writes edits: whole files, search and replace, whole functions,
	// or what suits it (auto).
	ModelFormat EditFormat `setting:"model_format,restricted" values:"auto|whole|search|function"`
	// The most tokens that the model can take, prompt and answer; 0 for what is
	// known of it.
	ModelContext int `setting:"model_context,restricted" min:"0"`
	// Prices of models by their names, PROMPT/COMPLETION or
	// PROMPT/COMPLETION/CACHED in US dollars per million tokens.
	Prices map[string]string `setting:"prices,restricted" kind:"price"`
	// The most attempts of a run.
	MaxAttempts int `setting:"max_attempts,limit" min:"1"`
	// How many attempts without progress end a run.
	Patience int `setting:"patience" min:"1"`
	// The most time of a run, baseline and verification included.
	MaxTime time.Duration `setting:"max_time,limit" min:"1"`
	// The most money of a run, in US dollars.
	MaxCost float64 `setting:"max_cost,limit" min:"0"`
	// The most tokens of a run.
	MaxTokens int `setting:"max_tokens,limit" min:"0"`
	// The most model calls of a run.
	MaxTurns int `setting:"max_turns,limit" min:"0"`
	// The most test runs of a run.
	MaxTestRuns int `setting:"max_test_runs,limit" min:"1"`
	// The most candidates that a proposer may try by itself.
	MaxCandidates int `setting:"max_candidates,limit" min:"0"`
	// The most that one test may take; never more than a tenth of max_time.
	TestTimeout time.Duration `setting:"test_timeout" min:"1"`
	// Whether an edit that makes a passing test fail is rolled back at once.
	RevertOnRegression bool `setting:"revert_on_regression"`
	// What to do when different patches make the tests pass: show them and stop
	// (ask), or go on with the first of them (best).
	Ambiguous AmbiguousMode `setting:"ambiguous" values:"ask|best"`
	// Whether to accept a fix whose canary or forced run could not be placed.
	AllowUnverified bool `setting:"allow_unverified,restricted"`
	// Which sandbox to run in: the best that works, an isolated one or none, or
	// supervised even where better exists.
	Sandbox SandboxMode `setting:"sandbox,restricted" values:"best|required|supervised"`
	// What the tests may reach: off, loopback, on, or a list of HOST:PORT.
	Network []string `setting:"network,restricted" values:"off|loopback|on|HOST:PORT" kind:"endpoint"`
	// The most memory that the tests may take, in megabytes; 0 for three quarters of
	// the machine's.
	Memory int `setting:"memory,restricted" min:"0"`
	// The most processes and threads that the tests may be at once.
	Processes int `setting:"processes,restricted" min:"1"`
	// Names of variables of your environment that the tests may see.
	Env []string `setting:"env,restricted" kind:"envname"`
	// Files that are left out of the copy as secret, to be included after all.
	Include []string `setting:"include,restricted" kind:"glob"`
	// Files and folders outside the project that the tests may read, beside the
	// system's own and the tool chains. "~/" is your home folder.
	Read []string `setting:"read,restricted"`
	// Folders to share read-only instead of copying them.
	Share []string `setting:"share" kind:"folder"`
	// More patterns that no edit may touch. Every place that sets it adds to it.
	Protect []string `setting:"protect,adds" kind:"glob"`
	// Protected paths that edits may touch after all.
	Allow []string `setting:"allow,restricted" kind:"glob"`
	// Units to leave out, by folder.
	Exclude []string `setting:"exclude" kind:"folder"`
	// Which runner to use, when several fit: pytest, go test, node --test.
	Runner string `setting:"runner"`
	// The command that runs the tests, instead of what is found.
	TestCommand string `setting:"test_command,restricted"`
	// How test_command reports: a JUnit file, TAP on its output, or its exit code.
	Report string `setting:"report,restricted" values:"junit:GLOB|tap|exit"`
	// The interpreter or tool chain of a runner, by the runner's name.
	Interpreter map[string]string `setting:"interpreter,restricted"`
	// What happens on save in an editor.
	Background BackgroundMode `setting:"background,restricted" values:"off|test|fix"`
	// Whether a language model may prepare fixes on save too, with a small budget for
	// each.
	BackgroundModel bool `setting:"background_model,restricted"`
	// How many runs to keep.
	KeepRuns int `setting:"keep_runs,restricted" min:"1"`
	// For how many days to keep runs.
	KeepDays int `setting:"keep_days,restricted" min:"1"`
}

// Default returns the settings in force when nothing is set.
func Default() Settings {
	return Settings{
		Proposer: "auto", MaxAttempts: 10, Patience: 2, MaxTime: 10 * time.Minute,
		MaxCost: 5, MaxTokens: 200_000, MaxTurns: 30, MaxTestRuns: 10_000, MaxCandidates: 1_000_000,
		TestTimeout: 10 * time.Second, RevertOnRegression: true,
		Network: []string{"loopback"}, Processes: 5000, KeepRuns: 100, KeepDays: 30,
	}
}
