package shadow

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"autocoder/engine/textedit"
	"autocoder/engine/workspace"
)

// BenchmarkSwitch shows what a fork costs, made, shown and discarded, of a folder
// of which nine tenths are dependencies, beside the ways to copy it.
func BenchmarkSwitch(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			root := withDependencies(b, n)
			s := openAt(b, root, workspace.Config{Share: []string{"node_modules"}}, Config{})
			g := newStage(b, s)
			one := state(b, s, files{"p0/q0/f0.py": "x = 1\n"})
			b.Run("layers", func(b *testing.B) {
				for b.Loop() {
					g.set(b, one)
					s.removing.Wait()
				}
			})
			b.Run("snapshot", func(b *testing.B) {
				for b.Loop() {
					snap, err := workspace.Scan(context.Background(), workspace.Config{Root: root, Share: []string{"node_modules"}})
					check(b, err)
					check(b, s.Follow(context.Background(), snap))
				}
			})
			b.Run("first snapshot", func(b *testing.B) {
				for b.Loop() {
					snap, err := workspace.Scan(context.Background(), workspace.Config{Root: root, Share: []string{"node_modules"}})
					check(b, err)
					first, err := Open(context.Background(), snap, Config{Cache: b.TempDir(), Memory: MemoryFolder()})
					check(b, err)
					b.StopTimer()
					check(b, first.Close())
					b.StartTimer()
				}
			})
			b.Run("copied fork", func(b *testing.B) {
				for b.Loop() {
					f, err := s.Fork(context.Background(), textedit.State{})
					check(b, err)
					check(b, f.Close())
				}
			})
			for _, tool := range []string{"cp -a", "rsync -a", "git worktree"} {
				b.Run(tool, func(b *testing.B) { byTool(b, tool, root) })
			}
		})
	}
}

// withDependencies makes a folder of n files, a tenth of them sources.
func withDependencies(b *testing.B, n int) string {
	root := sized(b, n/10)
	check(b, os.MkdirAll(filepath.Join(root, "node_modules"), 0o755))
	for i := range n - n/10 {
		dir := filepath.Join(root, "node_modules", fmt.Sprintf("d%d/lib%d", i/200, i/20%10))
		check(b, os.MkdirAll(dir, 0o755))
		check(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.js", i)), make([]byte, 500+i*13%6500), 0o644))
	}
	return root
}

// byTool copies the folder, and removes the copy, by a program.
func byTool(b *testing.B, tool, root string) {
	git := func(args ...string) {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("git %q: %v %s", args, err, out)
		}
	}
	to := filepath.Join(b.TempDir(), "copy")
	copy := map[string]func(){
		"cp -a":    func() { check(b, exec.Command("cp", "-a", root, to).Run()) },
		"rsync -a": func() { check(b, exec.Command("rsync", "-a", root+"/", to).Run()) },
		"git worktree": func() {
			git("worktree", "add", "-q", "--detach", to)
			b.StopTimer()
			git("worktree", "remove", "-f", to)
			b.StartTimer()
		},
	}
	if tool == "git worktree" {
		b.Cleanup(func() { check(b, os.RemoveAll(filepath.Join(root, ".git"))) })
		git("init", "-q")
		git("add", "-A")
		git("-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "-q", "-m", "m")
	} else if _, err := exec.LookPath(tool[:len(tool)-3]); err != nil {
		b.Skip("not on this system: ", err)
	}
	for b.Loop() {
		copy[tool]()
		check(b, os.RemoveAll(to))
	}
}
