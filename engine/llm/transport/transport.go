// Package transport is what the providers of language models share below their
// protocols: an HTTP client that a server can't hold up or flood, and the
// translation of what goes wrong into one sentence.
//
// It takes proxies from the given environment, follows no redirect (the prompt
// would follow it, too), ends an answer that stalls or grows beyond any use, and
// lets no key into an error.
package transport

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Options say how patient and how generous a client is.
type Options struct {
	// Environ is the user's environment, for its proxies.
	Environ []string
	// Connect is the most that a connection may take, First the most until an answer
	// begins, and Idle the most between two parts of it.
	Connect, First, Idle time.Duration
	// Largest is the most bytes of an answer.
	Largest int64
}

// Default returns the options for real servers: a local one may load a model
// before it answers.
func Default(environ []string) Options {
	return Options{Environ: environ, Connect: 15 * time.Second, First: 5 * time.Minute, Idle: 2 * time.Minute, Largest: 16 << 20}
}

// ErrOversized and ErrStalled are why reading an answer ended early.
var (
	ErrOversized = errors.New("the answer is larger than any answer should be")
	ErrStalled   = errors.New("the answer stopped in the middle")
)

// errRedirect is the error of a server that sends us elsewhere.
var errRedirect = errors.New("the server redirects")

// Client returns a client with these options. Its connections end when they are
// idle.
func Client(o Options) *http.Client {
	proxy := proxies(o.Environ)
	return &http.Client{
		Transport: bounded{options: o, proxy: proxy, next: &http.Transport{
			Proxy:                  func(r *http.Request) (*url.URL, error) { return proxy(r.URL) },
			OnProxyConnectResponse: connected,
			DialContext:            (&net.Dialer{Timeout: o.Connect}).DialContext,
			TLSHandshakeTimeout:    o.Connect,
			ResponseHeaderTimeout:  o.First,
			IdleConnTimeout:        10 * time.Second,
			ForceAttemptHTTP2:      true,
			MaxResponseHeaderBytes: 1 << 20,
		}},
		CheckRedirect: func(r *http.Request, _ []*http.Request) error {
			return fmt.Errorf("%w to %s", errRedirect, Shown(r.URL.String()))
		},
	}
}

// Shown is a URL as it may be shown: without credentials and query.
func Shown(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "an address that is no URL"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return strings.TrimSuffix(u.String(), "/")
}

// Password is the password in a URL, or nothing.
func Password(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	password, _ := u.User.Password()
	return password
}

// bounded bounds the answers of another transport.
type bounded struct {
	options Options
	proxy   func(*url.URL) (*url.URL, error)
	next    http.RoundTripper
}

// RoundTrip sends a request and bounds the body of its answer.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	response.Body = newBody(response.Body, b.options)
	if response.StatusCode == http.StatusOK {
		response.Body = looked(response.Body, response.Header.Get("Content-Type"))
	}
	if response.StatusCode == http.StatusProxyAuthRequired {
		if by, err := b.proxy(r.URL); err == nil && by != nil {
			return nil, errors.Join(&proxyError{host: by.Host, status: response.StatusCode}, response.Body.Close())
		}
	}
	return response, nil
}

// body is the body of an answer that ends when it stalls or is too large.
type body struct {
	io.ReadCloser
	left    int64
	idle    time.Duration
	timer   *time.Timer
	stalled atomic.Bool
}

func newBody(inner io.ReadCloser, o Options) *body {
	b := &body{ReadCloser: inner, left: o.Largest, idle: o.Idle}
	// Closing the connection is what wakes a reader.
	b.timer = time.AfterFunc(o.Idle, func() {
		b.stalled.Store(true)
		_ = inner.Close()
	})
	return b
}

// Read reads on, until the bounds.
func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, ErrOversized
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if b.stalled.Load() {
		return n, ErrStalled
	}
	b.timer.Reset(b.idle)
	return n, err
}

// Close ends the body.
func (b *body) Close() error {
	b.timer.Stop()
	return b.ReadCloser.Close()
}
