package node

import (
	"strconv"
	"strings"

	"autocoder/engine/textedit"
)

// Python returns the dialect of Python 3.
func Python() *Dialect {
	d := &Dialect{
		Idioms:   pythonIdioms(),
		Language: "Python", Indented: true, Comment: "#", Unit: "    ",
		True: "True", False: "False", Nil: "None",
		And: "and", Or: "or", Not: "not ", Elif: "elif", Else: "else", Pass: "pass", Truthy: true,
		Compare: map[string][]string{
			"<": {"<=", ">", ">=", "!=", "=="}, "<=": {"<", ">=", ">", "==", "!="},
			">": {">=", "<", "<=", "!=", "=="}, ">=": {">", "<=", "<", "==", "!="},
			"==": {"!=", ">=", "<=", "<", ">", "in", "is"}, "!=": {"==", "<", ">", "<=", ">=", "not in", "is not"},
			"in": {"not in", "==", "!="}, "not in": {"in", "!="}, "is": {"is not", "=="}, "is not": {"is", "!="},
		},
		Arithmetic: map[string][]string{
			"+": {"-", "*", "//", "%"}, "-": {"+", "*", "//", "%"}, "*": {"+", "**", "//", "/", "-"},
			"/": {"//", "*", "%"}, "//": {"/", "%", "*"}, "%": {"//", "*", "/"}, "**": {"*", "//", "+"},
			"&": {"|", "^"}, "|": {"&", "^"}, "^": {"&", "|"}, "<<": {">>"}, ">>": {"<<"}, "@": {"*"},
		},
		Negated: map[string]string{
			"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==",
			"in": "not in", "not in": "in", "is": "is not", "is not": "is",
		},
		Mirrored: map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="},
		Precedence: map[string]int{
			"or": 1, "and": 2, "<": 4, "<=": 4, ">": 4, ">=": 4, "==": 4, "!=": 4, "in": 4, "not in": 4, "is": 4,
			"is not": 4, "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10, "@": 10,
			"**": 12,
		},
		Unary: 11, NotPrecedence: 3, IntDivide: "//", Divide: "/",
		Siblings: pairs(
			"append extend", "append add", "append insert", "append appendleft", "append remove", "pop popleft", "min max", "any all",
			"lower upper", "lower swapcase", "upper swapcase", "lower casefold", "upper capitalize", "capitalize title", "find index", "find rfind", "index rindex",
			"keys values", "keys items", "values items", "startswith endswith", "floor ceil", "floor round", "ceil round",
			"islower isupper", "isalpha isdigit", "isalpha isalnum", "isdigit isalnum", "isdigit isnumeric", "strip rstrip", "strip lstrip", "lstrip rstrip",
			"split strip", "split rsplit", "split splitlines", "partition rpartition", "ljust rjust", "sorted reversed", "sorted list", "set list", "set sorted",
			"int round", "int float", "sum len", "sum max", "union intersection", "union difference", "intersection difference",
			"intersection symmetric_difference", "update add", "remove discard", "remove pop", "removeprefix removesuffix", "lstrip removeprefix", "rstrip removesuffix",
			"get pop", "get setdefault", "str repr", "ord chr", "list tuple", "sin cos", "log log2", "log log10", "sqrt cbrt", "gcd lcm", "inf nan", "replace strip",
			"bisect_left bisect_right", "heappush heappop", "heappop heapreplace", "sort reverse", "islice takewhile", "takewhile dropwhile",
			"permutations combinations", "combinations combinations_with_replacement", "isinstance issubclass", "hasattr getattr", "median mean", "seconds total_seconds",
			"read readline", "readline readlines", "acquire release", "dumps loads", "load loads", "copy deepcopy", "dump dumps", "encode decode", "popitem pop", "enumerate list", "prod sum",
			"year month", "month day", "year day", "hour minute", "minute second", "hour second", "day weekday", "day days", "weekday isoweekday", "days seconds",
			"seconds microseconds", "date time", "timestamp isoformat", "start stop",
			"hostname port", "hostname netloc", "netloc path", "path query", "query fragment", "stem name", "suffix stem", "name suffix", "basename dirname",
			"exists is_file", "is_dir is_file", "isdir isfile", "exists isfile", "st_mtime st_ctime", "st_mtime st_atime", "stdout stderr", "lastrowid rowcount",
			"fetchone fetchall", "match fullmatch", "match search", "search fullmatch", "finditer findall", "group groups", "numerator denominator", "real imag",
			"wait wait_for", "put put_nowait", "get get_nowait", "popleft appendleft", "nlargest nsmallest", "accumulate reduce", "chain zip", "zip zip_longest",
		),
		Wraps: []Wrap{
			{Call: "len", Of: []Class{Sequence, Text, Mapping, Set}, To: Int},
			{Call: "abs", Of: []Class{Int, Float}},
			{Call: "int", Of: []Class{Int, Float, Text, Truth}, To: Int},
			{Call: "str", To: Text},
			{Call: "sorted", Of: []Class{Sequence, Text, Set, Mapping}, To: Sequence},
			{Call: "list", Of: []Class{Sequence, Text, Set, Mapping}, To: Sequence},
			{Call: "set", Of: []Class{Sequence, Text}, To: Set},
			{Call: "sum", Of: []Class{Sequence, Set}, Cost: .1},
			{Call: "max", Of: []Class{Sequence, Text, Set}, Cost: .1},
			{Call: "min", Of: []Class{Sequence, Text, Set}, Cost: .1},
			{Call: "tuple", Of: []Class{Sequence, Set, Text}, Cost: .1},
			{Call: "reversed", Of: []Class{Sequence, Text}, To: Sequence, Cost: .1},
			{Call: "range", Of: []Class{Int}, To: Sequence, Cost: .1},
			{Call: "float", Of: []Class{Int, Float, Text}, To: Float},
			{Call: "bool", To: Truth, Cost: .1},
			{Call: "round", Of: []Class{Float}, Cost: .1},
			{Call: "any", Of: []Class{Sequence}, To: Truth, Cost: .2},
			{Call: "all", Of: []Class{Sequence}, To: Truth, Cost: .2},
			{Call: "dict", Of: []Class{Mapping}, To: Mapping, Cost: .3},
			{Call: "repr", To: Text, Cost: .3},
			{Call: ".lower", Of: []Class{Text}, To: Text, Cost: .1},
			{Call: ".upper", Of: []Class{Text}, To: Text, Cost: .2},
			{Call: ".strip", Of: []Class{Text}, To: Text, Cost: .1},
			{Call: ".copy", Of: []Class{Sequence, Mapping, Set}, Cost: .1},
			{Call: ".swapcase", Of: []Class{Text}, To: Text, Cost: .2},
			{Call: ".split", Of: []Class{Text}, To: Sequence, Cost: .2},
			{Call: ".items", Of: []Class{Mapping}, To: Sequence, Cost: .2},
			{Call: ".keys", Of: []Class{Mapping}, To: Sequence, Cost: .3},
			{Call: ".values", Of: []Class{Mapping}, To: Sequence, Cost: .3},
			{Call: ".encode", Of: []Class{Text}, Cost: .3},
			{Call: ".decode", Cost: .5},
			{Call: "copy.deepcopy", Of: []Class{Sequence, Mapping, Set}, Cost: .3},
			{Call: "math.ceil", Of: []Class{Float}, To: Int, Cost: .3},
			{Call: "math.floor", Of: []Class{Float}, To: Int, Cost: .3},
			{Call: "math.sqrt", Of: []Class{Int, Float}, To: Float, Cost: .5},
		},
		Copies: map[string]string{
			"sort": "sorted($, @)", "reverse": "$[::-1]", "append": "$ + [@]", "extend": "$ + @", "update": "{**$, **@}",
		},
		Keywords: map[string][]string{
			"sorted": {"reverse=True", "key=len", "key=abs", "key=str"}, "sort": {"reverse=True", "key=len", "key=abs"},
			"max": {"key=len", "key=abs", "default=0", "default=None"}, "min": {"key=len", "key=abs", "default=0", "default=None"}, "enumerate": {"start=1"},
			"zip": {"strict=True"}, "split": {"maxsplit=1"}, "dumps": {"sort_keys=True"}, "get": {"default=None"}, "sum": {"start=0"}, "print": {"end=''"}, "open": {"encoding='utf-8'", "newline=''"}, "reader": {"delimiter=';'"},
			"add_argument": {"type=int", "type=float", "action='store_true'", "required=True", "nargs='*'"}, "dump": {"sort_keys=True", "indent=2"},
			"run": {"check=True"}, "makedirs": {"exist_ok=True"}, "mkdir": {"parents=True", "exist_ok=True"}, "dataclass": {"frozen=True", "order=True"}, "field": {"compare=False"},
			"round": {"ndigits=2"}, "int": {"base=16", "base=2"}, "compile": {"flags=re.IGNORECASE", "flags=re.MULTILINE", "flags=re.DOTALL"}, "findall": {"flags=re.IGNORECASE", "flags=re.MULTILINE"},
			"search": {"flags=re.IGNORECASE", "flags=re.MULTILINE"}, "match": {"flags=re.IGNORECASE"}, "fullmatch": {"flags=re.IGNORECASE"}, "sub": {"flags=re.IGNORECASE", "count=1"},
		},
		Dangerous: []string{
			"os.remove", "os.unlink", "os.rmdir", "os.removedirs", "os.rename", "os.replace", "os.system", "os.popen", "os.exec", "os.spawn", "os.kill", "os.fork", "os.chmod",
			"os.truncate", "os.makedirs", "os.mkdir", "shutil.", "subprocess", "socket", "open(", ".unlink(", ".rmdir(", ".write", ".touch(", ".rename(", ".mkdir(", "requests.",
			"urllib", "http.client", "httpx", "ctypes", "multiprocessing", "signal.", "pty.", "asyncio.create_subprocess", "exec(", "eval(", ".connect(", "smtplib", "ftplib",
		},
		Reserved: words("False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield match case",
			"abs all any bin bool bytes callable chr dict dir divmod enumerate filter float format frozenset getattr hasattr hash hex id input int isinstance issubclass iter len list map max min next object oct open ord pow print range repr reversed round set setattr slice sorted str sum super tuple type vars zip self cls"),
		Class: pythonClass, Elem: pythonElem, Key: pythonKey, Assignable: pythonAssignable, Zeros: pythonZeros,
		Length: func(x string) string { return "len(" + x + ")" },
		Append: func(to, x string) string { return to + ".append(" + x + ")" },
		Insert: func(to, x string) string { return to + ".add(" + x + ")" },
		Last:   func(string) string { return "-1" },
		Slice: func(seq, low, high, step string) string {
			if step != "" {
				step = ":" + step
			}
			return seq + "[" + low + ":" + high + step + "]"
		},
		Conditional: func(cond, then, otherwise string) string { return then + " if " + cond + " else " + otherwise },
		Increment: func(x string, by int) string {
			if by < 0 {
				return x + " -= " + strconv.Itoa(-by)
			}
			return x + " += " + strconv.Itoa(by)
		},
		Quote: pythonQuote, Unquote: pythonUnquote,
	}
	d.Complete = pythonComplete(d.Imports)
	d.Import = func(content []byte, name string) textedit.Edit {
		if known := d.Imports[name]; known != "" {
			return pythonAddImport(content, known)
		}
		return pythonAddImport(content, "import "+name)
	}
	return d
}

