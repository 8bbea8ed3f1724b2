package golang

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"autocoder/engine/command"
	"autocoder/engine/scratch"
)

//go:embed support/runtime.txt
var runtimeText string

//go:embed support/driver.txt
var driverText string

//go:embed support/scene.txt
var sceneText string

// testFunctions are the functions of test files that the driver can call, as the
// functions of a *testing.T that they are for it.
func testFunctions(s *source) map[string]string {
	out := map[string]string{}
	var syntax []*ast.File
	for _, f := range s.files {
		if !strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		syntax = append(syntax, f.syntax)
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || fn.Name.Name == "TestMain" || !strings.HasPrefix(fn.Name.Name, "Test") || !isTest(fn.Name.Name) {
				continue
			}
			p := fn.Type.Params
			if p.NumFields() != 1 || fn.Type.TypeParams != nil {
				continue
			}
			if t := s.info.TypeOf(p.List[0].Type); t != nil && t.String() == "*testing.T" {
				out[fn.Name.Name] = fn.Name.Name
			}
		}
	}
	for _, e := range doc.Examples(syntax...) {
		if e.Output != "" || e.EmptyOutput {
			name := "Example" + e.Name
			out[name] = fmt.Sprintf("func(t *testing.T) { %s.Example(t, %s, %q, %v) }", alias, name, e.Output, e.Unordered)
		}
	}
	return out
}

// places numbers the functions of test files in the order of their files and lines.
func places(sources ...*source) map[string]int {
	out := map[string]int{}
	for _, s := range sources {
		for _, f := range s.files {
			for _, d := range f.syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasSuffix(f.path, "_test.go") {
					out[fn.Name.Name] = len(out)
				}
			}
		}
	}
	return out
}

// layer is what is laid over the files of the project for a build: contents by
// absolute path.
type layer map[string][]byte

// support returns what every build of a package's tests needs: the runtime, the
// driver and the tests with their marks.
func (s *session) support(t *testPackage, counts int) layer {
	l := layer{}
	l[filepath.Join(s.folder, alias, "runtime.go")] = []byte(strings.Replace(runtimeText, "[HITS]", "["+strconv.Itoa(counts+1)+"]", 1))
	for path, content := range t.woven {
		l[path] = content
	}
	inner, outer := t.Name, t.Name+"_test"
	host := inner
	if len(t.inner) == 0 {
		host = outer
	}
	driver := strings.NewReplacer("PACKAGE", host, "RUNTIME", s.runtimePath()).Replace(driverText)
	l[filepath.Join(t.Dir, "autocoder_driver_test.go")] = []byte(driver)
	for pkg, names := range map[string]map[string]string{inner: t.inner, outer: t.outer} {
		if len(names) == 0 {
			continue
		}
		var b bytes.Buffer
		fmt.Fprintf(&b, "package %s\n\nimport \"testing\"\nimport %s %q\n\nvar _ testing.T\n\nfunc init() {\n", pkg, alias, s.runtimePath())
		for _, n := range slices.Sorted(maps.Keys(names)) {
			fmt.Fprintf(&b, "\t%s.Tests[%q] = %s\n", alias, n, names[n])
		}
		b.WriteString("}\n")
		l[filepath.Join(t.Dir, "autocoder_"+pkg+"_tests_test.go")] = b.Bytes()
	}
	return l
}

// buildError is what the compiler says of a build that failed. It names files by where
// they were written; of holds what they are laid over, by their paths in the scratch folder.
type buildError struct {
	output string
	of     map[string]string
}

func (e *buildError) Error() string { return "the build failed: " + e.output }

// ours is our folder in a cell's scratch folder. The tests that run in the cell can
// write it too.
const ours = "autocoder-go"

// build builds the tests of a package with a layer and returns the program.
func (s *session) build(ctx context.Context, t *testPackage, l layer) (string, error) {
	s.builds++
	dir := filepath.Join(ours, strconv.Itoa(s.builds))
	overlay, of, err := l.write(s.cell.Scratch, dir)
	if err != nil {
		return "", fmt.Errorf("build the tests of %s: %w", t.ImportPath, err)
	}
	program := filepath.Join(s.cell.Scratch, dir, "tests.exe")
	// Without inlining the compiler takes a tenth of the time for the clones. It is to
	// name all that is wrong.
	args := []string{
		s.task.Unit.Interpreter, "test", "-c", "-vet=off", "-overlay=" + overlay, "-gcflags=" + s.module + "/...=-l -e",
		"-ldflags=-s -w", "-o", program, t.ImportPath,
	}
	out, err := command.Run(ctx, s.cell, s.spec(args), largestOutput)
	if err != nil {
		return "", fmt.Errorf("build the tests of %s: %w", t.ImportPath, err)
	}
	if !out.Exit.Success() {
		return "", &buildError{string(bytes.TrimSpace(append(out.Stderr, out.Stdout...))), of}
	}
	return program, nil
}

// write lays the contents down, in dir of a scratch folder, and returns the file that
// tells the go command of them, and what each written file is laid over.
func (l layer) write(top, dir string) (overlay string, of map[string]string, err error) {
	over := struct{ Replace map[string]string }{map[string]string{}}
	of = map[string]string{}
	for path, content := range l {
		name := filepath.Join(dir, strconv.Itoa(len(of)+1)+"_"+filepath.Base(path))
		if err := scratch.Write(top, name, content); err != nil {
			return "", nil, err
		}
		over.Replace[path], of[filepath.ToSlash(name)] = filepath.Join(top, name), path
	}
	text, err := json.Marshal(over)
	if err != nil {
		return "", nil, err
	}
	name := filepath.Join(dir, "overlay.json")
	return filepath.Join(top, name), of, scratch.Write(top, name, text)
}
