package sandbox_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"autocoder/engine/command"
	"autocoder/engine/sandbox"
)

// layer makes an empty layer.
func (p place) layer(t testing.TB, name string) string {
	t.Helper()
	for _, dir := range []string{name, name + "/upper", name + "/work"} {
		if err := os.Mkdir(p.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p.path(name)
}

func (p place) layered(t testing.TB, name string) sandbox.Tree {
	return sandbox.Tree{Dir: p.path("tree"), Layer: p.layer(t, name)}
}

// TestLayer shows what is written to a layered tree, and where it goes.
func TestLayer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if err := os.MkdirAll(p.path("tree/dir/sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gone", "dir/kept", "dir/sub/deep", "changed"} {
		write(t, p.path("tree/"+name), name)
	}
	before := tellTree(t, p.path("tree"))
	cell := open(t, p.config(sandbox.Isolated), p.layered(t, "one"))
	got := sh(t, cell, `pwd; cat file; echo more >> changed; rm gone; rm -r dir/sub; mkdir dir/sub; ls dir/sub; echo new > new; cat changed; test ! -e gone`)
	if want := cell.Root() + "\ntreechangedmore"; got != want {
		t.Errorf("saw %q, want %q", got, want)
	}
	if got := read(t, p.path("one/upper/changed")); got != "changedmore\n" {
		t.Errorf("the layer has %q", got)
	}
	if after := tellTree(t, p.path("tree")); after != before {
		t.Errorf("the lowest layer was\n%sand is\n%s", before, after)
	}
	// What was deleted stays deleted, whoever looks next.
	if got := sh(t, cell, `ls; ls dir dir/sub`); strings.Contains(got, "gone") || strings.Contains(got, "deep") {
		t.Errorf("deleted files are back: %s", got)
	}
	if err := cell.Switch(t.Context(), p.layered(t, "two")); err != nil {
		t.Fatal(err)
	}
	if got := sh(t, cell, `cat changed gone dir/sub/deep; test ! -e new`); got != "changedgonedir/sub/deep" {
		t.Errorf("after the switch: %q", got)
	}
	if got := read(t, p.path("root/file")); got != "root" {
		t.Errorf("the workspace's file is now %q", got)
	}
}

// tellTree lists a folder with modes, times and contents.
func tellTree(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b.WriteString(path + " " + info.Mode().String() + " " + info.ModTime().String())
		if d.Type().IsRegular() {
			b.WriteString(" " + read(t, path))
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLayerRename renames a folder that lies in the lowest layer. That an
// ordinary user's overlay refuses it is what callers must know.
func TestLayerRename(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if err := os.MkdirAll(p.path("tree/dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, p.path("tree/dir/a"), "a")
	cell := open(t, p.config(sandbox.Isolated), p.layered(t, "one"))
	out, exit := runSpec(t, cell, toolSpec("rename", "dir", "other"))
	if os.Getuid() != 0 {
		if exit.Success() || !strings.Contains(out, unix.EXDEV.Error()) {
			t.Errorf("%v %q, want EXDEV", exit, out)
		}
		return
	}
	if !exit.Success() {
		t.Fatalf("%v %s", exit, out)
	}
	if got := sh(t, cell, "cat other/a; test ! -e dir"); got != "a" {
		t.Errorf("saw %q", got)
	}
}

// TestSharedLayer writes into a shared folder.
func TestSharedLayer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if err := errors.Join(os.Mkdir(p.path("tree/deps"), 0o755), os.Mkdir(p.path("shared/pkg"), 0o755)); err != nil {
		t.Fatal(err)
	}
	write(t, p.path("shared/pkg/index.js"), "1")
	tree := func(name string) sandbox.Tree {
		tree := p.layered(t, name)
		tree.Shared = []sandbox.Shared{{Path: "deps", Source: p.path("shared"), Layer: p.layer(t, name+"-deps")}}
		return tree
	}
	before := tellTree(t, p.path("shared"))
	cell := open(t, p.config(sandbox.Isolated), tree("one"))
	if got := sh(t, cell, `mkdir deps/.cache; echo x > deps/.cache/y; echo 2 > deps/pkg/index.js; cat deps/pkg/index.js deps/.cache/y`); got != "2\nx" {
		t.Errorf("saw %q", got)
	}
	if after := tellTree(t, p.path("shared")); after != before {
		t.Errorf("the shared folder was\n%sand is\n%s", before, after)
	}
	if err := cell.Switch(t.Context(), tree("two")); err != nil {
		t.Fatal(err)
	}
	if got := sh(t, cell, `cat deps/pkg/index.js; test ! -e deps/.cache`); got != "1" {
		t.Errorf("after the switch: %q", got)
	}
}

// TestKept writes into a folder that keeps nothing of it.
func TestKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := p.config(sandbox.Isolated)
	c.Writable = []string{p.path("shared")}
	cell := open(t, c, p.layered(t, "one"))
	sh(t, cell, `echo x > "`+p.path("shared/built")+`"`)
	for _, name := range []string{"two", "three"} {
		tree := p.layered(t, name)
		tree.Kept = []sandbox.Kept{{Dir: p.path("shared"), Layer: p.layer(t, name+"-kept")}}
		if err := cell.Switch(t.Context(), tree); err != nil {
			t.Fatal(err)
		}
		if got := sh(t, cell, `cd "`+p.path("shared")+`"; cat built; ls; echo tampered > built; echo more > more; cat built`); got != "x\nbuilt\nfile\ntampered" {
			t.Errorf("%s: saw %q", name, got)
		}
	}
	if err := cell.Switch(t.Context(), p.layered(t, "four")); err != nil {
		t.Fatal(err)
	}
	sh(t, cell, `cd "`+p.path("shared")+`"; echo y > kept`)
	for name, want := range map[string]string{"built": "x\n", "kept": "y\n"} {
		if got := read(t, p.path("shared/"+name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestKeptWithoutLayer has a folder that commands could write before the switch and
// can only read after it. Supervised does not enforce that: it is the control.
func TestKeptWithoutLayer(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		c := p.config(tier)
		c.ReadAll, c.Writable = false, []string{p.path("shared")}
		cell := open(t, c, p.tree())
		sh(t, cell, `echo x > "`+p.path("shared/built")+`"`)
		tree := p.tree()
		tree.Kept = []sandbox.Kept{{Dir: p.path("shared")}}
		if err := cell.Switch(t.Context(), tree); err != nil {
			t.Fatal(err)
		}
		_, exit := run(t, cell, "/bin/sh", "-c", `cd "$0" && cat built && { echo y > built || rm built || chmod 777 built || echo z > new; }`, p.path("shared"))
		if want := tier == sandbox.Supervised; exit.Success() != want || (read(t, p.path("shared/built")) == "y\n") != want {
			t.Errorf("%v, the folder has %q", exit, read(t, p.path("shared/built")))
		}
		if got := sh(t, cell, `cat "`+p.path("shared/file")+`"; echo z > file; cat file`); got != "sharedz" {
			t.Errorf("saw %q", got)
		}
	})
}

// TestFiles writes into a tree from outside while a command runs in it, and
// through no link out of it.
func TestFiles(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		tree := p.tree()
		if tier == sandbox.Isolated {
			tree = p.layered(t, "one")
		}
		cell := open(t, p.config(tier), tree)
		files, err := cell.Files()
		if err != nil {
			t.Fatal(err)
		}
		defer files.Close()
		sh(t, cell, "cat file; ln -s "+p.path("outside")+" link")
		if err := files.WriteFile("file", []byte("other"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := sh(t, cell, "cat file"); got != "other" {
			t.Errorf("the command saw %q", got)
		}
		if err := files.WriteFile("link/file", nil, 0o600); err == nil || read(t, p.path("outside/file")) != "outside" {
			t.Errorf("written through a link: %v", err)
		}
	})
}

// TestWorkerAcrossLayers has one process, confined before the switch, work in one
// layered tree after the other.
func TestWorkerAcrossLayers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	cell := open(t, p.config(sandbox.Isolated), p.layered(t, "one"))
	proc, err := cell.Start(t.Context(), command.Spec{
		Args: []string{"/bin/sh", "-c", `while read line; do cd "$0" && echo "$line" > mine && echo "$line" >> file && cat mine; done`, cell.Root()}, Stdin: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"two", "three", "four"} {
		if err := cell.Switch(t.Context(), p.layered(t, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := proc.Stdin.Write([]byte(name + "\n")); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, len(name)+1)
		if _, err := proc.Stdout.Read(b); err != nil || string(b) != name+"\n" {
			why, _ := io.ReadAll(proc.Stderr)
			t.Fatalf("the worker says %q, %v: %+v %s", b, err, proc.Wait(), why)
		}
		if got := read(t, p.path(name+"/upper/file")); got != "tree"+name+"\n" {
			t.Errorf("in the layer: %q", got)
		}
	}
	proc.Kill()
	proc.Wait()
}

// TestNoLayers asks for a layer where there can be none.
func TestNoLayers(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(p place) (sandbox.Tier, string){
		"supervised":     func(p place) (sandbox.Tier, string) { return sandbox.Supervised, p.layer(t, "one") },
		"used before":    func(p place) (sandbox.Tier, string) { return sandbox.Isolated, usedLayer(t, p) },
		"no work folder": func(p place) (sandbox.Tier, string) { return sandbox.Isolated, p.path("tree2") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			tier, layer := ask(p)
			cell, err := sandbox.Open(t.Context(), p.config(tier), sandbox.Tree{Dir: p.path("tree"), Layer: layer})
			if err == nil {
				cell.Close()
			}
			if !errors.Is(err, sandbox.ErrNoLayers) {
				t.Errorf("%v, want ErrNoLayers", err)
			}
		})
	}
}

// usedLayer is a layer that was shown once, and what a volatile overlay leaves in
// its work folder must be seen.
func usedLayer(t *testing.T, p place) string {
	layer := p.layer(t, "used")
	cell, err := sandbox.Open(t.Context(), p.config(sandbox.Isolated), sandbox.Tree{Dir: p.path("tree"), Layer: layer})
	if err != nil {
		t.Fatal(err)
	}
	cell.Close()
	return layer
}
