package javascript

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	tsgo "github.com/microsoft/typescript-go/shim"
)

// plain reports whether Node runs a source as it is, as the body of a function:
// neither types nor JSX, no module syntax, nothing that loads later.
func plain(name string, tree *tsgo.Tree) bool {
	switch path.Ext(name) {
	case ".js", ".cjs":
	default:
		return false
	}
	ok := true
	var walk func(n *tsgo.Node)
	walk = func(n *tsgo.Node) {
		switch n.Kind {
		case tsgo.KindImportDeclaration, tsgo.KindExportDeclaration, tsgo.KindExportAssignment, tsgo.KindExportKeyword, tsgo.KindImportKeyword, tsgo.KindMetaProperty,
			tsgo.KindJsxElement, tsgo.KindJsxSelfClosingElement, tsgo.KindJsxFragment, tsgo.KindDecorator:
			ok = false
		default: // Nothing that needs to be transformed.
		}
		for _, c := range tsgo.Children(n) {
			if !ok {
				return
			}
			walk(c)
		}
	}
	walk(tree.Root)
	return ok
}

// usesReact finds files that name what JSX was once made into calls of.
var usesReact = regexp.MustCompile(`\bReact\b`)

// transformed makes a module that is required of any source. settings are those of
// the project's compiler, as tsconfig.json has them; empty for none.
func transformed(name, text, settings string) (string, error) {
	loader := map[string]api.Loader{
		".ts": api.LoaderTS, ".mts": api.LoaderTS, ".cts": api.LoaderTS, ".tsx": api.LoaderTSX, ".jsx": api.LoaderJSX,
	}[path.Ext(name)]
	if loader == api.LoaderNone {
		loader = api.LoaderJSX
	}
	jsx := api.JSXAutomatic
	if usesReact.MatchString(text) || strings.Contains(settings, `"jsx"`) {
		jsx = api.JSXTransform
	}
	r := api.Transform(text, api.TransformOptions{
		Loader: loader, Format: api.FormatCommonJS, Target: api.ES2023, Platform: api.PlatformNode, LogLevel: api.LogLevelSilent,
		Sourcefile: path.Base(name), JSX: jsx, TsconfigRaw: settings, Supported: map[string]bool{"dynamic-import": false},
		Define: map[string]string{
			"import.meta.url": "__autocoder_url", "import.meta.dirname": "__dirname", "import.meta.filename": "__filename",
		},
	})
	if len(r.Errors) > 0 && settings != "" {
		return transformed(name, text, "") // what is wrong may be the settings
	}
	if len(r.Errors) > 0 {
		return "", fmt.Errorf("transform %s: %s", name, r.Errors[0].Text)
	}
	return `"use strict";const __autocoder_url=require("node:url").pathToFileURL(__filename).href;` + string(r.Code), nil
}

// withoutHashbang turns a first line for the shell into a comment of the same
// length.
func withoutHashbang(text string) string {
	if strings.HasPrefix(text, "#!") {
		return "//" + text[2:]
	}
	return text
}
