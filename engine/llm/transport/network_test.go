package transport_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"autocoder/engine/chat"
	"autocoder/engine/llm/anthropic"
	"autocoder/engine/llm/llmtest"
	"autocoder/engine/llm/ollama"
	"autocoder/engine/llm/openai"
	"autocoder/engine/llm/transport"
)

// authority is whom this process trusts, and nobody else.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

var trusted = newAuthority()

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run makes the system trust our authority: its roots are read once, from the file
// that this variable names.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "autocoder-roots-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "roots.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: trusted.cert.Raw})
	if err := errors.Join(os.WriteFile(file, text, 0o600), os.Setenv("SSL_CERT_FILE", file), os.Setenv("SSL_CERT_DIR", dir)); err != nil {
		panic(err)
	}
	return m.Run()
}

func newAuthority() authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "an authority"}, NotBefore: time.Unix(0, 0),
		NotAfter: time.Now().AddDate(10, 0, 0), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	return authority{cert, key}
}

// issue makes a certificate for a host.
func (a authority) issue(t *testing.T, host string, until time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host}, NotBefore: time.Unix(0, 0), NotAfter: until,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, form, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

const (
	host     = "models.example"
	key      = "sk-network-0123456789abcdef"
	password = "pr0xy&pass/word"
)

// secure serves what a llmtest.Server does, with a certificate, on HTTP/2.
func secure(t *testing.T, cert tls.Certificate, s *llmtest.Server) *httptest.Server {
	t.Helper()
	t.Cleanup(s.Close)
	front := httptest.NewUnstartedServer(s.Config.Handler)
	front.EnableHTTP2 = true
	front.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	front.Config.ErrorLog = log.New(io.Discard, "", 0)
	front.StartTLS()
	t.Cleanup(front.Close)
	return front
}

// proxy is one that wants a password, and leads to one place, whatever it is asked for.
type proxy struct {
	*httptest.Server
	to     string
	status int

	mu sync.Mutex
	// guarded by mu
	asked []string
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	p := &proxy{to: to}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

// environ names the proxy, with a user and a password.
func (p *proxy) environ(name, password string) []string {
	return []string{name + "=" + strings.Replace(p.URL, "http://", "http://me:"+password+"@", 1)}
}

func (p *proxy) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Method+" "+r.Host)
	p.mu.Unlock()
	if r.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte("me:"+password)) {
		w.Header().Set("Proxy-Authenticate", "Basic")
		http.Error(w, "who are you? not "+r.Header.Get("Proxy-Authorization"), http.StatusProxyAuthRequired)
		return
	}
	if p.status != 0 {
		http.Error(w, "no", p.status)
		return
	}
	if r.Method != http.MethodConnect {
		(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Host = p.to }}).ServeHTTP(w, r)
		return
	}
	there, err := net.Dial("tcp", p.to)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer there.Close()
	here, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	fmt.Fprint(here, "HTTP/1.1 200 Connection established\r\n\r\n")
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(there, here)
		there.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(here, there)
	here.Close()
	<-done
}

func hasty(environ []string) *http.Client {
	o := transport.Default(environ)
	o.Largest = 1 << 20
	return transport.Client(o)
}

// providers are all of them, at a server.
func providers(url string, client *http.Client) map[string]llmtest.Provider {
	return map[string]llmtest.Provider{
		"openai":    openai.New(openai.Options{BaseURL: url + "/v1", Key: key, Client: client}),
		"anthropic": anthropic.New(anthropic.Options{BaseURL: url, Key: key, Client: client}),
		"ollama":    ollama.New(ollama.Options{BaseURL: url, Client: client}),
	}
}

func question() chat.Request {
	return chat.Request{Model: "m", MaxTokens: 1000, Context: 4096, Messages: []chat.Message{{Role: chat.User, Text: "the task"}}}
}

