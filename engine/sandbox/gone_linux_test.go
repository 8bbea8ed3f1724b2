package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestGoneFolders covers folders that somebody has removed since they were listed.
func TestGoneFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	there, gone := filepath.Join(dir, "there"), filepath.Join(dir, "gone")
	if err := os.Mkdir(there, 0o700); err != nil {
		t.Fatal(err)
	}
	if f := coverAll([]string{gone, gone + "/below"}); f != nil {
		t.Error(f.err())
	}
	var m mounts
	m.rememberFound([]string{gone, there})
	if !m.covered(there+"/file") || m.covered(gone+"/file") {
		t.Errorf("covered are %+v", m.covers)
	}
	if f := m.remember([]string{gone}); f == nil {
		t.Error("what must be there is missed without a word")
	}
}

// TestSecretsBelow looks for what is closed to others in folders of folders, and to
// which no link may lead.
func TestSecretsBelow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, d := range []string{"open/deep/closed", "closed", "open/deep/er"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]os.FileMode{
		"plain": 0o644, "secret": 0o600, "open/deep/key": 0o640, "open/deep/plain": 0o644, "open/deep/er/key": 0o400,
		"closed": 0o700, "open/deep/closed": 0o750, "closed/key": 0o600,
	} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err != nil {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link": "secret", "around": "open", "into": "closed/key", "plainly": "plain", "nowhere": "none"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	closed := map[string]bool{}
	for _, info := range closedBelow(dir, 3) {
		closed[info.Name()] = true
		rel, err := filepath.Rel(dir, info.Name())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, rel)
	}
	slices.Sort(got)
	want := []string{"closed", "open/deep/closed", "open/deep/key", "secret"} // what is deeper is not looked for
	if !slices.Equal(got, want) {
		t.Errorf("closed are %q, want %q", got, want)
	}
	got = nil
	for _, path := range openEntries(dir, closed) {
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, rel)
	}
	slices.Sort(got)
	if want := []string{"open/deep/er", "open/deep/plain", "plain", "plainly"}; !slices.Equal(got, want) {
		t.Errorf("open are %q, want %q", got, want)
	}
}
