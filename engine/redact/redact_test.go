package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"autocoder/engine/redact"
)

func TestRedactor(t *testing.T) {
	t.Parallel()
	r := redact.New([]string{"MY_API_KEY=hunter2hunter2", "PASSWORD=short", "HOME=/home/me/long/enough", `DB_PASSWORD=a"quoted\one`})
	for _, c := range []struct{ in, want string }{
		{"key hunter2hunter2!", "key [redacted]!"},
		{"short stays", "short stays"},
		{"/home/me/long/enough", "/home/me/long/enough"},
		{`{"x":"a\"quoted\\one"}`, `{"x":"[redacted]"}`},
		{"sk-abcdefghijklmnopqrstuvwx", "[redacted]"},
		{"AKIAABCDEFGHIJKLMNOP", "[redacted]"},
		{"ASIAABCDEFGHIJKLMNOP", "[redacted]"},
		{"ghs_" + strings.Repeat("a", 36), "[redacted]"},
		{"github_pat_" + strings.Repeat("a", 36), "[redacted]"},
		{"glpat-" + strings.Repeat("a", 20), "[redacted]"},
		{"npm_" + strings.Repeat("a", 36), "[redacted]"},
		{"xoxb-" + strings.Repeat("1", 12), "[redacted]"},
		{"AIza" + strings.Repeat("a", 35), "[redacted]"},
		{"eyJ" + strings.Repeat("a", 12) + ".eyJ" + strings.Repeat("b", 12) + "." + strings.Repeat("c", 12), "[redacted]"},
		{"-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", "[redacted]"},
		{"task-abcdefghijklmnopqrstuvwx", "task-abcdefghijklmnopqrstuvwx"},
	} {
		if got := r.Text(c.in); got != c.want {
			t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
		}
		if r.Finds(c.in) != (c.in != c.want) {
			t.Errorf("Finds(%q) = %v", c.in, r.Finds(c.in))
		}
	}
	if got := (redact.Redactor{}).Text("nothing sk-abcdefghijklmnopqrstuvwx"); got != "nothing [redacted]" {
		t.Errorf("the zero Redactor: %q", got)
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	r := redact.New([]string{"MY_API_KEY=hunter2hunter2"})
	names := map[string]string{}
	masked := r.Mask("a hunter2hunter2 b sk-abcdefghijklmnopqrstuvwx c hunter2hunter2", func(s string) string {
		if names[s] == "" {
			names[s] = fmt.Sprintf("<%d>", len(names)+1)
		}
		return names[s]
	})
	if masked != "a <1> b <2> c <1>" {
		t.Errorf("got %q", masked)
	}
	if strings.Contains(masked, "hunter2") {
		t.Errorf("a secret is left in %q", masked)
	}
}
