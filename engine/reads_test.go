package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPrivateFiles has tests read what is none of their business: they are
// blocked, and the setting that opens it does.
func TestPrivateFiles(t *testing.T) {
	t.Parallel()
	p := newProject(t, `
-- go.mod --
module m
go 1.21
-- m_test.go --
package m
import ("os"; "testing")
func TestPlain(t *testing.T) {}
func TestKey(t *testing.T) {
	if _, err := os.ReadFile("KEY"); err != nil { t.Fatal(err) }
}
`)
	p.need(t, "go")
	key := filepath.Join(p.options.Home, ".ssh", "id_rsa")
	mkdir(t, filepath.Dir(key))
	if err := os.WriteFile(key, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.write(t, "m_test.go", strings.ReplaceAll(p.read(t, "m_test.go"), "KEY", key))
	r, err := p.open(t).RunTests(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("read = [%q]", key)
	if r.Passed != 1 || !strings.Contains(fmt.Sprintf("%+v", r), want) {
		t.Errorf("%+v, want one test blocked with %s", r, want)
	}
	p.settings.Read = []string{key}
	if r, err = p.open(t).RunTests(t.Context()); err != nil || r.Passed != 2 {
		t.Errorf("with the setting: %+v, %v", r, err)
	}
}

// TestNeighbours has a project depend on others by path.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	p := newProject(t, `
-- go.mod --
module m
go 1.21
require other v0.0.0
replace other => ../other
-- m_test.go --
package m
import ("other"; "testing")
func TestOther(t *testing.T) { if other.X != 1 { t.Fatal(other.X) } }
`)
	p.need(t, "go")
	beside := filepath.Join(filepath.Dir(p.root), "other")
	mkdir(t, beside)
	for name, text := range map[string]string{"go.mod": "module other\ngo 1.21\n", "o.go": "package other\nconst X = 1\n"} {
		if err := os.WriteFile(filepath.Join(beside, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := p.open(t).RunTests(t.Context())
	if err != nil || r.Passed != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}
