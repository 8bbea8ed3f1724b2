package golang

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autocoder/engine/command"
)

// largestOutput bounds what is read of a command's output.
const largestOutput = 64 << 20

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Name, Dir, Export, ForTest string
	GoFiles, CgoFiles                      []string
	TestGoFiles, XTestGoFiles              []string
	Imports                                []string
	ImportMap                              map[string]string
	Standard                               bool
	Module                                 *struct {
		Path, Dir, GoVersion string
		Main                 bool
	}
}

// fields are what is asked of go list.
const fields = "ImportPath,Name,Dir,Export,ForTest,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Imports,ImportMap,Standard,Module"

// library is what go list knows of the packages under test and all they need.
type library struct {
	packages map[string]*listed
	// order has the import paths as go list printed them, dependencies first.
	order []string
}

// list asks go list for packages and what they need.
func list(ctx context.Context, run command.Starter, spec command.Spec) (*library, error) {
	out, err := command.Run(ctx, run, spec, largestOutput)
	if err != nil {
		return nil, fmt.Errorf("list the packages under test: %w", err)
	}
	lib := &library{packages: map[string]*listed{}}
	for dec := json.NewDecoder(bytes.NewReader(out.Stdout)); ; {
		p := new(listed)
		err := dec.Decode(p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("list the packages under test: read what go list says: %w", err)
		}
		lib.packages[p.ImportPath] = p
		lib.order = append(lib.order, p.ImportPath)
	}
	if len(lib.order) == 0 {
		return nil, fmt.Errorf("list the packages under test: go list ended with %v: %s", out.Exit, bytes.TrimSpace(out.Stderr))
	}
	return lib, nil
}

// add takes over the packages of other that are not known yet.
func (lib *library) add(other *library) {
	for _, path := range other.order {
		if lib.packages[path] == nil {
			lib.packages[path] = other.packages[path]
			lib.order = append(lib.order, path)
		}
	}
}

// importer returns an importer of the packages as p sees them.
func (lib *library) importer(p *listed) types.Importer {
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if to, ok := p.ImportMap[path]; ok {
			path = to
		}
		dep := lib.packages[path]
		if dep == nil || dep.Export == "" {
			return nil, fmt.Errorf("nothing is known of package %q", path)
		}
		return os.Open(dep.Export)
	})
}

// sameModule reports whether p is a package of the main module's own.
func (lib *library) sameModule(p *listed) bool {
	return p != nil && !p.Standard && p.ForTest == "" && p.Module != nil && p.Module.Main && !strings.HasSuffix(p.ImportPath, ".test")
}

// below returns the import paths of the module's own packages that the tests of
// roots need, in the order of go list.
func (lib *library) below(roots []string) []string {
	reached := map[string]bool{}
	var visit func(path string)
	visit = func(path string) {
		path, _, _ = strings.Cut(path, " ")
		if reached[path] {
			return
		}
		p := lib.packages[path]
		if !lib.sameModule(p) {
			return
		}
		reached[path] = true
		for _, i := range p.Imports {
			visit(i)
		}
	}
	for _, r := range roots {
		visit(r)
		for path, p := range lib.packages {
			if p.ForTest == r && (strings.HasPrefix(path, r+" ") || strings.HasPrefix(path, r+"_test ")) {
				for _, i := range p.Imports {
					visit(i)
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(lib.order), func(path string) bool { return !reached[path] })
}

// inside returns a path below root with slashes, and false when it isn't there.
func inside(root, path string) (string, bool) {
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
