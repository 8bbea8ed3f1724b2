package engine

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"autocoder/engine/command"
	"autocoder/engine/propose"
	"autocoder/engine/sandbox"
	"autocoder/engine/textedit"
)

// recentLines are the lines of each file that were changed lately, found once a
// run.
type recentLines struct {
	once    sync.Once
	lines   map[string][]int
	changes map[string][]propose.Change
}

// diffLimit is the most of git's answer that is read.
const diffLimit = 4 << 20

// recent returns the lines of path that the last commit changed, or that were
// changed since.
func (x *world) recent(ctx context.Context, path string) []int {
	x.findRecent(ctx)
	return x.changed.lines[path]
}

// changes returns what the last commit and what came after it did to path.
func (x *world) changes(ctx context.Context, path string) []propose.Change {
	x.findRecent(ctx)
	return x.changed.changes[path]
}

func (x *world) findRecent(ctx context.Context) {
	x.changed.once.Do(func() {
		diff := x.recentChanges(ctx)
		x.changed.lines, x.changed.changes = changedLines(diff), changesOf(diff)
	})
}

// recentChanges asks git, in a cell and with everything off by which a
// repository could run a program. Without git, or below the tiers that confine,
// nothing is known, which is no fault.
func (x *world) recentChanges(ctx context.Context) []byte {
	if x.tier == sandbox.Supervised || !inRepository(x.w.root) {
		return nil
	}
	b, err := x.newBench(ctx, textedit.State{})
	if err != nil {
		return nil
	}
	defer b.close()
	g := gitCell{cell: b.cell}
	if g.env, err = g.harmless(ctx); err != nil {
		return nil
	}
	for _, base := range []string{"HEAD~1", "HEAD"} {
		diff, err := g.run(
			ctx, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--relative",
			"--ignore-submodules", "--src-prefix=a/", "--dst-prefix=b/", "-U0", base, "--", ".",
		)
		if err == nil {
			return diff
		}
	}
	return nil
}

// inRepository reports whether git could know something of a folder.
func inRepository(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		above := filepath.Dir(dir)
		if above == dir {
			return false
		}
		dir = above
	}
}

// gitCell runs git in a cell.
type gitCell struct {
	cell command.Starter
	env  []string
}

// run returns what a git command that succeeded has printed.
func (g gitCell) run(ctx context.Context, args ...string) ([]byte, error) {
	out, err := command.Run(ctx, g.cell, command.Spec{
		Args: append([]string{"git", "--no-optional-locks", "--no-pager"}, args...), Env: g.env,
	}, diffLimit)
	if err == nil && !out.Exit.Success() {
		err = fmt.Errorf("git %s: %s", args[0], out.Exit)
	}
	return out.Stdout, err
}

// harmless returns the environment in which git starts no program that the
// repository names. Filters must be switched off one by one, by their names, and
// to read the names starts nothing.
func (g gitCell) harmless(ctx context.Context) ([]string, error) {
	off := [][2]string{
		{"safe.directory", "*"},
		{"core.fsmonitor", "false"},
		{"core.hooksPath", "/dev/null"},
		{"core.quotePath", "false"},
		{"protocol.allow", "never"},
	}
	g.env = gitEnv(off)
	names, err := g.run(ctx, "config", "--null", "--name-only", "--list")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(string(names), "\x00") {
		if !strings.HasPrefix(name, "filter.") {
			continue
		}
		switch path.Ext(name) {
		case ".clean", ".smudge", ".process":
			off = append(off, [2]string{name, ""})
		case ".required":
			off = append(off, [2]string{name, "false"})
		}
	}
	return gitEnv(off), nil
}

// gitEnv gives git settings that win over the repository's.
func gitEnv(settings [][2]string) []string {
	env := []string{"GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings))}
	for i, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s[1]))
	}
	return env
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

// changesOf reads from such a diff what was there and what is there now.
func changesOf(diff []byte) map[string][]propose.Change {
	out := map[string][]propose.Change{}
	var path string
	var now *propose.Change
	end := func() {
		if now != nil {
			out[path] = append(out[path], *now)
		}
		now = nil
	}
	for l := range strings.Lines(string(diff)) {
		if m := hunk.FindStringSubmatch(l); m != nil && path != "" {
			end()
			first, _ := strconv.Atoi(m[1])
			now = &propose.Change{Line: first}
			continue
		}
		switch {
		case now == nil:
			if name, ok := strings.CutPrefix(strings.TrimRight(l, "\r\n"), "+++ b/"); ok {
				path = strings.TrimSuffix(name, "\t")
			}
		case strings.HasPrefix(l, "-"):
			now.Before += l[1:]
		case strings.HasPrefix(l, "+"):
			now.After += l[1:]
		case !strings.HasPrefix(l, `\`):
			end()
			path = ""
		}
	}
	end()
	return out
}
