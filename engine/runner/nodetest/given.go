package nodetest

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"autocoder/engine/runner"
)

// Given returns the unit of a user's own command, node --test with its options
// and files, in a folder of the tree. ok is false when the command is another,
// or runs no files.
func Given(tree fs.FS, dir string, words []string) (unit runner.Unit, ok bool, err error) {
	if len(words) == 0 || !isNode(words[0]) || !slices.Contains(words, "--test") {
		return runner.Unit{}, false, nil
	}
	p := &pkg{manifest: true, scripted: true}
	p.script.take(words[1:])
	below, err := fs.Sub(tree, dir)
	if err != nil {
		return runner.Unit{}, false, fmt.Errorf("look for tests in %q: %w", dir, err)
	}
	s := scan{tree: below, packages: map[string]*pkg{}}
	if err := runner.Walk(below, s.enter); err != nil {
		return runner.Unit{}, false, fmt.Errorf("look for tests in %q: %w", dir, err)
	}
	s.packages = map[string]*pkg{".": p}
	s.share()
	slices.SortFunc(p.files, strings.Compare)
	return p.unit(dir), len(p.files) > 0, nil
}
