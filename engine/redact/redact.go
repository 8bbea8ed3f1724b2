// Package redact takes secrets out of texts: the values of the user's secret
// variables, wherever they stand, and what has the shape of a well-known
// service's key.
//
// It is pure: the environment is given. What is written down and what goes to a
// language model passes through it.
package redact

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Mark stands where a secret was.
const Mark = "[redacted]"

// shortest is the length from which the value of a secret variable is taken out:
// shorter ones would hit ordinary words.
const shortest = 8

// secretNames are in the names of variables that hold secrets.
var secretNames = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "AUTHORIZATION"}

// secretEnds are at the end of such names.
var secretEnds = []string{"_PASS", "_PWD", "_AUTH", "_PAT"}

// shapes are what the keys of well-known services look like, wherever they come
// from.
var shapes = regexp.MustCompile(strings.Join([]string{
	`\bsk-[A-Za-z0-9_-]{20,}`,
	`\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}`,
	`\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{30,}`,
	`\bgithub_pat_[A-Za-z0-9_]{30,}`,
	`\bglpat-[A-Za-z0-9_-]{18,}`,
	`\bnpm_[A-Za-z0-9]{30,}`,
	`\bhf_[A-Za-z0-9]{30,}`,
	`\bnvapi-[A-Za-z0-9_-]{30,}`,
	`\bgsk_[A-Za-z0-9]{30,}`,
	`\bxai-[A-Za-z0-9]{30,}`,
	`\bxox[abeprs]-[A-Za-z0-9-]{10,}`,
	`hooks\.slack\.com/services/[A-Z0-9]{8,}/[A-Z0-9]{8,}/[A-Za-z0-9]{20,}`,
	`\bSG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{40,}`,
	`\bpypi-[A-Za-z0-9_-]{50,}`,
	`\b(?:dop|doo|dor)_v1_[a-f0-9]{60,}`,
	`\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`,
	`\bglsa_[A-Za-z0-9_]{30,}`,
	`\bya29\.[A-Za-z0-9_-]{30,}`,
	`\bAGE-SECRET-KEY-1[A-Z0-9]{50,}`,
	`\bSK[0-9a-f]{32}\b`,
	`\b(?:bot)?\d{8,10}:AA[A-Za-z0-9_-]{33}`,
	`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`,
	`\bAIza[0-9A-Za-z_-]{35}`,
	`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`,
	`-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=:. \t\n\r-]|\\[nrt])*?-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----`,
	`-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s]|\\[nrt])*`,
}, "|"))

// beginnings are one of each shape: a text without any of them holds none, which
// is found out much faster than by the shapes.
var beginnings = []string{
	"sk-", "sk_", "rk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "npm_", "hf_", "nvapi-", "gsk_", "xai-", "xox",
	"AKIA", "ASIA", "AIza", "eyJ", "PRIVATE KEY", "hooks.slack.com", "SG.", "pypi-", "_v1_", "shpat_", "shpca_", "shppa_", "shpss_", "glsa_", "ya29.",
	"AGE-SECRET", "SK", ":AA",
}

// secretWords are in the names of what holds a secret.
const secretWords = `(?i:(?:api|access|account|auth|private|signing|encryption|master)_?key|secret|token|passw(?:or)?d|passphrase)\w*`

// places are where a secret stands that has no shape of its own: what they name
// "it" is one when it mixes letters and digits, as no word does, and what they name
// "bare" when it does so again and again, or has such signs, as no name in a program
// does.
var places = regexp.MustCompile(strings.Join([]string{
	`://[^\s:/@'"]*:(?P<it>[^\s/@'"\\]{8,})@`,
	`(?i:\bbearer\s+)(?P<it>[A-Za-z0-9._~+/=-]{16,})`,
	`(?i:\bbasic\s+)(?P<it>[A-Za-z0-9+/=]{16,})`,
	`\bmachine\s+\S+\s+login\s+\S+\s+password\s+(?P<it>\S{4,})`,
	`\s(?:-u|--user)[ =](?:\\?["'])?[^\s:"'\\]+:(?P<it>[^\s"'\\]{8,})`,
	secretWords + `(?:\\?["'])?\s*(?::=|[:=])\s*(?:\\?["'])(?P<it>[^\s"'\\]{16,})`,
	secretWords + `\s*[:=]\s*(?P<bare>[A-Za-z0-9+/_!@#%^*.~=-]{16,})`,
}, "|"))

