package mutate

import (
	"testing"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

// What has an error no longer decide is only mentioned.
func TestDroppedErrors(t *testing.T) {
	t.Parallel()
	const source = "if err == nil { a }"
	name := &node.Node{Kind: node.Name, Start: 3, End: 6, Name: "err"}
	cond := &node.Node{Kind: node.Compare, Start: 3, End: 13, Children: []*node.Node{name}}
	block := &node.Node{Kind: node.Block, Start: 14, End: 19}
	root := &node.Node{Kind: node.File, End: len(source), Children: []*node.Node{{Kind: node.If, End: len(source), Children: []*node.Node{cond, block}}}}
	s := &site{function: &function{file: &file{Info: node.NewInfo(root, []byte(source), node.Go())}}, n: cond}
	for text, want := range map[string]bool{
		"err == nil || b":               true,
		"b":                             true,
		"err == nil || err != nil":      true,
		"err != nil":                    false,
		"err == nil || err == io.EOF":   false,
		"err == nil || errors.Is(e, f)": false,
	} {
		if got := s.drops([]textedit.Edit{{Start: 3, End: 13, New: text}}); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
