// Package trajectory records runs, so that people and programs can read later
// what happened in them.
//
// Each run has a folder of its own: trajectory.jsonl is its event stream, a
// line an event after a first line that names the schema; report.json is
// written once, at the end; blobs hold larger contents by their hash; and
// alternatives hold the patches that a person may still choose. A line is
// written by one write, so a kill at any moment loses at most the line being
// written. The owner file is locked while a run lives: a run without a report
// and without an owner was interrupted.
//
// Secrets are taken out of everything that is written. Recording never stops a
// run: when the folder can't be written, Problem says so and the rest is
// dropped.
package trajectory

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"autocoder/engine/event"
	"autocoder/engine/lockfile"
	"autocoder/engine/report"
	"autocoder/engine/textedit"
)

// Schema names the format and major version of a trajectory.
const Schema = "autocoder.trajectory/1"

// The names of what a run's folder holds.
const (
	eventsFile       = "trajectory.jsonl"
	reportFile       = "report.json"
	ownerFile        = "owner"
	interruptedFile  = "interrupted"
	blobsDir         = "blobs"
	alternativesDir  = "alternatives"
	storeLock        = ".lock"
	idTime           = "20060102T150405"
	folderMode       = 0o700
	fileMode         = 0o600
	randomBytesOfIDs = 4
)

// Options say where and for what a run is recorded.
type Options struct {
	// Dir is the folder of all runs; it is made when it is missing.
	Dir string
	// Root is the project, and Version the program's.
	Root, Version string
	// Environ is the user's environment: its secrets are taken out.
	Environ []string
	// Setup is how the run was begun, as JSON, for a replay; nil for none.
	Setup  json.RawMessage
	Now    func() time.Time
	Random io.Reader
}

// Header is the first line of a trajectory.
type Header struct {
	Schema  string    `json:"schema"`
	Run     string    `json:"run"`
	Root    string    `json:"root"`
	Version string    `json:"version"`
	Started time.Time `json:"started"`
	// Setup is how the run was begun.
	Setup json.RawMessage `json:"setup,omitempty"`
}

// line is an event as a trajectory has it.
type line struct {
	event.Event
	// Blob is the hash of the event's larger content.
	Blob string `json:"blob,omitempty"`
}

// Run is a run being recorded. It is for use by one goroutine at a time.
type Run struct {
	id, dir, root string
	redact        redactor
	owner         *lockfile.Lock
	events        *os.File
	problem       error
}

// Start begins to record a run. It always returns one: when nothing can be
// written, Problem says why.
func Start(o Options) *Run {
	started := o.Now().UTC()
	r := &Run{id: newID(started, o.Random), root: o.Root, redact: newRedactor(o.Environ)}
	r.dir = filepath.Join(o.Dir, r.id)
	if err := r.open(o.Dir); err != nil {
		r.fail(err)
		return r
	}
	setup := json.RawMessage(r.redact.text(string(o.Setup)))
	if !json.Valid(setup) {
		setup = nil // rather no replay than a secret on disk
	}
	r.write(Header{Schema: Schema, Run: r.id, Root: r.redact.text(o.Root), Version: o.Version, Started: started, Setup: setup})
	return r
}

func newID(now time.Time, random io.Reader) string {
	b := make([]byte, randomBytesOfIDs)
	if _, err := io.ReadFull(random, b); err != nil {
		b = []byte{0}
	}
	return fmt.Sprintf("%s%03d-%x", now.Format(idTime), now.Nanosecond()/int(time.Millisecond), b)
}