// signs are one of each place.
var signs = []string{"://", "-u ", "--user", "earer", "EARER", "asic", "BASIC", "machine", "key", "KEY", "Key", "ecret", "ECRET", "oken", "OKEN", "assw", "ASSW", "assphrase", "ASSPHRASE"}

func hasAny(s string, of []string) bool {
	return slices.ContainsFunc(of, func(b string) bool { return strings.Contains(s, b) })
}

// mixed reports whether a text has letters and digits, and is more than a name for
// something that is filled in.
func mixed(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.ContainsFunc(s, unicode.IsLetter) && !strings.ContainsAny(s, "{}<>$[]()")
}

// leastChanges is how often what stands without quotes goes from letters to digits
// or back to be no name.
const leastChanges = 4

// scrambled reports whether a text goes from letters to digits and back as often as
// what was drawn by lot.
func scrambled(s string) bool {
	changes, before := 0, 0
	for _, r := range s {
		now := 0
		switch {
		case unicode.IsDigit(r):
			now = 1
		case unicode.IsLetter(r):
			now = 2
		}
		if now != 0 && before != 0 && now != before {
			changes++
		}
		if now != 0 {
			before = now
		}
	}
	return changes >= leastChanges
}

// secret reports whether what stands in a place is one.
func secret(place, s string) bool {
	switch place {
	case "it":
		return mixed(s)
	case "bare":
		return mixed(s) && (scrambled(s) || strings.ContainsAny(s, "!@#%^~"))
	default:
		return false
	}
}

// unknown replaces the secrets that are known by their shape or their place alone.
func unknown(s string, by func(secret string) string) string {
	if hasAny(s, beginnings) {
		s = shapes.ReplaceAllStringFunc(s, by)
	}
	if !hasAny(s, signs) {
		return s
	}
	var out strings.Builder
	done := 0
	for _, m := range places.FindAllStringSubmatchIndex(s, -1) {
		for i, name := range places.SubexpNames() {
			if m[2*i] < 0 || !secret(name, s[m[2*i]:m[2*i+1]]) {
				continue
			}
			out.WriteString(s[done:m[2*i]])
			out.WriteString(by(s[m[2*i]:m[2*i+1]]))
			done = m[2*i+1]
		}
	}
	if done == 0 {
		return s
	}
	return out.String() + s[done:]
}

// Redactor takes secrets out of texts. The zero Redactor knows the shapes only.
type Redactor struct {
	// values are the secrets themselves, the longest first.
	values []string
	// all replaces them in one go.
	all *strings.Replacer
}

// New learns the secrets of the user's environment, NAME=value: the values of
// variables whose names say so, and the passwords in URLs.
func New(environ []string) Redactor {
	var values []string
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		for _, secret := range []string{value, strings.TrimSpace(value)} {
			if len(secret) >= shortest && secretive(strings.ToUpper(name)) {
				values = append(values, Forms(secret)...)
			}
		}
		values = append(values, inURL(value)...)
	}
	// The longest first, so that a secret inside another leaves nothing behind.
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	values = slices.DeleteFunc(slices.Compact(values), func(v string) bool { return len(v) < shortest })
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, v, Mark)
	}
	return Redactor{values: values, all: strings.NewReplacer(pairs...)}
}

// inURL are the secrets in a value that is a URL: what stands before the host, and
// what its query calls a key or a token.
func inURL(value string) []string {
	_, rest, isURL := strings.Cut(value, "://")
	if !isURL {
		return nil
	}
	u, err := url.Parse(value)
	if err != nil {
		if end := strings.LastIndexByte(rest, '@'); end > 0 {
			_, password, _ := strings.Cut(rest[:end], ":")
			return append(Forms(rest[:end]), Forms(password)...) // a password may be what makes it no URL
		}
		return nil
	}
	var values []string
	if u.User != nil {
		if password, _ := u.User.Password(); len(password) >= shortest {
			values = append(values, Forms(password)...)
		}
		values = append(values, Forms(u.User.String())...) // user and password, however short
	}
	for name, all := range u.Query() {
		for _, v := range all {
			if len(v) >= shortest && secretive(strings.ToUpper(name)) {
				values = append(values, Forms(v)...)
			}
		}
	}
	return values
}

// secretive reports whether a variable's name says that it holds a secret.
func secretive(name string) bool {
	return slices.ContainsFunc(secretNames, func(part string) bool { return strings.Contains(name, part) }) ||
		slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(name, end) })
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
	return unknown(s, func(string) string { return Mark })
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
	return unknown(s, name)
}
