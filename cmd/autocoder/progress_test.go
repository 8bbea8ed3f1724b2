package main

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"autocoder/engine/event"
)

func fixedTime() time.Time { return time.Unix(1e9, 0) }

func someProgress() []event.Event {
	return []event.Event{
		{Kind: event.RunStarted, Text: "/p"},
		{Kind: event.PhaseChanged, Text: "running the tests"},
		{Kind: event.TestsFinished, Text: "fail, 3 passed, 2 failed"},
		{Kind: event.PhaseChanged, Text: "looking for a fix"},
		{Kind: event.CandidatesTried, N: 12},
		{Kind: event.Proposed, N: 1, Files: []string{"a.go", "b.go"}, Text: "an edit"},
		{Kind: event.AttemptFinished, N: 1, Text: "rolled_back", Detail: "it broke \x1b[31mx"},
		{Kind: event.Verified, Text: "confirmed"},
		{Kind: event.Warned, Text: "odd"},
		{Kind: event.RunFinished, Text: "fixed"},
	}
}

func TestProgressIsPlainLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := newProgress(&out, false, fixedTime)
	for _, e := range someProgress() {
		p.sink(e)
	}
	p.Close()
	want := `running the tests
tests: fail, 3 passed, 2 failed
looking for a fix
#1 a.go b.go: an edit
#1 rolled_back  it broke  [31mx
verified: confirmed
warning: odd
`
	if got := out.String(); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestTheLiveLineIsDrawnAndErased(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := &screen{to: &out, live: true, now: fixedTime, since: fixedTime().Add(-5 * time.Second)}
	s.draw()
	for _, e := range someProgress()[:5] {
		s.take(e)
	}
	s.draw()
	s.take(someProgress()[8])
	s.erase()
	want := "tests: fail, 3 passed, 2 failed\n\r\x1b[Klooking for a fix, 12 candidates tried (5s)\r\x1b[Kwarning: odd\n"
	if got := out.String(); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	out.Reset()
	s.take(event.Event{Kind: event.PhaseChanged, Text: strings.Repeat("é", 200)})
	s.draw()
	if n := strings.Count(out.String(), "é"); n != liveWidth {
		t.Errorf("the line has %d letters, want %d", n, liveWidth)
	}
}

// stuck is a standard error that nobody reads.
type stuck struct{ free chan struct{} }

func (s stuck) Write(p []byte) (int, error) {
	<-s.free
	return len(p), nil
}

func TestProgressNeverHoldsUpARun(t *testing.T) {
	t.Parallel()
	to := stuck{free: make(chan struct{})}
	p := newProgress(to, false, fixedTime)
	for range 10 * progressBacklog {
		p.sink(event.Event{Kind: event.Warned, Text: "x"})
	}
	close(to.free)
	p.Close()
}

func TestColours(t *testing.T) {
	t.Parallel()
	diff := "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\x1b[0m\n+b\n c\n"
	for _, test := range []struct {
		name string
		w    world
		want string
	}{
		{"a program", world{}, diff},
		{"a person", world{liveOutput: true}, "\x1b[1m--- a/x\x1b[0m\n\x1b[1m+++ b/x\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n\x1b[31m-a [0m\x1b[0m\n\x1b[32m+b\x1b[0m\n c\n"},
		{"NO_COLOR", world{liveOutput: true, environ: []string{"NO_COLOR=1"}}, strings.ReplaceAll(diff, "\x1b", " ")},
		{"a dumb terminal", world{liveOutput: true, environ: []string{"TERM=dumb"}}, strings.ReplaceAll(diff, "\x1b", " ")},
	} {
		if got := test.w.diff(diff); got != test.want {
			t.Errorf("%s: got %q\nwant %q", test.name, got, test.want)
		}
	}
}

// TestJSONObeysNobody: what a model wrote can't steer a terminal, and is there all the
// same.
func TestJSONObeysNobody(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := world{stdout: &out}
	wrote := "é \x1b[2J\u009b1m \u202eevil\u2066 \u2028 \u200f \x7f <b> \\u202e"
	if err := w.printJSON(map[string]string{"said": wrote}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsFunc(out.String(), func(r rune) bool { return r != '\n' && !strconv.IsPrint(r) }) || !strings.Contains(out.String(), "é") {
		t.Errorf("a terminal is told %q", out.String())
	}
	var read map[string]string
	if err := json.Unmarshal(out.Bytes(), &read); err != nil || read["said"] != wrote {
		t.Errorf("read back: %q, %v", read["said"], err)
	}
}
