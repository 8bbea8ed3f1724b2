package config

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

var environName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// checkWord says whether text is among the values and of the kind that the
// field's tags ask for.
func (f field) checkWord(text string) error {
	if len(f.values) > 0 {
		fits := false
		for _, form := range f.values {
			fits = fits || matches(form, text)
		}
		if !fits {
			return f.wants("one of " + strings.Join(f.values, ", "))
		}
	}
	switch f.kind {
	case "url":
		if u, err := url.Parse(text); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return f.wants("a URL that starts with http:// or https://")
		}
	case "folder":
		if text == "" || outside(text) || !doublestar.ValidatePattern(text) {
			return f.wants("folders in the project, such as data/large")
		}
	case "glob":
		if outside(text) {
			return f.wants("patterns of paths in the project, such as **/*.gen.go")
		}
		if text == "" || !doublestar.ValidatePattern(text) {
			return f.wants("patterns such as **/*.gen.go")
		}
	case "envname":
		if !environName.MatchString(text) {
			return f.wants("names of variables, without values")
		}
	case "endpoint":
		_, port, ok := strings.Cut(text, ":")
		if n, err := strconv.Atoi(port[strings.LastIndexByte(port, ':')+1:]); ok && (err != nil || n < 1 || n > 65535) {
			return f.wants("HOST:PORT with a port from 1 to 65535")
		}
	}
	return nil
}

// outside reports whether a path or pattern leads out of the project, where it
// would match nothing.
func outside(text string) bool {
	return path.IsAbs(text) || slices.Contains(strings.Split(text, "/"), "..")
}

// checkList says whether each word of a list fits, and whether they fit
// together.
func (f field) checkList(list []string) error {
	for _, text := range list {
		if err := f.checkWord(text); err != nil {
			return err
		}
		if f.kind == "endpoint" && len(list) > 1 && (text == "off" || text == "on") {
			return f.wants(text + " alone, or a list of HOST:PORT")
		}
	}
	return nil
}
