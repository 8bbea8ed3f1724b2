package textedit

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// Minimal returns line-based edits that lead from old to new.
func Minimal(old, new []byte) []Edit {
	var edits []Edit
	for _, e := range udiff.Lines(string(old), string(new)) {
		edits = append(edits, Edit{Start: e.Start, End: e.End, New: e.New})
	}
	return edits
}

// Diff returns the state as a unified diff against base, with three lines of
// context and the a/ and b/ prefixes of git. Binary files are named only.
func Diff(base Reader, s State) (string, error) {
	var b strings.Builder
	for _, path := range s.Paths() {
		old, err := base(path)
		if err != nil {
			return "", fmt.Errorf("read %q: %w", path, err)
		}
		new := s.files[path]
		from, to := "a/"+path, "b/"+path
		if old.Kind == Absent {
			from = "/dev/null"
		}
		if new.Kind == Absent {
			to = "/dev/null"
		}
		if binary(old.Content) || binary(new.Content) {
			fmt.Fprintf(&b, "Binary files %s and %s differ\n", from, to)
			continue
		}
		if old.Kind == Regular && new.Kind == Regular && old.Mode.Perm() != new.Mode.Perm() {
			fmt.Fprintf(&b, "old mode %o\nnew mode %o\n", old.Mode.Perm(), new.Mode.Perm())
		}
		b.WriteString(udiff.Unified(from, to, text(old), text(new)))
	}
	return b.String(), nil
}

func text(f File) string {
	if f.Kind == Symlink {
		return "link to " + f.Target + "\n"
	}
	return string(f.Content)
}

func binary(content []byte) bool {
	head := content[:min(len(content), 8000)]
	return bytes.IndexByte(head, 0) >= 0 || (len(content) < 8000 && !utf8.Valid(content))
}
