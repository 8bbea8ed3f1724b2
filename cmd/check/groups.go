package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// source are the folders with Go code.
var source = []string{"cmd", "engine", "lsp"}

func format(ctx context.Context, t *tally) error {
	return errors.Join(
		t.step("gofumpt", silent(ctx, "go", tool(append([]string{"gofumpt", "-l"}, source...)...)...)),
		t.step("go mod tidy", succeeds(ctx, nil, "go", "mod", "tidy", "-diff")),
	)
}

// target is a system and processor that the binary is built for.
type target struct{ os, arch string }

func (t target) env() []string {
	return []string{"GOOS=" + t.os, "GOARCH=" + t.arch, "CGO_ENABLED=0"}
}

var targets = []target{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

func vet(ctx context.Context, t *tally) error {
	err := t.step("go vet", succeeds(ctx, nil, "go", "vet", "./..."))
	for _, x := range []target{{"darwin", "arm64"}, {"windows", "amd64"}} {
		err = errors.Join(err, t.step("go vet "+x.os, succeeds(ctx, x.env(), "go", "vet", "./...")))
	}
	return err
}

func build(ctx context.Context, t *tally) error {
	folder, err := os.MkdirTemp("", "autocoder-build-")
	if err != nil {
		return t.step("build", err)
	}
	defer os.RemoveAll(folder)
	for _, x := range targets {
		binary := filepath.Join(folder, x.os+"-"+x.arch)
		err = errors.Join(err, t.step("build "+x.os+"/"+x.arch,
			succeeds(ctx, x.env(), "go", "build", "-o", binary, "./cmd/autocoder")))
	}
	return err
}

// openEnums are vocabularies of which a switch picks what it knows, as opposed to
// states, of which it must know all.
const openEnums = `^(reflect\.Kind|go/token\.Token|regexp/syntax\.Op|autocoder/engine/(repair/node|verify/scan/syntax)\.Kind|github\.com/microsoft/typescript-go/internal/ast\.Kind)$`

func lint(ctx context.Context, t *tally) error {
	return errors.Join(
		t.step("staticcheck", succeeds(ctx, nil, "go", tool("staticcheck", "./...")...)),
		t.step("exhaustive", succeeds(ctx, nil, "go", tool("exhaustive", "-ignore-enum-types="+openEnums, "./...")...)),
		t.step("dead code", deadcode(ctx)),
	)
}

// test runs the tests and counts them, but for those that the group vscode runs.
// Benchmarks are compiled and not run.
func test(ctx context.Context, t *tally) error {
	env := []string{}
	if node := newerNode(); exists(node) {
		env = append(env, "AUTOCODER_TEST_NODE="+node)
	}
	if python := pythonWithPytest(ctx); python != "" {
		env = append(env, "AUTOCODER_TEST_PYTHON="+python)
	}
	if exists(newerNeovim()) {
		env = append(env, "AUTOCODER_TEST_NVIM="+newerNeovim())
	}
	all, err := output(ctx, nil, "go", "list", "./...")
	if err != nil {
		return t.step("go list", err)
	}
	packages := slices.DeleteFunc(strings.Fields(all), func(word string) bool {
		return word == editorTests
	})
	return goTest(ctx, t, env, []string{"-race", "-timeout=60m", fmt.Sprintf("-p=%d", runtime.NumCPU())}, packages...)
}

func bench(ctx context.Context, t *tally) error {
	out, err := output(ctx, nil, "go", "test", "-run=^$", "-bench=.", "-benchtime=1x", "-p=1", "-timeout=60m", "./...")
	fmt.Print(out)
	return t.step("benchmarks", err)
}
