package trajectory

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"autocoder/engine/event"
	"autocoder/engine/lockfile"
	"autocoder/engine/outcome"
	"autocoder/engine/report"
)

// State says how far a recorded run is.
type State uint8

// The states of a recorded run.
const (
	invalidState State = iota
	// Live means that its process records it now.
	Live
	// Finished means that it has a report.
	Finished
	// Interrupted means that its process ended before it had a report.
	Interrupted
)

// String returns the name used in lists and JSON.
func (s State) String() string {
	switch s {
	case Live:
		return "live"
	case Finished:
		return "finished"
	case Interrupted:
		return "interrupted"
	case invalidState:
		return "invalid"
	default:
		return fmt.Sprintf("State(%d)", uint8(s))
	}
}

// MarshalText writes the name.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Summary is one line of a list of runs.
type Summary struct {
	ID      string    `json:"id"`
	State   State     `json:"state"`
	Started time.Time `json:"started"`
	Root    string    `json:"root"`
	// Outcome and Reason are those of a finished run.
	Outcome string `json:"outcome,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Problem says why more can't be told.
	Problem string `json:"problem,omitempty"`
	Dir     string `json:"dir"`
}

// Record is everything recorded of a run.
type Record struct {
	Header Header
	State  State
	Dir    string
	Events []event.Event
	// Report is nil unless the run is finished.
	Report *report.Report
}

// NotFound is the error of an id that no recorded run has.
type NotFound struct{ ID string }

// Error names the id.
func (n *NotFound) Error() string { return fmt.Sprintf("no run %q", n.ID) }

// Newer is the error of a file that a newer version wrote.
type Newer struct{ Path, Schema, Reads string }

// Error names both versions.
func (n *Newer) Error() string {
	return fmt.Sprintf("%s was written by a newer autocoder: it is %q, and this version reads %q", n.Path, n.Schema, n.Reads)
}

var idForm = regexp.MustCompile(`^[0-9]{8}T[0-9]{9}-[0-9a-f]+$`)

// List returns the recorded runs, the newest first. A folder that does not
// exist has none.
func List(dir string) ([]Summary, error) {
	ids, err := ids(dir)
	if err != nil {
		return nil, err
	}
	all := make([]Summary, 0, len(ids))
	for _, id := range ids {
		all = append(all, summary(dir, id))
	}
	return all, nil
}

// ids returns the names of the runs' folders, the newest first.
func ids(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && idForm.MatchString(e.Name()) {
			ids = append(ids, e.Name())
		}
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids, nil
}

func summary(dir, id string) Summary {
	s := Summary{ID: id, Dir: filepath.Join(dir, id)}
	s.State = state(s.Dir)
	s.Started = startOf(id)
	if h, err := header(s.Dir); err == nil {
		s.Root, s.Started = h.Root, h.Started
	} else {
		s.Problem = err.Error()
	}
	if s.State != Finished {
		return s
	}
	rep, err := readReport(s.Dir)
	if err != nil {
		s.Problem = err.Error()
		return s
	}
	s.Outcome, s.Reason = rep.Outcome.String(), rep.Reason
	return s
}

func state(dir string) State {
	if _, err := os.Stat(filepath.Join(dir, reportFile)); err == nil {
		return Finished
	}
	if _, held := lockfile.Owner(filepath.Join(dir, ownerFile)); held {
		return Live
	}
	return Interrupted
}

// Load returns the run with that id, or with the only id that begins so. It is
// a *NotFound when there is none, and a *Newer when it can't be read.
func Load(dir, id string) (Record, error) {
	known, err := ids(dir)
	if err != nil {
		return Record{}, err
	}
	var found []string
	for _, k := range known {
		if k == id || id != "" && strings.HasPrefix(k, id) {
			found = append(found, k)
		}
	}
	switch {
	case len(found) == 0:
		return Record{}, &NotFound{ID: id}
	case len(found) > 1:
		return Record{}, fmt.Errorf("%d runs begin with %q: say more of the id", len(found), id)
	}
	r := Record{Dir: filepath.Join(dir, found[0])}
	r.State = state(r.Dir)
	if r.Header, r.Events, err = events(r.Dir); err != nil {
		return r, err
	}
	if r.State != Finished {
		return r, nil
	}
	rep, err := readReport(r.Dir)
	r.Report = &rep
	return r, err
}

// header reads the first line of a trajectory, and no more than it needs.
func header(dir string) (Header, error) {
	path := filepath.Join(dir, eventsFile)
	f, err := os.Open(path)
	if err != nil {
		return Header{}, fmt.Errorf("read trajectory: %w", err)
	}
	defer f.Close()
	first, err := bufio.NewReader(f).ReadBytes('\n')
	if err != nil {
		return Header{}, fmt.Errorf("read trajectory %s: the first line: %w", path, err)
	}
	return parseHeader(path, first)
}

func parseHeader(path string, line []byte) (Header, error) {
	var h Header
	if err := json.Unmarshal(line, &h); err != nil {
		return h, fmt.Errorf("read trajectory %s: the first line: %w", path, err)
	}
	return h, readable(path, h.Schema, Schema)
}

// events reads a trajectory. A last line that is not whole was being written when
// the process was killed, and is left out.
func events(dir string) (Header, []event.Event, error) {
	path := filepath.Join(dir, eventsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return Header{}, nil, fmt.Errorf("read trajectory: %w", err)
	}
	// What follows the last line end was being written when the run was killed.
	lines := bytes.SplitAfter(data[:bytes.LastIndexByte(data, '\n')+1], []byte("\n"))
	h, err := parseHeader(path, lines[0])
	if err != nil {
		return h, nil, err
	}
	var all []event.Event
	for i, text := range lines[1:] {
		var l line
		err := json.Unmarshal(text, &l)
		if err != nil && i >= len(lines)-3 {
			break // the last line was cut: by a full disk, or by a kill
		}
		if err != nil {
			return h, all, fmt.Errorf("read trajectory %s: line %d: %w", path, i+2, err)
		}
		if l.Blob != "" {
			// A blob that is gone leaves the event without its content.
			l.Event.Blob, _ = os.ReadFile(filepath.Join(dir, blobsDir, filepath.Base(l.Blob)))
		}
		all = append(all, l.Event)
	}
	return h, all, nil
}

func readReport(dir string) (report.Report, error) {
	path := filepath.Join(dir, reportFile)
	var rep report.Report
	if err := readJSON(path, report.Schema, &rep); err != nil {
		return rep, err
	}
	if rep.Outcome == outcome.Invalid {
		return rep, fmt.Errorf("read %s: it has no outcome", path)
	}
	return rep, nil
}

// readJSON reads a file that has a schema, which is checked before the rest.
func readJSON(path, schema string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if err := readable(path, head.Schema, schema); err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// readable says whether a file of schema got can be read by a reader of want:
// "name/major".
func readable(path, got, want string) error {
	name, major, _ := strings.Cut(got, "/")
	wantName, wantMajor, _ := strings.Cut(want, "/")
	n, err := strconv.Atoi(major)
	if name != wantName || err != nil {
		return fmt.Errorf("%s is not %s: its schema is %q", path, wantName, got)
	}
	if w, _ := strconv.Atoi(wantMajor); n > w {
		return &Newer{Path: path, Schema: got, Reads: want}
	}
	return nil
}

// LoadAlternative returns the alternative with the id that a report gives it.
// It is a *NotFound when there is none.
func LoadAlternative(dir, id string) (Alternative, error) {
	var a Alternative
	run, n, ok := strings.Cut(id, ".")
	if _, err := strconv.ParseUint(n, 10, 16); !ok || err != nil || !idForm.MatchString(run) {
		return a, &NotFound{ID: id}
	}
	path := filepath.Join(dir, run, alternativesDir, n+".json")
	err := readJSON(path, AlternativeSchema, &a)
	if errors.Is(err, fs.ErrNotExist) {
		return a, &NotFound{ID: id}
	}
	return a, err
}

// Alternatives returns the ids of all alternatives that are kept, the newest
// run's first.
func Alternatives(dir string) ([]string, error) {
	runs, err := ids(dir)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, run := range runs {
		// A run without the folder has no alternatives.
		entries, _ := os.ReadDir(filepath.Join(dir, run, alternativesDir))
		for _, e := range entries {
			if n, ok := strings.CutSuffix(e.Name(), ".json"); ok {
				all = append(all, run+"."+n)
			}
		}
	}
	return all, nil
}
