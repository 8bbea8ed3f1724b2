package tool_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/chat"
	"autocoder/engine/command"
	"autocoder/engine/propose"
	"autocoder/engine/textedit"
	"autocoder/engine/tool"
)

// here starts processes in a folder, without a cell.
type here struct{ dir string }

func (h here) Start(_ context.Context, s command.Spec) (*command.Process, error) {
	cmd := exec.Command(s.Args[0], s.Args[1:]...)
	cmd.Dir, cmd.Env = filepath.Join(h.dir, s.Dir), append(os.Environ(), s.Env...)
	stdout, out := io.Pipe()
	stderr, errs := io.Pipe()
	cmd.Stdout, cmd.Stderr = out, errs
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &command.Process{
		Stdout: stdout, Stderr: stderr, Kill: func() { _ = cmd.Process.Kill() },
		Wait: func() command.Exit {
			_ = cmd.Wait()
			_, _ = out.Close(), errs.Close()
			return command.Exit{Code: cmd.ProcessState.ExitCode()}
		},
	}, nil
}

// named is a vault with one secret.
type named struct{}

const password = "hunter-2-hunter-2"

func (named) Hide(s string) string    { return strings.ReplaceAll(s, password, "[secret-1]") }
func (named) Restore(s string) string { return strings.ReplaceAll(s, "[secret-1]", password) }

