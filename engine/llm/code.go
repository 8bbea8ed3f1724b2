package llm

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
)

const (
	// mostRead is how many files are read to find the code that matters, and
	// largestRead the size of one.
	mostRead    = 60
	largestRead = 256 << 10
	// wholeLines is how many lines a file may have to be shown whole, around how many
	// are shown before and after a line that matters, and head how many of the
	// beginning, where the imports are.
	wholeLines, around, head = 220, 25, 15
	// beside is how many lines are shown before and after one that a failing test ran,
	// of files of which it ran at most mostRan.
	beside, mostRan = 2, 120
	// mostShown is how many files are shown.
	mostShown = 8
)

// code finds the code that a failure is about.
type code struct {
	brief
	// score is how much a file matters, lines which of its lines do.
	score map[string]float64
	lines map[string][]int
	texts map[string]string
	known map[string]bool
}

func newCode(b brief) *code {
	c := &code{brief: b, score: map[string]float64{}, lines: map[string][]int{}, texts: map[string]string{}, known: map[string]bool{}}
	for _, f := range b.view.Files {
		c.known[f] = true
	}
	c.find()
	return c
}

// text reads a source file of the current state; what can't be read is empty.
func (c *code) text(p string) string {
	if t, ok := c.texts[p]; ok || len(c.texts) >= mostRead || c.view.Read == nil {
		return t
	}
	c.texts[p] = ""
	f, err := c.view.Read(p)
	if err == nil && f.Kind == textedit.Regular && len(f.Content) <= largestRead && !strings.ContainsRune(string(f.Content), 0) {
		c.texts[p] = string(f.Content)
	}
	return c.texts[p]
}

func (c *code) matters(p string, line int, score float64) {
	if p == "" || !c.known[p] {
		return
	}
	c.score[p] = max(c.score[p], score)
	if line > 0 && !slices.Contains(c.lines[p], line) {
		c.lines[p] = append(c.lines[p], line)
	}
}

// find scores the files: those of the ranking, of the tracebacks, the tests
// themselves, and what the tests import and name.
func (c *code) find() {
	for i, s := range c.found.Suspects {
		c.matters(s.File, s.Line, 9-0.1*float64(i))
	}
	for f := range c.found.Lines {
		c.matters(f, 0, 3.5)
	}
	var tests []string
	for _, g := range c.failures()[:min(len(c.failures()), mostGroups)] {
		for i, f := range g.failure.Frames {
			c.matters(f.File, f.Line, 6+float64(i)/float64(len(g.failure.Frames)))
		}
		c.matters(g.failure.At.File, g.failure.At.Line, 7)
		for _, id := range g.ids[:min(len(g.ids), 3)] {
			t := c.view.Result.Lookup(id)
			part := t.Part
			for _, u := range c.view.Units {
				if u.Name == id.Unit && !c.known[part] {
					part = path.Join(u.Root, t.Part)
				}
			}
			if !c.known[part] && g.failure.At.File == "" {
				part = c.testFile(id, t.Part)
			}
			for _, f := range []string{part, g.failure.At.File} {
				if c.known[f] && !slices.Contains(tests, f) {
					tests = append(tests, f)
				}
			}
		}
	}
	for _, t := range tests[:min(len(tests), 6)] {
		c.matters(t, 0, 5)
		c.imports(t, 4)
		c.definitions(t, c.text(t))
	}
	c.further()
}

// mostSought is how many files are read for one that holds a test.
const mostSought = 20

// testFile is the file that holds a test whose failure names none, as one that hangs:
// a test file of the test's package that has its name.
func (c *code) testFile(id testresult.ID, part string) string {
	names := word.FindAllString(strings.SplitN(strings.TrimPrefix(id.Native, part), "/", 2)[0], -1)
	if len(names) == 0 {
		return ""
	}
	root := "."
	for _, u := range c.view.Units {
		if u.Name == id.Unit {
			root = path.Clean(u.Root)
		}
	}
	read, top := 0, ""
	for _, f := range c.view.Files {
		if root != "." && !strings.HasPrefix(f, root+"/") {
			continue
		}
		lower, dir := strings.ToLower(f), path.Dir(strings.TrimPrefix(f, root+"/"))
		if !strings.Contains(lower, "test") && !strings.Contains(lower, "spec") || dir != "." && !strings.HasSuffix(part, "/"+dir) && part != dir {
			continue
		}
		if read++; read > mostSought {
			break
		}
		switch {
		case !strings.Contains(c.text(f), names[len(names)-1]):
		case dir == ".":
			top = cmp.Or(top, f) // every package is below it
		default:
			return f
		}
	}
	return top
}

// mostFurther is of how many files it is looked at what they import in turn.
const mostFurther = 4

// further scores what the files that are likely to be edited import.
func (c *code) further() {
	for i, f := range c.ordered() {
		if i == mostFurther {
			return
		}
		if c.view.Editable == nil || c.view.Editable(f) == nil {
			c.imports(f, 2)
		}
	}
}

var (
	pythonImport = regexp.MustCompile(`(?m)^\s*(?:from\s+([\w.]+)\s+import\s+([\w, ]+)|import\s+([\w.]+))`)
	scriptImport = regexp.MustCompile(`(?:from|require\(|import)\s*\(?['"](\.[^'"]+)['"]`)
	word         = regexp.MustCompile(`[A-Za-z_]\w{2,}`)
)

