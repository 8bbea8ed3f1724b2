package node

import (
	"strconv"
	"strings"
)

// Go returns the dialect of Go, without Complete.
func Go() *Dialect {
	return &Dialect{
		Language: "Go", Comment: "//", Unit: "\t",
		True: "true", False: "false", Nil: "nil",
		And: "&&", Or: "||", Not: "!", Elif: "else if", Else: "else", Walrus: ":=",
		Idioms: Idioms{Without: func(x, s string) []string {
			return []string{
				"strings.Trim(" + x + ", " + s + ")", "strings.TrimSuffix(" + x + ", " + s + ")", "strings.TrimPrefix(" + x + ", " + s + ")",
				"strings.ReplaceAll(" + x + ", " + s + `, "")`,
			}
		}},
		Compare: map[string][]string{
			"<": {"<=", ">", ">=", "!=", "=="}, "<=": {"<", ">=", ">", "==", "!="},
			">": {">=", "<", "<=", "!=", "=="}, ">=": {">", "<=", "<", "==", "!="},
			"==": {"!=", ">=", "<=", "<", ">"}, "!=": {"==", "<", ">", "<=", ">="},
		},
		Arithmetic: map[string][]string{
			"+": {"-", "*", "/", "%"}, "-": {"+", "%", "*", "/"}, "*": {"+", "/", "-", "%"}, "/": {"%", "*", "-"}, "%": {"/", "*", "-"},
			"&": {"|", "^", "&^", "%"}, "|": {"&", "^"}, "^": {"&", "|"}, "<<": {">>", "*"}, ">>": {"<<", "/"}, "&^": {"&"},
		},
		Negated:  map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="},
		Mirrored: map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="},
		Precedence: map[string]int{
			"||": 1, "&&": 2, "<": 3, "<=": 3, ">": 3, ">=": 3, "==": 3, "!=": 3,
			"+": 4, "-": 4, "|": 4, "^": 4, "*": 5, "/": 5, "%": 5, "<<": 5, ">>": 5, "&": 5, "&^": 5,
		},
		Unary: 6, NotPrecedence: 6, IntDivide: "/", Divide: "/",
		Siblings: pairs(
			"ToLower ToUpper", "MaxInt MinInt", "MaxInt64 MinInt64", "MaxInt32 MinInt32", "Floor Ceil", "Floor Round", "Ceil Round", "Floor Trunc",
			"Max Min", "HasPrefix HasSuffix", "Index LastIndex", "IndexByte LastIndexByte", "TrimLeft TrimRight", "TrimPrefix TrimSuffix", "TrimSpace Trim", "IsUpper IsLower",
			"IsLetter IsDigit", "IsDigit IsNumber", "Contains HasPrefix", "Contains HasSuffix", "Contains ContainsAny", "Split Fields", "Split SplitN", "SplitN SplitAfterN", "Sqrt Cbrt", "max min", "Replace ReplaceAll",
			"Ints Strings", "Lock RLock", "Unlock RUnlock", "Before After", "Add Sub", "Sin Cos", "Log Log2", "Log Log10", "Pow Mod", "len cap", "Count Index",
			"Less Equal", "Push Pop", "Front Back", "Next Prev", "PushFront PushBack", "Keys Values", "Sum Product", "Itoa Quote", "ParseInt ParseUint", "Seconds Minutes",
			"Hours Minutes", "Year YearDay", "Day YearDay", "Sprint Sprintln", "Print Println", "Is As", "MoveToFront MoveToBack", "InsertBefore InsertAfter", "Min Abs", "Max Abs",
			"Second Millisecond", "Second Minute", "Minute Hour", "Millisecond Microsecond", "Microsecond Nanosecond", "Seconds Milliseconds", "Unix UnixMilli", "Unix UnixNano", "UnixMilli UnixNano",
			"Slice SliceStable", "Sort Stable", "SortFunc SortStableFunc", "CutPrefix CutSuffix", "TrimLeft TrimPrefix", "TrimRight TrimSuffix", "Trim TrimLeft", "Trim TrimRight", "ContainsAny ContainsRune", "IndexAny LastIndexAny",
			"QueryEscape PathEscape", "QueryUnescape PathUnescape", "StdEncoding URLEncoding", "StdEncoding RawStdEncoding", "URLEncoding RawURLEncoding", "Base Dir", "Base Ext", "Trunc Round", "Trunc Floor", "LittleEndian BigEndian",
			"Uint16 Uint32", "Uint32 Uint64", "PutUint16 PutUint32", "PutUint32 PutUint64", "MaxUint32 MaxInt32", "MaxUint64 MaxInt64", "IsSpace IsPunct", "IsLetter IsUpper", "Truncate Round", "AddDate Add", "EqualFold Contains",
		),
		Wraps: []Wrap{
			{Call: "math.Abs", Of: []Class{Float}},
			{Call: "math.Floor", Of: []Class{Float}},
			{Call: "math.Ceil", Of: []Class{Float}},
			{Call: "math.Round", Of: []Class{Float}},
			{Call: "math.Sqrt", Of: []Class{Float}, Cost: .1},
			{Call: "strings.ToLower", Of: []Class{Text}},
			{Call: "strings.ToUpper", Of: []Class{Text}},
			{Call: "strings.TrimSpace", Of: []Class{Text}},
			{Call: "len", Of: []Class{Sequence, Text, Mapping}, To: Int},
			{Call: "int", Of: []Class{Float}, To: Int, Cost: .2},
			{Call: "float64", Of: []Class{Int}, To: Float, Cost: .2},
			{Call: "slices.Clone", Of: []Class{Sequence}, To: Sequence, Cost: .3},
			{Call: "slices.Compact", Of: []Class{Sequence}, To: Sequence, Cost: .4},
			{Call: "maps.Clone", Of: []Class{Mapping}, To: Mapping, Cost: .3},
		},
		Dangerous: []string{
			"os.Remove", "os.Rename", "os.Create", "os.WriteFile", "os.OpenFile", "os.Mkdir", "os.Truncate", "os.Chmod", "os.Symlink", "os.Link", "exec.", "syscall.", "unix.", "net.", "http.", "ioutil.WriteFile",
			"plugin.", "os.StartProcess", "os.Exit", ".Write(", ".WriteString(", ".WriteTo(", "io.Copy",
		},
		Reserved: words("break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var",
			"true false nil iota append cap clear close complex copy delete imag len make max min new panic print println real recover int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64 string bool byte rune error any"),
		Class: goClass, Elem: goElem, Key: goKey, Assignable: goAssignable, Zeros: goZeros,
		Length: func(x string) string { return "len(" + x + ")" },
		Append: func(to, x string) string { return to + " = append(" + to + ", " + x + ")" },
		Insert: func(to, x string) string { return to + "[" + x + "] = true" },
		Last:   func(seq string) string { return "len(" + seq + ")-1" },
		Slice: func(seq, low, high, step string) string {
			if step != "" {
				high += ":" + step
			}
			return seq + "[" + low + ":" + high + "]"
		},
		Increment: func(x string, by int) string {
			switch by {
			case 1:
				return x + "++"
			case -1:
				return x + "--"
			default:
				return x + " += " + strconv.Itoa(by)
			}
		},
		Quote: goQuote, Unquote: goUnquote,
	}
}