// fails holds an error against what it should be.
func fails(t *testing.T, name string, err error, fault chat.Fault, says ...string) {
	t.Helper()
	var failed *chat.Error
	if !errors.As(err, &failed) || failed.Fault != fault {
		t.Errorf("%s: %v (want %q)", name, err, fault)
		return
	}
	text := err.Error()
	for _, want := range says {
		if !strings.Contains(text, want) {
			t.Errorf("%s: %q does not say %q", name, text, want)
		}
	}
	for _, secret := range []string{key, password, "pr0xy", base64.StdEncoding.EncodeToString([]byte("me:" + password))} {
		if strings.Contains(text, secret) {
			t.Errorf("%s: %q has the secret %q", name, text, secret)
		}
	}
	if strings.Contains(text, "\n") || len(text) > 500 {
		t.Errorf("%s: not one sentence: %q", name, text)
	}
}

// TestThroughAProxy asks through a proxy that wants a password, with TLS and without.
// The server gets no word of the proxy's password, and the proxy no word of the key.
func TestThroughAProxy(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"https", "http"} {
		s := llmtest.Start(llmtest.Script(llmtest.Turn{Text: "by the proxy"}), "m")
		to := s.Listener.Addr().String()
		if scheme == "https" {
			to = secure(t, trusted.issue(t, host, time.Now().AddDate(1, 0, 0)), s).Listener.Addr().String()
		}
		t.Cleanup(s.Close)
		by := newProxy(t, to)
		encoded := strings.NewReplacer("&", "%26", "/", "%2F").Replace(password)
		for name, p := range providers(scheme+"://"+host+":8443", hasty(by.environ(strings.ToUpper(scheme)+"_PROXY", encoded))) {
			reply, err := p.Complete(t.Context(), question())
			if err != nil || reply.Text != "by the proxy" {
				t.Errorf("%s by %s: %+v, %v", name, scheme, reply, err)
			}
			if _, err := p.Probe(t.Context(), "m"); err != nil {
				t.Errorf("%s by %s: probe: %v", name, scheme, err)
			}
		}
		for _, q := range s.Requests() {
			if q.Header.Get("Proxy-Authorization") != "" {
				t.Errorf("the server was told the proxy's password: %v", q.Header)
			}
		}
		if len(by.asked) == 0 || scheme == "https" && !strings.HasPrefix(by.asked[0], "CONNECT "+host) {
			t.Errorf("the proxy was asked %q", by.asked)
		}
	}
}

// TestProxiesThatFail says what is wrong with a proxy.
func TestProxiesThatFail(t *testing.T) {
	t.Parallel()
	by := newProxy(t, "")
	closed := newProxy(t, "")
	closed.status = http.StatusForbidden
	gone := newProxy(t, "")
	gone.Close()
	right := strings.NewReplacer("&", "%26", "/", "%2F").Replace(password)
	for _, c := range []struct {
		name, url string
		environ   []string
		fault     chat.Fault
		says      []string
	}{
		{"a wrong password", "https://" + host, by.environ("HTTPS_PROXY", "pr0xy-wrong"), chat.Proxied, []string{"can't be reached through the proxy (HTTP 407)", "wants another user and password", "check HTTPS_PROXY"}},
		{"a wrong password, without TLS", "http://" + host, by.environ("HTTP_PROXY", "pr0xy-wrong"), chat.Proxied, []string{"(HTTP 407)", "wants another user and password"}},
		{"no password", "https://" + host, []string{"HTTPS_PROXY=" + by.URL}, chat.Proxied, []string{"(HTTP 407)"}},
		{"a forbidden host", "https://" + host, closed.environ("HTTPS_PROXY", right), chat.Proxied, []string{"(HTTP 403)", "answered 403"}},
		{"nobody there", "https://" + host, gone.environ("HTTPS_PROXY", right), chat.Unreachable, []string{"can't be reached: its proxy: ", "refused"}},
		{"no URL", "https://" + host, []string{"HTTPS_PROXY=http://me:pr0xy%zz@127.0.0.1:1"}, chat.Proxied, []string{"the address of the proxy is no URL"}},
	} {
		for name, p := range providers(c.url, hasty(c.environ)) {
			_, err := p.Complete(t.Context(), question())
			fails(t, name+", "+c.name, err, c.fault, c.says...)
			_, err = p.Probe(t.Context(), "m")
			fails(t, name+", probe, "+c.name, err, c.fault, c.says...)
		}
	}
}