// pairs makes the table of siblings: each word of a group is one of the others.
func pairs(groups ...string) map[string][]string {
	m := map[string][]string{}
	for _, g := range groups {
		a, b, _ := strings.Cut(g, " ")
		m[a] = append(m[a], b)
		m[b] = append(m[b], a)
	}
	return m
}

func words(lists ...string) map[string]bool {
	m := map[string]bool{}
	for _, l := range lists {
		for w := range strings.FieldsSeq(l) {
			m[w] = true
		}
	}
	return m
}

// pythonHead splits an annotation: "Dict[str, int]" is "dict" and its arguments.
func pythonHead(typ string) (head string, args []string) {
	typ = strings.Trim(strings.TrimSpace(typ), `"'`)
	head, rest, ok := strings.Cut(typ, "[")
	if i := strings.LastIndexByte(head, '.'); i >= 0 {
		head = head[i+1:]
	}
	head = strings.ToLower(strings.TrimSpace(head))
	if !ok || !strings.HasSuffix(rest, "]") {
		return head, nil
	}
	return head, splitTop(rest[:len(rest)-1])
}

// splitTop splits at the commas that stand in no bracket.
func splitTop(s string) []string {
	var parts []string
	depth, at := 0, 0
	for i, r := range s {
		switch r {
		case '[', '(', '{':
			depth++
		case ']', ')', '}':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(s[at:i]))
				at = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(s[at:]))
}

