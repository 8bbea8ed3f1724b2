package redact

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"slices"
	"strings"
)

// Forms are the ways in which a secret may stand in a text, the longest first: as it
// is, in JSON, in a URL, in HTML, in hexadecimal, and in base64, also inside something larger
// that was encoded as a whole.
func Forms(secret string) []string {
	all := []string{secret, inJSON(secret), url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret)}
	plain := hex.EncodeToString([]byte(secret))
	all = append(all, plain, strings.ToUpper(plain))
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		all = append(all, inBase64(e, secret)...)
	}
	slices.SortFunc(all, func(a, b string) int {
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return slices.DeleteFunc(slices.Compact(all), func(form string) bool { return form == "" })
}

// inBase64 is what a secret is in base64, beginning at each of the three places of
// a group: without the characters that also hold bits of what stands beside it.
func inBase64(e *base64.Encoding, secret string) []string {
	var all []string
	for before := range 3 {
		text := e.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
		from := (8*before + 5) / 6           // the first character of the secret's bits alone
		to := 8 * (before + len(secret)) / 6 // and the one behind the last
		if to-from >= shortest {
			all = append(all, text[from:to])
		}
	}
	return all
}
