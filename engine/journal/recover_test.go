//go:build unix

package journal

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/textedit"

	"github.com/google/go-cmp/cmp"
)

// TestMain lets the test binary be a run that is killed: it does what the test
// tells it by environment, says where it is, and waits to be killed.
func TestMain(m *testing.M) {
	if root := os.Getenv("JOURNAL_ROOT"); root != "" {
		if err := victim(root); err != nil {
			os.Stdout.WriteString(err.Error() + "\n")
		}
		select {}
	}
	os.Exit(m.Run())
}

func victim(root string) error {
	ctx := context.Background()
	home := filepath.Dir(root)
	j, err := Begin(ctx, Config{
		Root: root, Dir: home + "/journals", ID: "run", Saved: home + "/saved",
		Skip: []string{"deps", "late"},
	})
	if err != nil {
		return err
	}
	var s textedit.State
	for _, path := range []string{"a.txt", "sub/b.txt", "brand/new"} {
		s, err = s.Apply(
			func(string) (textedit.File, error) { return textedit.File{}, nil },
			textedit.Patch{Ops: []textedit.Op{{Kind: textedit.OpCreate, Path: path, AnyBase: true, Content: []byte("edited")}}},
		)
		if err != nil {
			return err
		}
	}
	say := func(what string) { os.Stdout.WriteString(what + "\n") }
	for {
		if err := j.Set(ctx, s); err != nil {
			return err
		}
		say("set")
		if err := errors.Join(j.Running(), os.MkdirAll(root+"/late", 0o755)); err != nil {
			return err
		}
		err = errors.Join(os.WriteFile(root+"/tool.sh", []byte("a test wrote this"), 0o755), os.WriteFile(root+"/late/x", nil, 0o644),
			os.WriteFile(root+"/junk", nil, 0o644), os.Remove(root+"/empty"))
		if err != nil {
			return err
		}
		say("running")
		if os.Getenv("JOURNAL_STOP") == "running" {
			select {}
		}
		if err := j.Ran(ctx); err != nil {
			return err
		}
		say("ran")
		if err := j.Set(ctx, textedit.State{}); err != nil {
			return err
		}
		say("back")
	}
}

// killed starts a victim in the project and kills it when it has said until
// that many times.
func killed(t *testing.T, cfg Config, until string, times int) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "JOURNAL_ROOT="+cfg.Root, "JOURNAL_STOP="+until)
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		switch line := lines.Text(); line {
		case "set", "running", "ran", "back":
			if line == until {
				times--
			}
		default:
			t.Fatalf("the victim says %q", line)
		}
		if times == 0 {
			break
		}
	}
	must(t, child.Process.Kill())
	_ = child.Wait()
}

// withoutSkipped leaves out what the victim's journal does not watch.
func withoutSkipped(p map[string]string) map[string]string {
	for path := range p {
		if path == "/late" || strings.HasPrefix(path, "/late/") {
			delete(p, path)
		}
	}
	return p
}

func TestAKilledRunIsUndone(t *testing.T) {
	t.Parallel()
	for _, until := range []string{"set", "ran", "back"} {
		for times := 1; times <= 3; times++ {
			cfg := project(t)
			before := timeless(t, cfg.Root)
			killed(t, cfg, until, times)
			all, err := Recover(t.Context(), cfg.Dir)
			must(t, err)
			for _, r := range all {
				if len(r.Left) > 0 {
					t.Errorf("%s %d: %v was left", until, times, r.Left)
				}
			}
			if len(all) != 1 || all[0].Root != cfg.Root {
				t.Errorf("%s %d: recovered %+v", until, times, all)
			}
			if diff := cmp.Diff(before, withoutSkipped(timeless(t, cfg.Root))); diff != "" {
				t.Errorf("%s %d: %s", until, times, diff)
			}
			checkGone(t, cfg)
			if again, err := Recover(t.Context(), cfg.Dir); err != nil || len(again) > 0 {
				t.Errorf("again: %v, %v", again, err)
			}
		}
	}
}

