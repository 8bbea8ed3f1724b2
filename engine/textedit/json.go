package textedit

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"unicode/utf8"
)

// PatchSchema names the format and major version of a Patch as JSON.
const PatchSchema = "autocoder.patch/1"

type patchJSON struct {
	Schema string   `json:"schema"`
	Ops    []opJSON `json:"ops"`
}

type opJSON struct {
	Kind    string      `json:"kind"`
	Path    bytesJSON   `json:"path"`
	To      bytesJSON   `json:"to,omitzero"`
	Target  bytesJSON   `json:"target,omitzero"`
	Base    Hash        `json:"base"`
	AnyBase bool        `json:"any_base,omitempty"`
	Edits   []editJSON  `json:"edits,omitempty"`
	Content *bytesJSON  `json:"content,omitempty"`
	Mode    fs.FileMode `json:"mode,omitempty"`
}

type editJSON struct {
	Start int       `json:"start"`
	End   int       `json:"end"`
	New   bytesJSON `json:"new"`
}

// bytesJSON is text where it is UTF-8, and {"base64": …} where it is not, so
// that every byte survives and most patches can be read.
type bytesJSON string

// MarshalJSON writes the text or its base64.
func (b bytesJSON) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(b)) {
		return json.Marshal(string(b))
	}
	return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(b))})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *bytesJSON) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*b = bytesJSON(text)
		return nil
	}
	var coded struct {
		Base64 []byte `json:"base64"`
	}
	if err := json.Unmarshal(data, &coded); err != nil {
		return err
	}
	*b = bytesJSON(coded.Base64)
	return nil
}

// MarshalJSON writes the patch with its base hashes.
func (p Patch) MarshalJSON() ([]byte, error) {
	out := patchJSON{Schema: PatchSchema, Ops: []opJSON{}}
	for _, op := range p.Ops {
		o := opJSON{
			Kind: op.Kind.String(), Path: bytesJSON(op.Path), To: bytesJSON(op.To), Target: bytesJSON(op.Target),
			Base: op.Base, AnyBase: op.AnyBase, Mode: op.Mode,
		}
		for _, e := range op.Edits {
			o.Edits = append(o.Edits, editJSON{e.Start, e.End, bytesJSON(e.New)})
		}
		if op.Kind == OpCreate {
			content := bytesJSON(op.Content)
			o.Content = &content
		}
		out.Ops = append(out.Ops, o)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads a patch written by MarshalJSON, of this major version.
func (p *Patch) UnmarshalJSON(data []byte) error {
	var in patchJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("read patch: %w", err)
	}
	if in.Schema != PatchSchema {
		return fmt.Errorf("read patch: it is %q, and this version reads %q", in.Schema, PatchSchema)
	}
	*p = Patch{}
	for _, o := range in.Ops {
		op := Op{Path: string(o.Path), To: string(o.To), Target: string(o.Target), Base: o.Base, AnyBase: o.AnyBase, Mode: o.Mode}
		for k := OpEdit; k <= OpSymlink; k++ {
			if k.String() == o.Kind {
				op.Kind = k
			}
		}
		if op.Kind == InvalidOp {
			return fmt.Errorf("read patch: unknown operation %q", o.Kind)
		}
		for _, e := range o.Edits {
			op.Edits = append(op.Edits, Edit{e.Start, e.End, string(e.New)})
		}
		if o.Content != nil {
			op.Content = []byte(*o.Content)
		}
		p.Ops = append(p.Ops, op)
	}
	return nil
}
