// Package journal lets edits be tried in the user's folder itself, and puts
// back what they and the test runs did to it.
//
// At the start every watched file is copied to a journal outside the folder.
// From then on the journal knows three things of each path: what stood there at
// the start, what it last saw there, and what the edit being tried makes of it.
// It writes a path only while it finds there what it last saw; anything else is
// somebody's own work, is left and named, and the original is saved beside the
// report. What a test run wrote over a file is kept there, too, before the file
// is put back, since a person may have saved it during the run.
//
// What is about to be written is noted first and forced to the disk, and each
// file is replaced in one step, so a journal that was left by a kill can be
// undone by Recover at the next start. What is found then after a test run that
// the kill cut short is taken for the test's work and put back. It may be a
// person's, so all of it is kept beside the report first, and named.
//
// All paths go through an os.Root, so that a link made by a test leads nothing
// out of the folder. Folders that the caller skips, and whatever lies outside,
// are not watched.
package journal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"autocoder/engine/lockfile"
	"autocoder/engine/textedit"
)

// Config says what to guard and where to keep it.
type Config struct {
	// Root is the folder, as a real and absolute path.
	Root string
	// Dir is where journals are kept, and ID this one's name in it.
	Dir, ID string
	// Saved is the folder, beside the report, for what can't be put back.
	Saved string
	// Skip are the paths that are not watched, with all below them.
	Skip []string
	// Only are paths beside which nothing else in their folder is watched.
	Only []string
}

// Result says what became of the paths that a run touched.
type Result struct {
	// Restored are as they were at the start.
	Restored []string
	// Left were changed by somebody else meanwhile and stay as they are.
	Left []Left
	// Discarded are files in which a test run found or left something else, by
	// where that is kept now.
	Discarded []Left
}

// Left is a path that was left, or thrown away, and where the other version of
// it is saved; Saved is empty when there is none.
type Left struct{ Path, Saved string }

// Changed is the error of files that are no longer what the journal last saw.
type Changed struct{ Paths []string }

// Error names them.
func (c *Changed) Error() string {
	return fmt.Sprintf("these files were changed by somebody else during the run: %q", c.Paths)
}

// ReadOnly is the error of a folder that can't be guarded, because nothing could
// be put back in it.
type ReadOnly struct {
	Root string
	Err  error
}

// Error names it.
func (r *ReadOnly) Error() string { return fmt.Sprintf("can't write to %q: %v", r.Root, r.Err) }

// Unwrap returns what the system says.
func (r *ReadOnly) Unwrap() error { return r.Err }

// Journal guards one folder. It is for use by one goroutine at a time.
type Journal struct {
	cfg   Config
	dir   string
	root  *os.Root
	owner *lockfile.Lock
	log   *log
	// base is the tree at the start, and seen what may stand at a path: one entry,
	// or two while it is being replaced.
	base tree
	seen map[string][]entry
	// wrote are the paths that hold what the journal itself put there.
	wrote map[string]bool
	// cut means that a test run began and that what it did was not looked at: it
	// goes on, or was cut short.
	cut   bool
	round int
}

// Begin copies the watched files and returns their journal. Nothing in the
// folder is changed. The error is a *ReadOnly for a folder that can't be written.
func Begin(ctx context.Context, cfg Config) (*Journal, error) {
	j := &Journal{cfg: cfg, dir: filepath.Join(cfg.Dir, cfg.ID), wrote: map[string]bool{}}
	err := j.begin(ctx)
	if err == nil {
		return j, nil
	}
	err = fmt.Errorf("begin the journal of %q: %w", cfg.Root, err)
	if j.owner == nil {
		return nil, err // the folder is somebody else's, or empty
	}
	return nil, errors.Join(err, j.finish())
}

func (j *Journal) begin(ctx context.Context) (err error) {
	if rel, err := filepath.Rel(j.cfg.Root, j.cfg.Dir); err == nil && filepath.IsLocal(rel) {
		return fmt.Errorf("it would lie inside the folder, in %q", j.cfg.Dir)
	}
	if err := writable(j.cfg.Root); err != nil {
		return &ReadOnly{Root: j.cfg.Root, Err: err}
	}
	if err := j.claim(); err != nil {
		return err
	}
	if j.root, err = os.OpenRoot(j.cfg.Root); err != nil {
		return err
	}
	if j.log, err = createLog(j.dir); err != nil {
		return err
	}
	if j.base, err = j.scan(ctx, j.keep); err != nil {
		return err
	}
	if err := syncFolder(filepath.Join(j.dir, filesDir)); err != nil {
		return err
	}
	j.seen = single(j.base)
	return j.log.begin(j.cfg, j.base)
}

