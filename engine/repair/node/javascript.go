package node

import (
	"strconv"
	"strings"
)

// JavaScript returns the dialect of JavaScript and TypeScript.
func JavaScript() *Dialect {
	return &Dialect{
		Language: "JavaScript", Comment: "//", Unit: "  ",
		True: "true", False: "false", Nil: "null",
		And: "&&", Or: "||", Not: "!", Elif: "else if", Else: "else", Truthy: true, End: ";", Parenthesised: true,
		Strict: map[string]string{"==": "===", "!=": "!=="},
		Called: map[string]string{"max": "Math.max", "min": "Math.min"},
		Compare: map[string][]string{
			"<": {"<=", ">", ">=", "!==", "==="}, "<=": {"<", ">=", ">", "===", "!=="},
			">": {">=", "<", "<=", "!==", "==="}, ">=": {">", "<=", "<", "===", "!=="},
			"===": {"!==", ">=", "<=", "<", ">", "=="}, "!==": {"===", "<", ">", "<=", ">=", "!="},
			"==": {"!=", "===", ">=", "<=", "<", ">"}, "!=": {"==", "!==", "<", ">", "<=", ">="},
		},
		Arithmetic: map[string][]string{
			"+": {"-", "*", "/", "%"}, "-": {"+", "*", "/", "%"}, "*": {"+", "/", "**", "-", "%"}, "/": {"%", "*", "-", "+"}, "%": {"/", "*", "-"},
			"**": {"*", "+"}, "&": {"|", "^", "%"}, "|": {"&", "^"}, "^": {"&", "|", "**"}, "<<": {">>"}, ">>": {"<<", ">>>"}, ">>>": {">>"},
		},
		Negated: map[string]string{
			"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==", "===": "!==", "!==": "===",
		},
		Mirrored: map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!=", "===": "===", "!==": "!=="},
		Precedence: map[string]int{
			"??": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "===": 7, "!==": 7,
			"<": 8, "<=": 8, ">": 8, ">=": 8, "in": 8, "instanceof": 8, "<<": 9, ">>": 9, ">>>": 9,
			"+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "**": 12,
		},
		Unary: 13, NotPrecedence: 13, IntDivide: "/", Divide: "/",
		Siblings: pairs(
			"push unshift", "pop shift", "push concat", "shift unshift", "slice splice", "slice substring", "substring substr", "slice substr", "max min", "some every", "some find", "find filter",
			"find findIndex", "findIndex findLastIndex", "find findLast", "filter map", "map forEach", "map flatMap", "toLowerCase toUpperCase", "floor ceil", "floor round", "ceil round", "floor trunc", "round trunc",
			"indexOf lastIndexOf", "indexOf includes", "includes startsWith", "includes endsWith", "startsWith endsWith", "trim trimStart", "trim trimEnd", "trimStart trimEnd", "padStart padEnd",
			"keys values", "keys entries", "values entries", "reduce reduceRight", "charAt charCodeAt", "charCodeAt codePointAt", "parseInt parseFloat", "parseInt Number", "Number String",
			"replace replaceAll", "match matchAll", "test exec", "has get", "add delete", "set delete", "get delete", "then catch", "all race", "all allSettled", "any race", "resolve reject",
			"isNaN isFinite", "isInteger isFinite", "sin cos", "log log2", "log log10", "sqrt cbrt", "abs sign", "MAX_VALUE MIN_VALUE", "MAX_SAFE_INTEGER MIN_SAFE_INTEGER", "MAX_SAFE_INTEGER MAX_VALUE",
			"getDate getDay", "getMonth getDate", "getHours getUTCHours", "getMinutes getSeconds", "getFullYear getYear", "sort reverse", "concat join", "split join", "length size",
			"setTimeout setInterval", "clearTimeout clearInterval", "stringify parse", "log error", "encodeURI encodeURIComponent", "decodeURI decodeURIComponent", "flat flatMap", "sort toSorted", "reverse toReversed",
			"assign create", "freeze seal", "from of", "toFixed toPrecision", "toString valueOf", "on once", "addEventListener removeEventListener",
			"getFullYear getMonth", "getDay getMonth", "getHours getMinutes", "getUTCDate getUTCDay", "getUTCMonth getUTCDate", "getUTCHours getUTCMinutes",
			"getUTCMinutes getUTCSeconds", "getDate getUTCDate", "getMonth getUTCMonth", "getFullYear getUTCFullYear", "setDate setMonth", "setUTCDate setUTCMonth",
			"hostname host", "pathname href", "pathname search", "search hash",
			"basename dirname", "basename extname", "join resolve", "setItem getItem", "writeFile appendFile", "readFileSync existsSync", "emit on", "next return",
		),
		Copies: map[string]string{"sort": "[...$].sort(@)", "reverse": "[...$].reverse()", "push": "[...$, @]", "unshift": "[@, ...$]"},
		Wraps: []Wrap{
			{Call: "Math.floor", Of: []Class{Int, Float}, To: Int},
			{Call: "Math.abs", Of: []Class{Int, Float}, To: Int},
			{Call: "Math.ceil", Of: []Class{Int, Float}, To: Int, Cost: .1},
			{Call: "Math.round", Of: []Class{Int, Float}, To: Int, Cost: .1},
			{Call: "Math.trunc", Of: []Class{Int, Float}, To: Int, Cost: .1},
			{Call: "Math.sqrt", Of: []Class{Int, Float}, To: Float, Cost: .1},
			{Call: "Number", Of: []Class{Text, Truth}, To: Int, Cost: .1},
			{Call: "String", To: Text, Cost: .1},
			{Call: "parseInt", Of: []Class{Text, Int, Float}, To: Int, Cost: .1},
			{Call: "Boolean", To: Truth, Cost: .3},
			{Call: "Array.from", Of: []Class{Sequence, Text, Set, Mapping}, To: Sequence, Cost: .2},
			{Call: "Object.keys", Of: []Class{Mapping}, To: Sequence, Cost: .2},
			{Call: "Object.values", Of: []Class{Mapping}, To: Sequence, Cost: .2},
			{Call: "Object.entries", Of: []Class{Mapping}, To: Sequence, Cost: .3},
			{Call: ".toLowerCase", Of: []Class{Text}, To: Text},
			{Call: ".toUpperCase", Of: []Class{Text}, To: Text, Cost: .1},
			{Call: ".trim", Of: []Class{Text}, To: Text},
			{Call: ".sort", Of: []Class{Sequence}, To: Sequence},
			{Call: ".reverse", Of: []Class{Sequence}, To: Sequence},
			{Call: ".slice", Of: []Class{Sequence}, To: Sequence, Cost: .1},
			{Call: ".toString", To: Text, Cost: .2},
		},
		Forms: []Form{
			{Text: "[...new Set($)]", Of: []Class{Sequence, Text}, Cost: .1},
			{Text: "$.sort((a, b) => a - b)", Of: []Class{Sequence}, Cost: .1},
			{Text: "$.sort((a, b) => b - a)", Of: []Class{Sequence}, Cost: .2},
			{Text: "Math.max(...$)", Of: []Class{Sequence}, Cost: .1},
			{Text: "Math.min(...$)", Of: []Class{Sequence}, Cost: .1},
			{Text: "$.split('')", Of: []Class{Text}, Cost: .2},
			{Text: "$.split(' ')", Of: []Class{Text}, Cost: .3},
			{Text: "$.join('')", Of: []Class{Sequence}, Cost: .2},
			{Text: "$.join(' ')", Of: []Class{Sequence}, Cost: .3},
			{Text: "[...$]", Of: []Class{Sequence, Text, Set}, Cost: .3},
			{Text: "{ ...$ }", Of: []Class{Mapping}, Cost: .3},
			{Text: "Promise.all($)", Of: []Class{Sequence}, Cost: .5},
			{Text: "await Promise.all($)", Of: []Class{Sequence}, Cost: .5},
			{Text: "$.padStart(2, '0')", Of: []Class{Text}, Cost: .4},
			{Text: "$.charCodeAt(0)", Of: []Class{Text}, Cost: .2},
			{Text: "String.fromCharCode($)", Of: []Class{Int}, Cost: .3},
			{Text: "$.split('').reverse().join('')", Of: []Class{Text}, Cost: .3},
			{Text: "$.filter(Boolean)", Of: []Class{Sequence}, Cost: .4},
			{Text: "$.flat()", Of: []Class{Sequence}, Cost: .5},
			{Text: "$.length", Of: []Class{Sequence, Text}, Cost: .1},
			{Text: "$.size", Of: []Class{Set}, Cost: .1},
			{Text: "$.reduce((a, b) => a + b, 0)", Of: []Class{Sequence}, Cost: .4},
		},
		Keywords: map[string][]string{
			"sort": {"(a, b) => a - b", "(a, b) => b - a", "(a, b) => a.localeCompare(b)"}, "toSorted": {"(a, b) => a - b", "(a, b) => b - a"},
			"parseInt": {"10", "2", "16"}, "toString": {"2", "10", "16"}, "join": {"''", "' '"}, "split": {"''", "' '"}, "flat": {"Infinity"}, "stringify": {"null, 2"},
			"slice": {"0"}, "addEventListener": {"{ once: true }"}, "toFixed": {"2"}, "reduce": {"0", "1", "''", "[]", "{}"},
		},
		Dangerous: []string{
			"unlink", "rmdir", "rmSync", "fs.rm", "rename", "writeFile", "appendFile", "createWriteStream", "mkdir", "truncate", "chmod", "symlink", "copyFile", "child_process", "spawn", "exec(", "execSync", "execFile", "fork(",
			"process.kill", "process.exit", "net.", "http.", "https.", "fetch(", "dgram", "cluster.", "worker_threads", "eval(", "new Function", ".connect(", ".listen(", "XMLHttpRequest", "WebSocket",
		},
		Reserved: words("break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield await async of undefined NaN Infinity arguments",
			"Array Object String Number Boolean Math JSON Date Map Set WeakMap WeakSet Symbol Promise RegExp Error TypeError RangeError Function BigInt Reflect Proxy console process module exports require globalThis parseInt parseFloat isNaN isFinite Buffer setTimeout clearTimeout setInterval clearInterval structuredClone"),
		Receivers: classes("Sequence:push pop shift unshift map filter reduce forEach join splice some every find findIndex flat flatMap fill sort reverse entries; Text:toLowerCase toUpperCase trim split charAt charCodeAt startsWith endsWith padStart padEnd repeat replace replaceAll substring substr match trimEnd trimStart localeCompare; Set:add; Callable:call apply bind"),
		Results:   classes("Int:length size indexOf lastIndexOf charCodeAt codePointAt findIndex floor ceil round trunc parseInt getTime getFullYear getMonth getDate push localeCompare sign; Float:parseFloat sqrt random abs pow Number; Text:toLowerCase toUpperCase trim charAt join repeat replace replaceAll substring substr toString String fromCharCode padStart padEnd toFixed stringify; Sequence:split map filter flat flatMap keys values entries from splice sort; Truth:includes startsWith endsWith some every has test isArray isInteger isNaN Boolean hasOwnProperty"),
		Class:     scriptClass, Elem: scriptElem, Key: scriptKey, Assignable: scriptAssignable, Zeros: scriptZeros,
		Length: func(x string) string { return x + ".length" },
		Append: func(to, x string) string { return to + ".push(" + x + ")" },
		Insert: func(to, x string) string { return to + ".add(" + x + ")" },
		Concat: func(a, b string) string { return "[..." + a + ", ..." + b + "]" },
		Last:   func(seq string) string { return seq + ".length - 1" },
		Slice:  scriptSlice,
		Conditional: func(cond, then, otherwise string) string {
			return cond + " ? " + then + " : " + otherwise
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
		Quote: scriptQuote, Unquote: scriptUnquote, Idioms: scriptIdioms(),
	}
}

func scriptIdioms() Idioms {
	return Idioms{
		Receiver: "this", Await: "await ", Async: "async ", Spread: "...",
		Fill:       []string{"padEnd", "padStart"},
		Without:    func(x, s string) []string { return []string{x + ".replaceAll(" + s + ", '')"} },
		Exceptions: []string{"Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError"},
		Raise:      func(class, message string) string { return "throw new " + class + "(" + message + ")" },
		Fallbacks:  []string{"null", "0", "''", "[]", "{}"},
		Empties:    []string{"[]", "{}", "0", "''", "null", "1", "true", "false", "new Map()", "new Set()"},
		Put: func(mapping, key, value string) []string {
			return []string{mapping + "[" + key + "] += " + value, mapping + "[" + key + "] = (" + mapping + "[" + key + "] ?? 0) + " + value, "(" + mapping + "[" + key + "] ??= []).push(" + value + ")"}
		},
		TypeTests: func(x string) []string {
			return []string{
				"typeof " + x + " === 'string'", "typeof " + x + " === 'number'", "Array.isArray(" + x + ")", "typeof " + x + " === 'object'", "typeof " + x + " === 'function'",
				x + " === undefined", "Number.isInteger(" + x + ")", "Number.isNaN(" + x + ")",
			}
		},
		Repeated: func(element, count string) string {
			if strings.HasPrefix(element, "{") {
				element = "(" + element + ")"
			}
			return "Array.from({ length: " + count + " }, () => " + element + ")"
		},
		Each: func(call, name, x string) string {
			if method, ok := strings.CutPrefix(call, "."); ok {
				return x + ".map((" + name + ") => " + name + "." + method + "())"
			}
			return x + ".map((" + name + ") => " + call + "(" + name + "))"
		},
	}
}

// classes reads a table of names by class: "Int:length size; Text:trim".
func classes(table string) map[string]Class {
	named := map[string]Class{"Int": Int, "Float": Float, "Text": Text, "Truth": Truth, "Sequence": Sequence, "Mapping": Mapping, "Set": Set, "Callable": Callable}
	out := map[string]Class{}
	for group := range strings.SplitSeq(table, ";") {
		class, names, _ := strings.Cut(strings.TrimSpace(group), ":")
		for name := range strings.FieldsSeq(names) {
			out[name] = named[class]
		}
	}
	return out
}

// scriptHead splits a type: "Map<string, number>" is "Map" and its arguments.
func scriptHead(typ string) (head string, args []string) {
	typ = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(typ), "readonly "))
	if elem, ok := strings.CutSuffix(typ, "[]"); ok {
		return "Array", []string{strings.Trim(elem, "()")}
	}
	head, rest, ok := strings.Cut(typ, "<")
	if !ok || !strings.HasSuffix(rest, ">") {
		return typ, nil
	}
	return head, splitTop(strings.ReplaceAll(rest[:len(rest)-1], "=>", ""))
}