// imports scores what a file imports.
func (c *code) imports(file string, score float64) {
	text := c.text(file)
	for _, m := range pythonImport.FindAllStringSubmatch(text, -1) {
		module := cmp.Or(m[1], m[3])
		c.module(file, module, score)
		for name := range strings.SplitSeq(m[2], ",") {
			c.module(file, module+"."+strings.TrimSpace(name), score)
		}
	}
	c.packages(file, text, score)
	for _, m := range scriptImport.FindAllStringSubmatch(text, -1) {
		base := path.Join(path.Dir(file), m[1])
		for _, ext := range []string{"", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", "/index.js", "/index.ts"} {
			c.matters(base+ext, 0, score)
		}
	}
}

var (
	goImport = regexp.MustCompile(`(?m)^\s*(?:import\s+)?(?:[\w.]+\s+)?"([\w./-]+)"\s*$`)
	goModule = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)
)

// mostPackage is how many files of a Go package are scored.
const mostPackage = 10

// packages scores the files of the Go packages of its own module that a file imports.
func (c *code) packages(file, text string, score float64) {
	if path.Ext(file) != ".go" {
		return
	}
	dir := path.Dir(file)
	for dir != "." && !c.known[path.Join(dir, "go.mod")] {
		dir = path.Dir(dir)
	}
	module := goModule.FindStringSubmatch(c.text(path.Join(dir, "go.mod")))
	if module == nil {
		return
	}
	for _, m := range goImport.FindAllStringSubmatch(text, -1) {
		rest, ours := strings.CutPrefix(m[1]+"/", module[1]+"/")
		if !ours {
			continue
		}
		folder, n := path.Join(dir, rest), 0
		for _, f := range c.view.Files {
			if path.Dir(f) == folder && path.Ext(f) == ".go" && !strings.HasSuffix(f, "_test.go") && n < mostPackage {
				c.matters(f, 0, score)
				n++
			}
		}
	}
}

// module scores the file of a Python module, wherever it lies.
func (c *code) module(from, module string, score float64) {
	file := strings.ReplaceAll(strings.Trim(module, "."), ".", "/")
	if file == "" {
		return
	}
	for dir := path.Dir(from); ; dir = path.Dir(dir) {
		for _, p := range []string{file + ".py", file + "/__init__.py", "src/" + file + ".py", "src/" + file + "/__init__.py", "lib/" + file + ".py"} {
			c.matters(path.Join(dir, p), 0, score)
		}
		if dir == "." || dir == "/" {
			return
		}
	}
}

// definitions scores the files beside a test that define what it names.
func (c *code) definitions(test, text string) {
	named := map[string]int{}
	for _, w := range word.FindAllString(text, -1) {
		named[w]++
	}
	for _, f := range c.view.Files {
		if f == test || path.Ext(f) != path.Ext(test) || path.Dir(f) != path.Dir(test) && c.score[f] == 0 {
			continue
		}
		source := c.text(f)
		if source == "" {
			continue
		}
		for i, line := range strings.Split(source, "\n") {
			if m := definition.FindStringSubmatch(line); m != nil && named[m[1]] > 0 {
				c.matters(f, i+1, 3)
			}
		}
	}
}

var definition = regexp.MustCompile(`^\s*(?:export\s+|default\s+|async\s+|pub\s+|static\s+)*(?:def|class|func|function|type|const|let|var|fn|struct|interface)\s+(?:\([^)]*\)\s*)?(\w+)`)

// ordered are the files that matter, those first that matter most.
func (c *code) ordered() []string {
	var names []string
	for f := range c.score {
		names = append(names, f)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(c.score[b], c.score[a]), strings.Compare(a, b))
	})
	return names
}

// files shows the files that matter, as far as they matter.
func (c *code) files() []section {
	names := c.ordered()
	var all []section
	for i, f := range names[:min(len(names), mostShown)] {
		text := c.text(f)
		if text == "" {
			continue
		}
		name := "file " + f
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) > wholeLines {
			text = c.windows(f, lines)
			name += fmt.Sprintf(" (parts; it has %d lines)", len(lines))
		}
		if c.view.Editable != nil && c.view.Editable(f) != nil {
			name += " (protected: it can't be edited)"
		}
		all = append(all, section{name: name, text: text, need: 60 - 4*i, stable: true})
	}
	return all
}

// windows are the parts of a long file that matter.
func (c *code) windows(f string, lines []string) string {
	shown := make([]bool, len(lines)+1)
	mark := func(from, to int) {
		for i := max(1, from); i <= min(len(lines), to); i++ {
			shown[i] = true
		}
	}
	mark(1, head)
	list := slices.Clone(c.lines[f])
	for _, n := range list[:min(len(list), 12)] {
		mark(n-around, n+around)
	}
	for _, n := range c.ran(f) {
		mark(n-beside, n+beside)
	}
	var text strings.Builder
	for i, l := range lines {
		switch {
		case shown[i+1]:
			text.WriteString(l + "\n")
		case i > 0 && shown[i]:
			text.WriteString("\n[lines left out here]\n\n")
		}
	}
	return text.String()
}

// ran are the lines of a file that the failing tests ran, when they are few enough to
// say anything.
func (c *code) ran(f string) []int {
	if lines := c.found.Lines[f]; len(lines) <= mostRan {
		return lines
	}
	return nil
}

// likely are the files that are shown and may be edited, those first that matter most.
func (c *code) likely() []string {
	var names []string
	for _, f := range c.ordered() {
		if len(names) < mostShown && c.text(f) != "" && (c.view.Editable == nil || c.view.Editable(f) == nil) {
			names = append(names, f)
		}
	}
	return names
}

// longest is the number of lines of the longest file that is likely to be edited.
func (c *code) longest() int {
	most := 0
	for f := range c.score {
		if c.score[f] >= 4 && (c.view.Editable == nil || c.view.Editable(f) == nil) {
			most = max(most, strings.Count(c.text(f), "\n"))
		}
	}
	return most
}
