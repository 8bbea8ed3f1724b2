package sandbox_test

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"

	"autocoder/engine/sandbox"
)

// echo serves one line for each connection until the test ends.
func echo(t testing.TB) (port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() { // ends with the listener
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				line, _ := bufio.NewReader(c).ReadString('\n')
				_, _ = io.WriteString(c, "you said "+line)
			}()
		}
	}()
	_, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// TestAllowed reaches only what is allowed.
func TestAllowed(t *testing.T) {
	t.Parallel()
	allowed, closed := echo(t), echo(t)
	p := newPlace(t)
	c := p.config(sandbox.Isolated)
	c.Allowed = []string{"127.0.0.1:" + allowed, "192.0.2.7:80", "db.example:5432"}
	cell := open(t, c, p.tree())
	for _, host := range []string{"127.0.0.1:", "localhost:"} {
		if out, exit := runSpec(t, cell, toolSpec("ask", host+allowed)); !exit.Success() || out != "you said hello\n" {
			t.Errorf("%s: %v %q", host, exit, out)
		}
		if out, exit := runSpec(t, cell, toolSpec("ask", host+closed)); exit.Success() || !strings.Contains(out, "refused") {
			t.Errorf("%s, what is not allowed: %v %q", host, exit, out)
		}
	}
	if out, exit := runSpec(t, cell, toolSpec("dial", "tcp", "192.0.2.8:80")); exit.Success() || !strings.Contains(out, "unreachable") {
		t.Errorf("another address: %v %q", exit, out)
	}
	// Allowed, but nobody is there: the connection is made and ends.
	for _, address := range []string{"192.0.2.7:80", "db.example:5432"} {
		if out, exit := runSpec(t, cell, toolSpec("dial", "tcp", address)); !exit.Success() {
			t.Errorf("%s: %v %q", address, exit, out)
		}
	}
	if out, exit := runSpec(t, cell, toolSpec("dial", "tcp", "db.example:5433")); exit.Success() {
		t.Errorf("another port of an allowed host: %v %q", exit, out)
	}
	sh(t, cell, "! echo x >> /etc/hosts")
}

func TestAllowedIsRefused(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(c *sandbox.Config){
		"HOST:PORT":  func(c *sandbox.Config) { c.Allowed = []string{"nothing"} },
		"IPv4":       func(c *sandbox.Config) { c.Allowed = []string{"[2001:db8::1]:80"} },
		"can't let":  func(c *sandbox.Config) { c.Allowed, c.Tier = []string{"a:1"}, sandbox.Confined },
		"50 at most": func(c *sandbox.Config) { c.Allowed = make([]string, 51) },
	} {
		p := newPlace(t)
		c := p.config(sandbox.Isolated)
		change(&c)
		cell, err := sandbox.Open(t.Context(), c, p.tree())
		if err == nil {
			cell.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
