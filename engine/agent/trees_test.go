package agent

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"autocoder/engine/shadow"
	"autocoder/engine/textedit"
	"autocoder/engine/workspace"

	"github.com/google/go-cmp/cmp"
)

// trees are a project and its copies.
type trees struct {
	base    textedit.Reader
	resolve func(textedit.State) func(string) (string, error)
	tree    func(context.Context, textedit.State) (textedit.Reader, func(), error)
}

// memory keeps the project as a map, without links.
func memory(files map[string]textedit.File) trees {
	base := func(path string) (textedit.File, error) { return files[path], nil }
	return trees{
		base: base,
		resolve: func(textedit.State) func(string) (string, error) {
			return func(p string) (string, error) { return p, nil }
		},
		tree: func(_ context.Context, state textedit.State) (textedit.Reader, func(), error) {
			return state.Over(base), func() {}, nil
		},
	}
}

// onDisk writes the project into a folder, beside one with a file that is not the
// project's, and gives real copies of it. At the end it fails the test when
// anything in either folder changed.
func onDisk(t *testing.T, files map[string]textedit.File) trees {
	t.Helper()
	top := t.TempDir()
	root := filepath.Join(top, "project")
	writeFile(t, filepath.Join(top, "outside", "file"), textedit.File{Kind: textedit.Regular, Content: []byte("not yours\n")})
	writeFile(t, filepath.Join(root, "README"), textedit.File{Kind: textedit.Regular})
	for path, f := range files {
		writeFile(t, filepath.Join(root, filepath.FromSlash(path)), f)
	}
	before := contents(t, top)
	snapshot, err := workspace.Scan(t.Context(), workspace.Config{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	copies, err := shadow.Open(t.Context(), snapshot, shadow.Config{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := copies.Close(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(before, contents(t, top)); diff != "" {
			t.Errorf("the user's folder changed:\n%s", diff)
		}
	})
	return trees{base: copies.Read, resolve: copies.Resolve, tree: func(ctx context.Context, state textedit.State) (textedit.Reader, func(), error) {
		fork, err := copies.Fork(ctx, state)
		if err != nil {
			return nil, nil, err
		}
		return readFrom(fork.Dir()), func() {
			if err := fork.Close(); err != nil {
				t.Error(err)
			}
		}, nil
	}}
}

// readFrom reads what a test in dir would read.
func readFrom(dir string) textedit.Reader {
	return func(path string) (textedit.File, error) {
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		if errors.Is(err, fs.ErrNotExist) {
			return textedit.File{}, nil
		}
		return textedit.File{Kind: textedit.Regular, Content: content}, err
	}
}

func writeFile(t *testing.T, path string, f textedit.File) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil && f.Kind == textedit.Symlink {
		err = os.Symlink(f.Target, path)
	} else if err == nil {
		err = os.WriteFile(path, f.Content, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// contents reads a whole tree: contents, links and modes.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[path] = info.Mode().String() + " " + info.ModTime().String()
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			all[path] += " " + string(content)
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			all[path] += " " + target
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