// claim makes the journal's folder and takes it, before anyone can hold it for what a
// killed run has left.
func (j *Journal) claim() error {
	if err := os.MkdirAll(j.cfg.Dir, 0o700); err != nil {
		return err
	}
	all, err := lockfile.Wait(filepath.Join(j.cfg.Dir, storeLock), "")
	if err != nil {
		return err
	}
	defer all.Close()
	if err := os.MkdirAll(filepath.Join(j.dir, filesDir), 0o700); err != nil {
		return err
	}
	j.owner, err = lockfile.Try(filepath.Join(j.dir, ownerFile), fmt.Sprintf("process %d", os.Getpid()))
	return err
}

// finish removes a journal that has done its work. The log goes first: without it
// there is nothing to undo, for whoever finds the rest.
func (j *Journal) finish() error {
	var errs []error
	if j.log != nil {
		errs = append(errs, j.log.f.Close(), os.Remove(filepath.Join(j.dir, logFile)))
		j.log = nil
	}
	errs = append(errs, os.RemoveAll(filepath.Join(j.dir, filesDir)))
	// Between the two nobody may take what is left for a killed run's, and make the
	// owner file again in it.
	if all, err := lockfile.Wait(filepath.Join(filepath.Dir(j.dir), storeLock), ""); err == nil {
		defer all.Close()
	}
	return errors.Join(append(errs, j.close(), os.RemoveAll(j.dir))...)
}

func single(t tree) map[string][]entry {
	seen := map[string][]entry{}
	for p, e := range t {
		seen[p] = []entry{e}
	}
	return seen
}

// Set makes the folder the one of the start with state laid over it: earlier
// edits and what test runs did are undone. When a path is not what the journal
// last saw, nothing is written and the error is a *Changed.
func (j *Journal) Set(ctx context.Context, state textedit.State) error {
	_, err := j.settle(ctx, state, false)
	return err
}

// Running notes that a test run begins. Ran must follow it.
func (j *Journal) Running() error {
	j.cut = true
	return j.log.append(record{Op: opRunning})
}

// Ran looks at what the test run did to the folder: from now on, that is what
// the journal last saw.
func (j *Journal) Ran(ctx context.Context) error {
	now, err := j.scan(ctx, nil)
	if err != nil {
		return fmt.Errorf("look at what the tests did: %w", err)
	}
	var records []record
	for _, p := range union(now, j.last()) {
		if have := now[p]; !j.expects(p, have) {
			j.seen[p] = []entry{have}
			delete(j.wrote, p)
			records = append(records, record{Op: opSaw, Path: quoted(p), Entry: have})
		}
	}
	j.cut = false
	return j.log.append(append(records, record{Op: opRan})...)
}

// Restore puts the folder back as it was at the start, and ends the journal.
func (j *Journal) Restore(ctx context.Context) (Result, error) {
	return j.end(ctx, textedit.State{})
}

// Commit leaves state in the folder, puts everything else back, and ends the
// journal.
func (j *Journal) Commit(ctx context.Context, state textedit.State) (Result, error) {
	return j.end(ctx, state)
}

// end settles the folder for good. After an error the journal stays, for the
// next start.
func (j *Journal) end(ctx context.Context, state textedit.State) (Result, error) {
	result, err := j.settle(ctx, state, true)
	if err != nil {
		return result, errors.Join(err, j.close())
	}
	return result, j.finish()
}

// close lets go of the folder and of the journal, which stays.
func (j *Journal) close() error {
	var errs []error
	if j.log != nil {
		errs = append(errs, j.log.f.Close())
	}
	if j.root != nil {
		errs = append(errs, j.root.Close())
	}
	if j.owner != nil {
		errs = append(errs, j.owner.Close())
	}
	return errors.Join(errs...)
}

// change is one path to be made what it should be.
type change struct {
	path       string
	have, want entry
	// content is what a regular file shall hold, when that is not what it held at
	// the start.
	content []byte
}

// settle makes the folder base with state laid over it. With final, paths that
// somebody else changed are left; otherwise they are an error.
func (j *Journal) settle(ctx context.Context, state textedit.State, final bool) (Result, error) {
	var result Result
	now, err := j.scan(ctx, nil)
	if err != nil {
		return result, fmt.Errorf("look at the folder: %w", err)
	}
	changes, foreign := j.plan(state, now)
	if len(foreign) > 0 && !final {
		var paths []string
		for _, c := range foreign {
			paths = append(paths, c.path)
		}
		return result, &Changed{Paths: paths}
	}
	j.round++
	for _, c := range foreign {
		left := Left{Path: c.path}
		if left.Saved, err = j.saveOriginal(c.path); err != nil {
			return result, err
		}
		result.Left = append(result.Left, left)
	}
	if err := j.carryOut(ctx, changes, &result); err != nil {
		return result, err
	}
	for _, c := range changes {
		switch {
		case c.want.Kind == folder || !c.want.same(j.base[c.path]):
		case c.want.Kind == other:
			result.Left = append(result.Left, Left{Path: c.path})
		default:
			result.Restored = append(result.Restored, c.path)
		}
	}
	if !final {
		return result, nil
	}
	return result, j.putBackTimes(j.last(), state, result.Left)
}

