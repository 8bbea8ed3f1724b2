package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"autocoder/engine/config"
	"autocoder/engine/outcome"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden parts of scripts and documents")

const readme = "../../README.md"

// TestReadme fails when a generated part of the README is stale; -update writes
// it.
func TestReadme(t *testing.T) {
	t.Parallel()
	old, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	corpus, err := os.ReadFile("../../engine/testdata/corpus.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(old)
	for name, table := range map[string]string{"outcomes": outcomeTable(t), "settings": settingTable(), "corpus": string(corpus)} {
		text = replacePart(t, text, name, table)
	}
	if *update {
		if err := os.WriteFile(readme, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(old), text); diff != "" {
		t.Errorf("README.md is stale; go test ./cmd/autocoder -run TestReadme -update writes it:\n%s", diff)
	}
}

// replacePart replaces what stands between the marks of a generated part.
func replacePart(t *testing.T, text, name, part string) string {
	t.Helper()
	begin, end := "<!-- generated: "+name+" -->\n", "<!-- end: "+name+" -->\n"
	before, rest, ok := strings.Cut(text, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("README.md has no part %q", name)
	}
	return before + begin + part + end + after
}

// outcomeTable is made of the constants' doc comments and the exit codes.
func outcomeTable(t *testing.T) string {
	t.Helper()
	texts := outcomeComments(t)
	var b strings.Builder
	b.WriteString("| outcome | what it means | exit code |\n|---|---|---|\n")
	for _, o := range outcome.All() {
		identifier := strings.ReplaceAll(o.String(), "_", "")
		fmt.Fprintf(&b, "| `%s` | %s | %d |\n", o, texts[identifier], codeOf(o))
	}
	return b.String()
}

// outcomeComments returns what "X means that …" says, by x in lower case.
func outcomeComments(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../engine/outcome/outcome.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Doc == nil {
			return true
		}
		text := strings.Join(strings.Fields(spec.Doc.Text()), " ")
		if _, meaning, ok := strings.Cut(text, " means that "); ok {
			meaning = strings.ReplaceAll(meaning, ", or that ", ", or ")
			texts[strings.ToLower(spec.Names[0].Name)] = strings.ToUpper(meaning[:1]) + meaning[1:]
		}
		return false
	})
	return texts
}

// settingTable is made of the doc comments and tags of config.Settings.
func settingTable() string {
	var b strings.Builder
	b.WriteString("| setting | what it is | values | default | trust |\n|---|---|---|---|---|\n")
	for _, d := range config.Docs() {
		value := d.Default
		if value != "" {
			value = "`" + value + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", d.Name, cell(d.Text), cell(d.Values), cell(value), d.Trust)
	}
	return b.String()
}

func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
