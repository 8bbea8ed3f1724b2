package trajectory

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"autocoder/engine/chat"
	"autocoder/engine/event"
	"autocoder/engine/llm"
)

// memoryDir is the variable that makes a test process the one that is measured.
const memoryDir = "AUTOCODER_TEST_MEMORY_DIR"

// longTurn is a turn with all that a turn has.
func longTurn(n int) llm.Turn {
	words := fmt.Sprintf("Turn %d: ", n) + strings.Repeat("what I think of it, ", 100)
	calls := []chat.Call{{ID: fmt.Sprint("c", n), Name: "bash", Arguments: `{"command":"go test ./..."}`}}
	return llm.Turn{
		Index: n, Thought: words, Calls: calls, Model: "openai:gpt-4o", Reply: &chat.Reply{Text: words, Calls: calls, Stop: chat.Finished},
		Results: []chat.Result{{ID: fmt.Sprint("c", n), Name: "bash", Output: strings.Repeat("a line of output\n", 250)}},
	}
}

// TestThousandTurns bounds the memory of a whole process that records a run of a
// thousand turns and reads it again: not only what is left in the end.
func TestThousandTurns(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(memoryDir); dir != "" {
		thousand(t, dir)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestThousandTurns$", "-test.v")
	cmd.Env = append(os.Environ(), memoryDir+"="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, rest, _ := strings.Cut(string(out), "MEMORY ")
	figures := strings.Fields(rest)
	if len(figures) < 2 {
		t.Fatalf("no figures in\n%s", out)
	}
	taken, err := strconv.Atoi(figures[0])
	if err != nil || taken > 50<<20 {
		t.Errorf("the process took %d MB from the system, %v", taken>>20, err)
	}
	t.Logf("taken %d KB, resident at most %s KB", taken>>10, figures[1])
}

func thousand(t *testing.T, dir string) {
	r := begin(t, dir, start)
	for n := range 1000 {
		blob, err := json.Marshal(longTurn(n))
		if err != nil {
			t.Fatal(err)
		}
		r.Append(event.Event{Time: start.Add(time.Duration(n) * time.Second), Kind: event.Turned, N: n, Detail: "calls bash", Blob: blob})
	}
	r.Finish(someReport(r.ID()))
	if err := r.Problem(); err != nil {
		t.Fatal(err)
	}
	record, err := Load(dir, r.ID())
	if err != nil {
		t.Fatal(err)
	}
	turns := record.Turns()
	if len(turns.Turns) != 1000 || turns.Totals.Turns != 1000 {
		t.Fatalf("%d turns, %+v", len(turns.Turns), turns.Totals)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Printf("MEMORY %d %s\n", m.Sys, strings.Fields(peak)[0])
}
