package python

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autocoder/engine/propose"
	"autocoder/engine/repair"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

type localCase struct {
	Set, Case, Dir   string
	Failing, Passing []string
}

func TestLocalBench(t *testing.T) {
	b, err := os.ReadFile("/tmp/cases/index.json")
	if err != nil {
		t.Skip()
	}
	var cases []localCase
	json.Unmarshal(b, &cases)
	only := os.Getenv("ONLY")
	n, ok, honest, amb := 0, 0, 0, 0
	for _, c := range cases {
		if only != "" && !strings.Contains(c.Set+"/"+c.Case, only) {
			continue
		}
		n++
		p := project{dir: c.Dir}
		view := p.view(t, 2)
		view.Units = []propose.Unit{{Name: "", Root: ".", Runner: "pytest", Interpreter: "/usr/bin/python3"}}
		var u testresult.UnitRun
		for _, id := range c.Failing {
			view.Targets = append(view.Targets, testresult.ID{Native: id})
			u.Tests = append(u.Tests, testresult.Test{ID: testresult.ID{Native: id}, Status: testresult.Failed})
		}
		for _, id := range c.Passing {
			u.Tests = append(u.Tests, testresult.Test{ID: testresult.ID{Native: id}, Status: testresult.Passed})
		}
		view.Result = testresult.Result{Units: []testresult.UnitRun{u}}
		filepath.WalkDir(c.Dir, func(path string, d os.DirEntry, err error) error {
			if d.Type().IsRegular() && !strings.Contains(path, "__pycache__") {
				rel, _ := filepath.Rel(c.Dir, path)
				view.Files = append(view.Files, rel)
			}
			return nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		start := time.Now()
		prop, err := repair.New(time.Now, pick()).Propose(ctx, view, nil)
		d := time.Since(start)
		cancel()
		if err != nil {
			fmt.Printf("%-40s %6.2fs %v\n", c.Case, d.Seconds(), err)
			continue
		}
		ok++
		dir := t.TempDir()
		os.CopyFS(dir, os.DirFS(c.Dir))
		for _, op := range prop.Patch.Ops {
			old, _ := os.ReadFile(filepath.Join(dir, op.Path))
			nw, err := textedit.ApplyEdits(old, op.Edits)
			if err != nil {
				t.Fatal(err)
			}
			os.WriteFile(filepath.Join(dir, op.Path), nw, 0o644)
		}
		run := func() bool {
			ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
			defer cancel()
			cmd := exec.CommandContext(ctx, "/usr/bin/python3", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")
			cmd.Dir = dir
			return cmd.Run() == nil
		}
		vis := run()
		os.RemoveAll(filepath.Join(dir, "tests/__pycache__"))
		filepath.WalkDir(c.Dir+".truth", func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && strings.Contains(path, "/tests/") {
				rel, _ := filepath.Rel(c.Dir+".truth", path)
				bb, _ := os.ReadFile(path)
				os.WriteFile(filepath.Join(dir, rel), bb, 0o644)
			}
			return nil
		})
		hid := run()
		if hid && vis {
			honest++
		}
		if len(prop.Alternatives) > 0 {
			amb++
		}
		fmt.Printf("%-40s %6.2fs vis=%v hidden=%v alts=%d %s | %s\n", c.Case, d.Seconds(), vis, hid, len(prop.Alternatives), prop.Origin, prop.Why)
	}
	fmt.Println("cases", n, "proposed", ok, "honest", honest, "ambiguous", amb)
}

type counting struct{ repair.Language }
type countingSession struct{ repair.Session }

func (c counting) Open(ctx context.Context, task repair.Task) (repair.Session, error) {
	t0 := time.Now()
	s, err := c.Language.Open(ctx, task)
	fmt.Printf("  open %.2fs err=%v\n", time.Since(t0).Seconds(), err)
	if err != nil {
		return nil, err
	}
	return countingSession{s}, nil
}

func (c countingSession) Evaluate(ctx context.Context, batch []repair.Candidate, done func(repair.Verdict)) error {
	t0 := time.Now()
	n := map[repair.Trial]int{}
	tmpl := map[string]int{}
	by := map[int]repair.Candidate{}
	for _, x := range batch {
		by[x.ID] = x
	}
	err := c.Session.Evaluate(ctx, batch, func(v repair.Verdict) {
		n[v.Trial]++
		if v.Trial == repair.OutOfFuel || v.Trial == repair.Died {
			tmpl[v.Trial.String()+" "+by[v.ID].Template]++
		}
		done(v)
	})
	fmt.Printf("  evaluate %d in %.2fs: %v err=%v %v\n", len(batch), time.Since(t0).Seconds(), n, err, tmpl)
	return err
}

func pick() repair.Language {
	if os.Getenv("COUNT") != "" {
		return counting{New()}
	}
	return New()
}