// open makes the folder and takes it before anyone can hold it for the remains
// of a run.
func (r *Run) open(store string) error {
	if err := os.MkdirAll(store, folderMode); err != nil {
		return err
	}
	all, err := lockfile.Wait(filepath.Join(store, storeLock), "")
	if err != nil {
		return err
	}
	defer all.Close()
	if err := os.Mkdir(r.dir, folderMode); err != nil {
		return err
	}
	// Who lists the runs may hold it for a moment.
	if r.owner, err = lockfile.Wait(filepath.Join(r.dir, ownerFile), "process "+strconv.Itoa(os.Getpid())); err != nil {
		return err
	}
	r.events, err = os.OpenFile(filepath.Join(r.dir, eventsFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, fileMode)
	return err
}

// ID names the run; IDs sort by time.
func (r *Run) ID() string { return r.id }

// Dir is the run's folder.
func (r *Run) Dir() string { return r.dir }

// Problem returns the first error of recording, and nil when all was recorded.
func (r *Run) Problem() error { return r.problem }

func (r *Run) fail(err error) {
	if r.problem == nil {
		r.problem = fmt.Errorf("record the run: %w", err)
	}
}

// Append records an event.
func (r *Run) Append(e event.Event) {
	if r.problem != nil || r.events == nil {
		return
	}
	e.Text, e.Detail = r.redact.text(e.Text), r.redact.text(e.Detail)
	files := make([]string, len(e.Files))
	for i, f := range e.Files {
		files[i] = r.redact.text(f)
	}
	e.Files = files
	l := line{Event: e}
	if len(e.Blob) > 0 {
		l.Blob = r.blob(e.Blob)
	}
	r.write(l)
}

// write appends one line, by one write.
func (r *Run) write(v any) {
	if r.problem != nil || r.events == nil {
		return
	}
	data, err := encode(v, "")
	if err == nil {
		_, err = r.events.Write(data)
	}
	if err != nil {
		r.fail(err)
	}
}

// encode writes one JSON value and a line end.
func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

// blob keeps content under its hash and returns that.
func (r *Run) blob(content []byte) string {
	content = []byte(r.redact.text(string(content)))
	sum := sha256.Sum256(content)
	name := hex.EncodeToString(sum[:])
	path := filepath.Join(r.dir, blobsDir, name)
	if _, err := os.Stat(path); err == nil {
		return name
	}
	if err := writeWhole(path, content); err != nil {
		r.fail(err)
	}
	return name
}

// writeWhole writes a file so that it is there whole or not at all, and makes
// its folder.
func writeWhole(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), folderMode); err != nil {
		return err
	}
	temp := path + ".part"
	if err := os.WriteFile(temp, content, fileMode); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return os.Rename(temp, path)
}

// Finish writes the report and ends the recording. It tries even when events
// were lost.
func (r *Run) Finish(rep report.Report) {
	defer r.Close()
	if r.owner == nil {
		return
	}
	clean, err := r.redact.report(rep)
	if err != nil {
		r.fail(err)
		return
	}
	data, err := encode(clean, "  ")
	if err == nil {
		err = writeWhole(filepath.Join(r.dir, reportFile), data)
	}
	if err != nil {
		r.fail(err)
	}
}

// Discard ends the recording and removes it: that of a run that never began.
func (r *Run) Discard() error {
	owned := r.owner != nil
	r.Close()
	if !owned {
		return nil
	}
	if err := os.RemoveAll(r.dir); err != nil {
		return fmt.Errorf("remove the record of a run that did not begin: %w", err)
	}
	return nil
}

// Close ends the recording; without a report, the run counts as interrupted.
// What comes later is dropped.
func (r *Run) Close() {
	if r.events != nil {
		r.events.Close()
	}
	if r.owner != nil {
		r.owner.Close()
	}
	r.events, r.owner = nil, nil
}

// Alternative is a patch that a person may choose after its run.
type Alternative struct {
	Schema string `json:"schema"`
	// ID is the run's, a dot, and the number from 1.
	ID    string         `json:"id"`
	Root  string         `json:"root"`
	Why   string         `json:"why"`
	Patch textedit.Patch `json:"patch"`
}

// AlternativeSchema names the format and major version of an Alternative.
const AlternativeSchema = "autocoder.alternative/1"

// AlternativeID names the run's n-th alternative, from 1.
func (r *Run) AlternativeID(n int) string { return r.id + "." + strconv.Itoa(n) }

// SaveAlternative keeps a patch, made for the files of the run's snapshot, so
// that it can be chosen later. A patch that holds a secret is not kept, since
// it could only be kept wrong.
func (r *Run) SaveAlternative(n int, why string, patch textedit.Patch) error {
	if r.problem != nil {
		return r.problem
	}
	a := Alternative{Schema: AlternativeSchema, ID: r.AlternativeID(n), Root: r.root, Why: r.redact.text(why), Patch: patch}
	for _, op := range patch.Ops {
		if r.redact.finds(op.Path + "\n" + string(op.Content)) {
			return fmt.Errorf("alternative %s holds a secret and is not kept", a.ID)
		}
		for _, e := range op.Edits {
			if r.redact.finds(e.New) {
				return fmt.Errorf("alternative %s holds a secret and is not kept", a.ID)
			}
		}
	}
	data, err := encode(a, "  ")
	if err == nil {
		err = writeWhole(filepath.Join(r.dir, alternativesDir, strconv.Itoa(n)+".json"), data)
	}
	if err != nil {
		return fmt.Errorf("keep alternative %s: %w", a.ID, err)
	}
	return nil
}