// TestCertificates says what is wrong with a certificate, and trusts one that is
// right, by HTTP/2.
func TestCertificates(t *testing.T) {
	t.Parallel()
	later := time.Now().AddDate(1, 0, 0)
	for _, c := range []struct {
		name string
		cert tls.Certificate
		says string
	}{
		{"right", trusted.issue(t, host, later), ""},
		{"expired", trusted.issue(t, host, time.Unix(1e9, 0)), "expired"},
		{"for another host", trusted.issue(t, "other.example", later), "is valid for other.example"},
		{"by itself", newAuthority().issue(t, host, later), "unknown authority"},
	} {
		s := llmtest.Start(llmtest.Script(llmtest.Turn{Text: "safe"}), "m")
		by := newProxy(t, secure(t, c.cert, s).Listener.Addr().String())
		environ := by.environ("HTTPS_PROXY", strings.NewReplacer("&", "%26", "/", "%2F").Replace(password))
		for name, p := range providers("https://"+host, hasty(environ)) {
			reply, err := p.Complete(t.Context(), question())
			if c.says != "" {
				fails(t, name+", "+c.name, err, chat.Untrusted, "has a certificate that is not trusted", c.says)
			} else if err != nil || reply.Text != "safe" {
				t.Errorf("%s: %+v, %v", name, reply, err)
			}
		}
		if asked := len(s.Requests()); (asked > 0) != (c.says == "") {
			t.Errorf("%s: asked %d times", c.name, asked)
		}
	}
}

// TestResets: a stream of HTTP/2 that is reset amid an answer is an answer that broke.
func TestResets(t *testing.T) {
	t.Parallel()
	s := llmtest.Start(llmtest.Script(llmtest.Turn{Text: strings.Repeat("word ", 200), Cut: 3}), "m")
	var protocols sync.Map
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocols.Store(r.Proto, true)
		inner.ServeHTTP(w, r)
	})
	by := newProxy(t, secure(t, trusted.issue(t, host, time.Now().AddDate(1, 0, 0)), s).Listener.Addr().String())
	environ := by.environ("HTTPS_PROXY", strings.NewReplacer("&", "%26", "/", "%2F").Replace(password))
	for name, p := range providers("https://"+host, hasty(environ)) {
		_, err := p.Complete(t.Context(), question())
		fails(t, name, err, chat.Broken, "can't be read")
	}
	if _, ok := protocols.Load("HTTP/2.0"); !ok {
		t.Error("HTTP/2 was not spoken")
	}
}

// TestRedirects: a server that sends us elsewhere gets no one else the key.
func TestRedirects(t *testing.T) {
	t.Parallel()
	thief := llmtest.Start(llmtest.Script(llmtest.Turn{Text: "thanks"}), "m")
	defer thief.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, thief.URL+r.URL.Path+"?k=1", status)
		}))
		for name, p := range providers(s.URL, hasty(nil)) {
			_, err := p.Complete(t.Context(), question())
			fails(t, name, err, chat.Rejected, "redirects")
			_, err = p.Probe(t.Context(), "m")
			fails(t, name+", probe", err, chat.Rejected, "redirects")
		}
		s.Close()
	}
	if n := len(thief.Requests()); n > 0 {
		t.Errorf("the thief was asked %d times", n)
	}
}

