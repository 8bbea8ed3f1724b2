package lsptest

import (
	"encoding/json"
	"maps"
)

// versions are those of buffers at some moment.
type versions map[*Buffer]int

// raise takes the later of each two versions.
func (v versions) raise(other versions) {
	for b, n := range other {
		v[b] = max(v[b], n)
	}
}

// request is one that the server has not answered.
type request struct {
	answer chan message
	method string
	// after are the versions that were told before it.
	after versions
}

// hearing is what the server has heard of, as far as that can be proven. The
// server takes messages in their order, so that an answer proves that it has heard
// of everything before its question. But what it has heard of when an edit comes
// is not what it had heard of when it made the edit: that counts only with another
// proof that the edit was made later.
type hearing struct {
	// proven are the versions that the server has heard of, and settled those that it
	// had heard of before it made the next edit.
	proven, settled versions
	// started are the versions that were told before the command that started a job, by
	// the job's id, and begun are the jobs that began before that was known.
	started map[string]versions
	begun   map[string]bool
}

func newHearing() hearing {
	return hearing{proven: versions{}, settled: versions{}, started: map[string]versions{}, begun: map[string]bool{}}
}

// answer takes note of the answer of a request. One job changes files at a time:
// from its begin on, edits are made with all that came before its command.
func (h *hearing) answer(r request, result json.RawMessage) {
	h.proven.raise(r.after)
	var started struct {
		Job     string
		Running bool
	}
	if r.method != "workspace/executeCommand" || json.Unmarshal(result, &started) != nil || started.Job == "" || started.Running {
		return
	}
	h.started[started.Job] = r.after
	if h.begun[started.Job] {
		h.settled.raise(r.after)
	}
}

// begin takes note of the begin of a job.
func (h *hearing) begin(job string) {
	h.begun[job] = true
	h.settled.raise(h.started[job])
}

// versions are those that the server was told. e.mu is held.
func (e *Editor) versions() versions {
	now := versions{}
	for _, b := range e.buffers {
		now[b] = b.Version
	}
	return now
}

// Settle tells the editor that the server makes its next edit later than now, so
// that the edit must be for what the server has heard of by now.
func (e *Editor) Settle() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard.settled.raise(maps.Clone(e.heard.proven))
}
