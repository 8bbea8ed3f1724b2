package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"autocoder/engine/chat"
	"autocoder/engine/llm/llmtest"
	"autocoder/engine/outcome"
	"autocoder/engine/report"
)

// offline lets a command have a network of its own, in which there is no interface
// that is up.
func offline(cmd *exec.Cmd) *exec.Cmd {
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	}
	cmd.SysProcAttr = attr
	return cmd
}

// newShellProject is a red project whose tests are a script, which costs nothing.
func newShellProject(t *testing.T) project {
	t.Helper()
	p := newProject(t)
	for name, text := range map[string]string{
		"sum.txt":  "2 - 3\n",
		"check.sh": "test \"$(( $(cat sum.txt) ))\" = 5 || { echo \"$(cat sum.txt) is not 5\"; exit 1; }\n",
	} {
		if err := os.WriteFile(filepath.Join(p.root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "slow.go", "slow_test.go"} {
		if err := os.Remove(filepath.Join(p.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p project) ran(t *testing.T, cmd *exec.Cmd) (code int, out, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatalf("%q did not start", cmd.Args)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// script are the arguments of a fix whose tests are the script.
func (p project) scripted(model string, more ...string) []string {
	return append([]string{
		"fix", p.root, "--json", "--proposer", "model", "--model", model,
		"--test-command", "sh check.sh", "--report", "exit", "--allow-unverified", "--max-time", "5m",
	}, more...)
}

// TestReplayWithoutANetwork replays runs of every provider and every end in a network
// namespace where there is nobody to ask: each comes to the same.
func TestReplayWithoutANetwork(t *testing.T) {
	t.Parallel()
	if err := offline(exec.Command("true")).Run(); err != nil {
		t.Skip("not on this system: network namespaces: ", err)
	}
	right := llmtest.Turn{Text: "The sign was wrong.\n\nsum.txt\n```\n2 + 3\n```\n"}
	wrong := llmtest.Turn{Text: "sum.txt\n```\n2 * 3\n```\n"}
	edit := llmtest.Turn{Calls: []chat.Call{{ID: "c1", Name: "edit_file_exact", Arguments: `{"path":"sum.txt","old":"2 - 3","new":"2 + 3"}`}}}
	look := llmtest.Turn{Calls: []chat.Call{{ID: "c1", Name: "bash", Arguments: `{"command":"cat sum.txt"}`}}}
	for _, c := range []struct {
		name, model string
		env         []string
		args        []string
		turns       []llmtest.Turn
		want        outcome.Outcome
	}{
		{"openai", "openai:gpt-4o", nil, nil, []llmtest.Turn{wrong, right}, outcome.Fixed},
		{"anthropic", "anthropic:claude-3-7-sonnet", nil, nil, []llmtest.Turn{wrong, right}, outcome.Fixed},
		{"ollama", "ollama:qwen2.5-coder:7b", nil, nil, []llmtest.Turn{wrong, right}, outcome.Fixed},
		{"openai, tools", "openai:gpt-4o", []string{"AUTOCODER_MODEL_TOOLS=true"}, nil, []llmtest.Turn{look, edit, {Text: "Done."}}, outcome.Fixed},
		{"anthropic, tools", "anthropic:claude-3-7-sonnet", []string{"AUTOCODER_MODEL_TOOLS=true"}, nil, []llmtest.Turn{look, edit, {Text: "Done."}}, outcome.Fixed},
		{"ollama, tools", "ollama:qwen2.5-coder:7b", []string{"AUTOCODER_MODEL_TOOLS=true"}, nil, []llmtest.Turn{look, edit, {Text: "Done."}}, outcome.Fixed},
		{"in circles", "openai:gpt-4o", []string{"AUTOCODER_MODEL_TOOLS=true"}, nil, []llmtest.Turn{look}, outcome.NoProgress},
		{"no progress", "anthropic:claude-3-7-sonnet", nil, nil, []llmtest.Turn{wrong, {Text: "sum.txt\n```\n2 / 3\n```\n"}}, outcome.NoProgress},
		{"gave up", "ollama:qwen2.5-coder:7b", nil, nil, []llmtest.Turn{{Text: "QUESTION: what is a sum?"}}, outcome.GaveUp},
		{"a broken server", "openai:gpt-4o", nil, nil, []llmtest.Turn{{Status: 401, Body: "no"}}, outcome.GaveUp},
		{"budget", "openai:gpt-4o", nil, []string{"--max-tokens", "9000"}, []llmtest.Turn{{Text: strings.Repeat("Hm, let me think. ", 400)}}, outcome.Budget},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newShellProject(t)
			s := llmtest.Start(llmtest.Script(c.turns...))
			defer s.Close()
			url := s.URL
			if strings.HasPrefix(c.model, "openai:") {
				url += "/v1"
			}
			p.env = append(append(p.env, "OPENAI_API_KEY="+secretKey, "ANTHROPIC_API_KEY="+secretKey, "AUTOCODER_BASE_URL="+url), c.env...)
			_, out, said := p.ran(t, p.command(p.scripted(c.model, c.args...)...))
			var r report.Report
			if err := json.Unmarshal([]byte(out), &r); err != nil || r.Outcome != c.want {
				t.Fatalf("%s: %s, %v\n%s", r.Outcome, r.Reason, err, said)
			}
			asked := len(s.Requests())
			code, out, said := p.ran(t, offline(p.command("runs", "replay", r.Run)))
			name := c.want.String()
			if want := "recorded: " + name + ", replayed: " + name + ": the same\n"; code != 0 || !strings.HasSuffix(out, want) {
				t.Errorf("replay: %d\n%s%s", code, out, said)
			}
			if n := len(s.Requests()); n != asked {
				t.Errorf("the replay asked %d times", n-asked)
			}
		})
	}
	t.Run("control", func(t *testing.T) {
		t.Parallel()
		p := newShellProject(t)
		s := llmtest.Start(llmtest.Script(right))
		defer s.Close()
		p.env = append(p.env, "AUTOCODER_BASE_URL="+s.URL)
		code, out, _ := p.ran(t, offline(p.command("doctor", p.root, "--model", "ollama:m")))
		if !strings.Contains(out, "can't be reached") || len(s.Requests()) != 0 {
			t.Errorf("the server can be reached without a network: %d\n%s", code, out)
		}
	})
}

// TestReplayAfterChanges: a replay of a project that has changed says so, and has
// the outcome that it has.
func TestReplayAfterChanges(t *testing.T) {
	t.Parallel()
	s := llmtest.Start(llmtest.Script(llmtest.Turn{Text: "sum.txt\n```\n2 + 3\n```\n"}))
	defer s.Close()
	p := newShellProject(t)
	p.env = append(p.env, "AUTOCODER_BASE_URL="+s.URL)
	_, out, said := p.ran(t, p.command(p.scripted("ollama:m", "--apply")...))
	var r report.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || !r.Applied {
		t.Fatalf("%s: %s, %v\n%s", r.Outcome, r.Reason, err, said)
	}
	const changed = "; the project's files are not those of that run\n"
	for _, c := range []struct {
		name, file, text, want string
		code                   int
	}{
		{"the edited file is as it was then", "sum.txt", "2 + 3 + 4\n", "recorded: fixed, replayed: fixed: the same\n", 0},
		{"another file", "notes.txt", "a note\n", "recorded: fixed, replayed: fixed: the same" + changed, 0},
		{"another test", "check.sh", "exit 1\n", ": not the same" + changed, 1},
		{"a test that passes", "check.sh", "exit 0\n", "recorded: fixed, replayed: already_green: not the same" + changed, 1},
	} {
		if err := os.WriteFile(filepath.Join(p.root, c.file), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if code, out, said := p.ran(t, p.command("runs", "replay", r.Run)); code != c.code || !strings.HasSuffix(out, c.want) {
			t.Errorf("%s: %d\n%s%s", c.name, code, out, said)
		}
	}
}