func pythonClass(typ string) Class {
	if strings.Contains(typ, "|") {
		return Pointer
	}
	head, _ := pythonHead(typ)
	switch head {
	case "int":
		return Int
	case "float", "complex":
		return Float
	case "str":
		return Text
	case "bool":
		return Truth
	case "list", "tuple", "sequence", "iterable", "collection", "deque", "range", "bytes":
		return Sequence
	case "dict", "mapping", "defaultdict", "counter", "ordereddict":
		return Mapping
	case "set", "frozenset":
		return Set
	case "callable", "function":
		return Callable
	case "optional", "none":
		return Pointer
	default:
		return Unknown
	}
}

func pythonElem(typ string) string {
	head, args := pythonHead(typ)
	switch {
	case head == "str":
		return "str"
	case head == "range":
		return "int"
	case len(args) == 0:
		return ""
	case pythonClass(typ) == Mapping:
		return args[len(args)-1]
	default:
		return args[0]
	}
}

func pythonKey(typ string) string {
	_, args := pythonHead(typ)
	if pythonClass(typ) != Mapping || len(args) == 0 {
		return ""
	}
	return args[0]
}

func pythonAssignable(from, to string) bool {
	a, b := pythonClass(from), pythonClass(to)
	if a == Unknown || b == Unknown || a == Pointer || b == Pointer || a == b {
		return true
	}
	number := func(c Class) bool { return c == Int || c == Float || c == Truth }
	return number(a) && number(b)
}

