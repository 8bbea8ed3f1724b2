package neighbours

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"autocoder/engine/command"
	"autocoder/engine/scratch"
)

//go:embed golang/*.txt
var goProgram embed.FS

// goVersion is the code before or after the edit.
type goVersion string

const (
	before goVersion = "before"
	after  goVersion = "after"
)

// largestGoFile is the size up to which a source is looked at.
const largestGoFile = 1 << 20

// goBuild is the tests of one package, built with the code before and after the edit.
type goBuild struct {
	cell  Cell
	work  Work
	tests goPackage
	// folder is the unit's, absolute; module its import path; dir the package's folder in
	// the unit; name that of the package of the test files.
	folder, module, dir, name string
	// ours is our folder in the cell's scratch folder.
	ours string
	// sources are the files of the packages that are looked at, by version.
	sources map[goVersion][]*goSource
	// gone are those that were not there before the edit.
	gone []string
	// edited are the functions that the edit changes; parameters and files are those of
	// each.
	edited     map[string]bool
	parameters map[string][]string
	files      map[string]string
}

// newGoBuild reads the sources. An error means that the package can't be looked at.
func newGoBuild(cell Cell, work Work, tests goPackage) (*goBuild, error) {
	b := &goBuild{
		cell: cell, work: work, tests: tests, folder: filepath.Join(cell.Root(), filepath.FromSlash(work.Root)),
		sources: map[goVersion][]*goSource{}, edited: map[string]bool{}, parameters: map[string][]string{}, files: map[string]string{},
	}
	found := moduleLine.FindSubmatch(work.Read(path.Join(work.Root, "go.mod")))
	if found == nil {
		return nil, fmt.Errorf("find the module of %q: go.mod names none", work.Root)
	}
	b.module = strings.Trim(string(found[1]), "\"`")
	inside, ok := strings.CutPrefix(tests.pkg+"/", b.module+"/")
	if !ok {
		return nil, fmt.Errorf("%s is no package of the module %s", tests.pkg, b.module)
	}
	b.dir = path.Clean(inside)
	var err error
	if b.ours, err = os.MkdirTemp(cell.Scratch(), "neighbours-"); err != nil {
		return nil, fmt.Errorf("make a folder for what is near the tests' inputs: %w", err)
	}
	return b, b.read()
}

var moduleLine = regexp.MustCompile(`(?m)^module[ \t]+([^\s/]\S*|"[^"]+")`)

// read reads the package of the tests and those that the edit changes.
func (b *goBuild) read() error {
	old := map[string][]byte{}
	dirs := []string{b.dir}
	for name, text := range b.work.Before {
		place, ok := b.inUnit(name)
		if !ok {
			continue
		}
		old[place] = text
		if strings.HasSuffix(place, ".go") {
			dirs = append(dirs, path.Dir(place))
		}
		if text == nil {
			b.gone = append(b.gone, place)
		}
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.AppendSeq(slices.Clone(b.work.Files), maps.Keys(b.work.Before))))) {
		place, ok := b.inUnit(name)
		if ok && strings.HasSuffix(place, ".go") && slices.Contains(dirs, path.Dir(place)) {
			text, was := old[place]
			b.add(place, text, was)
		}
	}
	if b.name == "" {
		return fmt.Errorf("no file has the tests of %s", b.tests.pkg)
	}
	return b.compare()
}

