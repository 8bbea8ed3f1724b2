//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"autocoder/engine/sandbox"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	testscript.Main(m, map[string]func(){"autocoder": main})
}

// TestScripts runs each script on the program itself. The first word of a
// script's name is its verb.
func TestScripts(t *testing.T) {
	cache := goCache(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, ".home")
			e.Setenv("HOME", home)
			e.Setenv("TMPDIR", filepath.Join(e.WorkDir, ".tmp"))
			e.Setenv("GOCACHE", cache)
			e.Setenv("NO_COLOR", "1")
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name == "pytest" {
				return exec.Command("/usr/bin/python3", "-c", "import pytest").Run() == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "remember": remember, "unchanged": unchanged, "make": makeOdd, "same-bytes": sameBytes, "no-tools": noTools, "shape": shape,
		},
	})
}

func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Skip("go:", err)
	}
	return strings.TrimSpace(string(out))
}

// code runs a command and compares its exit code: code 2 autocoder fix --x.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// remember keeps a picture of a folder, and unchanged compares it.
func remember(ts *testscript.TestScript, _ bool, args []string) {
	all, err := picture(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Setenv("PICTURE_"+args[0], all)
}

func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	all, err := picture(ts.MkAbs(args[0]))
	ts.Check(err)
	if diff := cmp.Diff(ts.Getenv("PICTURE_"+args[0]), all); neg != (diff != "") {
		ts.Fatalf("the folder %s: %s", args[0], diff)
	}
}

// picture is everything of a folder that must not change, as a text.
func picture(root string) (string, error) {
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := fmt.Sprintf("%v %v", info.Mode(), info.ModTime().UnixNano())
		switch {
		case info.Mode().IsRegular():
			sum, err := hashFile(path)
			if err != nil {
				return err
			}
			text += " " + sum
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text += " " + target
		}
		all[strings.TrimPrefix(path, root)] = text
		return nil
	})
	var b strings.Builder
	for _, p := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%q %s\n", p, all[p])
	}
	return b.String(), err
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("%x", h.Sum(nil)), err
}

// makeOdd makes what an archive can't hold: make fifo PATH.
func makeOdd(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[1])
	switch args[0] {
	case "fifo":
		ts.Check(syscall.Mkfifo(path, 0o644))
	case "socket":
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
		ts.Check(err)
		l.SetUnlinkOnClose(false)
		ts.Check(l.Close())
	case "loop":
		ts.Check(os.Symlink(filepath.Base(path), path))
	case "link":
		ts.Check(os.Symlink(args[2], path))
	case "large":
		ts.Check(os.WriteFile(path, nil, 0o644))
		ts.Check(os.Truncate(path, 200<<20))
	case "bytes":
		text, err := strconv.Unquote(`"` + args[2] + `"`)
		ts.Check(err)
		name, err := strconv.Unquote(`"` + path + `"`)
		ts.Check(err)
		ts.Check(os.WriteFile(name, []byte(text), 0o644))
	default:
		ts.Fatalf("can't make a %s", args[0])
	}
}

// noTools leaves nothing in PATH but autocoder.
func noTools(ts *testscript.TestScript, _ bool, _ []string) {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, "autocoder")); err == nil {
			ts.Setenv("PATH", dir)
			return
		}
	}
	ts.Fatalf("autocoder is not in PATH")
}

// sameBytes compares a file with a text in which bytes are escaped.
func sameBytes(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	if got := ts.ReadFile(args[0]); got != want {
		ts.Fatalf("%s is %q, want %q", args[0], got, want)
	}
}

// shape writes the names of a JSON object of the last output, with the kinds of
// their values, to a file: what a reader may rely on, without the values.
func shape(ts *testscript.TestScript, _ bool, args []string) {
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &value))
	names := map[string]bool{}
	collectShape("", value, names)
	text := strings.Join(slices.Sorted(maps.Keys(names)), "\n") + "\n"
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

func collectShape(path string, value any, names map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			collectShape(path+"."+name, inner, names)
		}
	case []any:
		names[path+"[]"] = true
		for _, inner := range v {
			collectShape(path+"[]", inner, names)
		}
	case string:
		if strings.HasSuffix(path, ".schema") || strings.HasSuffix(path, "settings[].name") {
			names[path+" = "+v] = true
			return
		}
		names[path+" text"] = true
	default:
		names[fmt.Sprintf("%s %T", path, v)] = true
	}
}