func pythonZeros(typ string) []string {
	switch pythonClass(typ) {
	case Int:
		return []string{"0", "1", "-1"}
	case Float:
		return []string{"0.0", "1.0"}
	case Text:
		return []string{"''"}
	case Truth:
		return []string{"True", "False"}
	case Sequence:
		return []string{"[]", "[[]]", "None"}
	case Mapping:
		return []string{"{}", "None"}
	case Set:
		return []string{"set()"}
	case Unknown, Callable, Pointer, Struct:
		return []string{"None", "True", "False", "[]", "0", "1", "-1", "''", "[[]]", "{}"}
	default:
		return nil
	}
}

func pythonQuote(text, like string) string {
	quote := byte('\'')
	if i := strings.IndexAny(like, `'"`); i >= 0 {
		quote = like[i]
	}
	q := strconv.Quote(text)
	body := q[1 : len(q)-1]
	if quote == '\'' {
		body = strings.ReplaceAll(strings.ReplaceAll(body, `\"`, `"`), `'`, `\'`)
	}
	return string(quote) + body + string(quote)
}

func pythonUnquote(lit string) (string, bool) {
	if len(lit) < 2 || lit[0] != '\'' && lit[0] != '"' || strings.HasPrefix(lit, `"""`) || strings.HasPrefix(lit, `'''`) || lit[len(lit)-1] != lit[0] {
		return "", false
	}
	body := lit[1 : len(lit)-1]
	if lit[0] == '\'' {
		body = strings.ReplaceAll(strings.ReplaceAll(body, `\'`, `'`), `"`, `\"`)
	}
	s, err := strconv.Unquote(`"` + body + `"`)
	return s, err == nil
}
