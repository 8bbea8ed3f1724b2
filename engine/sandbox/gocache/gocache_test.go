package gocache_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"autocoder/engine/sandbox/gocache"
)

// logVariable makes this test binary serve a cache and write the number of hits
// and puts into the named file, as a go command would start it.
const logVariable = "GOCACHE_TEST_LOG"

func TestMain(m *testing.M) {
	if path, ok := os.LookupEnv(logVariable); ok && len(os.Args) == 3 {
		log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		syscall.Exit(gocache.Main(os.Args[1:], io.TeeReader(os.Stdin, log), os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// project is a module with a package and its test that no cache has seen.
func project(t testing.TB, salt string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.test/" + salt + "\n\ngo 1.21\n",
		"a.go":      "package a\n\n// Add adds.\nfunc Add(x, y int) int { return x + y }\n",
		"a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// goTest runs go test in dir, with prog as GOCACHEPROG, and returns the requests
// that prog got.
func goTest(t testing.TB, dir, userCache, prog string) string {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command("go", "test", "-count=1", "-vet=off", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOCACHE="+userCache, "GOCACHEPROG="+prog, logVariable+"="+log)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go test: %v\n%s", err, out)
	}
	b, err := os.ReadFile(log)
	if err != nil && prog != "" {
		t.Fatal(err)
	}
	return string(b)
}

func userCache(t testing.TB) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not installed")
	}
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// fingerprint says every file of a folder with its size, time and mode, and the
// content of small ones.
func fingerprint(t testing.TB, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(h, path, info.Size(), info.ModTime().UnixNano(), info.Mode())
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			h.Write(b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// warmCache is a user's cache that holds what a test of a small package needs,
// and nothing else: what a go command asked for, copied from the real one.
func warmCache(t *testing.T) string {
	t.Helper()
	shared := userCache(t)
	scratch := t.TempDir()
	dir := filepath.Join(t.TempDir(), "user's cache") // one quote and a space
	log := goTest(t, project(t, "warm"), scratch, gocache.Quote(os.Args[0], shared, scratch))
	from, to := gocache.Cache{User: shared, Private: scratch}, gocache.Cache{Private: dir}
	for line := range strings.Lines(log) {
		var asked struct{ ActionID []byte }
		if json.Unmarshal([]byte(line), &asked) != nil || asked.ActionID == nil {
			continue // the body of a put
		}
		e, ok := from.Get(asked.ActionID)
		if !ok {
			continue
		}
		body, err := os.ReadFile(e.Path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Put(asked.ActionID, e.Output, bytes.NewReader(body), e.Size); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestGoTest(t *testing.T) {
	t.Parallel()
	user := warmCache(t)
	before := fingerprint(t, user)
	private := filepath.Join(t.TempDir(), "private")
	prog := gocache.Quote(os.Args[0], user, private)
	dir := project(t, "cold")

	first := goTest(t, dir, private, prog)
	if !strings.Contains(first, `"put"`) {
		t.Error("the first run put nothing")
	}
	// Only the project's own package and its test are new: the standard library
	// comes from the user's cache.
	if n := strings.Count(first, `"put"`); n > 15 {
		t.Errorf("the first run put %d times; the user's cache was not read", n)
	}
	if second := goTest(t, dir, private, prog); strings.Contains(second, `"BodySize"`) {
		t.Errorf("the second run compiled again: %d puts", strings.Count(second, `"put"`))
	}
	if fingerprint(t, user) != before {
		t.Error("the user's cache has changed")
	}
	// The control: without the program the go command does write it.
	goTest(t, dir, user, "")
	if fingerprint(t, user) == before {
		t.Error("the control did not change the user's cache: this test can't fail")
	}
}

func id(text string) []byte {
	h := sha256.Sum256([]byte(text))
	return h[:]
}

func put(t *testing.T, c gocache.Cache, action, body string) gocache.Entry {
	t.Helper()
	e, err := c.Put(id(action), id(body), strings.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestDamagedEntriesAreMisses(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(e gocache.Entry, entryFile string) error{
		"none":         func(gocache.Entry, string) error { return nil },
		"short output": func(e gocache.Entry, _ string) error { return os.Truncate(e.Path, 1) },
		"no output":    func(e gocache.Entry, _ string) error { return os.Remove(e.Path) },
		"folder as output": func(e gocache.Entry, _ string) error {
			if err := os.Remove(e.Path); err != nil {
				return err
			}
			return os.Mkdir(e.Path, 0o700)
		},
		"empty entry":     func(_ gocache.Entry, f string) error { return os.Truncate(f, 0) },
		"cut entry":       func(_ gocache.Entry, f string) error { return os.Truncate(f, 100) },
		"another's entry": func(_ gocache.Entry, f string) error { return other(f) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := gocache.Cache{User: t.TempDir(), Private: t.TempDir()}
			user := gocache.Cache{Private: c.User}
			e := put(t, user, "action", "the body")
			if err := damage(e, entryFile(c.User, "action")); err != nil {
				t.Fatal(err)
			}
			got, ok := c.Get(id("action"))
			if want := name == "none"; ok != want {
				t.Fatalf("hit = %v, want %v (%+v)", ok, want, got)
			}
		})
	}
}

func entryFile(dir, action string) string {
	name := fmt.Sprintf("%x", id(action))
	return filepath.Join(dir, name[:2], name+"-a")
}

// other overwrites an entry with that of another action.
func other(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, bytes.ReplaceAll(b, fmt.Appendf(nil, "%x", id("action")), fmt.Appendf(nil, "%x", id("other"))), 0o600)
}

func TestPrivateComesFirstAndSharesOutputs(t *testing.T) {
	t.Parallel()
	c := gocache.Cache{User: t.TempDir(), Private: t.TempDir()}
	user := gocache.Cache{Private: c.User}
	old := put(t, user, "action", "old")
	put(t, c, "action", "new")
	if e, ok := c.Get(id("action")); !ok || !bytes.Equal(e.Output, id("new")) {
		t.Errorf("got %+v, %v, want the private entry", e, ok)
	}
	if e := put(t, c, "another action", "old"); e.Path != old.Path {
		t.Errorf("an output that the user has was stored again at %s", e.Path)
	}
}

func TestServersShareAPrivateFolder(t *testing.T) {
	t.Parallel()
	c := gocache.Cache{User: t.TempDir(), Private: filepath.Join(t.TempDir(), "private")}
	body := strings.Repeat("x", 1<<16)
	var wg sync.WaitGroup
	for server := range 8 {
		wg.Go(func() {
			for i := range 50 {
				action := fmt.Sprint("action", i)
				text := fmt.Sprint(i, body)
				if _, err := c.Put(id(action), id(text), strings.NewReader(text), int64(len(text))); err != nil {
					t.Errorf("server %d: %v", server, err)
				}
				if e, ok := c.Get(id(action)); !ok {
					t.Errorf("server %d misses %s", server, action)
				} else if b, err := os.ReadFile(e.Path); err != nil || string(b) != text {
					t.Errorf("server %d read %d bytes, %v", server, len(b), err)
				}
			}
		})
	}
	wg.Wait()
	left, err := filepath.Glob(filepath.Join(c.Private, "*", "put*"))
	if err != nil || len(left) > 0 {
		t.Errorf("unfinished files are left: %v, %v", left, err)
	}
}

// TestServe speaks the protocol itself, for what the go command never sends.
func TestServe(t *testing.T) {
	t.Parallel()
	action, _ := json.Marshal(id("action"))
	output, _ := json.Marshal(id("hello"))
	putLine := func(size int) string {
		return fmt.Sprintf(`{"ID":1,"Command":"put","ActionID":%s,"OutputID":%s,"BodySize":%d}`, action, output, size)
	}
	for _, c := range []struct{ name, in, want, fails string }{
		{"end of input", "", `{"ID":0,"KnownCommands":["get","put","close"]}`, ""},
		{"put and get", putLine(5) + "\n\n\"aGVsbG8=\"\n" + fmt.Sprintf(`{"ID":2,"Command":"get","ActionID":%s}`, action) + "\n", `"ID":2,"OutputID":` + string(output), ""},
		{"empty body", putLine(0) + "\n", `{"ID":1,"DiskPath":`, ""},
		{"unknown command", `{"ID":3,"Command":"dance"}` + "\n", `{"ID":3,"Err":"unknown command \"dance\""}`, ""},
		{"bad id", `{"ID":4,"Command":"get","ActionID":"AAAA"}` + "\n", `{"ID":4,"Miss":true}`, ""},
		{"close", `{"ID":5,"Command":"close"}` + "\nrubbish", `{"ID":5}`, ""},
		{"not json", "rubbish\n", "", "read request"},
		{"body cut", putLine(5) + "\n\n\"aGVs", "", "read body"},
		{"body too long", putLine(2) + "\n\n\"aGVsbG8=\"\n", "", "read body"},
		{"body missing", putLine(5) + "\n{}\n", "", "read body"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			err := gocache.Serve(gocache.Cache{Private: t.TempDir()}, strings.NewReader(c.in), &out)
			if c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
				t.Errorf("error %v, want %q", err, c.fails)
			}
			if !strings.Contains(out.String(), c.want) {
				t.Errorf("answered %s\nwant %s", out.String(), c.want)
			}
		})
	}
}

func BenchmarkGoTest(b *testing.B) {
	user := userCache(b)
	dir := project(b, "bench")
	for name, prog := range map[string]string{"plain": "", "prog": gocache.Quote(os.Args[0], user, b.TempDir())} {
		b.Run(name, func(b *testing.B) {
			cache := b.TempDir()
			if prog == "" {
				cache = user
			}
			goTest(b, dir, cache, prog)
			for b.Loop() {
				goTest(b, dir, cache, prog)
			}
		})
	}
}
