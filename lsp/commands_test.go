package lsp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
)

// TestArguments reads what editors send as the argument of a command.
func TestArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		list []protocol.LSPAny
		want Arguments
		bad  bool
	}{
		{"none", nil, Arguments{}, false},
		{"null", []protocol.LSPAny{protocol.LSPAny("null")}, Arguments{}, false},
		{"an object", []protocol.LSPAny{protocol.LSPAny(`{"uri": "file:///a", "larger": true}`)}, Arguments{URI: "file:///a", Larger: true}, false},
		{"a URI", []protocol.LSPAny{protocol.LSPAny(`"file:///a"`)}, Arguments{URI: "file:///a"}, false},
		{"Lua's empty table", []protocol.LSPAny{protocol.LSPAny("[ ]")}, Arguments{}, false},
		{"a list", []protocol.LSPAny{protocol.LSPAny(`["file:///a"]`)}, Arguments{}, true},
		{"a number", []protocol.LSPAny{protocol.LSPAny("7")}, Arguments{}, true},
	} {
		got, err := argumentsOf(c.list)
		if diff := cmp.Diff(c.want, got); diff != "" || (err != nil) != c.bad {
			t.Errorf("%s: %v (-want +is):\n%s", c.name, err, diff)
		}
	}
}
