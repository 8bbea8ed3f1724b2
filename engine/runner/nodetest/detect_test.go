package nodetest

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"autocoder/engine/runner"
)

func treeOf(text string) fs.FS {
	tree := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(text)).Files {
		tree[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return tree
}

func TestDetect(t *testing.T) {
	t.Parallel()
	const uses = "const test = require('node:test');\n"
	for name, test := range map[string]struct {
		tree string
		want []runner.Unit
	}{
		"no tests":       {tree: "-- package.json --\n{}\n-- a.js --\n" + uses},
		"another runner": {tree: "-- package.json --\n{\"scripts\": {\"test\": \"jest\"}}\n-- a.test.js --\ntest('a');\n"},
		"by the import alone": {
			tree: "-- a.test.js --\n" + uses + "-- b.test.mjs --\nimport test from \"node:test\";\n-- c.test.js --\n1;\n-- lib.js --\n" + uses,
			want: []runner.Unit{{Root: ".", Why: "test files that import node:test", Command: []string{"node", "--test"}, Parts: []string{"a.test.js", "b.test.mjs"}}},
		},
		"by the script, with the files that node takes by itself": {
			tree: `
-- package.json --
{"scripts": {"test": "node --test"}}
-- a.test.js --
-- a_test.cjs --
-- a-test.mjs --
-- test.js --
-- test-a.js --
-- testa.js --
-- a.test.ts --
-- a.test.d.ts --
-- test/deep/helper.js --
-- tests/x.js --
-- node_modules/x/a.test.js --
`,
			want: []runner.Unit{{
				Root: ".", Why: `script "test" in package.json`, Command: []string{"node", "--test"},
				Parts: []string{"a-test.mjs", "a.test.js", "a.test.ts", "a_test.cjs", "test-a.js", "test.js", "test/deep/helper.js"},
			}},
		},
		"by the script, with its files": {
			tree: `
-- package.json --
{"scripts": {"lint": "node --test lint", "test": "tsc && NODE_ENV=test node --import ./setup.mjs --test 'spec/**/*.spec.js' other unit/one.js"}}
-- spec/a.spec.js --
-- spec/deep/b.spec.js --
-- spec/deep/b.test.js --
-- other/a.test.js --
-- other/a.js --
-- unit/one.js --
-- unit/two.test.js --
`,
			want: []runner.Unit{{
				Root: ".", Why: `script "test" in package.json, without its first step "tsc"`, Env: []string{"NODE_ENV=test"},
				Command: []string{"node", "--import", "./setup.mjs", "--test", "spec/**/*.spec.js", "other", "unit/one.js"},
				Parts:   []string{"other/a.test.js", "spec/a.spec.js", "spec/deep/b.spec.js", "unit/one.js"},
			}},
		},
		"by a script without node --test": {
			tree: `
-- package.json --
{"scripts": {"lint": "node test/lint.js", "test": "npm run lint && c8 tape 'test/*.js' && node -r ./env test.js"}}
-- test/a.js --
-- test/deep/b.js --
-- test.js --
-- more/c.test.js --
import 'node:test';
`,
			want: []runner.Unit{{
				Root: ".", Why: `script "test" in package.json, each file by node --test`,
				Command: []string{"node", "-r", "./env", "--test", "test/*.js", "test.js"},
				Parts:   []string{"more/c.test.js", "test.js", "test/a.js"},
			}},
		},
		"by scripts that a script runs": {
			tree: `
-- package.json --
{"scripts": {"lint": "node test/lint.js", "test": "npm run lint && npm run tests-only && npm run test:more && npm run test", "tests-only": "nyc tape 'test/**/*.js'", "test:more": "nyc tape test-more.js && nyc node check/test && node --harmony check/test"}}
-- test/a.js --
-- check/test/index.js --
`,
			want: []runner.Unit{{
				Root: ".", Why: `script "test" in package.json, each file by node --test`,
				Command: []string{"node", "--test", "test/**/*.js", "check/test/index.js"},
				Parts:   []string{"check/test/index.js", "test/a.js"},
			}},
		},
		"a script that is no test": {tree: "-- package.json --\n{\"scripts\": {\"test\": \"node build.js\", \"start\": \"node test.js\"}}\n-- test.js --\n"},
		"workspaces": {
			tree: `
-- package.json --
{"workspaces": ["packages/*"], "scripts": {"test": "npm test --workspaces"}}
-- packages/a/package.json --
{"scripts": {"test": "node --test"}}
-- packages/a/a.test.js --
-- packages/a/test/package.json --
{"type": "module"}
-- packages/a/test/b.js --
-- packages/b/package.json --
{"name": "b"}
-- packages/b/b.test.js --
const test = require('node:test');
-- packages/c/package.json --
{"scripts": {"test": "mocha"}}
-- packages/c/c.test.js --
`,
			want: []runner.Unit{
				{Root: "packages/a", Why: `script "test" in packages/a/package.json`, Command: []string{"node", "--test"}, Parts: []string{"a.test.js", "test/b.js"}},
				{Root: "packages/b", Why: "test files that import node:test", Command: []string{"node", "--test"}, Parts: []string{"b.test.js"}},
			},
		},
		"a package.json that is none": {
			tree: "-- package.json --\n{\n-- a.test.js --\n" + uses,
			want: []runner.Unit{{Root: ".", Why: "test files that import node:test", Command: []string{"node", "--test"}, Parts: []string{"a.test.js"}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := detect(treeOf(test.tree))
			if err != nil {
				t.Fatal(err)
			}
			for i := range test.want {
				test.want[i].Name, test.want[i].Runner = test.want[i].Root, Name
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestParseScript(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]script{
		"node --test":       {},
		"node --test test/": {files: []string{"test/"}},
		"/usr/bin/node --test --test-reporter spec --test-reporter=dot a.js":                 {files: []string{"a.js"}},
		"cross-env A=1 B='x y' node --test":                                                  {env: []string{"A=1", "B=x y"}},
		"c8 --reporter=text node --test":                                                     {},
		"npm run build && A=1 npm run x; node --test":                                        {before: []string{"npm run build", "A=1 npm run x"}},
		"node -r ./a.js --test --watch --experimental-test-coverage --test-isolation=none b": {options: []string{"-r", "./a.js"}, files: []string{"b"}},
		"node --test --test-concurrency 4 --max-old-space-size=99 -- -a.js":                  {options: []string{"--test-concurrency", "4", "--max-old-space-size=99"}, files: []string{"-a.js"}},
		`node --test "a \"b\".js" c\ d.js 'e"f'`:                                             {files: []string{`a "b".js`, "c d.js", `e"f`}},
		"node --test 'open":                                                                  {files: []string{"open"}},
	} {
		got, ok := parseScript(line)
		if !ok {
			t.Errorf("%q starts no node --test", line)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(script{})); diff != "" {
			t.Errorf("%q: -want +got:\n%s", line, diff)
		}
	}
	for _, line := range []string{"", "node a.js", "jest --test", "node a.js && echo --test", "echo node; run --test"} {
		if s, ok := parseScript(line); ok {
			t.Errorf("%q is taken for node --test: %+v", line, s)
		}
	}
}

func FuzzParseScript(f *testing.F) {
	f.Add(`A=1 node --import x --test "a b" 'c' d\ e && f`)
	f.Fuzz(func(t *testing.T, line string) {
		parseScript(line)
	})
}
