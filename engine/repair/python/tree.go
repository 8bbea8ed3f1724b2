package python

import (
	"encoding/json"
	"fmt"
	"sort"

	"autocoder/engine/repair/node"
)

// wireTree is a tree as the worker writes it: rows in preorder and a table of
// scopes, each with the number of the one around it.
type wireTree struct {
	Refused string            `json:"refused"`
	Rows    []wireRow         `json:"rows"`
	Scopes  []json.RawMessage `json:"scopes"`
}

// wireRow is a node: kind, start, end, number of children, and what it has of
// operator, its start and end, name, type and scope.
type wireRow struct {
	kind                 string
	start, end, children int
	op                   string
	opStart, opEnd       int
	name, typ            string
	scope                int
}

// UnmarshalJSON reads a row whose end may be left out.
func (r *wireRow) UnmarshalJSON(data []byte) error {
	r.scope = -1
	fields := []any{&r.kind, &r.start, &r.end, &r.children, &r.op, &r.opStart, &r.opEnd, &r.name, &r.typ, &r.scope}
	return json.Unmarshal(data, &fields)
}

var kinds = map[string]node.Kind{
	"Other": node.Other, "File": node.File, "Function": node.Function, "Param": node.Param, "Block": node.Block,
	"ExprStmt": node.ExprStmt, "Assign": node.Assign, "Return": node.Return, "If": node.If, "While": node.While,
	"For": node.For, "Break": node.Break, "Continue": node.Continue, "Raise": node.Raise, "Assert": node.Assert,
	"Try": node.Try, "With": node.With, "OtherStmt": node.OtherStmt, "Name": node.Name, "Number": node.Number,
	"String": node.String, "Bool": node.Bool, "Nil": node.Nil, "Binary": node.Binary, "Compare": node.Compare,
	"Logical": node.Logical, "Unary": node.Unary, "Call": node.Call, "Keyword": node.Keyword, "Index": node.Index,
	"Slice": node.Slice, "Attribute": node.Attribute, "Cond": node.Cond, "List": node.List, "Tuple": node.Tuple,
	"Dict": node.Dict, "Lambda": node.Lambda, "Comp": node.Comp, "Yield": node.Yield, "Empty": node.Empty,
}

// decodeTree makes nodes of a worker's answer.
func decodeTree(t wireTree, content []byte) (*node.Node, error) {
	scopes, err := decodeScopes(t.Scopes)
	if err != nil {
		return nil, err
	}
	d := decoder{rows: t.Rows, scopes: scopes, lines: lineStarts(content), size: len(content)}
	root, err := d.next()
	if err == nil && len(d.rows) > 0 {
		err = fmt.Errorf("%d nodes too many", len(d.rows))
	}
	return root, err
}

type decoder struct {
	rows   []wireRow
	scopes [][]node.Symbol
	lines  []int
	size   int
}

func (d *decoder) next() (*node.Node, error) {
	if len(d.rows) == 0 {
		return nil, fmt.Errorf("the tree is not complete")
	}
	r := d.rows[0]
	d.rows = d.rows[1:]
	kind, ok := kinds[r.kind]
	if !ok || r.start < 0 || r.end < r.start || r.end > d.size || r.scope >= len(d.scopes) {
		return nil, fmt.Errorf("the node %+v is not valid", r)
	}
	n := &node.Node{
		Kind: kind, Start: r.start, End: r.end, Op: r.op, OpStart: r.opStart, OpEnd: r.opEnd, Name: r.name, Type: r.typ,
		Line: d.line(r.start), EndLine: d.line(r.end),
	}
	if r.scope >= 0 {
		n.Scope = d.scopes[r.scope]
	}
	if r.children > 0 {
		n.Children = make([]*node.Node, 0, min(r.children, len(d.rows)))
	}
	for range r.children {
		c, err := d.next()
		if err != nil {
			return nil, err
		}
		n.Children = append(n.Children, c)
	}
	return n, nil
}

// line returns the line of an offset, from 1.
func (d *decoder) line(at int) int {
	return sort.SearchInts(d.lines, at+1)
}

// lineStarts returns where lines begin, as Python counts them: after \n, \r\n
// and \r.
func lineStarts(content []byte) []int {
	starts := []int{0}
	for i, c := range content {
		if c == '\n' || c == '\r' && (i+1 == len(content) || content[i+1] != '\n') {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// Flags of a symbol.
const (
	flagCallable = 1
	flagLocal    = 2
)

// decodeScopes returns the symbols that each scope of the table shows, those of
// the scopes around it included, nearest first.
func decodeScopes(table []json.RawMessage) ([][]node.Symbol, error) {
	scopes := make([][]node.Symbol, len(table))
	for i, raw := range table {
		parent := -1
		var own []wireSymbol
		if err := json.Unmarshal(raw, &[]any{&parent, &own}); err != nil {
			return nil, fmt.Errorf("read a scope: %w", err)
		}
		if parent >= i {
			return nil, fmt.Errorf("scope %d lies in %d", i, parent)
		}
		seen := map[string]bool{}
		for _, s := range own {
			seen[s.Name] = true
			scopes[i] = append(scopes[i], node.Symbol(s))
		}
		if parent < 0 {
			continue
		}
		for _, s := range scopes[parent] {
			if !seen[s.Name] {
				scopes[i] = append(scopes[i], s)
			}
		}
	}
	return scopes, nil
}

type wireSymbol node.Symbol

// UnmarshalJSON reads [name, type, flags].
func (s *wireSymbol) UnmarshalJSON(data []byte) error {
	var flags int
	if err := json.Unmarshal(data, &[]any{&s.Name, &s.Type, &flags}); err != nil {
		return err
	}
	s.Callable, s.Local = flags&flagCallable != 0, flags&flagLocal != 0
	return nil
}
