package gotest

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
)

// keptEvents is how many bytes of the events of what one test prints are kept, from
// its start and from its end each. Parsing keeps less of the text in them.
const keptEvents = 128 << 10

// thinned passes the events of go test on, but of what a test prints, where that is
// much, only the start and the end: else one that prints without end would be the end
// of the whole report.
type thinned struct {
	to io.WriteCloser
	// line is the one that has not ended yet.
	line []byte
	// prints are what the tests that have not ended print, by their part of the events.
	prints map[string]*prints
}

// prints are the events of one test.
type prints struct {
	passed int    // how many bytes of them were passed on
	tail   []byte // whole lines
}

func thin(to io.WriteCloser) io.WriteCloser {
	return &thinned{to: to, prints: map[string]*prints{}}
}

// Write takes a part of the stream.
func (t *thinned) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 {
			t.line = append(t.line, rest...)
			break
		}
		line := rest[:end]
		if len(t.line) > 0 {
			line = append(t.line, line...)
			t.line = line[:0]
		}
		if err := t.event(line); err != nil {
			return 0, err
		}
		rest = rest[end:]
	}
	if len(t.line) <= keptEvents {
		return len(b), nil
	}
	_, err := t.to.Write(t.line) // no event is that long
	t.line = t.line[:0]
	return len(b), err
}

// event takes a whole line.
func (t *thinned) event(line []byte) error {
	key, output := ofTest(line)
	if !output {
		return errors.Join(t.end(key), t.pass(line))
	}
	p := t.prints[key]
	if p == nil {
		p = &prints{}
		t.prints[key] = p
	}
	if p.passed < keptEvents {
		p.passed += len(line)
		return t.pass(line)
	}
	p.tail = append(p.tail, line...)
	if len(p.tail) > 2*keptEvents {
		cut := len(p.tail) - keptEvents
		cut += bytes.IndexByte(p.tail[cut:], '\n') + 1
		p.tail = append(p.tail[:0], p.tail[cut:]...)
	}
	return nil
}

func (t *thinned) pass(line []byte) error {
	_, err := t.to.Write(line)
	return err
}

// end passes on the end of what a test has printed.
func (t *thinned) end(key string) error {
	p := t.prints[key]
	if p == nil {
		return nil
	}
	delete(t.prints, key)
	return t.pass(p.tail)
}

// Close passes on what is left.
func (t *thinned) Close() error {
	var err error
	for _, key := range slices.Sorted(maps.Keys(t.prints)) {
		err = errors.Join(err, t.end(key))
	}
	err = errors.Join(err, t.pass(t.line))
	t.line = nil
	return errors.Join(err, t.to.Close())
}

// ofTest returns the part of an event that says of which package and test it is, and
// whether it is one of what that prints. What is no event is of none.
func ofTest(line []byte) (key string, output bool) {
	from := bytes.Index(line, []byte(`"Package":"`))
	if from < 0 || line[0] != '{' {
		return "", false
	}
	rest := line[from:]
	for _, next := range []string{`,"Output":`, `,"Elapsed":`, `}`} {
		if to := bytes.Index(rest, []byte(next)); to >= 0 {
			return string(rest[:to]), bytes.Contains(line[:from], outputEvent)
		}
	}
	return "", false
}
