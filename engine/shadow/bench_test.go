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

// sized makes a folder of n files of about the size of source files, a fifth of
// them in folders of their own.
func sized(b *testing.B, n int) string {
	root := b.TempDir()
	content := make([]byte, 7000)
	for i := range content {
		content[i] = byte('a' + i%26)
	}
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("p%d/q%d", i/200, i/20))
		check(b, os.MkdirAll(dir, 0o755))
		check(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.py", i)), content[:500+i*13%6500], 0o644))
	}
	return root
}

func sizes(b *testing.B, run func(b *testing.B, root string)) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { run(b, sized(b, n)) })
	}
}

// BenchmarkCopyByTool is the yardstick for BenchmarkOpen.
func BenchmarkCopyByTool(b *testing.B) {
	tool, err := exec.LookPath("cp")
	if err != nil {
		b.Skip("cp is not installed")
	}
	sizes(b, func(b *testing.B, root string) {
		for b.Loop() {
			to := filepath.Join(b.TempDir(), "copy")
			check(b, exec.Command(tool, "-a", root, to).Run())
			b.StopTimer()
			check(b, os.RemoveAll(to))
			b.StartTimer()
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	sizes(b, func(b *testing.B, root string) {
		for b.Loop() {
			snap, err := workspace.Scan(context.Background(), workspace.Config{Root: root})
			check(b, err)
			s, err := Open(context.Background(), snap, Config{Cache: b.TempDir()})
			check(b, err)
			b.StopTimer()
			check(b, s.Close())
			b.StartTimer()
		}
	})
}

func BenchmarkScan(b *testing.B) {
	sizes(b, func(b *testing.B, root string) {
		for b.Loop() {
			_, err := workspace.Scan(context.Background(), workspace.Config{Root: root})
			check(b, err)
		}
	})
}

func BenchmarkSet(b *testing.B) {
	sizes(b, func(b *testing.B, root string) {
		s := openAt(b, root, workspace.Config{}, Config{})
		f := fork(b, s, textedit.State{})
		one := state(b, s, files{"p0/q0/f0.py": "x = 1\n"})
		for b.Loop() {
			check(b, f.Set(context.Background(), one))
			check(b, f.Set(context.Background(), textedit.State{}))
		}
	})
}
