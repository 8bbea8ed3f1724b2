package answer

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	quotedName = regexp.MustCompile("`([^`]+)`")
	likePath   = regexp.MustCompile(`^[\w.@+-]+(?:/[\w.@+-]+)*\.[A-Za-z]\w{0,7}$`)
	label      = regexp.MustCompile(`(?i)^(?:file ?name|file ?path|file|path|new file|create|update|updated|modified|edit|in)\s*:?\s+`)
	colonLabel = regexp.MustCompile(`(?i)^(?:file ?name|file ?path|file|path)\s*:\s*`)
	infoKey    = regexp.MustCompile(`(?i)\b(?:title|file|filename|path|name)\s*=\s*["']?([^"'\s}]+)["']?`)
	functionOf = regexp.MustCompile(`^(\S+?)\s*::\s*([\w.#()*& ]+)$`)
)

// named takes a file's name, and perhaps a function's, from a line that leads to a
// block: "src/calc.py", "**File: `calc.py`**", "calc.py :: area", "In calc.py:".
func (t Tree) named(line string) (file, function string, ok bool) {
	if len(line) > 300 {
		return "", "", false
	}
	line = spoken.Replace(line)
	bare := strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "#*>- \t"))
	bare = strings.TrimSpace(trimLabel(strings.Trim(bare, "*_ ")))
	bare = strings.Trim(bare, "*`\"' ")
	bare = strings.TrimSpace(strings.TrimSuffix(bare, ":"))
	bare = strings.Trim(bare, "*`\"' ")
	if m := functionOf.FindStringSubmatch(bare); m != nil {
		if f, found := t.resolve(strings.Trim(m[1], "`*\"'")); found {
			return f, strings.Trim(m[2], "`* "), true
		}
	}
	if f, found := t.resolve(bare); found && !strings.Contains(bare, " ") {
		return f, "", true
	}
	if f, found := t.known(bare); found {
		return f, "", true // a name with blanks
	}
	// A sentence that names one file.
	var names []string
	for _, m := range quotedName.FindAllStringSubmatch(line, -1) {
		if f := functionOf.FindStringSubmatch(m[1]); f != nil {
			if file, found := t.resolve(f[1]); found {
				return file, f[2], true
			}
		}
		names = append(names, m[1])
	}
	for w := range strings.FieldsSeq(line) {
		w = strings.Trim(w, "`*\"'():,;")
		names = append(names, w, strings.Trim(w[strings.LastIndexByte(w, ':')+1:], "`*\"'"))
	}
	var found []string
	for _, n := range names {
		n = strings.TrimSuffix(n, ".")
		if f, ok := t.known(n); ok && !slices.Contains(found, f) {
			found = append(found, f)
		} else if !ok && likePath.MatchString(n) && strings.Contains(line, "`") && strings.Contains(line, "`"+n+"`") && !slices.Contains(found, n) {
			found = append(found, n)
		}
	}
	if len(found) == 1 {
		return found[0], "", true
	}
	return "", "", false
}

func trimLabel(s string) string {
	if m := colonLabel.FindString(s); m != "" {
		return s[len(m):]
	}
	return s[len(label.FindString(s)):]
}

// inInfo takes a file's name from the words after a fence: "python calc.py",
// "python:calc.py", `python title="calc.py"`, "calc.py".
func (t Tree) inInfo(info string) (file, function string, ok bool) {
	if m := infoKey.FindStringSubmatch(info); m != nil {
		if f, found := t.resolve(m[1]); found {
			return f, "", true
		}
	}
	for w := range strings.FieldsSeq(info) {
		for _, name := range []string{w, w[strings.IndexByte(w, ':')+1:], w[strings.LastIndexByte(w, ':')+1:]} {
			name = strings.Trim(name, "{}()[]`\"'")
			if !strings.ContainsAny(name, "./") {
				continue
			}
			if f, found := t.resolve(name); found {
				return f, "", true
			}
		}
	}
	return "", "", false
}

// resolve is the path that a name means: one of the known files, or a new one
// whose name has the form of a path.
func (t Tree) resolve(name string) (string, bool) {
	name = strings.Trim(strings.TrimSpace(name), "`*\"'")
	if f, ok := t.known(name); ok {
		return f, true
	}
	name = t.relative(name)
	if !likePath.MatchString(name) || path.Clean(name) != name || strings.HasPrefix(name, "../") {
		return "", false
	}
	return name, true
}

// relative takes off what models put before a path.
func (t Tree) relative(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if t.Root != "" {
		name = strings.TrimPrefix(name, strings.TrimSuffix(t.Root, "/")+"/")
	}
	name = strings.TrimPrefix(name, "./")
	return name
}

// known is the known file that a name means: its path, or the only one that ends
// so.
func (t Tree) known(name string) (string, bool) {
	if name == "" || name == "/dev/null" {
		return "", false
	}
	name = t.relative(name)
	tries := []string{name}
	if rest, ok := strings.CutPrefix(name, "a/"); ok {
		tries = append(tries, rest)
	}
	if rest, ok := strings.CutPrefix(name, "b/"); ok {
		tries = append(tries, rest)
	}
	for _, n := range tries {
		if _, ok := slices.BinarySearch(t.Files, n); ok {
			return n, true
		}
	}
	if !likePath.MatchString(strings.TrimPrefix(name, "/")) {
		return "", false
	}
	var found string
	for _, f := range t.Files {
		if strings.HasSuffix(f, "/"+strings.TrimPrefix(name, "/")) {
			if found != "" {
				return "", false
			}
			found = f
		}
	}
	// A path with folders in front that we don't have: the end of it may be ours.
	for rest := name; found == "" && strings.Contains(rest, "/"); {
		_, rest, _ = strings.Cut(rest, "/")
		if _, ok := slices.BinarySearch(t.Files, rest); ok {
			found = rest
		}
	}
	return found, found != ""
}