// project is a folder with files, and a view of it.
func project(t *testing.T, files map[string]string) (string, propose.View) {
	t.Helper()
	dir := t.TempDir()
	read := func(p string) (textedit.File, error) {
		if p == "panic.py" {
			panic("the disk is on fire")
		}
		text, ok := files[p]
		if !ok {
			return textedit.File{}, nil
		}
		return textedit.File{Kind: textedit.Regular, Content: []byte(text), Mode: 0o644}, nil
	}
	v := propose.View{
		Read: read,
		Editable: func(p string) error {
			if strings.HasPrefix(p, "tests/") {
				return errors.New(p + " is protected")
			}
			return nil
		},
	}
	for _, p := range []string{"a.py", "b.py", "long.py", "tests/t.py"} {
		if text, ok := files[p]; ok {
			v.Files = append(v.Files, p)
			write(t, filepath.Join(dir, p), text)
		}
	}
	v.Cell = func(context.Context) (*propose.Cell, error) {
		return &propose.Cell{
			Starter: here{dir}, Root: dir, Scratch: t.TempDir(), Close: func() error { return nil },
			Write: func(p string, content []byte) error {
				write(t, filepath.Join(dir, p), string(content))
				return nil
			},
		}, nil
	}
	return dir, v
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// edited is what the files are that the tools changed.
func edited(t *testing.T, box *tool.Box, view propose.View) map[string]string {
	t.Helper()
	patch, err := box.Patch()
	if err != nil {
		t.Fatal(err)
	}
	state, err := textedit.State{}.Apply(view.Read, patch)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, p := range state.Paths() {
		f, _ := state.Lookup(p)
		files[p] = string(f.Content)
	}
	return files
}

func TestCalls(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("line\n", 1000)
	dir, view := project(t, map[string]string{"a.py": "x = 1\ny = 2\nx = 1\n", "b.py": "if a:\n    go()\n", "long.py": long, "tests/t.py": "t\n"})
	box, err := tool.Open(t.Context(), view, named{})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	for _, c := range []struct {
		name, arguments string
		code            int
		says            string
		truncated       bool
	}{
		{"read", `{"path":"a.py"}`, 0, "x = 1\ny = 2\nx = 1\n", false},
		{"read", fmt.Sprintf(`{"path":"%s/a.py","start":2,"end":2}`, dir), 0, "y = 2\n", false},
		{"read", `{"path":"a.py","start":50}`, 1, "has 4 lines", false},
		{"read", `{"path":"nope.py"}`, 1, "there is no file", false},
		{"read", `{"path":"long.py"}`, 0, "line", true},
		{"search", `{"pattern":"y ="}`, 0, "a.py:2: y = 2", false},
		{"search", `{"pattern":"nowhere"}`, 0, "nothing was found", false},
		{"search", `{"pattern":"("}`, 1, "can't be used", false},
		{"search", `{"pattern":"line"}`, 0, "long.py:60", true},
		{"edit_file_exact", `{"path":"a.py","old":"x = 1","new":"x = 3"}`, 1, "at lines 1, 3", false},
		{"edit_file_exact", `{"path":"a.py","old":"z","new":""}`, 1, "does not stand in the file", false},
		{"edit_file_exact", `{"path":"tests/t.py","old":"t","new":""}`, 1, "denied: tests/t.py is protected", false},
		{"edit_file_exact", `{"path":"../x.py","old":"","new":"x"}`, 1, "denied: ../x.py is outside", false},
		{"edit_file_exact", `{"path":"b.py","old":"go()","new":"stop()"}`, 0, "edited b.py", false},
		{"edit_file_exact", `{"path":"new/c.py","old":"","new":"c = 1\n"}`, 0, "edited new/c.py", false},
		{"bash", `{"command":"cat b.py new/c.py; echo oops >&2; exit 3"}`, 3, "stop()\nc = 1\n\n[stderr]\noops", false},
		{"bash", `{"command":"curl x"}`, 1, "denied: curl is not allowed", false},
		{"bash", `{"command":"./run.sh"}`, 1, "there is nobody to ask", false},
		{"bash", `{"command":"seq 100000"}`, 0, "[left out]", true},
		{"bash", `{"command":"sed -i 's/y = 2/y = 5/' a.py; echo z > d.bin"}`, 0, "", false},
		{"fly", `{}`, 1, `there is no tool "fly": the tools are read, search, edit_file_exact and bash`, false},
		{"read", `{"path":`, 1, "not the JSON", false},
		{"read", `[]`, 1, "not the JSON", false},
		{"read", ``, 1, "", false},
		{"read", `{"path":"panic.py"}`, 1, "the tool panicked: the disk is on fire", false},
	} {
		got := box.Do(t.Context(), chat.Call{ID: "c7", Name: c.name, Arguments: c.arguments})
		if got.ID != "c7" || got.Name != c.name || got.ExitCode != c.code || !strings.Contains(got.Output+got.Error, c.says) || got.Truncated != c.truncated {
			t.Errorf("%s %s: %+v", c.name, c.arguments, got)
		}
		if len(got.Output) > 20<<10 {
			t.Errorf("%s %s: %d bytes", c.name, c.arguments, len(got.Output))
		}
	}
	got := edited(t, box, view)
	for p, want := range map[string]string{"a.py": "x = 1\ny = 5\nx = 1\n", "b.py": "if a:\n    stop()\n", "new/c.py": "c = 1\n"} {
		if got[p] != want {
			t.Errorf("%s is %q", p, got[p])
		}
	}
	if len(got) != 3 {
		t.Errorf("the patch has %d files: %q", len(got), got)
	}
}

// TestCommandsSeeNoSecret has commands take secrets apart, and edit files that have
// some: what they print has none, and what they wrote has them again.
func TestCommandsSeeNoSecret(t *testing.T) {
	t.Parallel()
	dir, view := project(t, map[string]string{"a.py": "key = '" + password + "'\nx = 1\n", "b.py": "y = 2\n", "tests/t.py": "'" + password + "'\n"})
	box, err := tool.Open(t.Context(), view, named{})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	do := func(name, arguments string) string {
		r := box.Do(t.Context(), chat.Call{Name: name, Arguments: arguments})
		if r.ExitCode != 0 || r.Error != "" {
			t.Errorf("%s %s: %+v", name, arguments, r)
		}
		return r.Output
	}
	do("edit_file_exact", `{"path":"b.py","old":"y = 2","new":"y = '`+password+`'"}`)
	half := password[:len(password)/2]
	for _, command := range []string{"cat a.py b.py tests/t.py", "cut -c1-17 *.py tests/t.py", "sort a.py b.py tests/t.py | cut -c5-18"} {
		if out := do("bash", fmt.Sprintf(`{"command":%q}`, command)); strings.Contains(out, half) || !strings.Contains(out, "[secret") {
			t.Errorf("%s: %s", command, out)
		}
	}
	do("bash", `{"command":"sed -i 's/x = 1/x = 3/' a.py"}`)
	do("edit_file_exact", `{"path":"a.py","old":"x = 3","new":"x = 4"}`)
	if seen, err := os.ReadFile(filepath.Join(dir, "a.py")); err != nil || strings.Contains(string(seen), half) {
		t.Errorf("after an edit commands see %q, %v", seen, err)
	}
	want := map[string]string{"a.py": "key = '" + password + "'\nx = 4\n", "b.py": "y = '" + password + "'\n"}
	if got := edited(t, box, view); !maps.Equal(got, want) {
		t.Errorf("the edit makes %q", got)
	}
}