// plan compares the folder with what it should be: what to change, and what
// somebody else changed.
func (j *Journal) plan(state textedit.State, now tree) (changes, foreign []change) {
	wanted := j.wanted(state)
	for _, p := range union(now, j.last(), wanted) {
		c := change{path: p, have: now[p], want: wanted[p]}
		if f, ok := state.Lookup(p); ok {
			c.content = f.Content
		}
		switch {
		case c.have.same(c.want):
		case c.want.Hash != unreadable && (j.expects(p, c.have) || j.cut && c.have.Hash != unreadable):
			changes = append(changes, c)
		case len(foreign) > 0 && strings.HasPrefix(p, foreign[len(foreign)-1].path+"/"):
			// The folder is named already.
		default:
			foreign = append(foreign, c)
		}
	}
	return changes, foreign
}

// wanted is the tree that a state makes of the base.
func (j *Journal) wanted(state textedit.State) tree {
	t := maps.Clone(j.base)
	for _, p := range state.Paths() {
		f, _ := state.Lookup(p)
		t[p] = entryOf(f)
		for dir := path.Dir(p); f.Kind != textedit.Absent && dir != "."; dir = path.Dir(dir) {
			if t[dir].Kind != folder {
				t[dir] = entry{Kind: folder, Mode: 0o755}
			}
		}
	}
	return t
}

// last is what the journal last saw, as far as it is there.
func (j *Journal) last() tree {
	t := tree{}
	for p, entries := range j.seen {
		t[p] = entries[len(entries)-1]
	}
	return t
}

// expects reports whether e at p is what the journal last saw.
func (j *Journal) expects(p string, e entry) bool {
	seen, ok := j.seen[p]
	if !ok {
		return e.Kind == absent
	}
	return slices.ContainsFunc(seen, e.same)
}

// carryOut notes the changes, makes them, and remembers what then stands there:
// first what must go, the deepest first, then folders, then files.
func (j *Journal) carryOut(ctx context.Context, changes []change, result *Result) error {
	var records []record
	for _, c := range changes {
		if err := j.discard(c, result); err != nil {
			return err
		}
		records = append(records, record{Op: opWant, Path: quoted(c.path), Entry: c.want})
	}
	if err := j.log.append(records...); err != nil {
		return err
	}
	for _, c := range changes {
		j.wants(c.path, c.want)
	}
	for _, c := range changes {
		if err := j.open(c); err != nil {
			return fmt.Errorf("open %q: %w", c.path, err)
		}
	}
	for _, c := range slices.Backward(changes) {
		if err := j.remove(c); err != nil {
			return fmt.Errorf("remove %q: %w", c.path, err)
		}
	}
	for _, c := range changes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := j.write(c); err != nil {
			return fmt.Errorf("put back %q: %w", c.path, err)
		}
		j.seen[c.path] = []entry{c.want}
	}
	return nil
}

// discard keeps what a test run made of a file, before it is overwritten. What
// nobody looked at since may be a person's, so it is kept however large it is.
func (j *Journal) discard(c change, result *Result) error {
	unsure := !j.expects(c.path, c.have)
	switch {
	case c.have.holds(c.want) || c.have.holds(j.base[c.path]) || c.have.Kind != file && c.have.Kind != link || c.have.Hash == unreadable:
		return nil
	case !unsure && (j.wrote[c.path] || c.have.Kind == link):
		return nil
	}
	where := discardedIn(j.round)
	saved, err := j.saveCurrent(where, c, unsure)
	if err != nil || saved == "" {
		return err
	}
	named := Left{Path: c.path, Saved: saved}
	if unsure {
		named.Path = j.topmost(c.path)
		named.Saved = filepath.Join(j.cfg.Saved, where, filepath.FromSlash(named.Path))
	}
	again := slices.Contains(result.Discarded, named)
	if (unsure || j.base[c.path].Kind == file) && !again {
		result.Discarded = append(result.Discarded, named)
	}
	return nil
}

// discardedIn is the folder, beside the report, of what a round threw away.
func discardedIn(round int) string { return fmt.Sprintf("discarded-%d", round) }

// topmost is the outermost folder that stands where there was none at the start
// and that holds p; p itself when there is no such folder.
func (j *Journal) topmost(p string) string {
	for dir := path.Dir(p); dir != "." && j.base[dir].Kind != folder; dir = path.Dir(dir) {
		p = dir
	}
	return p
}

// union returns the paths of trees, sorted, so that a folder comes before what
// is in it.
func union(trees ...tree) []string {
	all := map[string]bool{}
	for _, t := range trees {
		for p := range t {
			all[p] = true
		}
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
	})
}