func goClass(typ string) Class {
	switch typ {
	case "":
		return Unknown
	case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "byte", "rune", "untyped int", "untyped rune", "time.Duration":
		return Int
	case "float32", "float64", "untyped float":
		return Float
	case "string", "untyped string":
		return Text
	case "bool", "untyped bool":
		return Truth
	case "error", "any", "untyped nil":
		return Pointer
	}
	switch {
	case strings.HasPrefix(typ, "map["):
		return Mapping
	case strings.HasPrefix(typ, "["):
		return Sequence
	case strings.HasPrefix(typ, "func("):
		return Callable
	case strings.HasPrefix(typ, "*"), strings.HasPrefix(typ, "interface"), strings.HasPrefix(typ, "chan "), strings.HasPrefix(typ, "<-chan"):
		return Pointer
	case strings.HasPrefix(typ, "("):
		return Struct // several values: nothing a template can use
	default:
		return Struct
	}
}

func goElem(typ string) string {
	switch goClass(typ) {
	case Text:
		return "byte"
	case Sequence:
		_, elem, _ := strings.Cut(typ, "]")
		return elem
	case Mapping:
		_, elem := goMap(typ)
		return elem
	case Unknown, Int, Float, Truth, Set, Callable, Pointer, Struct:
		return ""
	default:
		return ""
	}
}

func goKey(typ string) string {
	if goClass(typ) != Mapping {
		return ""
	}
	key, _ := goMap(typ)
	return key
}

// goMap splits "map[K]V", whose K may have brackets of its own.
func goMap(typ string) (key, elem string) {
	depth := 0
	for i := len("map"); i < len(typ); i++ {
		switch typ[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return typ[len("map["):i], typ[i+1:]
			}
		}
	}
	return "", ""
}

// alias makes the two names of a type one.
func alias(typ string) string {
	switch typ {
	case "byte":
		return "uint8"
	case "rune":
		return "int32"
	default:
		return typ
	}
}

func goAssignable(from, to string) bool {
	from, to = alias(from), alias(to)
	switch {
	case from == "" || to == "" || from == to || to == "any":
		return true
	case from == "untyped nil":
		c := goClass(to)
		return c == Pointer || c == Sequence || c == Mapping || c == Callable
	case to == "untyped int" || to == "untyped rune" || to == "untyped float":
		c := goClass(from)
		return c == Int || c == Float
	case from == "untyped int" || from == "untyped rune":
		c := goClass(to)
		return c == Int || c == Float
	case from == "untyped float":
		return goClass(to) == Float
	case from == "untyped string" || to == "untyped string":
		return goClass(to) == goClass(from)
	case from == "untyped bool" || to == "untyped bool":
		return goClass(to) == goClass(from)
	default:
		// A named or interface type may take more than its name says: the type check
		// decides.
		return goClass(to) == Struct && !strings.HasPrefix(to, "(") && mayHaveMethods(from) || strings.HasPrefix(to, "interface") || to == "error" && mayHaveMethods(from)
	}
}

// mayHaveMethods reports whether a type is one that a named interface may take.
func mayHaveMethods(typ string) bool {
	return !strings.HasPrefix(typ, "(") && (goClass(typ) == Struct || strings.HasPrefix(typ, "*"))
}

func goZeros(typ string) []string {
	switch goClass(typ) {
	case Int:
		return []string{"0", "1", "-1"}
	case Float:
		return []string{"0", "1"}
	case Text:
		return []string{`""`}
	case Truth:
		return []string{"true", "false"}
	case Sequence:
		return []string{"nil", typ + "{}"}
	case Mapping, Callable, Pointer:
		return []string{"nil"}
	case Unknown, Set, Struct:
		return nil
	default:
		return nil
	}
}

func goQuote(text, like string) string {
	if strings.HasPrefix(like, "'") {
		for _, r := range text {
			return strconv.QuoteRune(r)
		}
	}
	return strconv.Quote(text)
}

func goUnquote(lit string) (string, bool) {
	s, err := strconv.Unquote(lit)
	return s, err == nil
}
