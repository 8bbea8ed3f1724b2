package engine_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autocoder/engine"
	"autocoder/engine/llm/llmtest"
	"autocoder/engine/outcome"
	"autocoder/engine/redact"
	"autocoder/engine/report"
)

// plot is a project that is full of secrets, for a provider that wants them.
type plot struct {
	*project
	secrets []string
}

const (
	envFile   = "env-file-secret-4711"
	netrc     = "netrc-password-0815"
	proxyWord = "pr0xy-pass-1234"
	cloudKey  = "cl0ud/key+of=mine-5678"
	codeKey   = "sk-abcdefghijklmnopqrstuvwxyz0123" // in settings.py
)

func newPlot(t *testing.T, s *llmtest.Server, model string) *plot {
	t.Helper()
	p := &plot{project: newSum(t)}
	p.write(t, ".env", "API_TOKEN="+envFile+"\n")
	p.write(t, "secrets/key.txt", envFile+"\n")
	mkdir(t, p.options.Home)
	if err := os.WriteFile(filepath.Join(p.options.Home, ".netrc"), []byte("machine x.org login me password "+netrc+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.askModel(s, model)
	p.options.Environ = append(p.options.Environ, "HOME="+p.options.Home, "HTTPS_PROXY=http://me:"+proxyWord+"@127.0.0.1:1", "AWS_SECRET_ACCESS_KEY="+cloudKey)
	for _, secret := range []string{testKey, envFile, netrc, proxyWord, cloudKey, codeKey, "tr0ub4dor&3"} {
		p.secrets = append(p.secrets, redact.Forms(secret)...)
	}
	backwards := []byte(codeKey)
	slices.Reverse(backwards)
	p.secrets = append(p.secrets, codeKey[:16], codeKey[16:], string(backwards), strings.Join(strings.Split(codeKey, ""), "-"))
	return p
}

// leaks looks for the secrets in every byte that was sent, but for the header that
// carries the key, in every file that was written, and in all that was said.
func (p *plot) leaks(t *testing.T, s *llmtest.Server, r report.Report) {
	t.Helper()
	look := func(where string, text []byte) {
		for _, secret := range p.secrets {
			if i := bytes.Index(text, []byte(secret)); i >= 0 {
				t.Errorf("%q is in %s:\n%s", secret, where, text[max(0, i-100):min(len(text), i+100)])
				return
			}
		}
	}
	for _, q := range s.Requests() {
		look("a question to "+q.Path, append([]byte(q.Path), q.Body...))
		for name, values := range q.Header {
			if name != "Authorization" && name != "X-Api-Key" {
				look("the header "+name, []byte(strings.Join(values, "\n")))
			}
		}
	}
	// What tests print, and the diff, is the user's own.
	r.Diff, r.Baseline.Failing, r.Final.Failing = "", nil, nil
	look("the report", []byte(fmt.Sprintf("%+v", r)))
	p.mu.Lock()
	for _, e := range p.events {
		look("an event", []byte(e.Text+"\n"+e.Detail))
	}
	p.mu.Unlock()
	for _, dir := range []string{p.state, p.cache} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			look(path, text)
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestOddKeys sends keys of characters that are written in other ways elsewhere, and
// a password in the URL; a server that knows them and repeats them tells nobody.
func TestOddKeys(t *testing.T) {
	t.Parallel()
	for _, key := range []string{`sk-t&<>"'%+/=?abc0123456789`, "k\\y-with\ttab-and-blank 0123", "päß-wörd-0123456789"} {
		quoted, err := json.Marshal(key)
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join([]string{
			key, string(quoted), html.EscapeString(key), url.QueryEscape(key), url.PathEscape(key), hex.EncodeToString([]byte(key)),
			base64.StdEncoding.EncodeToString([]byte("Bearer " + key)), base64.URLEncoding.EncodeToString([]byte("me:" + key)),
		}, " ")
		body, err := json.Marshal(map[string]any{"error": map[string]string{"message": all}})
		if err != nil {
			t.Fatal(err)
		}
		for _, model := range []string{"openai:gpt-4o", "anthropic:claude-3-5-sonnet-20241022", "ollama:m"} {
			for _, turn := range []llmtest.Turn{said("GIVE UP: " + all), failed(400, string(body)), failed(403, all), said("A key.\n\n" + all + "\n" + sumFixed)} {
				s := serve(t, llmtest.Script(turn))
				p := newPlot(t, s, model)
				p.secrets = redact.Forms(key)
				p.options.Environ = append(p.options.Environ, "OPENAI_API_KEY="+key, "ANTHROPIC_API_KEY="+key)
				p.settings.BaseURL = strings.Replace(p.settings.BaseURL, "http://", "http://"+url.UserPassword("me", key).String()+"@", 1)
				r := p.fix(t, engine.FixRequest{})
				if r.Outcome != outcome.GaveUp && r.Outcome != outcome.Fixed {
					t.Errorf("%q, %s: %s: %s", key, model, r.Outcome, r.Reason)
				}
				p.leaks(t, s, r)
				d, err := p.open(t).Doctor(t.Context())
				if text := fmt.Sprintf("%+v", d); err != nil || strings.Contains(text, key) || strings.Contains(text, url.QueryEscape(key)) {
					t.Errorf("doctor: %s, %v", text, err)
				}
			}
		}
	}
}

// TestLeaksAreFound is the control of the tests for leaks: what passes no redactor
// is found.
func TestLeaksAreFound(t *testing.T) {
	t.Parallel()
	s := serve(t, llmtest.Script(said("")))
	p := newPlot(t, s, "openai:gpt-4o")
	response, err := http.Post(s.URL+"/v1/chat/completions", "text/plain", strings.NewReader(base64.StdEncoding.EncodeToString([]byte("x"+envFile+"y"))))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if body := s.Requests()[0].Body; !slices.ContainsFunc(p.secrets, func(secret string) bool { return bytes.Contains(body, []byte(secret)) }) {
		t.Errorf("no secret is found in %s", body)
	}
}