func scriptClass(typ string) Class {
	switch {
	case typ == "":
		return Unknown
	case strings.Contains(typ, "=>"):
		return Callable
	case strings.Contains(typ, "|") || strings.Contains(typ, "&"):
		return Pointer
	}
	head, _ := scriptHead(typ)
	switch head {
	case "number", "bigint", "int":
		return Int
	case "string":
		return Text
	case "boolean":
		return Truth
	case "Array", "ReadonlyArray", "Iterable", "Uint8Array":
		return Sequence
	case "Map", "Record", "ReadonlyMap", "WeakMap":
		return Mapping
	case "Set", "ReadonlySet", "WeakSet":
		return Set
	case "Function":
		return Callable
	case "null", "undefined":
		return Pointer
	}
	if strings.HasPrefix(typ, "[") {
		return Sequence
	}
	return Unknown
}

func scriptElem(typ string) string {
	head, args := scriptHead(typ)
	switch {
	case head == "string":
		return "string"
	case len(args) == 0:
		return ""
	default:
		return args[len(args)-1]
	}
}

func scriptKey(typ string) string {
	_, args := scriptHead(typ)
	if scriptClass(typ) != Mapping || len(args) == 0 {
		return ""
	}
	return args[0]
}

func scriptAssignable(from, to string) bool {
	a, b := scriptClass(from), scriptClass(to)
	return a == Unknown || b == Unknown || a == Pointer || b == Pointer || a == b
}

