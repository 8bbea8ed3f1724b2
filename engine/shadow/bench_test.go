package shadow

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

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

// BenchmarkOpen makes the first copy of a folder, on disk and in memory.
func BenchmarkOpen(b *testing.B) {
	for where, memory := range map[string]string{"disk": "", "memory": MemoryFolder()} {
		b.Run(where, func(b *testing.B) {
			sizes(b, func(b *testing.B, root string) {
				for b.Loop() {
					snap, err := workspace.Scan(context.Background(), workspace.Config{Root: root})
					check(b, err)
					s, err := Open(context.Background(), snap, Config{Cache: b.TempDir(), Memory: memory})
					check(b, err)
					b.StopTimer()
					check(b, s.Close())
					b.StartTimer()
				}
			})
		})
	}
}

// BenchmarkScan is beside a plain walk that looks at every file, by turns: what it
// takes depends on the machine, how many times as long as that less so.
func BenchmarkScan(b *testing.B) {
	sizes(b, func(b *testing.B, root string) {
		check(b, os.WriteFile(filepath.Join(root, ".gitignore"), []byte(ignoreFile), 0o644))
		s := openAt(b, root, workspace.Config{}, Config{})
		var plain, scan, follow time.Duration
		for b.Loop() {
			begun := time.Now()
			check(b, filepath.WalkDir(root, func(_ string, d os.DirEntry, err error) error {
				if err == nil {
					_, err = d.Info()
				}
				return err
			}))
			walked := time.Now()
			snap, err := workspace.Scan(context.Background(), workspace.Config{Root: root})
			check(b, err)
			scanned := time.Now()
			check(b, s.Follow(context.Background(), snap))
			plain, scan, follow = plain+walked.Sub(begun), scan+scanned.Sub(walked), follow+time.Since(scanned)
		}
		n := float64(b.N) * 1e6
		b.ReportMetric(float64(plain)/n, "walk-ms")
		b.ReportMetric(float64(scan)/n, "scan-ms")
		b.ReportMetric(float64(follow)/n, "follow-ms")
		b.ReportMetric(float64(scan+follow)/float64(plain), "times-walk")
		b.ReportMetric(0, "ns/op")
	})
}

// ignoreFile is as long as those of real projects.
const ignoreFile = `*.py[cod]
*.so
build/
dist/
*.egg-info/
*.egg
.coverage
.coverage.*
htmlcov/
.cache
*.log
.tox/
docs/_build/
/target
/tmp/**
node_modules
.DS_Store
.idea/
.vscode/
*.swp
!keep.log
`

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