func TestATestRunThatIsKilled(t *testing.T) {
	t.Parallel()
	cfg := project(t)
	before := timeless(t, cfg.Root)
	killed(t, cfg, "running", 1)
	// A person goes on working before the next start.
	large := strings.Repeat("x", largestDiscard+1)
	must(t, os.MkdirAll(cfg.Root+"/mine/deep", 0o755))
	must(t, os.WriteFile(cfg.Root+"/mine/deep/large", []byte(large), 0o644))
	must(t, os.WriteFile(cfg.Root+"/mine/small", []byte("small"), 0))
	must(t, os.WriteFile(cfg.Root+"/a.txt", []byte("typed"), 0o644))
	must(t, os.Remove(cfg.Root+"/sub/deep/c.txt"))
	must(t, os.Symlink("there", cfg.Root+"/sub/deep/c.txt"))
	must(t, os.Chmod(cfg.Root+"/sub", 0o700))
	all, err := Recover(t.Context(), cfg.Dir)
	must(t, err)
	if diff := cmp.Diff(before, withoutSkipped(timeless(t, cfg.Root))); diff != "" {
		t.Error(diff)
	}
	saved := cfg.Saved + "/discarded-1/"
	var want []Left
	for _, p := range []string{"a.txt", "junk", "mine", "sub/deep/c.txt", "tool.sh"} {
		want = append(want, Left{p, saved + p})
	}
	if diff := cmp.Diff(want, all[0].Discarded); diff != "" || len(all[0].Left) > 0 {
		t.Error(diff, all[0].Left)
	}
	for p, text := range map[string]string{
		"a.txt": "typed", "mine/deep/large": large, "mine/small": "small", "sub/deep/c.txt": "there", "tool.sh": "a test wrote this",
	} {
		if got, err := os.ReadFile(saved + p); err != nil || string(got) != text {
			t.Errorf("%s: %v, %.20q", p, err, got)
		}
	}
	if _, err := os.Stat(cfg.Root + "/late/x"); err != nil {
		t.Errorf("what is not watched was touched: %v", err)
	}
}

// TestWorkAfterATestRunIsLeft is the other side: outside a test run a change is
// somebody's own.
func TestWorkAfterATestRunIsLeft(t *testing.T) {
	t.Parallel()
	cfg := project(t)
	j := begin(t, cfg)
	must(t, j.Running())
	must(t, os.WriteFile(cfg.Root+"/junk", nil, 0o644))
	must(t, j.Ran(t.Context()))
	must(t, j.close())
	must(t, os.WriteFile(cfg.Root+"/a.txt", []byte("typed"), 0o644))
	all, err := Recover(t.Context(), cfg.Dir)
	must(t, err)
	want := Result{Restored: []string{"junk"}, Left: []Left{{"a.txt", cfg.Saved + "/originals/a.txt"}}}
	if diff := cmp.Diff(want, all[0].Result); diff != "" {
		t.Error(diff)
	}
}

// TestNothingSavedIsOverwritten kills a run that has saved something already.
func TestNothingSavedIsOverwritten(t *testing.T) {
	t.Parallel()
	cfg := project(t)
	j := begin(t, cfg)
	for _, text := range []string{"first", "second"} {
		must(t, j.Running())
		must(t, os.WriteFile(cfg.Root+"/a.txt", []byte(text), 0o644))
		if text == "first" {
			must(t, j.Ran(t.Context()))
			must(t, j.Set(t.Context(), textedit.State{}))
		}
	}
	must(t, j.close())
	_, err := Recover(t.Context(), cfg.Dir)
	must(t, err)
	for round, want := range map[int]string{1: "first", 2: "second"} {
		if got, err := os.ReadFile(filepath.Join(cfg.Saved, discardedIn(round), "a.txt")); err != nil || string(got) != want {
			t.Errorf("round %d: %q, %v", round, got, err)
		}
	}
}

func TestALivingRunIsLeftAlone(t *testing.T) {
	t.Parallel()
	cfg := project(t)
	j := begin(t, cfg)
	must(t, j.Set(t.Context(), state(t, "a.txt", "edited")))
	before := picture(t, cfg.Root)
	if all, err := Recover(t.Context(), cfg.Dir); err != nil || len(all) > 0 {
		t.Errorf("recovered %v, %v", all, err)
	}
	if diff := cmp.Diff(before, picture(t, cfg.Root)); diff != "" {
		t.Error(diff)
	}
	_, err := j.Restore(t.Context())
	must(t, err)
}

