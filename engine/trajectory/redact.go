package trajectory

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/report"
)

// redacted stands where a secret was.
const redacted = "[redacted]"

// shortestSecret is the length from which the value of a secret variable is
// taken out: shorter ones would hit ordinary words.
const shortestSecret = 8

// secretNames are in the names of variables that hold secrets.
var secretNames = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"}

// secretShapes are what the keys of well-known services look like, wherever
// they come from.
var secretShapes = regexp.MustCompile(strings.Join([]string{
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

// redactor takes secrets out of texts.
type redactor struct{ values *strings.Replacer }

// newRedactor learns the secrets of the user's environment.
func newRedactor(environ []string) redactor {
	var values []string
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		secret := func(part string) bool { return strings.Contains(strings.ToUpper(name), part) }
		if len(value) >= shortestSecret && slices.ContainsFunc(secretNames, secret) {
			values = append(values, value, inJSON(value))
		}
	}
	// The longest first, so that a secret inside another leaves nothing behind.
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, v, redacted)
	}
	return redactor{values: strings.NewReplacer(pairs...)}
}

// inJSON is how a value stands in a larger content that is JSON, as a patch is.
func inJSON(value string) string {
	text, err := json.Marshal(value)
	if err != nil {
		return value
	}
	return string(text[1 : len(text)-1])
}

func (r redactor) text(s string) string {
	return secretShapes.ReplaceAllLiteralString(r.values.Replace(s), redacted)
}

func (r redactor) finds(s string) bool { return r.text(s) != s }

// report returns a copy of rep without secrets.
func (r redactor) report(rep report.Report) (report.Report, error) {
	data, err := json.Marshal(rep)
	if err != nil {
		return rep, err
	}
	var clean report.Report
	if err := json.Unmarshal(data, &clean); err != nil {
		return rep, err
	}
	r.walk(reflect.ValueOf(&clean).Elem())
	return clean, nil
}

func (r redactor) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(r.text(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			r.walk(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			r.walk(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			r.walk(v.Field(i))
		}
	default: // numbers and booleans hold no secrets
	}
}
