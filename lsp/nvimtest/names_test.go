package nvimtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"autocoder/lsp"

	"github.com/google/go-cmp/cmp"
)

const mirror = plugin + "/lua/autocoder/protocol.lua"

// TestNamesMirrorTheServer holds the plugin's names of commands and methods
// against the server's.
func TestNamesMirrorTheServer(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(serverNames(t), mirrored(read(t, mirror))); diff != "" {
		t.Errorf("names of the server (-) and of %s (+):\n%s", mirror, diff)
	}
	if got := mirrored("a = 'autocoder.fix', 'autocoder', -- 'autocoder.no'\n"); !slices.Equal(got, []string{"autocoder.fix"}) {
		t.Errorf("names in Lua: %v", got)
	}
}

// TestFieldsMirrorTheServer holds the plugin's annotations against the server's
// types.
func TestFieldsMirrorTheServer(t *testing.T) {
	t.Parallel()
	text := read(t, mirror)
	for class, value := range map[string]any{
		"Arguments": lsp.Arguments{}, "Status": lsp.Status{}, "ReportParams": lsp.ReportParams{}, "ReportResult": lsp.ReportResult{},
	} {
		if diff := cmp.Diff(jsonFields(value), classFields(text, class)); diff != "" {
			t.Errorf("fields of the server's (-) and the plugin's (+) %s:\n%s", class, diff)
		}
	}
}

// TestPluginIsSmall keeps logic out of the plugin.
func TestPluginIsSmall(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir(plugin, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".lua" {
			return err
		}
		files++
		if n := strings.Count(read(t, path), "\n"); n > 250 {
			t.Errorf("%s has %d lines", path, n)
		}
		return nil
	})
	if err != nil || files == 0 || files > 6 {
		t.Errorf("%d source files: %v", files, err)
	}
}

// serverNames are the values of the server's constants that name commands and
// methods.
func serverNames(t *testing.T) []string {
	t.Helper()
	sources, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range sources {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if ok && len(spec.Values) == 1 && isName(spec.Names[0].Name) {
				if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
					value, err := strconv.Unquote(lit.Value)
					if err != nil {
						t.Fatal(err)
					}
					names = append(names, value)
				}
			}
			return true
		})
	}
	slices.Sort(names)
	return names
}

func isName(identifier string) bool {
	return strings.HasPrefix(identifier, "Command") || strings.HasPrefix(identifier, "Method")
}

// mirrored are the names in a Lua file, without those in comments.
func mirrored(lua string) []string {
	lua = regexp.MustCompile(`--.*`).ReplaceAllString(lua, "")
	var names []string
	for _, m := range regexp.MustCompile(`'(autocoder[./]\w+)'`).FindAllStringSubmatch(lua, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return names
}

func jsonFields(value any) []string {
	var names []string
	for field := range reflect.TypeOf(value).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// classFields are the fields of a class in annotations.
func classFields(lua, class string) []string {
	_, rest, _ := strings.Cut(lua, "---@class autocoder."+class+"\n")
	var names []string
	for line := range strings.SplitSeq(rest, "\n") {
		field, ok := strings.CutPrefix(line, "---@field ")
		if !ok {
			break
		}
		name, _, _ := strings.Cut(field, " ")
		names = append(names, strings.TrimSuffix(name, "?"))
	}
	slices.Sort(names)
	return names
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
