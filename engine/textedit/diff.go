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

// Diff returns the state as a unified diff against base as git writes and applies
// it, with three lines of context. Files that are not text are only named.
func Diff(base Reader, s State) (string, error) {
	var b strings.Builder
	for _, path := range s.Paths() {
		old, err := base(path)
		if err != nil {
			return "", fmt.Errorf("read %q: %w", path, err)
		}
		diffFile(&b, path, old, s.files[path])
	}
	return b.String(), nil
}

func diffFile(b *strings.Builder, path string, old, new File) {
	if old.Kind != Absent && new.Kind != Absent && old.Kind != new.Kind {
		// A file that becomes a link, or a link that becomes a file, is two changes.
		diffFile(b, path, old, File{})
		diffFile(b, path, File{}, new)
		return
	}
	from, to := quote("a/"+path), quote("b/"+path)
	fmt.Fprintf(b, "diff --git %s %s\n%s", from, to, modes(old, new))
	if !isText(old.Content) || !isText(new.Content) {
		fmt.Fprintf(b, "Binary files %s and %s differ\n", label(from, old), label(to, new))
		return
	}
	b.WriteString(udiff.Unified(label(from, old), label(to, new), text(old), text(new)))
}

// modes tells of a file that comes, goes, or changes its mode.
func modes(old, new File) string {
	is, was := gitMode(new), gitMode(old)
	switch {
	case old.Kind == Absent:
		return fmt.Sprintf("new file mode %s\n", is)
	case new.Kind == Absent:
		return fmt.Sprintf("deleted file mode %s\n", was)
	case was != is:
		return fmt.Sprintf("old mode %s\nnew mode %s\n", was, is)
	default:
		return ""
	}
}

// gitMode is the mode as git has it, which knows of one bit only.
func gitMode(f File) string {
	switch {
	case f.Kind == Symlink:
		return "120000"
	case f.Mode&0o111 != 0:
		return "100755"
	default:
		return "100644"
	}
}

// label is what stands for a file in the lines --- and +++. After a name with a
// space a tab says where it ends.
func label(name string, f File) string {
	switch {
	case f.Kind == Absent:
		return "/dev/null"
	case strings.Contains(name, " "):
		return name + "\t"
	default:
		return name
	}
}

// quote writes a name as git does when it has what would break a line.
func quote(name string) string {
	plain := func(r rune) bool { return r >= ' ' && r != '"' && r != '\\' && r != 0x7f && r != utf8.RuneError }
	if strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return `"` + b.String() + `"`
}

func text(f File) string {
	if f.Kind == Symlink {
		return f.Target
	}
	return string(f.Content)
}

func isText(content []byte) bool {
	return utf8.Valid(content) && bytes.IndexByte(content, 0) < 0
}
