package workspace

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"autocoder/engine/textedit"
)

func guard(t testing.TB, protect, allow []string) *Guard {
	t.Helper()
	g, err := NewGuard(protect, allow)
	check(t, err)
	return g
}

// refusal returns the class of a refusal, InvalidClass for none.
func refusal(t testing.TB, err error) Class {
	t.Helper()
	if err == nil {
		return InvalidClass
	}
	var r *Refusal
	if !errors.As(err, &r) {
		t.Fatalf("error %v is no Refusal", err)
	}
	if r.Why == "" || !strings.Contains(err.Error(), r.Why) || !strings.Contains(err.Error(), fmt.Sprintf("%q", r.Path)) {
		t.Errorf("refusal %v does not say what and why", err)
	}
	return r.Class
}

func TestEditable(t *testing.T) {
	t.Parallel()
	const ok = InvalidClass
	groups := map[Class][]string{
		ok: {
			"a.py", "src/app.py", "pkg/calc.go", "lib/index.js", "src/main.rs", "src/main/java/Latest.java", "contest.py", "latest.go", "testing.go",
			"attest/a.py", "src/protest.js", "src/specification.ts", "environment.py", "envs/a.py", "build/gen.go", "src/workspace/a.go", "snapshots/manager.go",
			"a b/c'd.py", "new\nline.py", "é/ü.py", "keys.py", "tokens.go", "src/.hidden.py", "migrations/0001.py", "github/a.go", "config.py", "spec.py", "manage.py",
			"docs/vendors.md", "...a/b", "a..py", "~/a.py", "a~b.py", "longname~1.py", "fixture.py",
		},
		Protected: {
			"tests/a.py", "test/a.js", "src/test/java/A.java", "a/__tests__/b.js", "spec/a_spec.rb", "test_a.py", "src/a_test.py", "a_test.go", "tests.py", "src/test_utils.py",
			"a.test.ts", "a.spec.js", "a.test.js.snap", "test.mjs", "lib/test-a.cjs", "lib/a-test.js", "a_unittest.cc", "conftest.py", "src/conftest.py",
			"testdata/x", "a/fixtures/b.json", "x/__snapshots__/y", "snapshots/a.txt", "golden/a", "a.golden", "a.snap", "__mocks__/fs.js",
			".git/config", "sub/.git/hooks/pre-commit", ".git", ".gitignore", ".gitattributes", ".hg/hgrc",
			"pyproject.toml", "sub/pyproject.toml", "setup.cfg", "setup.py", "pytest.ini", ".pytest.ini", "tox.ini", ".coveragerc", "noxfile.py", "requirements.txt", "requirements-dev.txt", "Pipfile", "uv.lock", "poetry.lock",
			"go.mod", "go.sum", "go.work", "vendor/modules.txt", "Makefile", "package.json", "a/package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", ".npmrc", ".mocharc.json", "jest.config.ts", "vitest.config.mts", "vite.config.js", "tsconfig.json", "tsconfig.test.json", "babel.config.js",
			"Cargo.toml", "Cargo.lock", "build.rs", ".cargo/config.toml", "rust-toolchain.toml", "pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "gradle/libs.versions.toml", "mvnw",
			"Gemfile", "Gemfile.lock", "a.gemspec", "Rakefile", ".rspec", "composer.json", "composer.lock", "phpunit.xml", "phpunit.xml.dist",
			"CMakeLists.txt", "a.cmake", "configure.ac", "meson.build", "BUILD", "BUILD.bazel", "WORKSPACE", "App.csproj",
			".github/workflows/ci.yml", ".gitlab-ci.yml", ".circleci/config.yml", "Jenkinsfile", "azure-pipelines.yml", ".pre-commit-config.yaml", "Dockerfile", "docker-compose.yml",
			"sitecustomize.py", "a/usercustomize.py", "a.pth", "lib/x.pth", "evil.egg-info/entry_points.txt", "x.dist-info/RECORD", "node_modules/a/index.js", ".venv/lib/a.py", "lib/site-packages/a.py", "__pycache__/a.pyc", "a.pyc",
			".autocoder.toml", ".autocoder/x", ".vscode/settings.json", ".golangci.yml", "mypy.ini",
		},
		Sensitive: {
			".env", "a/.env.production", ".env.example", "secrets/a.py", "a/secrets/b", "credentials/aws.json", "server.pem", "a/b.key", "id_rsa", "id_ed25519.pub",
			".netrc", ".ssh/config", "migrations/production/1.sql", "db/migrations/production/1.sql", "prod.tfstate",
		},
		Outside: {"../a.py", "..", "../../etc/passwd", "/etc/passwd", "/", "a/../../b.py", "./../a"},
		Name: {
			"", ".", "./a.py", "a//b.py", "a/../b.py", "a/", "a.py:stream", "c:/a.py", "a.py.", "a.py ", "dir./a.py", "dir /a.py", "..../a.py", "tests\\a.py", "TESTS~1/a.py", "GIT~1/config", "PYPROJ~1.TOM",
			"a\u200c.py", ".g\u200dit/config", "te\u00adsts/a.py", "a\ufeff.py", "a\x00.py", "a\u202e.py", "te\ufe0fsts/a.py",
		},
	}
	g := guard(t, nil, nil)
	for want, paths := range groups {
		for _, p := range paths {
			if got := refusal(t, g.Editable(p)); got != want {
				t.Errorf("Editable(%q) = %v, want %v", p, got, want)
			}
			if got := g.Protected(p); (want == Protected || want == Sensitive) && !got {
				t.Errorf("Protected(%q) = false, want true", p)
			}
		}
	}
}

