package main

import "strings"

// colours reports whether the result is for a person who wants colours.
func (w *world) colours() bool {
	return w.liveOutput && w.getenv("NO_COLOR") == "" && w.getenv("TERM") != "dumb"
}

const (
	red, green, cyan, bold = "\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[1m"
	plain                  = "\x1b[0m"
)

// diff returns a unified diff as it is shown: for a person without what the
// terminal would obey, and coloured, if wanted; byte for byte for a program, which may
// apply it.
func (w *world) diff(diff string) string {
	if !w.liveOutput {
		return diff
	}
	var b strings.Builder
	for line := range strings.Lines(diff) {
		text := strings.TrimSuffix(line, "\n")
		colour, end := colourOf(text), plain
		if colour == "" || !w.colours() {
			colour, end = "", ""
		}
		b.WriteString(colour + printable(text) + end + "\n")
	}
	return b.String()
}

func colourOf(line string) string {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		return bold
	case strings.HasPrefix(line, "@@"):
		return cyan
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	default:
		return ""
	}
}
