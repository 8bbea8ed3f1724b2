package runnertest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"autocoder/engine/runner"
	"autocoder/engine/sandbox"
)

// OpenCell opens a cell over the tree in dir, with a scratch folder outside it.
// The package's TestMain must call sandbox.Main first.
func OpenCell(t testing.TB, dir string) runner.Cell {
	t.Helper()
	cell, err := sandbox.Open(context.Background(), sandbox.Config{
		Root: dir, Scratch: t.TempDir(), Tier: sandbox.Supervised, Environ: os.Environ(),
	}, sandbox.Tree{Dir: dir})
	if err != nil {
		t.Fatalf("open a cell: %v", err)
	}
	t.Cleanup(func() {
		if err := cell.Close(); err != nil {
			t.Errorf("close the cell: %v", err)
		}
	})
	return cell
}

// Write lays the files of an archive into a new folder of that name and returns
// its path.
func Write(t *testing.T, name string, files []txtar.File) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(top, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Prepare finds the one unit of the tree and its tools. The test is skipped when
// they are not installed here.
func Prepare(t *testing.T, a runner.Adapter, cell runner.Cell, environ []string) runner.Unit {
	t.Helper()
	units, err := runner.Detect(os.DirFS(cell.Root()), []runner.Adapter{a}, runner.DetectOptions{})
	if err != nil {
		t.Fatalf("detect: %v", err)
	}
	if len(units) != 1 {
		t.Fatalf("detect found %d units, want one: %+v", len(units), units)
	}
	unit, err := a.Probe(context.Background(), cell, units[0], environ)
	if err != nil {
		t.Fatalf("probe: %v", err)
	}
	if unit.Reason != 0 {
		t.Skipf("%s is not installed: %s", a.Name, unit.Detail)
	}
	return unit
}

// Hashes returns the hash of every file below dir, and "folder" for each folder.
func Hashes(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		if d.IsDir() {
			found[rel] = "folder"
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		found[rel] = fmt.Sprintf("%x", sha256.Sum256(data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