// Each of these is taken for a protected name by some file system.
func TestSpellings(t *testing.T) {
	t.Parallel()
	g := guard(t, []string{"Größe/**", "café.py"}, nil)
	for _, p := range []string{
		"Tests/a.py", "TESTS/a.py", "teſts/a.py", "ConfTest.PY", ".GIT/config", ".Git/hooks/x", "PyProject.TOML", "A_TEST.GO", "Package.JSON", "x.TEST.js", "SECRETS/x", ".ENV", "A.Pem",
		"größe/a", "GRÖSSE/a", "gro\u0308ße/a", "café.py", "cafe\u0301.py", "CAFE\u0301.PY", ".AutoCoder.toml", "Make\u212aile"[:4] + "file", "ma\u212aefile",
	} {
		if err := g.Editable(p); err == nil {
			t.Errorf("Editable(%q) lets it through", p)
		}
	}
}

func TestAdditionsAndAllowances(t *testing.T) {
	t.Parallel()
	g := guard(t, []string{"./core/", "**/*.sql"}, []string{"tests/helpers/**", "setup.py", "Fixtures"})
	for p, want := range map[string]Class{
		"core": Protected, "a/b.sql": Protected, "other.py": InvalidClass,
		"tests/helpers/a.py": InvalidClass, "tests/a.py": Protected, "setup.py": InvalidClass, "sub/setup.py": Protected, "SETUP.py": InvalidClass, "fixtures/x/y": InvalidClass,
	} {
		if got := refusal(t, g.Editable(p)); got != want {
			t.Errorf("Editable(%q) = %v, want %v", p, got, want)
		}
	}
	if refusal(t, g.Editable("core/a.py")) != Protected {
		t.Error("a folder that the user protects does not protect what is in it")
	}
	open := guard(t, nil, []string{"**"})
	for p, want := range map[string]Class{"tests/a.py": InvalidClass, ".env": InvalidClass, "../a": Outside, "a:b": Name, "/a": Outside} {
		if got := refusal(t, open.Editable(p)); got != want {
			t.Errorf("with everything allowed, Editable(%q) = %v, want %v", p, got, want)
		}
	}
}

func TestGuardNamesBadPatterns(t *testing.T) {
	t.Parallel()
	for _, lists := range [][2][]string{{{"a", "[x"}, nil}, {nil, {"{x"}}, {{""}, nil}} {
		_, err := NewGuard(lists[0], lists[1])
		if e := (*PatternError)(nil); !errors.As(err, &e) {
			t.Errorf("NewGuard(%q) = %v, want a PatternError", lists, err)
		}
	}
}

