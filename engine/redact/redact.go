// Package redact takes secrets out of texts: the values of the user's secret
// variables, wherever they stand, and what has the shape of a well-known
// service's key.
//
// It is pure: the environment is given. What is written down and what goes to a
// language model passes through it.
package redact

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Mark stands where a secret was.
const Mark = "[redacted]"

// shortest is the length from which the value of a secret variable is taken out:
// shorter ones would hit ordinary words.
const shortest = 8

// secretNames are in the names of variables that hold secrets.
var secretNames = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"}

// shapes are what the keys of well-known services look like, wherever they come
// from.
var shapes = regexp.MustCompile(strings.Join([]string{
	`\bsk-[A-Za-z0-9_-]{20,}`,
	`\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{30,}`,
	`\bgithub_pat_[A-Za-z0-9_]{30,}`,
	`\bglpat-[A-Za-z0-9_-]{18,}`,
	`\bnpm_[A-Za-z0-9]{30,}`,
	`\bxox[abprs]-[A-Za-z0-9-]{10,}`,
	`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`,
	`\bAIza[0-9A-Za-z_-]{35}`,
	`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`,
	`-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[A-Za-z0-9+/=\s]|\\[nrt])*(?:-----END [A-Z ]*PRIVATE KEY-----)?`,
}, "|"))

// beginnings are one of each shape: a text without any of them holds none, which
// is found out much faster than by the shapes.
var beginnings = []string{"sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "npm_", "xox", "AKIA", "ASIA", "AIza", "eyJ", "PRIVATE KEY"}

func mayHold(s string) bool {
	return slices.ContainsFunc(beginnings, func(b string) bool { return strings.Contains(s, b) })
}

// Redactor takes secrets out of texts. The zero Redactor knows the shapes only.
type Redactor struct {
	// values are the secrets themselves, the longest first.
	values []string
	// all replaces them in one go.
	all *strings.Replacer
}

// New learns the secrets of the user's environment, NAME=value.
func New(environ []string) Redactor {
	var values []string
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		secret := func(part string) bool { return strings.Contains(strings.ToUpper(name), part) }
		if len(value) >= shortest && slices.ContainsFunc(secretNames, secret) {
			values = append(values, value, inJSON(value))
		}
	}
	// The longest first, so that a secret inside another leaves nothing behind.
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	values = slices.Compact(values)
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, v, Mark)
	}
	return Redactor{values: values, all: strings.NewReplacer(pairs...)}
}

// inJSON is how a value stands in a larger content that is JSON, as a patch is.
func inJSON(value string) string {
	text, err := json.Marshal(value)
	if err != nil {
		return value
	}
	return string(text[1 : len(text)-1])
}

// Text returns s without secrets.
func (r Redactor) Text(s string) string {
	if r.all != nil {
		s = r.all.Replace(s)
	}
	if !mayHold(s) {
		return s
	}
	return shapes.ReplaceAllLiteralString(s, Mark)
}

// Finds reports whether s holds a secret.
func (r Redactor) Finds(s string) bool { return r.Text(s) != s }

// Mask returns s with each secret replaced by what name says.
func (r Redactor) Mask(s string, name func(secret string) string) string {
	for _, v := range r.values {
		if strings.Contains(s, v) {
			s = strings.ReplaceAll(s, v, name(v))
		}
	}
	if !mayHold(s) {
		return s
	}
	return shapes.ReplaceAllStringFunc(s, name)
}
