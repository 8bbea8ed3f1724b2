package vscodetest

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"autocoder/lsp"

	"github.com/google/go-cmp/cmp"
)

const (
	mirror = extension + "/src/protocol.ts"
	// elsewhere is the mirror of another editor, which is held against the server.
	elsewhere = "../../editors/nvim/lua/autocoder/protocol.lua"
)

// TestNamesMirrorTheServer holds the extension's names of commands and methods
// against the server's.
func TestNamesMirrorTheServer(t *testing.T) {
	t.Parallel()
	got := names(read(t, mirror))
	if diff := cmp.Diff(names(read(t, elsewhere)), got); diff != "" {
		t.Errorf("names of the server, as %s has them (-), and of %s (+):\n%s", elsewhere, mirror, diff)
	}
	if !slices.Contains(got, lsp.CommandFix) || !slices.Contains(got, lsp.MethodStatus) {
		t.Errorf("names: %v", got)
	}
}

// names are the names of commands and methods in quotes.
func names(source string) []string {
	var found []string
	for _, m := range regexp.MustCompile(`['"](autocoder[./]\w+)['"]`).FindAllStringSubmatch(source, -1) {
		found = append(found, m[1])
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// TestFieldsMirrorTheServer holds the extension's interfaces against the server's
// types.
func TestFieldsMirrorTheServer(t *testing.T) {
	t.Parallel()
	text := read(t, mirror)
	for name, value := range map[string]any{
		"Arguments": lsp.Arguments{}, "Status": lsp.Status{}, "ReportParams": lsp.ReportParams{},
		"ReportResult": lsp.ReportResult{}, "Data": lsp.Data{},
	} {
		var want []string
		for field := range reflect.TypeOf(value).Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			want = append(want, name)
		}
		_, rest, _ := strings.Cut(text, "export interface "+name+" {\n")
		body, _, _ := strings.Cut(rest, "\n}")
		var got []string
		for _, m := range regexp.MustCompile(`(?m)^  (\w+)\??:`).FindAllStringSubmatch(body, -1) {
			got = append(got, m[1])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("fields of the server's (-) and the extension's (+) %s:\n%s", name, diff)
		}
	}
}

// TestExtensionIsSmall keeps logic out of the extension.
func TestExtensionIsSmall(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob(extension + "/src/*.ts")
	if err != nil || len(sources) == 0 || len(sources) > 6 {
		t.Errorf("%d source files: %v", len(sources), err)
	}
	for _, path := range sources {
		if n := strings.Count(read(t, path), "\n"); n > 250 {
			t.Errorf("%s has %d lines", path, n)
		}
	}
}

// TestLicence holds the licence that is packed against ours.
func TestLicence(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(read(t, "../../LICENSE"), read(t, extension+"/LICENSE")); diff != "" {
		t.Errorf("the extension's LICENSE:\n%s", diff)
	}
	if _, err := os.Stat(extension + "/CHANGELOG.md"); err != nil {
		t.Error(err)
	}
}
