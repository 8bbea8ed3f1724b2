package engine

import (
	"bufio"
	"bytes"
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"autocoder/engine/command"
	"autocoder/engine/sandbox"
	"autocoder/engine/textedit"
)

// recentLines are the lines of each file that were changed lately, found once a
// run.
type recentLines struct {
	once  sync.Once
	lines map[string][]int
}

// diffLimit is the most of git's answer that is read.
const diffLimit = 4 << 20

// recent returns the lines of path that the last commit changed, or that were
// changed since.
func (x *world) recent(ctx context.Context, path string) []int {
	x.changed.once.Do(func() { x.changed.lines = x.recentChanges(ctx) })
	return x.changed.lines[path]
}

// recentChanges asks git, in a cell and with everything off by which a
// repository could run a program. Without git, or below the tiers that confine,
// nothing is known, which is no fault.
func (x *world) recentChanges(ctx context.Context) map[string][]int {
	if x.tier == sandbox.Supervised {
		return nil
	}
	b, err := x.newBench(ctx, textedit.State{})
	if err != nil {
		return nil
	}
	defer b.close()
	for _, base := range []string{"HEAD~1", "HEAD"} {
		out, err := command.Run(ctx, b.cell, command.Spec{Args: []string{
			"git", "--no-optional-locks", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
			"-c", "core.quotePath=false", "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames",
			"--ignore-submodules", "--src-prefix=a/", "--dst-prefix=b/", "-U0", base, "--",
		}}, diffLimit)
		if err == nil && out.Exit.Success() {
			return changedLines(out.Stdout)
		}
	}
	return nil
}

var hunk = regexp.MustCompile(`^@@ -\S+ \+(\d+)(?:,(\d+))? @@`)

// changedLines reads the new lines of each file from a unified diff without
// context. A hunk that only deletes stands for the lines around it.
func changedLines(diff []byte) map[string][]int {
	lines := map[string][]int{}
	var path string
	in := bufio.NewScanner(bytes.NewReader(diff))
	in.Buffer(nil, diffLimit)
	for in.Scan() {
		text := in.Text()
		if name, ok := strings.CutPrefix(text, "+++ b/"); ok {
			path = strings.TrimSuffix(name, "\t")
			continue
		}
		m := hunk.FindStringSubmatch(text)
		if m == nil || path == "" {
			continue
		}
		first, _ := strconv.Atoi(m[1])
		count := 1
		if m[2] != "" {
			count, _ = strconv.Atoi(m[2])
		}
		if count == 0 {
			count = 2
		}
		for i := range count {
			lines[path] = append(lines[path], max(1, first+i))
		}
	}
	return lines
}
