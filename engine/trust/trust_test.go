package trust

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var since = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func folder(t *testing.T, name string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	dir := filepath.Join(real, name)
	must(t, os.Mkdir(dir, 0o755))
	return dir
}

func TestTrustIsRemembered(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state")
	s, a, b := Open(state), folder(t, "a"), folder(t, "b")
	link := filepath.Join(filepath.Dir(a), "link")
	must(t, os.Symlink(a, link))

	if f, err := s.Lookup(a); err != nil || f != (Folder{}) {
		t.Fatalf("at first: %+v, %v", f, err)
	}
	must(t, s.Trust(link, "h1", since))
	must(t, s.AllowSupervised(b, since))
	must(t, s.Trust(b, "h2", since))
	s = Open(state)
	for dir, want := range map[string]Folder{
		a:    {Root: a, Hash: "h1", Since: since},
		link: {Root: a, Hash: "h1", Since: since},
		b:    {Root: b, Hash: "h2", Supervised: true, Since: since},
	} {
		got, err := s.Lookup(dir)
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", dir, diff)
		}
	}
	info, err := os.Stat(filepath.Join(state, fileName))
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %o", info.Mode().Perm())
	}
}

// TestSchema holds the format: what is in the golden file must stay readable.
func TestSchema(t *testing.T) {
	t.Parallel()
	golden, err := os.ReadFile("testdata/trust.json")
	must(t, err)
	a := folder(t, "a")
	b := filepath.Join(filepath.Dir(a), "b")
	must(t, os.Mkdir(b, 0o755))
	text := strings.NewReplacer("FOLDER_A", a, "FOLDER_B", b).Replace(string(golden))
	old := Open(t.TempDir())
	must(t, os.WriteFile(old.path(), []byte(text), 0o600))
	got, err := old.Lookup(a)
	must(t, err)
	if diff := cmp.Diff(Folder{Root: a, Hash: "h1", Since: since}, got); diff != "" {
		t.Errorf("read: %s", diff)
	}
	s := Open(t.TempDir())
	must(t, s.Trust(a, "h1", since))
	must(t, s.AllowSupervised(b, since))
	written, err := os.ReadFile(s.path())
	must(t, err)
	if diff := cmp.Diff(text, string(written)); diff != "" {
		t.Errorf("written: %s", diff)
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	s, a := Open(t.TempDir()), folder(t, "a")
	if was, err := s.Revoke(a); was || err != nil {
		t.Errorf("of nothing: %v, %v", was, err)
	}
	must(t, s.AllowSupervised(a, since))
	must(t, os.Remove(a))
	if was, err := s.Revoke(a); !was || err != nil {
		t.Errorf("of a folder that is gone: %v, %v", was, err)
	}
	if all, err := s.List(); err != nil || len(all) != 0 {
		t.Errorf("after: %v, %v", all, err)
	}
}

func TestUnreadableFileIsNoTrust(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"schema":"autocoder.trust/2","folders":[]}`:                      `"autocoder.trust/2"`,
		`{"schema":"autocoder.trust/1","folders":[{"root":"/","hash":"h"}`: fileName,
	} {
		s, a := Open(t.TempDir()), folder(t, "a")
		must(t, os.WriteFile(s.path(), []byte(text), 0o600))
		f, err := s.Lookup(a)
		if err == nil || !strings.Contains(err.Error(), want) || f != (Folder{}) {
			t.Errorf("lookup: %+v, %v, want an error with %s", f, err, want)
		}
		if err := s.Trust(a, "h", since); err == nil {
			t.Errorf("what %s remembered was thrown away", text)
		}
	}
}

func TestNothingIsLostBetweenWriters(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	var wg sync.WaitGroup
	for range 20 {
		dir := folder(t, "x")
		wg.Go(func() {
			if err := Open(state).AllowSupervised(dir, since); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if all, err := Open(state).List(); err != nil || len(all) != 20 {
		t.Errorf("%d of 20 are remembered, %v", len(all), err)
	}
}
