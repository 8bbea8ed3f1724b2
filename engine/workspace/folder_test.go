package workspace

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"autocoder/engine/foldertest"
)

// files is a folder as data.
type files = foldertest.Files

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// folder makes a project folder of the files.
func folder(t testing.TB, f files) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "project")
	check(t, os.Mkdir(root, 0o755))
	f.Write(t, root)
	return root
}

// scan scans an untouched folder.
func scan(t testing.TB, root string, cfg Config) *Snapshot {
	t.Helper()
	foldertest.Untouched(t, root)
	cfg.Root = root
	s, err := Scan(context.Background(), cfg)
	check(t, err)
	return s
}
