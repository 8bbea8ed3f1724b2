package tool

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"autocoder/engine/chat"
	"autocoder/engine/command"
	"autocoder/engine/policy"
	"autocoder/engine/textedit"
)

const (
	// longestCommand is the most that a command may take.
	longestCommand = 60 * time.Second
	// mostChanged is how many files one command may change for the change to count.
	mostChanged = 100
	// stamp is the file by whose time is found what a command changed.
	stamp = ".autocoder-stamp"
)

func (b *Box) bash(ctx context.Context, a arguments) chat.Result {
	if d := b.gate.Command(a.Command); d.Verdict != policy.Allow {
		return denied(d)
	}
	if err := b.veil(ctx); err != nil {
		return failed(err.Error())
	}
	limited, cancel := context.WithTimeout(ctx, longestCommand)
	defer cancel()
	at := path.Join(b.cell.Scratch, stamp)
	// A stamp in the past by less than any change: file times are coarse.
	if _, err := b.run(limited, "sh", "-c", `touch -- "$1" && sleep 0.02`, "sh", at); err != nil {
		return failed(err.Error())
	}
	out, err := b.run(limited, "bash", "-c", a.Command)
	result := chat.Result{Output: string(out.Stdout), ExitCode: out.Exit.Code, Truncated: out.Truncated}
	if len(out.Stderr) > 0 {
		result.Output += "\n[stderr]\n" + string(out.Stderr)
	}
	switch {
	case limited.Err() != nil && ctx.Err() == nil:
		result.Error, result.ExitCode = fmt.Sprintf("stopped after %s", longestCommand), 1
	case err != nil:
		result.Error, result.ExitCode = err.Error(), 1
	case !out.Exit.Success() && out.Exit.Code <= 0:
		result.Error, result.ExitCode = out.Exit.String(), 1
	}
	if err := b.notice(ctx, at); err != nil {
		result.Error = strings.TrimPrefix(result.Error+"; "+err.Error(), "; ")
	}
	return result
}

// veil puts names in the place of the secrets in the files that commands will see. All
// files are looked through before any is written: what is known to be a secret by its
// place in one is one in the others too.
func (b *Box) veil(ctx context.Context) error {
	if b.veiled {
		return nil
	}
	texts := map[string]string{}
	for _, p := range slices.AppendSeq(slices.Clone(b.view.Files), maps.Keys(b.now)) {
		if ctx.Err() != nil {
			return fmt.Errorf("look for secrets in the project: %w", ctx.Err())
		}
		_, f, err := b.file(p)
		if err != nil || f.Kind != textedit.Regular {
			continue
		}
		texts[p] = string(f.Content)
		b.vault.Hide(texts[p])
	}
	for p, text := range texts {
		hidden := b.vault.Hide(text)
		if hidden == text {
			continue
		}
		if err := b.cell.Write(p, []byte(hidden)); err != nil {
			return fmt.Errorf("keep the secrets of %q from commands: %w", p, err)
		}
	}
	b.veiled = true
	return nil
}

// run runs a program at the root of the fork, in the environment of the first unit.
func (b *Box) run(ctx context.Context, args ...string) (command.Output, error) {
	spec := command.Spec{Args: args}
	if len(b.view.Units) > 0 {
		spec.Env = b.view.Units[0].Env
	}
	return command.Run(ctx, b.cell, spec, 4*mostOutput)
}

// notice takes the files that a command changed into what the tools changed.
// Caches, and what the project ignores, are no edits.
func (b *Box) notice(ctx context.Context, at string) error {
	out, err := b.run(ctx, "find", ".", "-newer", at, "-type", "f", "-size", "-1024k", "-not", "-path", "./.git/*", "-print0")
	if err != nil {
		return fmt.Errorf("look for what the command changed: %w", err)
	}
	var changed []string
	for p := range strings.SplitSeq(string(out.Stdout), "\x00") {
		p = strings.TrimPrefix(p, "./")
		if _, known := slices.BinarySearch(b.view.Files, p); p != "" && (known || source(p)) {
			changed = append(changed, p)
		}
	}
	if len(changed) > mostChanged {
		return fmt.Errorf("the command changed %d files, which is not taken for an edit", len(changed))
	}
	for _, p := range changed {
		text, err := command.Run(ctx, b.cell, command.Spec{Args: []string{"cat", "--", "./" + p}}, largestFile)
		if err != nil || !text.Exit.Success() || text.Truncated {
			continue
		}
		_, f, err := b.file(p)
		if err != nil {
			return err
		}
		content := []byte(b.vault.Restore(string(text.Stdout)))
		b.now[p] = textedit.File{Kind: textedit.Regular, Content: content, Mode: f.Mode}
	}
	return nil
}

// source reports whether a new file is one that somebody would write: of a kind of
// source, and in no folder of a tool's.
func source(p string) bool {
	for dir := range strings.SplitSeq(path.Dir(p), "/") {
		if strings.HasPrefix(dir, ".") && dir != "." || slices.Contains([]string{"__pycache__", "node_modules", "target", "build", "dist", "vendor", "venv"}, dir) {
			return false
		}
	}
	return slices.Contains([]string{".py", ".go", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".rs", ".java", ".c", ".h", ".cc", ".cpp", ".rb", ".json", ".txt", ".toml", ".yaml", ".yml", ".sql", ".html", ".css"}, path.Ext(p))
}
