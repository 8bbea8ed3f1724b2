package nodetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"autocoder/engine/runner"
	"autocoder/engine/runner/runnertest"
	"autocoder/engine/testresult"
)

// A link of a workspace's package that leads into the user's own tree has the
// tests judge that tree; one that leads into the copy is as it should be.
func TestRunFindsAnotherCopy(t *testing.T) {
	t.Parallel()
	files := txtar.Parse([]byte(`
-- package.json --
{"scripts": {"test": "node --test"}}
-- packages/lib/index.js --
module.exports = 1;
-- a.test.js --
const test = require('node:test');
const fs = require('node:fs');
const path = require('node:path');
test('a', () => {
  require('lib');
  const made = path.join(fs.mkdtempSync(path.join(require('node:os').tmpdir(), 'x')), 'a.test.js');
  fs.writeFileSync(made, '');
  require(made);
});
`)).Files
	users := runnertest.Write(t, "users", files)
	for target, want := range map[string]testresult.Reason{
		filepath.Join(users, "packages", "lib"): testresult.TestsRunElsewhere,
		filepath.Join("..", "packages", "lib"):  testresult.NoReason,
	} {
		tree := runnertest.Write(t, "copy", files)
		if err := os.Mkdir(filepath.Join(tree, "node_modules"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(tree, "node_modules", "lib")); err != nil {
			t.Fatal(err)
		}
		cell := runnertest.OpenCell(t, tree)
		unit := runnertest.Prepare(t, Adapter(), cell, os.Environ())
		run, err := runner.Run(t.Context(), cell, Adapter(), unit, runner.Selection{}, runner.Limits{Test: time.Minute, Suite: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if run.Reason != want || want != testresult.NoReason && !strings.Contains(run.Detail, users) {
			t.Errorf("with a link to %s: got %s: %s, want %s", target, run.Reason, run.Detail, want)
		}
	}
}
