package engine

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"autocoder/engine/runner/pytest"
	"autocoder/engine/testresult"
	"autocoder/engine/textedit"
	"autocoder/engine/verify"
	"autocoder/engine/verify/scan"
	"autocoder/engine/verify/scan/python"
)

// layers are the checks of a verification that need no run of the tests.
func (x *world) layers() []verify.Layer {
	return []verify.Layer{{Name: verify.ScanCheck, Check: x.scan}, x.nearTests()}
}

// scan looks at what a patch newly can do. It refuses what no honest repair does;
// the rest are warnings.
func (x *world) scan(ctx context.Context, s verify.Subject) (verify.Verdict, string, error) {
	in := scan.Input{Base: x.shadow.Read, State: s.State, Files: x.shadow.Sources(), Python: x.readPython}
	for _, p := range in.Files {
		if x.guard.Protected(p) {
			in.TestFiles = append(in.TestFiles, p)
		}
	}
	in.Failing = x.filesOf(in.TestFiles, s)
	found, err := scan.Scan(ctx, in)
	if err != nil {
		return verify.Invalid, "", err
	}
	verdict, said := weigh(found)
	return verdict, said, nil
}

// weigh makes a verdict of what a scan found.
func weigh(found []scan.Finding) (verify.Verdict, string) {
	var refused, warned []string
	for _, f := range found {
		switch f.Level {
		case scan.Refuses:
			refused = append(refused, f.String())
		case scan.Warns, scan.InvalidLevel:
			warned = append(warned, f.String())
		}
	}
	if len(refused) > 0 {
		return verify.Refused, strings.Join(append(refused, warned...), "; ")
	}
	return verify.Confirmed, strings.Join(warned, "\n")
}

// filesOf are the test files that hold a target, as far as its part tells.
func (x *world) filesOf(files []string, s verify.Subject) []string {
	var out []string
	for _, id := range s.Targets {
		i := slices.IndexFunc(x.units, func(u unit) bool { return u.Name == id.Unit })
		part := s.Result.Lookup(id).Part
		if i < 0 || part == "" {
			continue
		}
		root := x.units[i].Root
		for _, f := range files {
			if f == path.Join(root, part) || ofPackage(f, root, part) {
				out = append(out, f)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ofPackage reports whether a file is a Go test of a package below a module's
// folder.
func ofPackage(file, root, pkg string) bool {
	if !strings.HasSuffix(file, "_test.go") {
		return false
	}
	folder := strings.TrimPrefix(strings.TrimPrefix(path.Dir(file), root), "/")
	return folder == "" || folder == "." || strings.HasSuffix(pkg, "/"+folder)
}

// readPython reads Python on a fresh copy, by the interpreter that runs the tests.
func (x *world) readPython(ctx context.Context, texts, modules []string) (python.Answer, error) {
	program := ""
	for _, u := range x.units {
		if u.Runner == pytest.Name && u.Reason == testresult.NoReason {
			program = cmp.Or(program, u.Interpreter)
		}
	}
	b, err := x.newBench(ctx, textedit.State{})
	if err != nil {
		return python.Answer{}, err
	}
	defer b.close()
	return python.Interpreter{Starter: b.cell, Program: cmp.Or(program, "python3"), Scratch: b.cell.Scratch()}.Read(ctx, texts, modules)
}
