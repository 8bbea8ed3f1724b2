package node

import (
	"regexp"
	"strings"

	"autocoder/engine/textedit"
)

// pythonIdioms are those of Python.
func pythonIdioms() Idioms {
	return Idioms{
		Receiver: "self", Await: "await ", Async: "async ", Spread: "*",
		Exceptions: []string{
			"ValueError", "KeyError", "TypeError", "IndexError", "AttributeError", "RuntimeError", "LookupError", "FileNotFoundError", "OSError",
			"ZeroDivisionError", "NotImplementedError", "StopIteration", "PermissionError", "UnicodeDecodeError", "OverflowError", "Exception",
		},
		Raise:     func(class, message string) string { return "raise " + class + "(" + message + ")" },
		Either:    func(classes []string) string { return "(" + strings.Join(classes, ", ") + ")" },
		Fallbacks: []string{"None", "0", "''", "[]", "{}", "False"},
		Delete:    func(from, key string) string { return "del " + from + "[" + key + "]" },
		Empties:   []string{"[]", "{}", "set()", "0", "''", "None", "defaultdict(list)", "defaultdict(int)", "Counter()", "()"},
		Lookup: func(mapping, key, otherwise string) string {
			if otherwise != "" {
				key += ", " + otherwise
			}
			return mapping + ".get(" + key + ")"
		},
		Put: func(mapping, key, value string) []string {
			return []string{
				mapping + ".setdefault(" + key + ", []).append(" + value + ")",
				mapping + ".setdefault(" + key + ", " + value + ")",
				mapping + ".update(" + value + ")",
				mapping + "[" + key + "].append(" + value + ")",
				mapping + "[" + key + "] = " + mapping + ".get(" + key + ", 0) + " + value,
			}
		},
		TypeTests: func(x string) []string {
			var out []string
			for _, t := range []string{"str", "dict", "list", "int", "(list, tuple)"} {
				out = append(out, "isinstance("+x+", "+t+")")
			}
			return out
		},
		Each: func(call, name, x string) string {
			if strings.HasPrefix(call, ".") {
				return name + call + "() for " + name + " in " + x
			}
			return call + "(" + name + ") for " + name + " in " + x
		},
		Repeated: func(element, count string) string {
			return "[" + element + " for _ in range(" + count + ")]"
		},
		Fill: []string{"ljust", "rjust", "zfill", "center"},
		Without: func(x, s string) []string {
			return []string{x + ".strip(" + s + ")", x + ".rstrip(" + s + ")", x + ".replace(" + s + ", '')", x + ".lstrip(" + s + ")", x + ".removesuffix(" + s + ")", x + ".removeprefix(" + s + ")"}
		},
		SortKeys:   []string{"x[1]", "x[0]", "-x", "(len(x), x)", "(-len(x), x)", "(-x[1], x[0])", "x.lower()"},
		Decorators: []string{"property", "staticmethod", "classmethod"},
		Named:      func(name, value string) string { return name + "=" + value }, Constructor: "__init__",
		Absent: func(x string) (none, there string) { return x + " is None", x + " is not None" },
		Otherwise: map[string]Otherwise{
			"next": {1, []string{"None", "''", "0"}}, "getattr": {2, []string{"None", "''", "()", "False"}},
			"pop": {1, []string{"None"}}, "iter": {1, []string{"None"}},
		},
		TypeTest:     "isinstance",
		RelatedTypes: []string{"str bytes bytearray", "bytes bytearray memoryview", "list tuple set", "set frozenset", "int float complex", "int bool", "dict OrderedDict Mapping", "list Sequence"},
		Super:        "super()", OwnClass: []string{"type($)", "$.__class__"}, NotComparable: "NotImplemented",
		Base: func(arguments string) string { return "super().__init__(" + arguments + ")" },

		Interpolated: "f", Specs: []string{":02d", ":.2f", ":.1f", ":,"},
		Imports: map[string]string{
			"defaultdict": "from collections import defaultdict", "Counter": "from collections import Counter", "deque": "from collections import deque",
			"OrderedDict": "from collections import OrderedDict", "math": "import math", "copy": "import copy", "re": "import re", "itertools": "import itertools",
			"functools": "import functools", "asyncio": "import asyncio", "datetime": "import datetime",
		},
	}
}

var (
	pythonWord   = regexp.MustCompile(`(?:^|[^.\w])([A-Za-z_]\w*)`)
	pythonImport = regexp.MustCompile(`(?m)^(?:import|from)[ \t][^\n(\\]*\n`)
	pythonHeader = regexp.MustCompile(`^(?:#[^\n]*\n)*`)
)

// pythonComplete adds the import that edits need and the file has not.
func pythonComplete(imports map[string]string) func(content []byte, edits []textedit.Edit) []textedit.Edit {
	return func(content []byte, edits []textedit.Edit) []textedit.Edit {
		for _, e := range edits {
			for _, w := range pythonWord.FindAllStringSubmatch(e.New, -1) {
				statement := imports[w[1]]
				if statement == "" || regexp.MustCompile(`(?m)^[^#\n]*\b`+w[1]+`\b`).Match(content) {
					continue
				}
				return []textedit.Edit{pythonAddImport(content, statement)}
			}
		}
		return nil
	}
}

// pythonAddImport puts an import behind the first one.
func pythonAddImport(content []byte, statement string) textedit.Edit {
	at := len(pythonHeader.Find(content))
	if first := pythonImport.FindIndex(content); first != nil {
		at = first[1] // behind one from __future__ at the latest
	}
	return textedit.Edit{Start: at, End: at, New: statement + "\n"}
}
