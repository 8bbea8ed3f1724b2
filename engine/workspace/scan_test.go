package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plan is what a scan decided, as data: one line an entry, "i" for ignored.
type plan struct {
	Entries, Sources, Shared, LeftOut, Warnings []string
}

func planOf(s *Snapshot) plan {
	p := plan{Sources: s.Sources(), Shared: s.Shared(), LeftOut: s.LeftOut(), Warnings: s.Warnings()}
	for _, e := range s.Entries() {
		line := e.Path
		switch e.Kind {
		case Folder:
			line += "/"
		case Symlink:
			line += " -> " + e.Target
		case File, InvalidKind:
		}
		if e.Ignored {
			line += " (ignored)"
		}
		p.Entries = append(p.Entries, line)
	}
	return p
}

func many(name string, n int, f files) files {
	for i := range n {
		f[fmt.Sprintf("%s/%d", name, i)] = ""
	}
	return f
}

func TestScan(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		files files
		cfg   Config
		want  plan
	}{
		"plain": {
			files: files{"a.py": "", "d/b.py": "", "e/": ""},
			want:  plan{Entries: []string{"a.py", "d/", "d/b.py", "e/"}, Sources: []string{"a.py", "d/b.py"}},
		},
		"dependencies are shared without a .gitignore": {
			files: files{"node_modules/m/index.js": "", "p/node_modules/n/x": "", ".venv/bin/x": "", "env/pyvenv.cfg": "", "venv/no": "", ".tox/a": "", "vendor/bundle/x": "", "vendor/go/x.go": ""},
			want: plan{
				Entries: []string{"p/", "vendor/", "vendor/go/", "vendor/go/x.go", "venv/", "venv/no"}, Sources: []string{"vendor/go/x.go", "venv/no"},
				Shared: []string{".tox", ".venv", "env", "node_modules", "p/node_modules", "vendor/bundle"},
			},
		},
		"dependencies below tests are their data": {
			files: files{"tests/fixtures/node_modules/m/x.js": ""},
			want: plan{
				Entries: []string{"tests/", "tests/fixtures/", "tests/fixtures/node_modules/", "tests/fixtures/node_modules/m/", "tests/fixtures/node_modules/m/x.js"},
				Sources: []string{"tests/fixtures/node_modules/m/x.js"},
			},
		},
		"ignored: small is copied, large is shared, never left out": {
			files: many("target", 1001, files{".gitignore": "target\nout/\n*.log\n", "a.log": "", "out/x": "", "out/d/y": ""}),
			want: plan{
				Entries: []string{".gitignore", "a.log (ignored)", "out/ (ignored)", "out/d/ (ignored)", "out/d/y (ignored)", "out/x (ignored)"},
				Sources: []string{".gitignore"}, Shared: []string{"target"},
			},
		},
		"byte code is never copied": {
			files: files{"d/__pycache__/x.pyc": "", "d/x.py": ""},
			want:  plan{Entries: []string{"d/", "d/x.py"}, Sources: []string{"d/x.py"}},
		},
		"share setting": {
			files: files{"data/big/x": "", "data/small/x": "", "a": ""},
			cfg:   Config{Share: []string{"./data/b*/"}},
			want:  plan{Entries: []string{"a", "data/", "data/small/", "data/small/x"}, Sources: []string{"a", "data/small/x"}, Shared: []string{"data/big"}},
		},
		"secrets": {
			files: files{
				".env": "", "d/.env.local": "", ".env.example": "", ".ENV.Sample": "", "deploy.pem": "", "k.KEY": "", "id_rsa": "", "id_rsa.pub": "",
				"secrets/token": "", "a/credentials/x.json": "", "a/credentials/creds.go": "", "tests/server.key": "", ".gitignore": "local/\nprivate.py\n", "local/credentials/y.py": "", "keys.py": "",
			},
			want: plan{
				Entries: []string{
					".ENV.Sample", ".env.example", ".gitignore", "a/", "a/credentials/", "a/credentials/creds.go", "d/", "id_rsa.pub", "keys.py",
					"local/ (ignored)", "local/credentials/ (ignored)", "secrets/", "tests/", "tests/server.key",
				},
				Sources: []string{".ENV.Sample", ".env.example", ".gitignore", "a/credentials/creds.go", "id_rsa.pub", "keys.py", "tests/server.key"},
				LeftOut: []string{".env", "a/credentials/x.json", "d/.env.local", "deploy.pem", "id_rsa", "k.KEY", "local/credentials/y.py", "secrets/token"},
			},
		},
		"secrets that are ignored": {
			files: files{".gitignore": "tests/a.key\n/secrets/\n", "tests/a.key": "", "secrets/x.py": ""},
			want:  plan{Entries: []string{".gitignore", "tests/"}, Sources: []string{".gitignore"}, LeftOut: []string{"secrets/", "tests/a.key"}},
		},
		"include": {
			files: files{".gitignore": "/secrets/\n", ".env": "", ".env.local": "", "secrets/x": "", "d/a.pem": ""},
			cfg:   Config{Include: []string{".env", "secrets", "**/*.pem"}},
			want: plan{
				Entries: []string{".env", ".gitignore", "d/", "d/a.pem", "secrets/ (ignored)", "secrets/x (ignored)"},
				Sources: []string{".env", ".gitignore", "d/a.pem"}, LeftOut: []string{".env.local"},
			},
		},
		"links": {
			files: files{"a": "", "in -> a": "", "up/in -> ../a": "", "loop -> loop": "", "x -> y": "", "y -> x": "", "gone -> nowhere": "", "out -> /etc": ""},
			want: plan{
				Entries: []string{"a", "gone -> nowhere", "in -> a", "loop -> loop", "out -> /etc", "up/", "up/in -> ../a", "x -> y", "y -> x"},
				Sources: []string{"a"}, Warnings: []string{`the link "out" leads out of the folder, to "/etc"`},
			},
		},
		"repository": {
			files: files{".git/HEAD": "ref", ".git/refs/heads/my.key": "", "sub/.git": "gitdir: ../.git/modules/sub\n", "sub/x": ""},
			want: plan{
				Entries: []string{".git/ (ignored)", ".git/HEAD (ignored)", ".git/refs/ (ignored)", ".git/refs/heads/ (ignored)", ".git/refs/heads/my.key (ignored)", "sub/", "sub/.git (ignored)", "sub/x"},
				Sources: []string{"sub/x"},
			},
		},
		"a nested repository has its own rules": {
			files: files{".gitignore": "*.log\n", "n/.git/HEAD": "", "n/a.log": "", "a.log": ""},
			want: plan{
				Entries: []string{".gitignore", "a.log (ignored)", "n/", "n/.git/ (ignored)", "n/.git/HEAD (ignored)", "n/a.log"},
				Sources: []string{".gitignore", "n/a.log"},
			},
		},
		"odd names": {
			files: files{"a b": "", `q"'q`: "", "new\nline": "", "non\xffutf8": "", "-dash": "", "*": ""},
			want: plan{
				Entries: []string{"*", "-dash", "a b", "new\nline", "non\xffutf8", `q"'q`}, Sources: []string{"*", "-dash", "a b", "new\nline", `q"'q`},
			},
		},
		"buffers": {
			files: files{"a": "", "node_modules/x": ""},
			cfg:   Config{Buffers: map[string][]byte{"a": []byte("1"), "new/b": nil, "node_modules/x": nil, "../c": nil, "/d": nil, ".env": nil}},
			want: plan{
				Entries: []string{"a"}, Sources: []string{"a", "new/b"}, Shared: []string{"node_modules"}, LeftOut: []string{".env"},
				Warnings: []string{
					`the unsaved buffer "../c" is outside the folder and is not seen`, `the unsaved buffer "/d" is outside the folder and is not seen`,
					`the unsaved buffer "node_modules/x" lies in the shared folder "node_modules" and is not seen`,
				},
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := planOf(scan(t, folder(t, test.files), test.cfg))
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestScanBelowARepository(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		outer   files
		ignored bool
	}{
		"its rules reach in":             {files{".gitignore": "*.log\n"}, true},
		"anchored at its top":            {files{".gitignore": "/project/a.log\n"}, true},
		"its exclude file":               {files{".git/info/exclude": "a.log\n"}, true},
		"unless it ignores the project":  {files{".gitignore": "*.log\n/project/\n"}, false},
		"anchored elsewhere":             {files{".gitignore": "/a.log\n"}, false},
		"a control without any rules":    {files{}, false},
		"a folder above that is ignored": {files{".gitignore": "project\n*.log\n"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := folder(t, files{"a.log": ""})
			files{".git/HEAD": ""}.Write(t, filepath.Dir(root))
			test.outer.Write(t, filepath.Dir(root))
			if got := scan(t, root, Config{}).Entries()[0].Ignored; got != test.ignored {
				t.Errorf("a.log ignored = %v, want %v", got, test.ignored)
			}
		})
	}
}

func TestSharedLink(t *testing.T) {
	t.Parallel()
	store := folder(t, files{"m/index.js": ""})
	s := scan(t, folder(t, files{"node_modules -> " + store: ""}), Config{})
	want := []Share{{Path: "node_modules", Source: store}}
	if d := cmp.Diff(want, s.Shares()); d != "" {
		t.Errorf("shares -want +got:\n%s", d)
	}
}

func TestSharedFolderWithSecrets(t *testing.T) {
	t.Parallel()
	s := scan(t, folder(t, many("out", 1001, files{".gitignore": "out\n", "out/.env": ""})), Config{})
	if got := s.Warnings(); len(got) != 1 || !strings.Contains(got[0], `"out/.env"`) {
		t.Errorf("warnings = %q, want one that names out/.env", got)
	}
}

func TestLargeRepositoryIsShared(t *testing.T) {
	t.Parallel()
	root := folder(t, files{".git/HEAD": "", "a": ""})
	big := filepath.Join(root, ".git/pack")
	check(t, os.WriteFile(big, nil, 0o644))
	check(t, os.Truncate(big, smallGitBytes+1))
	s, err := Scan(context.Background(), Config{Root: root})
	check(t, err)
	if d := cmp.Diff([]string{".git"}, s.Shared()); d != "" {
		t.Errorf("shared -want +got:\n%s", d)
	}
}

func TestRefusedRoots(t *testing.T) {
	t.Parallel()
	dir := folder(t, files{"home/me/project/a": "", "file": "", "home/link -> me": ""})
	home := filepath.Join(dir, "home/me")
	cases := map[string]struct {
		root     string
		unusable bool
		says     string
	}{
		"missing":              {filepath.Join(dir, "none"), true, "does not exist"},
		"a file":               {filepath.Join(dir, "file"), true, "is a file, not a folder"},
		"below a file":         {filepath.Join(dir, "file", "x"), true, "can't be read"},
		"home":                 {home, false, "is your home folder"},
		"home by a link":       {filepath.Join(dir, "home/link"), false, "is your home folder"},
		"above home":           {filepath.Join(dir, "home"), false, "contains your home folder"},
		"/":                    {string(filepath.Separator), false, "is the root of the file system"},
		"control: a project":   {filepath.Join(home, "project"), false, ""},
		"control: next to it":  {filepath.Join(dir, "home/me/../me/project"), false, ""},
		"control: no home set": {home, false, ""},
	}
	if runtime.GOOS == "linux" {
		cases["a mounted volume"] = struct {
			root     string
			unusable bool
			says     string
		}{"/proc", false, "is a whole mounted volume"}
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := Config{Root: test.root, Home: home}
			if strings.HasPrefix(name, "control: no home") {
				cfg.Home = ""
			}
			_, err := Scan(context.Background(), cfg)
			if test.says == "" {
				check(t, err)
				return
			}
			var e *RootError
			if !errors.As(err, &e) || e.Unusable != test.unusable || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), test.root) {
				t.Errorf("error = %v (%#v), want a RootError that says %q", err, e, test.says)
			}
		})
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	f := many("packages/app/data", 30, many("src", 5, files{"a": strings.Repeat("x", 1000), "assets/b": strings.Repeat("x", 5000)}))
	for name, test := range map[string]struct {
		cfg     Config
		largest []string
	}{
		"files":            {Config{MaxFiles: 20}, []string{"packages/app/data", "src", "assets"}},
		"bytes":            {Config{MaxBytes: 2000}, []string{"assets"}},
		"control":          {Config{}, nil},
		"shared":           {Config{MaxFiles: 20, Share: []string{"packages/app/data"}}, nil},
		"exactly at limit": {Config{MaxFiles: 37}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.cfg.Root = folder(t, f)
			_, err := Scan(context.Background(), test.cfg)
			if test.largest == nil {
				check(t, err)
				return
			}
			var e *TooLargeError
			if !errors.As(err, &e) {
				t.Fatalf("error = %v, want a TooLargeError", err)
			}
			var got []string
			for _, l := range e.Largest {
				got = append(got, l.Path)
			}
			if d := cmp.Diff(test.largest, got); d != "" {
				t.Errorf("largest -want +got:\n%s", d)
			}
			if !strings.Contains(err.Error(), `share = ["`+test.largest[0]+`"]`) {
				t.Errorf("error %q does not name the setting", err)
			}
		})
	}
}