// TestNoAnswerBegins: a server that takes a question and says nothing, or a header a
// letter at a time, is not waited for.
func TestNoAnswerBegins(t *testing.T) {
	t.Parallel()
	for _, drip := range []bool{false, true} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				all.Go(func() {
					defer c.Close()
					if drip {
						// An answer before its question is another fault.
						if _, err := c.Read(make([]byte, 1)); err != nil {
							return
						}
						fmt.Fprint(c, "HTTP/1.1 200 OK\r\nX-A: ")
					}
					<-ctx.Done()
				})
			}
		})
		o := transport.Default(nil)
		o.First = 50 * time.Millisecond
		for name, p := range providers("http://"+l.Addr().String(), transport.Client(o)) {
			_, err := p.Complete(t.Context(), question())
			fails(t, fmt.Sprintf("%s, drip %v", name, drip), err, chat.Stalled, "no answer began in time")
		}
		cancel()
		l.Close()
		all.Wait()
	}
}

// TestWebPages: a page in the place of an answer, as of a network that wants its user
// to sign in, is told as what it is; an answer that is only called one is read.
func TestWebPages(t *testing.T) {
	t.Parallel()
	good := llmtest.Start(llmtest.Script(llmtest.Turn{Text: "an answer"}), "m")
	defer good.Close()
	answers := good.Config.Handler
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.Header.Get("X-Good") == "" {
			_, _ = io.WriteString(w, "\n <!doctype html><title>Sign in</title>"+key)
			return
		}
		answers.ServeHTTP(called{w}, r)
	}))
	defer s.Close()
	for name, p := range providers(s.URL, hasty(nil)) {
		_, err := p.Complete(t.Context(), question())
		fails(t, name, err, chat.Rejected, "a web page")
		_, err = p.Probe(t.Context(), "m")
		fails(t, name+", probe", err, chat.Rejected, "a web page")
	}
	client := hasty(nil)
	client.Transport = marked{client.Transport}
	for name, p := range providers(s.URL, client) {
		if reply, err := p.Complete(t.Context(), question()); err != nil || reply.Text != "an answer" {
			t.Errorf("%s: an answer that is called a page: %q, %v", name, reply.Text, err)
		}
	}
}

// called keeps what an answer is called.
type called struct{ http.ResponseWriter }

func (c called) WriteHeader(status int) {
	c.Header().Set("Content-Type", "text/html")
	c.ResponseWriter.WriteHeader(status)
}

func (c called) Write(b []byte) (int, error) {
	c.Header().Set("Content-Type", "text/html")
	return c.ResponseWriter.Write(b)
}

func (c called) Flush() { c.ResponseWriter.(http.Flusher).Flush() }

// marked asks for a good answer.
type marked struct{ next http.RoundTripper }

func (m marked) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("X-Good", "1")
	return m.next.RoundTrip(r)
}

// TestProbesThatFail says in one sentence what is wrong with a server that is asked
// what it has.
func TestProbesThatFail(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, c := range []struct {
		name, body string
		status     int
		fault      chat.Fault
		says       string
	}{
		{"a wrong key", `{"error":{"message":"Incorrect API key provided: ` + key + `"}}`, 401, chat.WrongKey, "does not accept the key (HTTP 401)"},
		{"a key without rights", `{"error":"forbidden"}`, 403, chat.WrongKey, "HTTP 403"},
		{"no credit", `{"error":{"message":"billing hard limit reached"}}`, 402, chat.NoCredit, "spend more"},
		{"too many questions", `{}`, 429, chat.Limited, "asks to wait"},
		{"a broken server", "<html>" + key + "</html>", 503, chat.Overloaded, "a web page instead of an answer"},
		{"no protocol", "hello", 200, chat.Broken, "can't be read"},
		{"deep JSON", strings.Repeat("[", 100_000), 200, chat.Broken, "can't be read"},
		{"no end", strings.Repeat("x", 2<<20), 200, chat.Oversized, "too large"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body) // the client may have gone
		}))
		for name, p := range providers(s.URL, hasty(nil)) {
			_, err := p.Probe(t.Context(), "m")
			fails(t, name+", "+c.name, err, c.fault, c.says)
		}
		s.Close()
	}
	for name, p := range providers(gone.URL, hasty(nil)) {
		_, err := p.Probe(t.Context(), "m")
		fails(t, name+", nobody there", err, chat.Unreachable, "can't be reached", "check base_url")
	}
}
