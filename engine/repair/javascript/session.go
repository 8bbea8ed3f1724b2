package javascript

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	tsgo "github.com/microsoft/typescript-go/shim"

	"autocoder/engine/command"
	"autocoder/engine/propose"
	"autocoder/engine/repair"
	"autocoder/engine/repair/node"
	"autocoder/engine/repair/worker"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

// Limits of a session.
const (
	// mostPassing bounds the passing tests that are looked at, those in the targets'
	// files first.
	mostPassing = 3000
	// suiteMs is what the passing tests of a candidate may take, in milliseconds.
	suiteMs = 1500.0
	// separator stands between a file and the names of a test in an id.
	separator = " > "
)

//go:embed worker/*.cjs
var program embed.FS

// session is one unit at work. Its methods may be called one at a time.
type session struct {
	task    repair.Task
	workers []*worker.Worker
	// targets and passing are native ids.
	targets, passing []string
	// parts are the test files that take part, broken ones left out.
	parts []part
	// known is what the first worker learnt of the tests, in its own form.
	known json.RawMessage
	// usual is how long a trial of a passing suite takes, in milliseconds.
	usual float64
	// sources are the files that were asked for, by path.
	mu      sync.Mutex // guards sources
	sources map[string]*source
	calls   []json.RawMessage
	// rerun means that every candidate must be run by the project's own command,
	// because the worker can't.
	rerun bool
	trust trust
	// tried counts candidates, retries those that were given more fuel.
	tried, retries int
}

// part is a test file.
type part struct {
	Part    string   `json:"part"`
	File    string   `json:"file"`
	Targets []string `json:"targets"`
	Passing []string `json:"passing"`
	Hung    []string `json:"hung"`
	// Endless are tests of it that hang as the code is.
	Endless []string `json:"endless"`
	// Slow means that a candidate can't afford all of its tests, Script that the file
	// is one test.
	Slow   bool `json:"slow"`
	Script bool `json:"script"`
}

// source is a file of the project.
type source struct {
	content []byte
	// fuelled is the source with fuel; nil for what is no code.
	fuelled *woven
	// plain means that it needs no transformation.
	plain bool
}

func newSession(task repair.Task) *session {
	s := &session{task: task, targets: natives(task.Targets), sources: map[string]*source{}}
	own := map[string]bool{}
	for _, t := range s.targets {
		own[fileOf(t)] = true
	}
	s.passing = natives(task.Passing)
	slices.SortStableFunc(s.passing, func(a, b string) int { return cmp.Compare(rank(own[fileOf(a)]), rank(own[fileOf(b)])) })
	s.passing = s.passing[:min(len(s.passing), mostPassing)]
	return s
}

func rank(first bool) int {
	if first {
		return 0
	}
	return 1
}

func natives(ids []testresult.ID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.Native
	}
	return out
}

// fileOf returns the file part of an id.
func fileOf(native string) string {
	file, _, _ := strings.Cut(native, separator)
	return file
}

// open starts the workers, lets the first run the tests, and tells the others
// what it found.
func (s *session) open(ctx context.Context) error {
	first, err := s.newWorker(ctx)
	if err != nil {
		return err
	}
	s.workers = []*worker.Worker{first}
	s.parts = s.partsOf(s.targets, s.passing)
	if s.task.Unit.Runner == byCommand {
		s.parts = s.foreign()
	}
	if err := s.begin(ctx, first, false); err != nil {
		return err
	}
	if err := s.learn(ctx, first); err != nil || s.rerun {
		return err
	}
	if err := s.begin(ctx, first, true); err != nil {
		return err
	}
	for range s.task.View.Cells - 1 {
		w, err := s.newWorker(ctx)
		if err != nil {
			break // fewer will do
		}
		s.workers = append(s.workers, w)
	}
	return nil
}

// partsOf sorts ids by their files.
func (s *session) partsOf(targets, passing []string) []part {
	var out []part
	at := func(id string) *part {
		file := fileOf(id)
		k := slices.IndexFunc(out, func(p part) bool { return p.Part == file })
		if k < 0 {
			k = len(out)
			out = append(out, part{Part: file, Targets: []string{}, Passing: []string{}})
		}
		return &out[k]
	}
	name := func(id string) string { return strings.TrimPrefix(id, fileOf(id)+separator) }
	for _, id := range targets {
		p := at(id)
		p.Targets = append(p.Targets, name(id))
		if s.task.View.Result.Lookup(testresult.ID{Unit: s.task.Unit.Name, Native: id}).Status == testresult.Hung {
			p.Endless = append(p.Endless, name(id))
		}
	}
	for _, id := range passing {
		p := at(id)
		p.Passing = append(p.Passing, name(id))
	}
	return out
}

// located gives parts their places in a cell.
func (s *session) located(w *worker.Worker) []part {
	out := slices.Clone(s.parts)
	for k := range out {
		out[k].File = filepath.Join(w.Cell.Root, filepath.FromSlash(path.Join(s.task.Unit.Root, out[k].Part)))
	}
	return out
}

// newWorker leases a cell and lays the program into its scratch folder.
func (s *session) newWorker(ctx context.Context) (*worker.Worker, error) {
	cell, err := s.task.View.Cell(ctx)
	if err != nil {
		return nil, fmt.Errorf("lease a cell: %w", err)
	}
	dir := filepath.Join(cell.Scratch, "autocoder-javascript")
	if err := Lay(dir); err != nil {
		cell.Close()
		return nil, err
	}
	return &worker.Worker{Name: "the worker for JavaScript", Cell: cell, Spec: command.Spec{
		Args: []string{cmp.Or(s.task.Unit.Interpreter, "node"), filepath.Join(dir, "main.cjs")}, Dir: filepath.ToSlash(filepath.Clean(s.task.Unit.Root)),
		Env: environment(s.task.Unit), Stdin: true,
	}}, nil
}