func TestPatternsExplainThemselves(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range Patterns() {
		if seen[p.Glob] {
			t.Errorf("%s is there twice", p.Glob)
		}
		seen[p.Glob] = true
		if p.Why == "" || p.Class == InvalidClass || validPatterns([]string{p.Glob}) != nil || fold(p.Glob) != p.Glob {
			t.Errorf("pattern %+v is not complete, valid and in lower case", p)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	tree := map[string]textedit.File{}
	for _, p := range []string{"a.py", "pkg/__init__.py", "pkg/b.py", "src/c.py", "random.py"} {
		tree[p] = textedit.File{Kind: textedit.Regular, Mode: 0o644}
	}
	tree["link.py"] = textedit.File{Kind: textedit.Symlink, Target: "a.py"}
	read := func(p string) (textedit.File, error) { return tree[p], nil }
	resolve := func(p string) (string, error) {
		switch {
		case strings.HasPrefix(p, "out/"):
			return "", errors.New("it leads out of the workspace")
		case strings.HasPrefix(p, "t/"):
			return "tests/" + p[2:], nil
		case strings.HasPrefix(p, "s/"):
			return "src/" + p[2:], nil
		}
		return p, nil
	}
	op := func(kind textedit.OpKind, p string, to ...string) textedit.Op {
		return textedit.Op{Kind: kind, Path: p, To: strings.Join(to, "")}
	}
	const ok = InvalidClass
	const create, edit, del, rename, link = textedit.OpCreate, textedit.OpEdit, textedit.OpDelete, textedit.OpRename, textedit.OpSymlink
	tests := map[string]struct {
		ops  []textedit.Op
		want Class
	}{
		"nothing":                        {nil, ok},
		"edit":                           {[]textedit.Op{op(edit, "a.py")}, ok},
		"second operation":               {[]textedit.Op{op(edit, "a.py"), op(edit, "tests/a.py")}, Protected},
		"rename to protected":            {[]textedit.Op{op(rename, "a.py", "conftest.py")}, Protected},
		"rename from protected":          {[]textedit.Op{op(rename, "conftest.py", "b.py")}, Protected},
		"delete protected":               {[]textedit.Op{op(del, "go.mod")}, Protected},
		"create outside":                 {[]textedit.Op{op(create, "../x.py")}, Outside},
		"rename outside":                 {[]textedit.Op{op(rename, "a.py", "/tmp/x.py")}, Outside},
		"through a link out":             {[]textedit.Op{op(create, "out/x.py")}, Outside},
		"through a link to tests":        {[]textedit.Op{op(edit, "t/a.py")}, Protected},
		"through a link to sources":      {[]textedit.Op{op(edit, "s/c.py")}, ok},
		"new link":                       {[]textedit.Op{op(link, "l")}, Link},
		"rename of a link":               {[]textedit.Op{op(rename, "link.py", "d/link.py")}, Link},
		"delete of a link":               {[]textedit.Op{op(del, "link.py")}, ok},
		"new file":                       {[]textedit.Op{op(create, "helpers.py")}, ok},
		"new runner":                     {[]textedit.Op{op(create, "pytest.py")}, Name},
		"new runner package":             {[]textedit.Op{op(create, "_pytest/__init__.py")}, Name},
		"new runner in src":              {[]textedit.Op{op(create, "src/pluggy.py")}, Name},
		"new plugin":                     {[]textedit.Op{op(create, "pytest_cov.py")}, Name},
		"new library module":             {[]textedit.Op{op(create, "unittest.py")}, Name},
		"in other case":                  {[]textedit.Op{op(create, "JSON.py")}, Name},
		"mixed case":                     {[]textedit.Op{op(create, "cprofile.py")}, Name},
		"compiled":                       {[]textedit.Op{op(create, "json.cpython-311-x86_64-linux-gnu.so")}, Name},
		"library package":                {[]textedit.Op{op(create, "json/__init__.py")}, Name},
		"inside a package":               {[]textedit.Op{op(create, "pkg/json.py")}, ok},
		"inside no package":              {[]textedit.Op{op(create, "src/json.py")}, Name},
		"inside a new package":           {[]textedit.Op{op(create, "new/__init__.py"), op(create, "new/types.py")}, ok},
		"inside a package that is no":    {[]textedit.Op{op(del, "pkg/__init__.py"), op(create, "pkg/types.py")}, Name},
		"rename to a library name":       {[]textedit.Op{op(rename, "a.py", "json.py")}, Name},
		"an existing file of that name":  {[]textedit.Op{op(edit, "random.py")}, ok},
		"rewritten":                      {[]textedit.Op{op(create, "random.py")}, ok},
		"deleted and made again":         {[]textedit.Op{op(del, "random.py"), op(create, "random.py")}, Name},
		"not Python":                     {[]textedit.Op{op(create, "json.go"), op(create, "fs.js"), op(create, "random.txt")}, ok},
		"a folder with a library's name": {[]textedit.Op{op(create, "json/helpers.py")}, ok},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := refusal(t, guard(t, nil, nil).Check(read, resolve, textedit.Patch{Ops: test.ops})); got != test.want {
				t.Errorf("refused as %v, want %v", got, test.want)
			}
		})
	}
}

func TestCheckPassesReadErrorsOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	read := func(string) (textedit.File, error) { return textedit.File{}, broken }
	resolve := func(p string) (string, error) { return p, nil }
	for _, op := range []textedit.Op{{Kind: textedit.OpCreate, Path: "a.py"}, {Kind: textedit.OpRename, Path: "a.py", To: "b.py"}} {
		if err := guard(t, nil, nil).Check(read, resolve, textedit.Patch{Ops: []textedit.Op{op}}); !errors.Is(err, broken) {
			t.Errorf("error of %v = %v, want the reader's", op.Kind, err)
		}
	}
}
