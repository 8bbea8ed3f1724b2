package syntax

import (
	"strconv"
	"strings"
)

// String returns the value in the one spelling that is compared: equal numbers are
// equal however they are written.
func (v Value) String() string {
	switch v.Kind {
	case Text:
		return strconv.Quote(v.Text)
	case Number:
		return strconv.FormatFloat(v.Num, 'g', -1, 64)
	case Bool:
		return strconv.FormatBool(v.Num != 0)
	case Null:
		return "null"
	case NoValue:
		return ""
	default:
		return ""
	}
}

// TextConst is the constant of a text.
func TextConst(line int, text string) *Node {
	return &Node{Kind: Const, Line: line, Value: Value{Kind: Text, Text: text}}
}

// NumberConst is the constant of a number as Go, Python and JavaScript write
// it; one that is not understood is Other.
func NumberConst(line int, text string) *Node {
	text = strings.ReplaceAll(strings.TrimSuffix(text, "n"), "_", "")
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return &Node{Kind: Const, Line: line, Value: Value{Kind: Number, Num: f}}
	}
	if i, err := strconv.ParseInt(text, 0, 64); err == nil {
		return &Node{Kind: Const, Line: line, Value: Value{Kind: Number, Num: float64(i)}}
	}
	return &Node{Kind: Other, Line: line}
}

// BoolConst is the constant true or false.
func BoolConst(line int, is bool) *Node {
	v := Value{Kind: Bool}
	if is {
		v.Num = 1
	}
	return &Node{Kind: Const, Line: line, Value: v}
}

// NullConst is the constant that stands for nothing.
func NullConst(line int) *Node { return &Node{Kind: Const, Line: line, Value: Value{Kind: Null}} }