// Lay lays the worker's modules into dir: for the worker, and for other programs that
// note what tests call and do it again.
func Lay(dir string) error {
	if err := worker.Lay(program, "worker", dir); err != nil {
		return fmt.Errorf("lay the worker for JavaScript: %w", err)
	}
	return nil
}

// environment is that of the unit, without what would load more into the worker.
func environment(unit propose.Unit) []string {
	env := []string{"CI=1", "NO_COLOR=1", "TERM=dumb", "LC_ALL=C.UTF-8", "LANG=C.UTF-8", "NODE_NO_WARNINGS=1"}
	return append(env, slices.DeleteFunc(slices.Clone(unit.Env), func(v string) bool { return strings.HasPrefix(v, "NODE_OPTIONS=") })...)
}

// ask is exchange for a worker that may have to be started again first.
func (s *session) ask(ctx context.Context, w *worker.Worker, request any, each func(line []byte) error) (bool, error) {
	if !w.Running() {
		if err := s.begin(ctx, w, true); err != nil {
			return false, err
		}
	}
	return s.exchange(ctx, w, request, nil, each)
}

// exchange sends a request, gives the worker the files that it asks for, and calls
// each with every other line. code makes a file's text, which serves that request
// only when it is another than for trials.
func (s *session) exchange(ctx context.Context, w *worker.Worker, request any, code func(path string) (string, bool), each func(line []byte) error) (bool, error) {
	passing := code != nil
	if !passing {
		code = s.code
	}
	return w.Ask(ctx, request, func(line []byte) error {
		var m struct {
			Need []string `json:"need"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("read an answer: %w", err)
		}
		if len(m.Need) == 0 {
			return each(line)
		}
		for _, abs := range m.Need {
			f := s.file(w, abs, code)
			f.Passing = passing
			if err := w.Tell(f); err != nil {
				return err
			}
		}
		return nil
	})
}

// wireFile is a file as the worker is told of it.
type wireFile struct {
	Do   string  `json:"do"`
	Path string  `json:"path"`
	Code *string `json:"code"`
	// Passing means that the text serves only the request that is being answered.
	Passing bool `json:"passing"`
	// Polluting means that the file may change the language's own objects.
	Polluting bool `json:"polluting"`
}

func (s *session) file(w *worker.Worker, abs string, code func(path string) (string, bool)) wireFile {
	f := wireFile{Do: "file", Path: abs}
	rel, err := filepath.Rel(w.Cell.Root, abs)
	if err != nil {
		return f
	}
	if text, ok := code(filepath.ToSlash(rel)); ok {
		f.Code, f.Polluting = &text, pollutes.MatchString(text)
	}
	return f
}

// read returns a file of the project, as it is in the current state; nil when
// there is none.
func (s *session) read(name string) *source {
	s.mu.Lock()
	defer s.mu.Unlock()
	if src, ok := s.sources[name]; ok {
		return src
	}
	s.sources[name] = s.readNew(name)
	return s.sources[name]
}

func (s *session) readNew(name string) *source {
	f, err := s.task.View.Read(name)
	if err != nil || f.Kind != textedit.Regular {
		return nil
	}
	src := &source{content: f.Content}
	if isScript(name) {
		src.fuelled = fuelled(name, f.Content)
		src.plain = plain(name, tsgo.Parse(name, f.Content))
	}
	return src
}

// code is a file's text for trials.
func (s *session) code(name string) (string, bool) {
	src := s.read(name)
	switch {
	case src == nil:
		return "", false
	case src.fuelled == nil:
		return string(src.content), strings.HasSuffix(name, ".json")
	default:
		text, err := s.runnable(name, src.fuelled.text(), src.plain)
		return text, err == nil
	}
}

// runnable is what the worker compiles.
func (s *session) runnable(name, text string, plain bool) (string, error) {
	if plain {
		return withoutHashbang(text), nil
	}
	return transformed(name, text, s.settings())
}

// settings are those of the project's TypeScript compiler.
func (s *session) settings() string {
	src := s.read(path.Join(s.task.Unit.Root, "tsconfig.json"))
	if src == nil {
		return ""
	}
	return string(src.content)
}

// begin tells a new process what it works on. ready means that the tests have been
// run, so that it loads them at once.
func (s *session) begin(ctx context.Context, w *worker.Worker, ready bool) error {
	opening := map[string]any{"do": "open", "root": w.Cell.Root, "parts": s.located(w), "foreign": s.task.Unit.Runner == byCommand || s.scripted()}
	lost, err := w.Ask(ctx, opening, ignore)
	if err == nil && !lost && ready {
		request := map[string]any{"do": "ready", "parts": s.located(w), "known": s.known}
		lost, err = s.exchange(ctx, w, request, nil, func(line []byte) error {
			if s.known == nil {
				return json.Unmarshal(line, &struct{ Known *json.RawMessage }{&s.known})
			}
			return nil
		})
	}
	if err == nil && lost {
		err = errors.New("it died")
	}
	if err != nil {
		return fmt.Errorf("start %s: %w", w.Name, err)
	}
	return nil
}

func ignore([]byte) error { return nil }

// Parse returns the tree of a file in the current state.
func (s *session) Parse(_ context.Context, name string) (*node.Node, error) {
	src := s.read(name)
	if src == nil {
		return nil, fmt.Errorf("parse %s: there is no such file", name)
	}
	return parse(name, src.content)
}

// Close ends the workers and gives their cells back.
func (s *session) Close() error {
	var errs []error
	for _, w := range s.workers {
		errs = append(errs, w.Close())
	}
	s.workers = nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close the workers for JavaScript: %w", err)
	}
	return nil
}
