package gocache

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// Cache are folders in the layout of the go command's build cache.
type Cache struct {
	// User is only ever read. It may be missing or empty.
	User string
	// Built is only read too, before User; empty for none.
	Built string
	// Private takes what is put; it is made when it is missing.
	Private string
}

// Entry is an output of an action.
type Entry struct {
	Output []byte // its id
	Size   int64
	Time   time.Time
	Path   string
}

// idSize is the length of the ids of actions and outputs.
const idSize = 32

// Get finds the output of an action, in the private folder first. What is
// damaged counts as missing.
func (c Cache) Get(action []byte) (Entry, bool) {
	if len(action) != idSize {
		return Entry{}, false
	}
	for _, dir := range c.folders() {
		b, err := os.ReadFile(file(dir, action, 'a'))
		if err != nil {
			continue
		}
		e, ok := parseEntry(b, action)
		if !ok {
			continue
		}
		if e.Path, ok = c.find(e.Output, e.Size); ok {
			return e, true
		}
	}
	return Entry{}, false
}

// Put stores the output of an action in the private folder. The body is not
// stored again when either folder has it.
func (c Cache) Put(action, output []byte, body io.Reader, size int64) (Entry, error) {
	if len(action) != idSize || len(output) != idSize {
		return Entry{}, fmt.Errorf("put: ids of %d and %d bytes, want %d", len(action), len(output), idSize)
	}
	e := Entry{Output: output, Size: size, Time: time.Now()}
	var ok bool
	if e.Path, ok = c.find(output, size); !ok {
		e.Path = file(c.Private, output, 'd')
		if err := write(e.Path, body, size); err != nil {
			return Entry{}, fmt.Errorf("put output: %w", err)
		}
	}
	line := formatEntry(action, e)
	if err := write(file(c.Private, action, 'a'), bytes.NewReader(line), int64(len(line))); err != nil {
		return Entry{}, fmt.Errorf("put entry: %w", err)
	}
	return e, nil
}

// folders are those that there are, in the order in which they count.
func (c Cache) folders() []string {
	return slices.DeleteFunc([]string{c.Private, c.Built, c.User}, func(dir string) bool { return dir == "" })
}

// find returns where an output is that has the right size.
func (c Cache) find(output []byte, size int64) (string, bool) {
	for _, dir := range c.folders() {
		path := file(dir, output, 'd')
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == size {
			return path, true
		}
	}
	return "", false
}

// file is the path of an entry (kind 'a') or an output (kind 'd').
func file(dir string, id []byte, kind byte) string {
	name := hex.EncodeToString(id)
	return dir + string(filepath.Separator) + name[:2] + string(filepath.Separator) + name + "-" + string(kind)
}

// formatEntry writes an entry as the go command's cache has it.
func formatEntry(action []byte, e Entry) []byte {
	return fmt.Appendf(nil, "v1 %x %x %20d %20d\n", action, e.Output, e.Size, e.Time.UnixNano())
}

// parseEntry reads an entry and checks that it is the action's.
func parseEntry(b, action []byte) (Entry, bool) {
	fields := bytes.Fields(b)
	if len(fields) != 5 || string(fields[0]) != "v1" || string(fields[1]) != hex.EncodeToString(action) {
		return Entry{}, false
	}
	output, err := hex.DecodeString(string(fields[2]))
	if err != nil || len(output) != idSize {
		return Entry{}, false
	}
	size, err1 := strconv.ParseInt(string(fields[3]), 10, 64)
	nano, err2 := strconv.ParseInt(string(fields[4]), 10, 64)
	if err1 != nil || err2 != nil || size < 0 {
		return Entry{}, false
	}
	return Entry{Output: output, Size: size, Time: time.Unix(0, nano)}, true
}

// write makes a file of exactly size bytes under another name and renames it, so
// that nobody ever sees half of it.
func write(path string, r io.Reader, size int64) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "put")
	if os.IsNotExist(err) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		f, err = os.CreateTemp(dir, "put")
	}
	if err != nil {
		return err
	}
	n, err := io.Copy(f, r)
	if err == nil && n != size {
		err = fmt.Errorf("write %s: %d bytes came, want %d", path, n, size)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
