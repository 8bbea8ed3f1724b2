package custom

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// known are runners that have no adapter of their own, by the names of their packages,
// and how a command starts each so that its report can be read.
var known = []struct{ name, command, report string }{
	{"mocha", "npx mocha --reporter tap", "tap"},
	{"vitest", "npx vitest run --reporter=tap-flat", "tap"},
	{"ava", "npx ava --tap", "tap"},
	{"jest", "npx jest", "exit"},
}

var packageName = regexp.MustCompile(`[\w-]+`)

// Suggest says by which command the tests of a package could be run, when its
// package.json names a runner that has no adapter: in a script named after tests, or
// among what it depends on. It is empty when none is named.
func Suggest(packageJSON []byte) string {
	var manifest struct {
		Scripts                       map[string]string
		Dependencies, DevDependencies map[string]any
	}
	if json.Unmarshal(packageJSON, &manifest) != nil {
		return ""
	}
	var words []string
	for name, line := range manifest.Scripts {
		if strings.HasPrefix(name, "test") {
			words = append(words, packageName.FindAllString(line, -1)...)
		}
	}
	for _, named := range [][]string{words, slices.Collect(maps.Keys(manifest.DevDependencies)), slices.Collect(maps.Keys(manifest.Dependencies))} {
		for _, k := range known {
			if slices.Contains(named, k.name) {
				return fmt.Sprintf("package.json names %s, which is run by --test-command %q --report %s", k.name, k.command, k.report)
			}
		}
	}
	return ""
}