func scriptZeros(typ string) []string {
	switch scriptClass(typ) {
	case Int, Float:
		return []string{"0", "1", "-1"}
	case Text:
		return []string{"''"}
	case Truth:
		return []string{"true", "false"}
	case Sequence:
		return []string{"[]", "[[]]"}
	case Mapping, Set:
		return []string{"null"}
	case Unknown, Callable, Pointer, Struct:
		return []string{"null", "undefined", "true", "false", "[]", "0", "1", "-1", "''", "{}", "[[]]"}
	default:
		return nil
	}
}

// scriptSlice has no steps but -1, which is a copy reversed.
func scriptSlice(seq, low, high, step string) string {
	switch {
	case step == "-1" && low == "" && high == "":
		return seq + ".slice().reverse()"
	case step != "" || low == "" && high == "":
		return ""
	case low == "":
		return seq + ".slice(0, " + high + ")"
	case high == "":
		return seq + ".slice(" + low + ")"
	default:
		return seq + ".slice(" + low + ", " + high + ")"
	}
}

func scriptQuote(text, like string) string {
	quote := byte('\'')
	if i := strings.IndexAny(like, "'\"`"); i >= 0 {
		quote = like[i]
	}
	q := strconv.Quote(text)
	body := q[1 : len(q)-1]
	if quote != '"' {
		body = strings.ReplaceAll(strings.ReplaceAll(body, `\"`, `"`), string(quote), `\`+string(quote))
	}
	if quote == '`' {
		body = strings.ReplaceAll(body, "${", `\${`)
	}
	return string(quote) + body + string(quote)
}

func scriptUnquote(lit string) (string, bool) {
	if len(lit) < 2 || lit[0] != lit[len(lit)-1] || strings.IndexByte("'\"`", lit[0]) < 0 {
		return "", false
	}
	body := lit[1 : len(lit)-1]
	if lit[0] != '"' {
		body = strings.ReplaceAll(strings.ReplaceAll(body, `\`+lit[:1], lit[:1]), `"`, `\"`)
	}
	s, err := strconv.Unquote(`"` + body + `"`)
	return s, err == nil
}
