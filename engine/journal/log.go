package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Schema names the format and major version of a journal.
const Schema = "autocoder.journal/1"

// The names of what a journal's folder holds, and of unfinished files in the
// user's.
const (
	logFile    = "journal.jsonl"
	filesDir   = "files"
	ownerFile  = "owner"
	storeLock  = ".lock"
	partSuffix = ".autocoder-part"
)

// op is what a line of the log tells.
type op string

const (
	// opBegin names the folder, opBase what stood at a path, and opReady ends the
	// copying: before it nothing was changed.
	opBegin op = "begin"
	opBase  op = "base"
	opReady op = "ready"
	// opSkip names a path that is not watched, opOnly one beside which nothing is.
	opSkip op = "skip"
	opOnly op = "only"
	// opWant is what is about to be put at a path, opSaw what a test run left
	// there.
	opWant op = "want"
	opSaw  op = "saw"
	// opRunning and opRan enclose a test run.
	opRunning op = "running"
	opRan     op = "ran"
)

// record is one line of the log.
type record struct {
	Op op `json:"op"`
	// Schema, Root and Saved are those of opBegin.
	Schema string `json:"schema,omitempty"`
	Root   quoted `json:"root,omitempty"`
	Saved  quoted `json:"saved,omitempty"`
	Path   quoted `json:"path,omitempty"`
	Entry  entry  `json:"entry,omitzero"`
}

// quoted is a path as a Go string literal, which keeps bytes that are no UTF-8.
type quoted string

// MarshalText writes the literal.
func (q quoted) MarshalText() ([]byte, error) { return []byte(strconv.QuoteToASCII(string(q))), nil }

// UnmarshalText reads a literal.
func (q *quoted) UnmarshalText(text []byte) error {
	s, err := strconv.Unquote(string(text))
	*q = quoted(s)
	return err
}

// log is the journal's file: append-only, and on the disk before what it says
// is done.
type log struct{ f *os.File }

func createLog(dir string) (*log, error) {
	f, err := os.OpenFile(filepath.Join(dir, logFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND|os.O_EXCL, 0o600)
	return &log{f: f}, err
}

func openLog(dir string) (*log, error) {
	f, err := os.OpenFile(filepath.Join(dir, logFile), os.O_WRONLY|os.O_APPEND, 0o600)
	return &log{f: f}, err
}

// begin notes the folder, its tree and what is skipped in it.
func (l *log) begin(cfg Config, base tree) error {
	records := []record{{Op: opBegin, Schema: Schema, Root: quoted(cfg.Root), Saved: quoted(cfg.Saved)}}
	for p, e := range base {
		records = append(records, record{Op: opBase, Path: quoted(p), Entry: e})
	}
	for _, p := range cfg.Skip {
		records = append(records, record{Op: opSkip, Path: quoted(p)})
	}
	for _, p := range cfg.Only {
		records = append(records, record{Op: opOnly, Path: quoted(p)})
	}
	return l.append(append(records, record{Op: opReady})...)
}

// append notes records, by one write, and forces them to the disk.
func (l *log) append(records ...record) error {
	if len(records) == 0 {
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, r := range records {
		if err := e.Encode(r); err != nil {
			return fmt.Errorf("write the journal: %w", err)
		}
	}
	_, err := l.f.Write(b.Bytes())
	if err := errors.Join(err, l.f.Sync()); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	return nil
}

// load reads what a journal says. It is not ready when nothing was changed under
// it. A last line without its end was being written at the kill.
func (j *Journal) load() (ready bool, err error) {
	data, err := os.ReadFile(filepath.Join(j.dir, logFile))
	if err != nil {
		return false, err
	}
	lines := bufio.NewScanner(bytes.NewReader(data[:bytes.LastIndexByte(data, '\n')+1]))
	lines.Buffer(nil, 1<<24)
	j.base, j.seen, j.wrote = tree{}, map[string][]entry{}, map[string]bool{}
	for n := 1; lines.Scan(); n++ {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return false, fmt.Errorf("line %d: %w", n, err)
		}
		p := string(r.Path)
		switch r.Op {
		case opBegin:
			if r.Schema != Schema {
				return false, fmt.Errorf("it is %q, and this version reads %q", r.Schema, Schema)
			}
			j.cfg.Root, j.cfg.Saved = string(r.Root), string(r.Saved)
		case opBase:
			j.base[p] = r.Entry
			j.seen[p] = []entry{r.Entry}
		case opReady:
			ready = true
		case opSkip:
			j.cfg.Skip = append(j.cfg.Skip, p)
		case opOnly:
			j.cfg.Only = append(j.cfg.Only, p)
		case opWant:
			j.wants(p, r.Entry)
		case opSaw:
			j.seen[p] = []entry{r.Entry}
			delete(j.wrote, p)
		case opRunning, opRan:
			j.cut = r.Op == opRunning
		}
	}
	return ready, lines.Err()
}

// wants notes that e is about to be put at p: either it or what was there before
// may stand there.
func (j *Journal) wants(p string, e entry) {
	if _, known := j.seen[p]; !known {
		j.seen[p] = []entry{{}}
	}
	j.seen[p] = append(j.seen[p], e)
	j.wrote[p] = true
}
