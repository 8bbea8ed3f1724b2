package workspace

import (
	"fmt"
	"slices"
)

// Class says why the guard refuses an edit.
type Class uint8

// The classes of refusal.
const (
	InvalidClass Class = iota
	// Protected files decide what the tests say.
	Protected
	// Sensitive files hold secrets or act on production.
	Sensitive
	// Name refuses a path for its form, or a new file for what it would shadow.
	Name
	// Outside refuses what does not lie in the workspace's own files.
	Outside
	// Link refuses new symbolic links.
	Link
)

// String returns the name used in reports.
func (c Class) String() string {
	switch c {
	case Protected:
		return "protected"
	case Sensitive:
		return "sensitive"
	case Name:
		return "name"
	case Outside:
		return "outside"
	case Link:
		return "link"
	case InvalidClass:
		return "invalid"
	default:
		return fmt.Sprintf("Class(%d)", uint8(c))
	}
}

// Pattern is one entry of the list of what edits may not touch.
type Pattern struct {
	// Glob is a doublestar pattern over slash paths relative to the workspace,
	// matched without regard to case.
	Glob  string
	Class Class
	// Why is for people.
	Why string
}

// patternGroup is patterns that share a reason. A name without a slash stands
// for that name in any folder, and one with a slash at its end for a folder of
// that name and all below it.
type patternGroup struct {
	class Class
	why   string
	names []string
}

// Patterns returns the default list.
func Patterns() []Pattern {
	var list []Pattern
	for _, g := range slices.Concat(testPatterns, configPatterns, otherPatterns) {
		for _, n := range g.names {
			glob := "**/" + n
			if n[len(n)-1] == '/' {
				glob += "**"
			}
			list = append(list, Pattern{Glob: glob, Class: g.class, Why: g.why})
		}
	}
	return list
}

var testPatterns = []patternGroup{
	{Protected, "tests say what the code must do", []string{
		"tests/", "test/", "__tests__/", "spec/", "e2e/", "cypress/", "androidtest/", "integrationtest/", "*.tests/",
		"test_*.py", "*_test.py", "tests.py", "test.py", "*_test.go",
		"*.test.*", "*.spec.*", "test.{js,mjs,cjs,ts,mts,cts,jsx,tsx}",
		"test-*.{js,mjs,cjs,ts,mts,cts,jsx,tsx}", "*[-_.]test.{js,mjs,cjs,ts,mts,cts,jsx,tsx}",
		"*_test.rs", "tests.rs", "*_{test,spec}.rb", "test_*.rb", "*_test.exs", "*_test.dart", "*.phpt", "*.feature",
		"*_test.{c,cc,cpp,cxx}", "*_{unittest,unittests}.{c,cc,cpp,cxx}", "test_*.{c,cc,cpp,cxx}",
	}},
	{Protected, "it is part of how the tests run", []string{
		"conftest.py", "testhelper.*", "test_helper.*", "spec_helper.*", "rails_helper.*", "setuptests.*",
		"jest.setup.*", "vitest.setup.*", "{jest,vitest}-setup.*", "__mocks__/", "sitecustomize.py", "usercustomize.py", "testutil/", "testutils/",
	}},
	{Protected, "tests compare with it", []string{
		"testdata/", "fixtures/", "__fixtures__/", "testfixtures/", "snapshots/**/*.{txt,json,snap,html,xml,yaml,yml,md,svg,png,out,csv}", "__snapshots__/", "golden/", "goldens/", "cassettes/",
		"*.golden", "*.snap", "*.snap.*", "*.ambr", "*.approved.*",
	}},
}

