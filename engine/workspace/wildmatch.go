package workspace

import "strings"

// wildmatch reports whether the elements of a path match the elements of a
// .gitignore pattern; `**`, or more stars, stand for any number of whole
// elements, at the end for at least one. (doublestar is not used here: it gives
// braces a meaning, refuses malformed classes and counts in runes; git does none
// of these.)
func wildmatch(pattern, name []string) bool {
	for len(pattern) > 0 {
		if len(pattern[0]) > 1 && strings.Trim(pattern[0], "*") == "" {
			if len(pattern) == 1 {
				return len(name) > 0
			}
			for i := range len(name) + 1 {
				if wildmatch(pattern[1:], name[i:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 || !matchElement(pattern[0], name[0]) {
			return false
		}
		pattern, name = pattern[1:], name[1:]
	}
	return len(name) == 0
}

// matchElement matches one path element, byte by byte as git does.
func matchElement(pattern, name string) bool {
	for pattern != "" {
		switch pattern[0] {
		case '*':
			rest := strings.TrimLeft(pattern, "*")
			for i := len(name); i >= 0; i-- {
				if matchElement(rest, name[i:]) {
					return true
				}
			}
			return false
		case '?':
			if name == "" {
				return false
			}
			pattern, name = pattern[1:], name[1:]
		case '[':
			if name == "" {
				return false
			}
			rest, in := matchClass(pattern[1:], name[0])
			if !in {
				return false
			}
			pattern, name = rest, name[1:]
		case '\\':
			if pattern = pattern[1:]; pattern == "" {
				return false // a lone backslash matches nothing
			}
			fallthrough
		default:
			if name == "" || name[0] != pattern[0] {
				return false
			}
			pattern, name = pattern[1:], name[1:]
		}
	}
	return name == ""
}

// matchClass matches one byte against what follows a "[" and returns the rest
// of the pattern. A class that does not end matches nothing.
func matchClass(p string, c byte) (rest string, in bool) {
	negate := p != "" && (p[0] == '!' || p[0] == '^')
	if negate {
		p = p[1:]
	}
	for first := true; ; first = false {
		if p == "" {
			return "", false
		}
		if p[0] == ']' && !first {
			return p[1:], in != negate
		}
		if name, after, ok := posixClass(p); ok {
			in = in || inPosixClass(name, c)
			p = after
			continue
		}
		lo, after, ok := classByte(p)
		if !ok {
			return "", false
		}
		hi := lo
		if len(after) > 1 && after[0] == '-' && after[1] != ']' {
			if hi, after, ok = classByte(after[1:]); !ok {
				return "", false
			}
		}
		in = in || c == lo || (lo <= c && c <= hi) // an empty range still has its first byte
		p = after
	}
}

func classByte(p string) (c byte, rest string, ok bool) {
	if p[0] == '\\' {
		p = p[1:]
	}
	if p == "" {
		return 0, "", false
	}
	return p[0], p[1:], true
}

func posixClass(p string) (name, rest string, ok bool) {
	if !strings.HasPrefix(p, "[:") {
		return "", "", false
	}
	return strings.Cut(p[2:], ":]")
}

func inPosixClass(name string, c byte) bool {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	switch name {
	case "alnum":
		return lower || upper || digit
	case "alpha":
		return lower || upper
	case "blank":
		return c == ' ' || c == '\t'
	case "cntrl":
		return c < ' ' || c == 0x7f
	case "digit":
		return digit
	case "graph":
		return ' ' < c && c < 0x7f
	case "lower":
		return lower
	case "print":
		return ' ' <= c && c < 0x7f
	case "punct":
		return ' ' < c && c < 0x7f && !lower && !upper && !digit
	case "space":
		return c == ' ' || ('\t' <= c && c <= '\r')
	case "upper":
		return upper
	case "xdigit":
		return digit || ('a' <= c && c <= 'f') || ('A' <= c && c <= 'F')
	default:
		return false
	}
}