// left leaves a journal behind, with an edit in the folder, as a kill would.
func left(t *testing.T, cfg Config) {
	t.Helper()
	j := begin(t, cfg)
	must(t, j.Set(t.Context(), state(t, "a.txt", "edited")))
	must(t, j.close())
}

func TestAKillInTheMiddleOfAWrite(t *testing.T) {
	t.Parallel()
	cfg := project(t)
	before := picture(t, cfg.Root)
	left(t, cfg)
	must(t, os.WriteFile(cfg.Root+"/a.txt"+partSuffix, []byte("ed"), 0o600))
	log, err := os.OpenFile(cfg.Dir+"/run/"+logFile, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	_, err = log.WriteString(`{"op":"want","path":"\"`)
	must(t, errors.Join(err, log.Close()))
	_, err = Recover(t.Context(), cfg.Dir)
	must(t, err)
	if diff := cmp.Diff(before, picture(t, cfg.Root)); diff != "" {
		t.Error(diff)
	}
}

func TestAKillBeforeAnythingWasChanged(t *testing.T) {
	t.Parallel()
	cfg := project(t)
	must(t, os.MkdirAll(cfg.Dir+"/run/"+filesDir, 0o700))
	for _, text := range []string{"", `{"op":"begin"`, `{"op":"begin","schema":"autocoder.journal/1","root":"\"/\""}` + "\n"} {
		must(t, os.MkdirAll(cfg.Dir+"/run", 0o700))
		must(t, os.WriteFile(cfg.Dir+"/run/"+logFile, []byte(text), 0o600))
		if all, err := Recover(t.Context(), cfg.Dir); err != nil || len(all) > 0 {
			t.Errorf("%q: %v, %v", text, all, err)
		}
		checkGone(t, cfg)
	}
}

// TestSchema holds the format: a journal like the golden file must stay usable.
func TestSchema(t *testing.T) {
	t.Parallel()
	golden, err := os.ReadFile("testdata/journal.jsonl")
	must(t, err)
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	root, run := filepath.Join(home, "project"), filepath.Join(home, "journals", "run")
	for name, text := range map[string]string{
		root + "/a.txt": "edited", root + "/junk": "junk", root + "/deps/new": "kept",
		run + "/" + filesDir + "/" + hashOf([]byte("a\n")): "a\n",
		run + "/" + logFile: strings.NewReplacer("ROOT", root, "SAVED", home+"/saved").Replace(string(golden)),
	} {
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, []byte(text), 0o644))
	}
	must(t, os.Symlink("a.txt", root+"/link"))
	got, err := Recover(t.Context(), filepath.Dir(run))
	must(t, err)
	want := []Recovered{{Root: root, Result: Result{Restored: []string{"a.txt", "junk"}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if text, err := os.ReadFile(root + "/a.txt"); err != nil || string(text) != "a\n" {
		t.Errorf("a.txt is %q, %v", text, err)
	}
	if _, err := os.Stat(root + "/deps/new"); err != nil {
		t.Errorf("what is not watched was touched: %v", err)
	}
}

func TestAJournalThatCannotBeUsedStays(t *testing.T) {
	t.Parallel()
	cfg := project(t)
	left(t, cfg)
	path := cfg.Dir + "/run/" + logFile
	text, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte(strings.Replace(string(text), Schema, "autocoder.journal/2", 1)), 0o600))
	edited := picture(t, cfg.Root)
	if _, err := Recover(t.Context(), cfg.Dir); err == nil || !strings.Contains(err.Error(), "autocoder.journal/2") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(edited, picture(t, cfg.Root)); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestTheFolderIsGone(t *testing.T) {
	t.Parallel()
	cfg := project(t)
	left(t, cfg)
	must(t, os.RemoveAll(cfg.Root))
	if all, err := Recover(t.Context(), cfg.Dir); err != nil || len(all) > 0 {
		t.Errorf("got %v, %v", all, err)
	}
	checkGone(t, cfg)
	if all, err := Recover(t.Context(), cfg.Dir+"/nowhere"); err != nil || len(all) > 0 {
		t.Errorf("nowhere: %v, %v", all, err)
	}
}
