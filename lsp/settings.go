package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"strings"
	"time"
	"unicode"

	"autocoder/engine/config"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// section is the name of our settings in an editor.
const section = "autocoder"

// settingsWait is how long an editor may take to tell its settings.
const settingsWait = 5 * time.Second

// editorSettings are what the editor gave without being asked, the older first.
type editorSettings struct {
	initial, pushed map[string]any
}

// settingsIn reads an object of settings. Editors give them bare or below our
// name.
func settingsIn(raw protocol.LSPAny) map[string]any {
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if len(raw) == 0 || d.Decode(&all) != nil {
		return nil
	}
	if inner, ok := all[section].(map[string]any); ok {
		return inner
	}
	return all
}

// didChangeConfiguration takes settings from editors that push them.
func (s *Server) didChangeConfiguration(p *protocol.DidChangeConfigurationParams) {
	given := settingsIn(p.Settings)
	if given == nil {
		return // the editor is asked at the next job
	}
	s.mu.Lock()
	s.options.pushed = given
	s.mu.Unlock()
}

// editorLayers are the editor's settings for a folder. An editor that can be
// asked is asked each time, so that they are never old.
func (s *Server) editorLayers(ctx context.Context, root string) []config.Layer {
	s.mu.Lock()
	ask, given := s.caps.configuration, s.options
	s.mu.Unlock()
	merged := map[string]any{}
	maps.Copy(merged, given.initial)
	maps.Copy(merged, given.pushed)
	if ask {
		maps.Copy(merged, s.askSettings(ctx, root))
	}
	s.mu.Lock()
	s.project(root).confirm = confirms(merged)
	s.mu.Unlock()
	return layersOf(merged)
}

// confirms reports whether the user wants to see each edit before it is made. What
// the project's folder brought along may want it too, and takes it back only where
// the user trusts the folder.
func confirms(merged map[string]any) bool {
	user, project := merged["confirm"], any(nil)
	if inner, ok := merged["workspace"].(map[string]any); ok {
		project = inner["confirm"]
	}
	trusted := merged["workspaceTrusted"] == true || merged["workspace_trusted"] == true
	return project == true || user == true && !(trusted && project == false)
}

func (s *Server) askSettings(ctx context.Context, root string) map[string]any {
	ctx, cancel := context.WithTimeout(ctx, settingsWait)
	defer cancel()
	var answer []protocol.LSPAny
	err := s.call(ctx, protocol.MethodWorkspaceConfiguration, &protocol.ConfigurationParams{
		Items: []protocol.ConfigurationItem{{ScopeURI: ptr(uri.File(root)), Section: ptr(section)}},
	}, &answer)
	if err != nil || len(answer) == 0 {
		s.cfg.Log.Warn("no settings from the editor", "error", err)
		return nil
	}
	return settingsIn(answer[0])
}

// layersOf makes layers of settings. What the project's folder brought along
// stands below "workspace", and counts in full when "workspace_trusted" is true.
func layersOf(given map[string]any) []config.Layer {
	user := config.Layer{Kind: config.Editor, Source: "the editor's settings", Values: map[string]config.Value{}}
	project := config.Layer{Kind: config.EditorWorkspace, Source: "the editor's settings for this folder", Values: map[string]config.Value{}}
	for key, v := range given {
		switch name := snake(key); name {
		case "workspace":
			inner, _ := v.(map[string]any)
			for key, v := range inner {
				if key != "confirm" {
					put(project, snake(key), v)
				}
			}
		case "workspace_trusted":
			project.Trusted = v == true
		case "path", "trace", "server":
			// the editor's plugin's own
		case "confirm":
			// how edits come to the editor, which is no business of a run's
		default:
			put(user, name, v)
		}
	}
	layers := []config.Layer{user}
	if len(project.Values) > 0 {
		layers = append(layers, project)
	}
	return layers
}

// put adds a value as settings files have it. An editor's null is no value, and
// neither is an empty text, which is what forms leave behind.
func put(l config.Layer, name string, v any) {
	switch t := v.(type) {
	case nil:
		return
	case string:
		if t == "" {
			return
		}
	case []any:
		if len(t) == 0 && isTable(name) {
			return // Lua knows no difference between an empty list and an empty table
		}
	case json.Number:
		v = number(t)
	}
	l.Values[name] = config.Value{Any: v}
}

// isTable reports whether a setting has values by names.
func isTable(name string) bool {
	docs := config.Docs()
	for i, field := range reflect.VisibleFields(reflect.TypeFor[config.Settings]()) {
		if docs[i].Name == name {
			return field.Type.Kind() == reflect.Map
		}
	}
	return false
}

func number(n json.Number) any {
	f, err := n.Float64()
	if err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f)
	}
	return f
}

// snake is the name of a setting that an editor's user writes in camel case.
func snake(key string) string {
	var b strings.Builder
	for i, r := range key {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
