package config

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// The declaration of the settings is also their documentation: the help of the
// flags and the tables in documents are read from it.
//
//go:embed settings.go
var declaration string

// Doc documents one setting.
type Doc struct {
	Name string
	// Text is one or more sentences.
	Text string
	// Values says what the setting takes, Default what holds when it is not set.
	Values, Default string
	// List means that it takes several words.
	List bool
	// Trust says what of it needs a trusted folder when a project sets it: "" for
	// nothing, "yes", or "to raise".
	Trust string
}

// Docs documents every setting, in the order of their declaration.
func Docs() []Doc {
	defaults := Default()
	texts := comments()
	var docs []Doc
	for _, f := range fields() {
		d := Doc{Name: f.name, Text: texts[f.index], Values: f.allowed(), Default: f.print(&defaults), List: f.list()}
		switch f.class {
		case "restricted":
			d.Trust = "yes"
		case "limit":
			d.Trust = "to raise"
		}
		docs = append(docs, d)
	}
	return docs
}

// comments returns the doc comments of the fields of Settings, in their order.
func comments() []string {
	file, err := parser.ParseFile(token.NewFileSet(), "settings.go", declaration, parser.ParseComments)
	if err != nil {
		panic(fmt.Sprintf("config: settings.go does not parse: %v", err))
	}
	var texts []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != "Settings" {
			return true
		}
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			texts = append(texts, strings.Join(strings.Fields(f.Doc.Text()), " "))
		}
		return false
	})
	return texts
}
