package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"autocoder/engine/chat"

	"golang.org/x/net/http/httpproxy"
)

// proxyError is a proxy that did not let a call through.
type proxyError struct {
	host   string
	status int
}

func (e *proxyError) Error() string {
	switch e.status {
	case 0:
		return "the address of the proxy is no URL"
	case http.StatusProxyAuthRequired:
		return e.host + " wants another user and password"
	default:
		return fmt.Sprintf("%s answered %d", e.host, e.status)
	}
}

// variables are those that name a proxy, the first that is set counts.
var variables = []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"}

// proxies reads the usual variables of proxies. One that can't be read is an error of
// every call: to go around it would be what nobody wants.
func proxies(environ []string) func(*url.URL) (*url.URL, error) {
	get := func(name string) string {
		value := ""
		for _, kv := range environ {
			if k, v, _ := strings.Cut(kv, "="); strings.EqualFold(k, name) {
				value = v
			}
		}
		return value
	}
	if slices.ContainsFunc(variables, func(name string) bool { return !readable(get(name)) }) {
		return func(*url.URL) (*url.URL, error) { return nil, &proxyError{} }
	}
	all := get("ALL_PROXY")
	c := httpproxy.Config{HTTPProxy: get("HTTP_PROXY"), HTTPSProxy: get("HTTPS_PROXY"), NoProxy: get("NO_PROXY")}
	if c.HTTPProxy == "" {
		c.HTTPProxy = all
	}
	if c.HTTPSProxy == "" {
		c.HTTPSProxy = all
	}
	return c.ProxyFunc()
}

// readable reports whether a proxy is a URL, or a host and a port.
func readable(proxy string) bool {
	if proxy == "" {
		return true
	}
	if !strings.Contains(proxy, "://") {
		proxy = "http://" + proxy
	}
	u, err := url.Parse(proxy)
	return err == nil && u.Host != ""
}

// connected is the error of a proxy that opens no way through.
func connected(_ context.Context, by *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyError{host: by.Host, status: response.StatusCode}
}

// proxied is what a proxy did to a call, nil when it was none.
func (p Peer) proxied(err error) error {
	var refused *proxyError
	if !errors.As(err, &refused) {
		return nil
	}
	e := p.Fault(chat.Proxied, refused.Error())
	e.Status = refused.status
	return e
}
