package vscodetest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"autocoder/engine/config"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the settings into package.json")

const manifest = extension + "/package.json"

// property is a setting as package.json has it.
type property struct {
	Type    any      `json:"type"`
	Enum    []string `json:"enum,omitempty"`
	Items   any      `json:"items,omitempty"`
	Values  any      `json:"additionalProperties,omitempty"`
	Minimum *int     `json:"minimum,omitempty"`
	Default any      `json:"default"`
	Scope   string   `json:"scope"`
	Text    string   `json:"markdownDescription"`
}

// TestSettingsAreTheEngines fails when the settings that package.json declares are
// not those of the engine; -update writes them.
func TestSettingsAreTheEngines(t *testing.T) {
	t.Parallel()
	old := read(t, manifest)
	const mark = `"title": "Runs",
        "properties": `
	before, rest, ok := strings.Cut(old, mark)
	if !ok {
		t.Fatalf("%s has no settings of runs", manifest)
	}
	var declared json.RawMessage
	d := json.NewDecoder(strings.NewReader(rest))
	if err := d.Decode(&declared); err != nil {
		t.Fatal(err)
	}
	now := before + mark + properties(t) + rest[d.InputOffset():]
	if *update {
		if err := os.WriteFile(manifest, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(old, now); diff != "" {
		t.Errorf("%s is stale; go test ./lsp/vscodetest -run Settings -update writes it:\n%s", manifest, diff)
	}
}

// properties are all settings of the engine, in their order.
func properties(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("{")
	docs := config.Docs()
	defaults := reflect.ValueOf(config.Default())
	for i, field := range reflect.VisibleFields(defaults.Type()) {
		raw, err := json.Marshal(declare(docs[i], field, defaults.FieldByIndex(field.Index)))
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "%q: %s", "autocoder."+camel(docs[i].Name), raw)
	}
	b.WriteString("}")
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, b.Bytes(), "        ", "  "); err != nil {
		t.Fatal(err)
	}
	return pretty.String()
}

// declare makes a property of a setting. What a project may not set by itself
// belongs to the machine.
func declare(doc config.Doc, field reflect.StructField, value reflect.Value) property {
	p := property{Scope: "resource", Text: doc.Text}
	if doc.Trust != "" {
		p.Scope = "machine-overridable"
	}
	values := field.Tag.Get("values")
	switch kind := field.Type.Kind(); {
	case field.Type == reflect.TypeFor[time.Duration]():
		p.Type, p.Default = "string", doc.Default
		p.Text += " A duration such as `90s` or `10m`."
	case kind == reflect.Bool:
		p.Type, p.Default = "boolean", value.Bool()
	case kind == reflect.Int:
		p.Type, p.Default, p.Minimum = "integer", value.Int(), least(field)
	case kind == reflect.Float64:
		p.Type, p.Default, p.Minimum = "number", value.Float(), least(field)
	case kind == reflect.Slice:
		p.Type, p.Items, p.Default = "array", map[string]string{"type": "string"}, list(value)
	case kind == reflect.Map:
		p.Type, p.Values, p.Default = "object", map[string]string{"type": "string"}, map[string]string{}
	default:
		p.Type, p.Default = "string", doc.Default
		if values != "" && values == strings.ToLower(values) {
			p.Enum = strings.Split(values, "|")
			if p.Default == "" {
				p.Enum = append([]string{""}, p.Enum...) // as when nothing is set
			}
		} else if values != "" {
			p.Text += " One of `" + strings.ReplaceAll(values, "|", "`, `") + "`."
		}
	}
	return p
}

func list(value reflect.Value) []string {
	all := []string{}
	for i := range value.Len() {
		all = append(all, value.Index(i).String())
	}
	return all
}

func least(field reflect.StructField) *int {
	n, err := strconv.Atoi(field.Tag.Get("min"))
	if err != nil {
		return nil
	}
	return &n
}

// camel is the name of a setting as users of VS Code write it.
func camel(name string) string {
	var b strings.Builder
	up := false
	for _, r := range name {
		switch {
		case r == '_':
			up = true
		case up:
			b.WriteRune(unicode.ToUpper(r))
			up = false
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
