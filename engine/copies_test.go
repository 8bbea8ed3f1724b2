package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine"
	"autocoder/engine/event"
	"autocoder/engine/testresult"
)

// cacheInside is a project with the cache and the state in it, as in many a CI,
// and temp as the folder of temporary files. What a test run sees goes to seen.
func cacheInside(t *testing.T, temp string, seen *[]string) *project {
	t.Helper()
	p := newProjectAt(t, "project", nil)
	p.write(t, "a.txt", "a\n")
	p.write(t, ".gitignore", ".cache/\n")
	p.write(t, ".cache/autocoder/old", "of an earlier run\n")
	p.write(t, ".cache/other/kept", "of another program\n")
	p.write(t, "state/runs/old", "of an earlier run\n")
	p.options.CacheDir, p.options.StateDir = p.path(".cache/autocoder"), p.path("state")
	p.cache, p.state = p.options.CacheDir, p.options.StateDir
	if !filepath.IsAbs(temp) {
		temp = filepath.Join(filepath.Dir(p.root), temp)
	}
	mkdir(t, temp)
	p.options.Environ = append(os.Environ(), "TMPDIR="+temp)
	p.options.Runners = []engine.Runner{{Name: "look", Run: func(_ context.Context, dir string, _ []string) (testresult.UnitRun, error) {
		err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				*seen = append(*seen, name)
			}
			return err
		})
		return testresult.UnitRun{Tests: []testresult.Test{{ID: testresult.ID{Native: "looks"}, Status: testresult.Passed}}}, err
	}}}
	return p
}

// TestCacheInTheProject has copies made elsewhere, and without the cache.
func TestCacheInTheProject(t *testing.T) {
	t.Parallel()
	var seen []string
	p := cacheInside(t, "temp", &seen)
	p.doctor(t)
	if got := strings.Join(seen, " "); got != ".cache/other/kept .gitignore a.txt" {
		t.Errorf("the run saw %q", got)
	}
	want := filepath.Join(filepath.Dir(p.root), "temp", fmt.Sprintf("autocoder-%d", os.Getuid()), "shadows")
	for _, e := range p.events {
		if e.Kind == event.RunStarted && filepath.Dir(e.Detail) != want {
			t.Errorf("the copy was %q, want it in %q", e.Detail, want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(want, "shadow-*")); err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
}

// TestNoPlaceForCopies has nothing read when there is no place for a copy.
func TestNoPlaceForCopies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		temp string
		lay  func(temp string) error
		want string
	}{
		"temporary files in the project too": {"project/tmp", func(string) error { return nil }, "so does the folder of temporary files"},
		"somebody else may write there": {"temp", func(temp string) error {
			dir := filepath.Join(temp, fmt.Sprintf("autocoder-%d", os.Getuid()))
			return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o777))
		}, "open to other users"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := cacheInside(t, c.temp, nil)
			if err := c.lay(filepath.Join(filepath.Dir(p.root), c.temp)); err != nil {
				t.Fatal(err)
			}
			_, err := p.open(t).Doctor(t.Context())
			var usage *engine.UsageError
			if !errors.As(err, &usage) || !strings.Contains(usage.Message, c.want) || !strings.Contains(usage.Message, "XDG_CACHE_HOME") {
				t.Errorf("%v, want %q and the variable to change", err, c.want)
			}
			for _, e := range p.events {
				if e.Kind == event.PhaseChanged {
					t.Errorf("it began: %s", e.Text)
				}
			}
		})
	}
}
