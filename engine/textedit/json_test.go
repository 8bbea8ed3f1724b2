package textedit

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestPatchJSONKeepsEveryByte(t *testing.T) {
	t.Parallel()
	p := Patch{Ops: []Op{
		{Kind: OpEdit, Path: "a \"b\"\n.go", Base: "h", Edits: []Edit{{Start: 1, End: 2, New: "é\r\n"}, {Start: 3, End: 3, New: "\xff\x00<&>"}}},
		{Kind: OpCreate, Path: "na\xffme", Base: "h", Content: []byte("\xef\xbb\xbfx"), Mode: 0o755},
		{Kind: OpCreate, Path: "empty", AnyBase: true, Content: []byte{}},
		{Kind: OpDelete, Path: "gone", Base: "h"},
		{Kind: OpRename, Path: "old", To: "new", Base: "h"},
		{Kind: OpSymlink, Path: "link", Target: "to/where"},
	}}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var got Patch
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestPatchJSONRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"schema":"autocoder.patch/2","ops":[]}`:                             `"autocoder.patch/2"`,
		`{"schema":"autocoder.patch/1","ops":[{"kind":"chmod","path":"a"}]}`:  `"chmod"`,
		`{"schema":"autocoder.patch/1","ops":[{"kind":"edit","path":[1,2]}]}`: "read patch",
	} {
		var p Patch
		if err := json.Unmarshal([]byte(text), &p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %s", text, err, want)
		}
	}
}