// add adds a file in both versions.
func (b *goBuild) add(place string, old []byte, was bool) {
	text := b.work.Read(path.Join(b.work.Root, place))
	if len(text) > largestGoFile {
		return
	}
	if strings.HasSuffix(place, "_test.go") {
		if s := parseGo(place, text); s != nil && path.Dir(place) == b.dir && b.name == "" {
			b.name = s.file.Name.Name
		}
		return
	}
	if !was {
		old = text
	}
	for v, text := range map[goVersion][]byte{before: old, after: text} {
		if s := parseGo(place, text); s != nil && !slices.ContainsFunc(s.file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` }) {
			b.sources[v] = append(b.sources[v], s)
		}
	}
}

// inUnit is the path of a file in the unit.
func (b *goBuild) inUnit(name string) (string, bool) {
	place, err := filepath.Rel(filepath.FromSlash(b.work.Root), filepath.FromSlash(name))
	return filepath.ToSlash(place), err == nil && filepath.IsLocal(place)
}

// compare finds the functions that the edit changes.
func (b *goBuild) compare() error {
	old := map[string]string{}
	for _, s := range b.sources[before] {
		s.functions(func(id string, fn *ast.FuncDecl) { old[id] = s.body(fn) })
	}
	for _, s := range b.sources[after] {
		s.functions(func(id string, fn *ast.FuncDecl) {
			b.edited[id] = old[id] != "" && old[id] != s.body(fn)
			b.parameters[id] = s.named(fn, func(_, _ token.Pos, _ string) {})
			b.files[id] = path.Join(b.work.Root, s.place)
		})
	}
	return nil
}

// pattern matches the tests.
func (b *goBuild) pattern() string { return "^(" + strings.Join(b.tests.names, "|") + ")$" }

// place is the path of a file of ours in the scratch folder.
func (b *goBuild) place(name string) string { return filepath.Join(filepath.Base(b.ours), name) }

// file writes a file of ours and returns where it is.
func (b *goBuild) file(name string, text []byte) (string, error) {
	if err := scratch.Write(b.cell.Scratch(), b.place(name), text); err != nil {
		return "", err
	}
	return filepath.Join(b.ours, name), nil
}

// build builds the tests with one version of the code.
func (b *goBuild) build(ctx context.Context, v goVersion) error {
	replace := map[string]string{}
	lay := func(place string, text []byte) error {
		file, err := b.file(fmt.Sprintf("%s%d_%s", v, len(replace), path.Base(place)), text)
		replace[filepath.Join(b.folder, filepath.FromSlash(place))] = file
		return err
	}
	if v == before {
		for _, place := range b.gone {
			replace[filepath.Join(b.folder, filepath.FromSlash(place))] = ""
		}
		for name, text := range b.work.Before {
			if place, ok := b.inUnit(name); ok && text != nil && !strings.HasSuffix(name, ".go") {
				if err := lay(place, text); err != nil {
					return err
				}
			}
		}
	}
	for _, s := range b.sources[v] {
		text, err := s.woven(b.module, v == after)
		if err == nil {
			err = lay(s.place, text)
		}
		if err != nil {
			return fmt.Errorf("weave %q: %w", s.place, err)
		}
	}
	for _, name := range []string{"calls", "values", "show"} {
		text, err := goProgram.ReadFile("golang/" + name + ".txt")
		if err != nil {
			return fmt.Errorf("read what is laid over the sources: %w", err)
		}
		if err := lay(goAlias+"/"+name+".go", []byte(strings.ReplaceAll(string(text), "MODULE", b.module))); err != nil {
			return err
		}
	}
	driver := fmt.Sprintf("package %s\n\nimport (\n\t\"testing\"\n\n\t%s %q\n)\n\nfunc TestAutocoderNear(*testing.T) { %s.Serve() }\n", b.name, goAlias, b.module+"/"+goAlias, goAlias)
	if err := lay(path.Join(b.dir, goAlias+"_test.go"), []byte(driver)); err != nil {
		return err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return fmt.Errorf("write down what is laid over the sources: %w", err)
	}
	overlay, err := b.file(string(v)+".json", text)
	if err != nil {
		return err
	}
	args := []string{b.work.Interpreter, "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay=" + overlay, "-o", b.program(v)}
	out, err := command.Run(ctx, b.cell, command.Spec{Args: append(append(args, b.work.Options...), b.tests.pkg), Dir: path.Clean(b.work.Root), Env: b.work.Env}, 1<<16)
	if err != nil {
		return fmt.Errorf("build the tests: %w", err)
	}
	if !out.Exit.Success() {
		return fmt.Errorf("build the tests as they are %s the edit: %v: %.2000s", v, out.Exit, out.Stderr)
	}
	return nil
}

func (b *goBuild) program(v goVersion) string {
	return filepath.Join(b.ours, "tests-"+string(v)+".exe")
}

// run runs tests of a version, and reports whether they came to their end by themselves.
func (b *goBuild) run(ctx context.Context, v goVersion, pattern string, env ...string) (bool, error) {
	out, err := command.Run(ctx, b.cell, command.Spec{
		Args: []string{b.program(v), "-test.run=" + pattern, "-test.timeout=" + strconv.Itoa(int(max(b.work.Seconds, 1))) + "s"},
		Dir:  path.Join(path.Clean(b.work.Root), b.dir), Env: append(slices.Clone(b.work.Env), env...),
	}, 1<<16)
	if err != nil {
		return false, fmt.Errorf("run the tests as they are %s the edit: %w", v, err)
	}
	return out.Exit.Success(), nil
}
