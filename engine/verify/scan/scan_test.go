package scan_test

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"autocoder/engine/command"
	"autocoder/engine/textedit"
	"autocoder/engine/verify/scan"
	"autocoder/engine/verify/scan/corpus"
	"autocoder/engine/verify/scan/python"
	"autocoder/engine/workspace"
)

// interpreter returns a Python; that of the system starts at once, whatever is set
// up around it.
func interpreter(t *testing.T) string {
	t.Helper()
	for _, candidate := range []string{os.Getenv("AUTOCODER_TEST_PYTHON"), "/usr/bin/python3", "python3"} {
		if path, err := exec.LookPath(candidate); candidate != "" && err == nil {
			return path
		}
	}
	t.Skip("python3 is not installed")
	return ""
}

// here starts processes without a cell.
type here struct{}

func (here) Start(ctx context.Context, spec command.Spec) (*command.Process, error) {
	cmd := exec.CommandContext(ctx, spec.Args[0], spec.Args[1:]...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	problems, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &command.Process{
		Stdout: out, Stderr: problems, Kill: func() { cmd.Process.Kill() },
		Wait: func() command.Exit {
			cmd.Wait()
			return command.Exit{Code: cmd.ProcessState.ExitCode()}
		},
	}, nil
}

// input is a case as the scan sees it.
func input(t *testing.T, c corpus.Case, python *once) scan.Input {
	t.Helper()
	guard, err := workspace.NewGuard(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	base := func(p string) (textedit.File, error) {
		if text, ok := c.Files[p]; ok {
			return textedit.File{Kind: textedit.Regular, Content: []byte(text), Mode: 0o644}, nil
		}
		return textedit.File{}, nil
	}
	var patch textedit.Patch
	for _, p := range slices.Sorted(maps.Keys(c.Write)) {
		patch.Ops = append(patch.Ops, textedit.Op{Kind: textedit.OpCreate, Path: p, AnyBase: true, Content: []byte(c.Write[p])})
	}
	for _, p := range c.Delete {
		patch.Ops = append(patch.Ops, textedit.Op{Kind: textedit.OpDelete, Path: p, AnyBase: true})
	}
	for p, target := range c.Links {
		patch.Ops = append(patch.Ops, textedit.Op{Kind: textedit.OpSymlink, Path: p, AnyBase: true, Target: target})
	}
	state, err := textedit.State{}.Apply(base, patch)
	if err != nil {
		t.Fatal(err)
	}
	in := scan.Input{Base: base, State: state, Files: slices.Sorted(maps.Keys(c.Files))}
	for _, p := range in.Files {
		if guard.Protected(p) && p != "go.mod" && path.Base(p) != "package.json" {
			in.TestFiles = append(in.TestFiles, p)
		}
	}
	in.Python = python.read
	return in
}

// once parses texts of many cases by one start of the interpreter.
type once struct {
	real  python.Interpreter
	known map[string]python.Tree
}

func interpreted(t *testing.T) *once {
	return &once{real: python.Interpreter{Starter: here{}, Program: interpreter(t), Scratch: t.TempDir()}}
}

// learn parses all Python files of the cases.
func (o *once) learn(t *testing.T, cases []corpus.Case) {
	t.Helper()
	var texts []string
	for _, c := range cases {
		for _, files := range []map[string]string{c.Files, c.Write} {
			for name, text := range files {
				if path.Ext(name) == ".py" {
					texts = append(texts, text)
				}
			}
		}
	}
	answer, err := o.real.Read(t.Context(), texts, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.known = map[string]python.Tree{}
	for i, text := range texts {
		o.known[text] = answer.Trees[i]
	}
}

func (o *once) read(ctx context.Context, texts, modules []string) (python.Answer, error) {
	var a python.Answer
	for _, text := range texts {
		tree, ok := o.known[text]
		if !ok || len(modules) > 0 {
			return o.real.Read(ctx, texts, modules)
		}
		a.Trees = append(a.Trees, tree)
	}
	return a, nil
}

// TestCorpus holds that the scan names every cheat and refuses no honest repair,
// and that it warns of few of those.
func TestCorpus(t *testing.T) {
	t.Parallel()
	cases, err := corpus.Load()
	if err != nil {
		t.Fatal(err)
	}
	honest, warned := 0, []string{}
	python := interpreted(t)
	python.learn(t, cases)
	for _, c := range cases {
		found, err := scan.Scan(t.Context(), input(t, c, python))
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		var said []string
		refused := false
		for _, f := range found {
			said = append(said, f.String())
			refused = refused || f.Level == scan.Refuses
		}
		all := strings.Join(said, "\n")
		switch {
		case c.Honest:
			honest++
			if len(found) > 0 {
				warned = append(warned, c.Name+": "+all)
			}
			if refused {
				t.Errorf("%s is refused: %s", c.Name, all)
			}
		default:
			for _, name := range c.Names {
				if !strings.Contains(strings.ToLower(all), strings.ToLower(name)) {
					t.Errorf("%s: %q is not named in %q", c.Name, name, all)
				}
			}
			t.Logf("%s: %v", c.Name, said)
		}
	}
	if 4*len(warned) > honest {
		t.Errorf("%d of %d honest repairs are warned of:\n%s", len(warned), honest, strings.Join(warned, "\n"))
	}
	t.Logf("%d of %d honest repairs are warned of: %s", len(warned), honest, strings.Join(warned, "\n"))
}
