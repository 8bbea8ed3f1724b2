package runner_test

import (
	"errors"
	"io/fs"
	"path"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"autocoder/engine/runner"
)

// marked recognises the folders that hold a file of that name.
func marked(name, file string) runner.Adapter {
	return runner.Adapter{Name: name, Detect: func(tree fs.FS) ([]runner.Unit, error) {
		var units []runner.Unit
		err := runner.Walk(tree, func(dir string, entries []fs.DirEntry) error {
			for _, e := range entries {
				if e.Name() == file {
					units = append(units, runner.Unit{Root: dir, Why: path.Join(dir, file)})
				}
			}
			return nil
		})
		return units, err
	}}
}

func tree(files ...string) fs.FS {
	m := fstest.MapFS{}
	for _, f := range files {
		m[f] = &fstest.MapFile{}
	}
	return m
}

func TestDetect(t *testing.T) {
	t.Parallel()
	adapters := []runner.Adapter{marked("b", "b.cfg"), marked("a", "a.cfg")}
	for _, c := range []struct {
		about string
		tree  fs.FS
		opt   runner.DetectOptions
		want  map[string]string // runner and root by name
	}{
		{"the only unit has no name", tree("x/a.cfg"), runner.DetectOptions{}, map[string]string{"": "a in x"}},
		{"nothing", tree("x/c.cfg"), runner.DetectOptions{}, map[string]string{}},
		{
			"two runners in one folder", tree("a.cfg", "b.cfg", "sub/a.cfg"),
			runner.DetectOptions{},
			map[string]string{". [a]": "a in .", ". [b]": "b in .", "sub": "a in sub"},
		},
		{"one runner", tree("a.cfg", "b.cfg", "sub/a.cfg"), runner.DetectOptions{Runner: "b"}, map[string]string{"": "b in ."}},
		{
			"excluded folders", tree("a.cfg", "x/y/a.cfg", "z/a.cfg", "z/b.cfg"),
			runner.DetectOptions{Exclude: []string{"x/**", "z"}},
			map[string]string{"": "a in ."},
		},
		{
			"folders that aren't the project's own",
			tree("a.cfg", "node_modules/p/a.cfg", ".venv/a.cfg", "env/pyvenv.cfg", "env/lib/a.cfg", "vendor/a.cfg", "testdata/a.cfg", ".git/a.cfg"),
			runner.DetectOptions{},
			map[string]string{"": "a in ."},
		},
	} {
		units, err := runner.Detect(c.tree, adapters, c.opt)
		if err != nil {
			t.Errorf("%s: %v", c.about, err)
		}
		got := map[string]string{}
		for _, u := range units {
			got[u.Name] = u.Runner + " in " + u.Root
		}
		if diff := cmp.Diff(c.want, got); diff != "" || len(units) != len(got) {
			t.Errorf("%s (-want +got):\n%s", c.about, diff)
		}
	}
}

func TestDetectNests(t *testing.T) {
	t.Parallel()
	units, err := runner.Detect(tree("a.cfg", "x/a.cfg", "x/y/a.cfg", "xy/b.cfg"),
		[]runner.Adapter{marked("a", "a.cfg"), marked("b", "b.cfg")}, runner.DetectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, u := range units {
		got[u.Name] = u.Nested
	}
	want := map[string][]string{".": {"x", "x/y"}, "x": {"x/y"}, "x/y": nil, "xy": nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("nested units (-want +got):\n%s", diff)
	}
}

func TestDetectErrors(t *testing.T) {
	t.Parallel()
	broken := runner.Adapter{Name: "a", Detect: func(fs.FS) ([]runner.Unit, error) { return nil, fs.ErrClosed }}
	if _, err := runner.Detect(tree(), []runner.Adapter{broken}, runner.DetectOptions{}); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("an adapter's error: got %v", err)
	}
	if _, err := runner.Detect(tree(), nil, runner.DetectOptions{Exclude: []string{"["}}); err == nil {
		t.Error("a bad pattern was taken")
	}
}