func TestBadPatterns(t *testing.T) {
	t.Parallel()
	for _, cfg := range []Config{{Include: []string{"a", "[b"}}, {Share: []string{"{b"}}} {
		cfg.Root = t.TempDir()
		_, err := Scan(context.Background(), cfg)
		if e := (*PatternError)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), "b") {
			t.Errorf("error = %v, want a PatternError that names the pattern", err)
		}
	}
}

func TestScanIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Scan(ctx, Config{Root: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want context.Canceled", err)
	}
}

// TestScanSkips has folders of ours in the project passed over, whatever the
// folder around them is.
func TestScanSkips(t *testing.T) {
	t.Parallel()
	for _, ours := range []string{"cache", "d/cache", "ignored/cache", "ignored/d/cache"} {
		for _, skip := range []bool{true, false} {
			root := t.TempDir()
			files{".gitignore": "ignored/\n", ours + "/x": "", "keep/x": ""}.Write(t, root)
			cfg := Config{Root: root}
			if skip {
				cfg.Skip = []string{filepath.Join(root, filepath.FromSlash(ours)), filepath.Join(root, "missing"), t.TempDir()}
			}
			s, err := Scan(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(planOf(s).Entries, " ")
			if strings.Contains(got, "cache") == skip || !strings.Contains(got, "keep/x") {
				t.Errorf("with %s skipped (%v): %s", ours, skip, got)
			}
		}
	}
}
