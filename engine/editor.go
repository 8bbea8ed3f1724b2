package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"autocoder/engine/agent"
	"autocoder/engine/config"
	"autocoder/engine/report"
	"autocoder/engine/sandbox"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// OfferedFile is one file of an edit that a run came to: what stood there in the
// snapshot, and what is to stand there.
type OfferedFile struct {
	// Path is relative to the workspace, with slashes.
	Path      string
	Base, New textedit.File
}

// Offers are the edits of the last Fix, for a caller that applies them by other
// means than the file system, as an editor does in its buffers. Both are nil
// when there is none.
type Offers struct {
	// Fix is the verified edit of a run that ended as fixed, and Partial the
	// verified edit of one that repaired some tests only.
	Fix, Partial []OfferedFile
}

// Offers returns the edits of the last Fix.
func (w *Workspace) Offers() Offers { return w.offers }

// offer keeps the edits of a run for Offers.
func (x *world) offer(result agent.Result) (err error) {
	if x.w.offers.Fix, err = offered(x.shadow.Read, result.Fix.State); err != nil || result.Partial == nil {
		return err
	}
	x.w.offers.Partial, err = offered(x.shadow.Read, result.Partial.State)
	return err
}

func offered(base textedit.Reader, state textedit.State) ([]OfferedFile, error) {
	var files []OfferedFile
	for _, path := range state.Paths() {
		old, err := base(path)
		if err != nil {
			return nil, fmt.Errorf("read %q as it was: %w", path, err)
		}
		now, _ := state.Lookup(path)
		files = append(files, OfferedFile{Path: path, Base: old, New: now})
	}
	return files, nil
}

// RunTests runs the suite once on a copy and says how it went. Tests that can't
// be run are a status of the result and no error.
func (w *Workspace) RunTests(ctx context.Context) (tests report.Tests, err error) {
	tier, _, err := w.chooseSandbox(ctx)
	var unavailable *sandbox.Unavailable
	if errors.As(err, &unavailable) {
		return notRun(testresult.SandboxUnavailable, unavailable.Error()), nil
	}
	if err != nil {
		return tests, err
	}
	x, err := w.openWorld(ctx, tier, true)
	if err != nil {
		return tests, err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	if err := x.findUnits(ctx, ""); err != nil {
		return tests, err
	}
	limited, cancel := context.WithTimeout(ctx, w.settings.MaxTime)
	defer cancel()
	result, err := x.Run(limited, agent.Request{
		TestLimit: min(w.settings.TestTimeout, w.settings.MaxTime/10), Phase: agent.Baseline,
	})
	switch {
	case ctx.Err() != nil:
		return tests, ctx.Err()
	case limited.Err() != nil:
		return notRun(testresult.Timeout, fmt.Sprintf("the tests took longer than max_time, %s", w.settings.MaxTime)), nil
	case err != nil:
		return tests, err
	}
	return report.Summarise(result, printer(result)), nil
}

// notRun is the result of tests that were not run at all.
func notRun(why testresult.Reason, detail string) report.Tests {
	return report.Summarise(testresult.Result{Units: []testresult.UnitRun{{Reason: why, Detail: detail}}}, testresult.ID.String)
}

// printer prints ids as reports do: native ones when there is one unit.
func printer(r testresult.Result) func(testresult.ID) string {
	if len(r.Units) == 1 {
		return func(id testresult.ID) string { return id.Native }
	}
	return testresult.ID.String
}

// testFiles are the forms of a test file's name in the languages whose runners
// we know.
func testFiles() []string {
	return []string{
		"test_*.py", "*_test.py", "tests.py", "*_test.go",
		"*.test.js", "*.test.mjs", "*.test.cjs", "*.test.ts", "*.spec.js", "*.spec.mjs", "*.spec.cjs", "*.spec.ts",
		"test-*.js", "test-*.mjs", "test-*.cjs",
	}
}

// IsTestFile reports whether a file is one of tests, by its name.
func IsTestFile(name string) bool {
	for _, pattern := range testFiles() {
		if ok, err := path.Match(pattern, path.Base(filepath.ToSlash(name))); ok && err == nil {
			return true
		}
	}
	return false
}

// ReadCurrent returns what stands at a path of the folder now: what an offered
// edit's base is held against before and after it is applied. A link is not
// followed.
func ReadCurrent(root, name string) (textedit.File, error) {
	full := filepath.Join(root, filepath.FromSlash(name))
	info, err := os.Lstat(full)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return textedit.File{}, nil
	case err != nil:
		return textedit.File{}, fmt.Errorf("look at %q: %w", name, err)
	case info.Mode()&os.ModeSymlink != 0:
		target, err := os.Readlink(full)
		if err != nil {
			return textedit.File{}, fmt.Errorf("read the link %q: %w", name, err)
		}
		return textedit.File{Kind: textedit.Symlink, Target: target}, nil
	case !info.Mode().IsRegular():
		return textedit.File{Kind: textedit.Other}, nil
	}
	content, err := os.ReadFile(full)
	if err != nil {
		return textedit.File{}, fmt.Errorf("read %q: %w", name, err)
	}
	return textedit.File{Kind: textedit.Regular, Content: content, Mode: info.Mode().Perm()}, nil
}

// ConsentHelps reports whether the user's consent to the weakest sandbox could
// change what a run gets.
func (w *Workspace) ConsentHelps() bool {
	return !w.options.Consent && w.settings.Sandbox != config.SandboxRequired
}