var configPatterns = []patternGroup{
	{Protected, "it configures the test runner", []string{
		"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "tox.toml", "noxfile.py", ".coveragerc", "nose.cfg", "unittest.cfg", "behave.ini",
		"jest.config.*", "jest.preset.*", "jest-preset.*", "vitest.config.*", "vitest.workspace.*", "karma.conf.*", ".mocharc*", "mocha.opts",
		"ava.config.*", "jasmine.json", "playwright.config.*", "cypress.config.*", "cypress.json", ".taprc", ".nycrc*", "nyc.config.*", ".c8rc*", "wdio.conf.*",
		"testng*.xml", "junit-platform.properties", "*.runsettings", "xunit.runner.json", ".rspec", ".rspec-local",
		"phpunit.xml*", "phpunit.dist.xml", "pest.php", "codeception.yml", "codeception.dist.yml", "behat.yml*", "phpspec.yml*",
		"nextest.toml", "ctesttestfile.cmake", "ctestconfig.cmake", ".gotestsum*",
	}},
	{Protected, "it is a manifest or a lock file", []string{
		"pyproject.toml", "setup.cfg", "setup.py", "requirements*.{txt,in}", "requirements/", "constraints*.txt", "pipfile", "pipfile.lock", "poetry.lock", "poetry.toml",
		"uv.lock", "uv.toml", "pdm.lock", "pdm.toml", "pylock*.toml", "hatch.toml", "pixi.toml", "pixi.lock", "environment.{yml,yaml}", "conda-lock.yml", "manifest.in", ".python-version", ".tool-versions", "mise.toml", ".mise.toml",
		"go.mod", "go.sum", "go.work", "go.work.sum", "gopkg.toml", "gopkg.lock",
		"package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "pnpm-workspace.yaml", "bun.lock", "bun.lockb", "bunfig.toml",
		".npmrc", ".yarnrc*", ".yarn/", ".pnpmfile.*", "pnpmfile.*", ".pnp.*", ".nvmrc", ".node-version", "lerna.json", "nx.json", "turbo.json", "rush.json", "deno.json*", "deno.lock", "import_map.json",
		"cargo.toml", "cargo.lock", "rust-toolchain", "rust-toolchain.toml",
		"pom.xml", "ivy.xml", "libs.versions.toml", "gradle.lockfile", "gemfile", "gemfile.lock", "gems.rb", "gems.locked", "*.gemspec", ".ruby-version",
		"composer.json", "composer.lock", ".php-version", "conanfile.*", "conan.lock", "vcpkg.json", "vcpkg-configuration.json", ".gitmodules",
		"mix.exs", "mix.lock", "rebar.config", "rebar.lock", "package.swift", "package.resolved", "pubspec.yaml", "pubspec.lock", "*.cabal", "cabal.project*", "stack.yaml*", "dune-project", "*.opam",
		"packages.config", "packages.lock.json", "nuget.config", "global.json", "flake.nix", "flake.lock", "shell.nix",
	}},
	{Protected, "it configures the build", []string{
		"makefile", "gnumakefile", "makefile.*", "*.mk", "justfile", ".justfile", "taskfile.{yml,yaml}", "taskfile.dist.*", "magefile.go", "magefiles/", "build", "build.bazel", "workspace", "workspace.bazel", "module.bazel", "*.bzl", ".bazelrc", "buck",
		"cmakelists.txt", "*.cmake", "cmakepresets.json", "cmakeuserpresets.json", "configure", "configure.{ac,in}", "meson.build", "meson.options", "meson_options.txt", "*.ninja", "sconstruct", "sconscript", "*.vcxproj*", "*.pro",
		"build.rs", ".cargo/", "clippy.toml", ".clippy.toml", "rustfmt.toml", "*.gradle", "*.gradle.kts", "gradle.properties", "gradlew*", "gradle/", "buildsrc/", "mvnw*", ".mvn/", "build.xml", "*.sbt", "build.sc",
		"rakefile", "*.rake", "*.csproj", "*.fsproj", "*.vbproj", "*.sln", "*.slnx", "directory.build.*", "directory.packages.props",
		"tsconfig*.json", "jsconfig*.json", "babel.config.*", ".babelrc*", ".swcrc", "webpack.config.*", "rollup.config.*", "vite.config.*", "esbuild.config.*", "tsup.config.*", "next.config.*", "metro.config.*", "gulpfile.*", "gruntfile.*",
	}},
	{Protected, "it configures the checks", []string{
		".golangci*", "staticcheck.conf", ".flake8", ".pylintrc", "pylintrc", "mypy.ini", ".mypy.ini", "ruff.toml", ".ruff.toml", ".bandit", "pyrightconfig.json",
		".eslintrc*", "eslint.config.*", ".eslintignore", "biome.json*", ".oxlintrc.json", ".rubocop*.yml", "phpstan*.neon*", "psalm.xml*", ".clang-tidy", "checkstyle*.xml", "codecov.yml", ".codecov.yml", "sonar-project.properties",
	}},
	{Protected, "it is part of continuous integration", []string{
		".github/", ".gitlab/", ".gitlab-ci*.yml", ".circleci/", ".travis.yml", "azure-pipelines*.yml", "jenkinsfile*", ".buildkite/", ".drone.yml", "appveyor.yml", ".appveyor.yml", ".woodpecker/", ".woodpecker.yml", "bitbucket-pipelines.yml", ".ci/", ".cirrus.yml", ".semaphore/", ".forgejo/", ".gitea/",
		".pre-commit-config.yaml", ".husky/", "lefthook.{yml,yaml,toml}", ".githooks/", "dockerfile*", "*.dockerfile", "containerfile*", "docker-compose*.{yml,yaml}", "compose*.{yml,yaml}", ".dockerignore", ".devcontainer/",
	}},
}

var otherPatterns = []patternGroup{
	{Protected, "it is installed, not written here", []string{
		"node_modules/", "bower_components/", "site-packages/", "dist-packages/", ".venv/", "venv/", ".tox/", ".nox/", "__pypackages__/", "vendor/", "third_party/",
		"*.egg-info/", "*.dist-info/", "*.egg-link", "*.pth", "pyvenv.cfg", "__pycache__/", "*.py[cod]",
	}},
	{Protected, "it belongs to version control", []string{
		".git/", ".git", ".gitignore", ".gitattributes", ".hg/", ".svn/", ".jj/",
	}},
	{Protected, "it configures the editor, which can run it", []string{".vscode/", ".idea/", ".exrc", ".nvimrc", ".nvim.lua", ".envrc"}},
	{Protected, "it belongs to autocoder", []string{".autocoder.toml", ".autocoder/"}},
	{Sensitive, "it may hold secrets", []string{
		".env*", "secrets/", "credentials/", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
		"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".netrc", "_netrc", ".pgpass", ".pypirc", ".git-credentials", ".htpasswd", ".ssh/", ".aws/", ".gnupg/",
	}},
	{Sensitive, "it acts on production", []string{"migrations/production/", "*.tfstate", "*.tfstate.backup"}},
}
