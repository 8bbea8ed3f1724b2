package transport

import (
	"net/url"
	"testing"
)

// TestProxies holds which proxy the environment names for a server.
func TestProxies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		environ []string
		server  string
		want    string
		bad     bool
	}{
		{nil, "https://models.example", "", false},
		{[]string{"HTTPS_PROXY=http://p:1"}, "https://models.example", "http://p:1", false},
		{[]string{"https_proxy=p:1"}, "https://models.example", "http://p:1", false},
		{[]string{"HTTPS_PROXY=http://p:1"}, "http://models.example", "", false},
		{[]string{"HTTP_PROXY=http://p:1"}, "http://models.example", "http://p:1", false},
		{[]string{"ALL_PROXY=socks5://p:1"}, "https://models.example", "socks5://p:1", false},
		{[]string{"all_proxy=http://q:2", "HTTPS_PROXY=http://p:1"}, "https://models.example", "http://p:1", false},
		{[]string{"HTTPS_PROXY=http://p:1", "NO_PROXY=other.example,.models.example"}, "https://api.models.example", "", false},
		{[]string{"HTTPS_PROXY=http://p:1", "no_proxy=*"}, "https://models.example", "", false},
		{[]string{"HTTPS_PROXY=http://p:1"}, "https://127.0.0.1:8080", "", false},
		{[]string{"HTTPS_PROXY=http://p:1"}, "https://localhost", "", false},
		{[]string{"HTTPS_PROXY=http://me:pa%ss@p:1"}, "https://models.example", "", true},
		{[]string{"HTTP_PROXY=http://"}, "https://models.example", "", true},
	} {
		u, err := url.Parse(c.server)
		if err != nil {
			t.Fatal(err)
		}
		got, err := proxies(c.environ)(u)
		text := ""
		if got != nil {
			text = got.String()
		}
		if text != c.want || (err != nil) != c.bad {
			t.Errorf("%q for %s: %q, %v", c.environ, c.server, text, err)
		}
	}
}
