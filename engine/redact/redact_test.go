package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
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

// TestForms finds a secret however it is written, also inside something larger that
// was encoded as a whole.
func TestForms(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t/of+mine?&<1>"
	r := redact.New([]string{"MY_TOKEN= " + secret + "\n", "HTTPS_PROXY=http://me:pr0xy@proxy:3128", "DATABASE_URL=postgres://app:l0ngenough@db/x", "PWD=/home/me/work"})
	quoted, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		secret, string(quoted), url.QueryEscape(secret), url.PathEscape(secret),
		hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte(secret)),
		base64.StdEncoding.EncodeToString([]byte("u:" + secret)), base64.StdEncoding.EncodeToString([]byte("me:" + secret + " and more")),
		base64.RawURLEncoding.EncodeToString([]byte("u" + secret + "!")),
		"http://me:pr0xy@proxy:3128", base64.StdEncoding.EncodeToString([]byte("me:pr0xy")), "it is l0ngenough",
	} {
		if !r.Finds("x " + text + " y") {
			t.Errorf("%q is not found", text)
		}
	}
	for _, text := range []string{"/home/me/work", base64.StdEncoding.EncodeToString([]byte("another text of this length")), "postgres://db/x"} {
		if r.Finds(text) {
			t.Errorf("%q is taken for a secret: %q", text, r.Text(text))
		}
	}
}

// TestPlaces: what has no shape of its own is known by where it stands.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"postgres://app:hunter2hunter@db/x":             "postgres://app:[redacted]@db/x",
		"http://user:password@host/":                    "http://user:password@host/",
		"Authorization: Bearer abcdef0123456789abcdef":  "Authorization: Bearer [redacted]",
		"authorization: basic dXNlcjpwYXNzd29yZDEyMw==": "authorization: basic [redacted]",
		"the bearer of this letter":                     "the bearer of this letter",
		"machine x.org login me password tr0ub4":        "machine x.org login me password [redacted]",
		`API_KEY = "a1b2c3d4e5f6a7b8c9"`:                `API_KEY = "[redacted]"`,
		`{\"secret_key\": \"a1b2c3d4e5f6a7b8c9\"}`:      `{\"secret_key\": \"[redacted]\"}`,
		`password: 'correct-horse-battery-1'`:           `password: '[redacted]'`,
		`token := "a1b2c3d4e5f6a7b8c9"; n := 1`:         `token := "[redacted]"; n := 1`,
		`token = "the_name_of_the_token"`:               `token = "the_name_of_the_token"`,
		`token = "${TOKEN_1_OF_THE_ENVIRONMENT}"`:       `token = "${TOKEN_1_OF_THE_ENVIRONMENT}"`,
		"hf_" + strings.Repeat("a", 34):                 "[redacted]",
		"sk_live_" + strings.Repeat("a", 24):            "[redacted]",
		"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\nabc\n-----END PGP PRIVATE KEY BLOCK-----\nx": "[redacted]\nx",
		"SG." + strings.Repeat("a", 22) + "." + strings.Repeat("b", 43):                                    "[redacted]",
		"https://hooks.slack.com/services/T0ABCDEFG/B0ABCDEFG/" + strings.Repeat("a", 24):                  "https://[redacted]",
		"pypi-AgEIcHlwaS5vcmc" + strings.Repeat("a", 60):                                                   "[redacted]",
		"https://t.example/bot123456789:AA" + strings.Repeat("b", 33) + "/send":                            "https://t.example/[redacted]/send",
		"123456789:AA" + strings.Repeat("b", 33):                                                           "[redacted]",
		"sid SK" + strings.Repeat("0a", 16):                                                                "sid [redacted]",
		"AccountName=x;AccountKey=q1W2e3R4t5Y6u7I8o9P0==;EndpointSuffix=y":                                 "AccountName=x;AccountKey=[redacted];EndpointSuffix=y",
		"APP_TOKEN=tok_a1b2c3d4e5f6g7\nX=1":                                                                "APP_TOKEN=[redacted]\nX=1",
		"password: c0rr3ct-h0rse-b4tt3ry":                                                                  "password: [redacted]",
		"password: correcthorsebattery!7\nuser: me":                                                        "password: [redacted]\nuser: me",
		"curl -u admin:tr0ub4dor3 https://x":                                                               "curl -u admin:[redacted] https://x",
		"curl -u \"admin:tr0ub4dor3\" https://x":                                                           "curl -u \"admin:[redacted]\" https://x",
		"token = settings.AWS_S3_SECRET_KEY1":                                                              "token = settings.AWS_S3_SECRET_KEY1",
		"secret_key = os.environ_value_of_the_key":                                                         "secret_key = os.environ_value_of_the_key",
		"token = tokens[index1].value2.lower3()":                                                           "token = tokens[index1].value2.lower3()",
		"git log -u main:src/first.py":                                                                     "git log -u main:src/first.py",
		"nothing to see":                                                                                   "nothing to see",
	} {
		if got := (redact.Redactor{}).Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
		if again := (redact.Redactor{}).Text(want); again != want {
			t.Errorf("twice: %q", again)
		}
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
