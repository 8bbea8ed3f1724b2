package gotest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// kept is a report in memory.
type kept struct{ bytes.Buffer }

func (*kept) Close() error { return nil }

func event(action, test, output string) string {
	e := map[string]any{"Output": output}
	text, _ := json.Marshal(e) // a map of texts can be marshalled
	line := fmt.Sprintf(`{"Time":"2026-01-02T03:04:05Z","Action":%q,"Package":"m/p"`, action)
	if test != "" {
		line += fmt.Sprintf(`,"Test":%q`, test)
	}
	if output != "" {
		line += "," + strings.Trim(string(text), "{}")
	} else if action == "pass" {
		line += `,"Elapsed":0.5`
	}
	return line + "}\n"
}

// TestThin has one test print much, beside others, in pieces of any size.
func TestThin(t *testing.T) {
	t.Parallel()
	var whole strings.Builder
	add := func(action, test, output string) { whole.WriteString(event(action, test, output)) }
	whole.WriteString("# m/p\nno event at all\n")
	add("start", "", "")
	add("run", "TestFlood", "")
	add("run", "TestOther", "")
	add("output", "TestFlood", "the first line\n")
	for i := range 20_000 {
		add("output", "TestFlood", fmt.Sprintf("line %d of \"Package\":\"x\" }, %s\n", i, strings.Repeat("x", 50)))
		if i%5000 == 0 {
			add("output", "TestOther", fmt.Sprintf("other %d\n", i))
		}
	}
	add("output", "TestFlood", "the last line\n")
	add("fail", "TestFlood", "")
	add("pass", "TestOther", "")
	add("output", "", "exit status 1\n")
	add("fail", "", "")
	whole.WriteString("without an end")
	for _, size := range []int{1, 7, 1000, 1 << 20, whole.Len()} {
		if size < 1000 && testing.Short() {
			continue
		}
		var report kept
		w := thin(&report)
		for rest := whole.String(); rest != ""; {
			n := min(size, len(rest))
			if _, err := w.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got := report.String()
		if report.Len() > 4*keptEvents {
			t.Errorf("in pieces of %d: %d bytes are kept", size, report.Len())
		}
		last := -1
		for _, want := range []string{"no event at all", "the first line", `line 1 of`, "line 19999 of", "the last line", `"fail","Package":"m/p","Test":"TestFlood"`, `"pass","Package"`, "exit status 1", "without an end"} {
			at := strings.Index(got, want)
			if at <= last {
				t.Errorf("in pieces of %d: %q is missing, or not in its place", size, want)
			}
			last = at
		}
		for i := 0; i < 20_000; i += 5000 {
			if !strings.Contains(got, fmt.Sprintf("other %d\\n", i)) {
				t.Errorf("in pieces of %d: what another test prints is gone", size)
			}
		}
		for line := range strings.Lines(got) {
			if strings.HasPrefix(line, "{") && !json.Valid([]byte(line)) {
				t.Errorf("in pieces of %d: %q is no whole event", size, line)
			}
		}
	}
}

// TestThinOfAKilledRun has the stream end in the middle of a test.
func TestThinOfAKilledRun(t *testing.T) {
	t.Parallel()
	var report kept
	w := thin(&report)
	lines := event("run", "TestFlood", "")
	for i := range 10_000 {
		lines += event("output", "TestFlood", fmt.Sprintf("line %d %s\n", i, strings.Repeat("y", 40)))
		if len(lines) > 1<<16 || i == 9999 {
			if _, err := w.Write([]byte(lines)); err != nil {
				t.Fatal(err)
			}
			lines = ""
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := report.String(); !strings.Contains(got, "line 9999 ") || len(got) > 4*keptEvents {
		t.Errorf("%d bytes are kept, and the end is there: %t", len(got), strings.Contains(got, "line 9999 "))
	}
}
