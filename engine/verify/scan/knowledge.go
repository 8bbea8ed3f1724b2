package scan

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// wellKnown reports whether an input and an answer are the same thing of the world
// in two forms: a code and its reason, a number and a month. A table of such is
// the specification, wherever its entries stand.
func wellKnown(a, b string) bool { return known(a, b) || known(b, a) }

func known(a, b string) bool {
	key, word := unquoted(a), strings.ToLower(unquoted(b))
	if meant, ok := decided[strings.ToLower(key)]; ok && key != a && meant == word {
		return true
	}
	if irregular[strings.ToLower(key)] == word && word != "" {
		return true
	}
	if media[strings.ToLower(strings.TrimPrefix(key, "."))] == word && word != "" || escapes[key] == word && word != "" {
		return true
	}
	n, err := strconv.Atoi(key)
	if err != nil || n < 0 {
		return false
	}
	if days, err := strconv.Atoi(word); err == nil && n >= 1 && n <= 12 && days >= 28 && days <= 31 {
		return true
	}
	if reason := strings.ToLower(http.StatusText(n)); reason != "" && identifier.MatchString(word) || reason != "" && reason == word || numerals[n] == word && word != "" {
		return true
	}
	for _, at := range []int{n, n + 1} {
		if at >= 1 && at <= 12 && named(time.Month(at).String(), word) {
			return true
		}
	}
	return named(time.Weekday(n%7).String(), word) && n <= 7 || named(time.Weekday((n+1)%7).String(), word) && n <= 7 || n < len(counting) && counting[n] == word
}

func unquoted(key string) string {
	if text, err := strconv.Unquote(key); err == nil {
		return text
	}
	return key
}

// named reports whether a word is a name or its first three letters.
func named(name, word string) bool {
	name = strings.ToLower(name)
	return word == name || word == name[:3]
}

// media are kinds of files by their extensions.
var media = map[string]string{
	"css": "text/css", "csv": "text/csv", "gif": "image/gif", "gz": "application/gzip", "htm": "text/html", "html": "text/html", "ico": "image/x-icon",
	"jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json", "md": "text/markdown", "mjs": "text/javascript",
	"mp3": "audio/mpeg", "mp4": "video/mp4", "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml", "txt": "text/plain",
	"wasm": "application/wasm", "webp": "image/webp", "woff2": "font/woff2", "xml": "application/xml", "zip": "application/zip",
}

// decided are words by which people say yes or no.
var decided = map[string]string{
	"yes": "true", "y": "true", "on": "true", "true": "true", "t": "true", "1": "true", "enabled": "true",
	"no": "false", "n": "false", "off": "false", "false": "false", "f": "false", "0": "false", "disabled": "false", "": "false",
}

// escapes are letters as HTML writes them.
var escapes = map[string]string{"&": "&amp;", "<": "&lt;", ">": "&gt;", `"`: "&quot;", "'": "&#39;"}

// irregular are English words whose plural no rule gives.
var irregular = map[string]string{
	"calf": "calves", "child": "children", "datum": "data", "deer": "deer", "fish": "fish", "foot": "feet", "goose": "geese", "half": "halves", "knife": "knives",
	"leaf": "leaves", "life": "lives", "louse": "lice", "man": "men", "mouse": "mice", "ox": "oxen", "person": "people", "series": "series", "sheep": "sheep",
	"shelf": "shelves", "species": "species", "thief": "thieves", "tooth": "teeth", "wife": "wives", "wolf": "wolves", "woman": "women",
}

var counting = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty")

// numerals are the letters of which Roman numbers are made.
var numerals = map[int]string{
	1: "i", 4: "iv", 5: "v", 9: "ix", 10: "x", 40: "xl", 50: "l", 90: "xc", 100: "c", 400: "cd", 500: "d", 900: "cm", 1000: "m",
}
