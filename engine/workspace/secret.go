package workspace

import (
	"path"
	"slices"
	"strings"
)

// secretFolders hold secrets by their name.
var secretFolders = []string{"secrets", "credentials", ".ssh", ".aws", ".gnupg"}

// secretFiles are patterns of single names.
var secretFiles = []string{
	".env*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", "_netrc", ".pgpass", ".pypirc",
	".git-credentials", ".htpasswd", "*.tfstate", "*.tfstate.backup",
}

// notSecret are files that secretFiles matches and that hold no secrets.
var notSecret = []string{".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults", ".envrc.example"}

// testFolders hold what belongs to tests, by name.
var testFolders = []string{"test", "tests", "__tests__", "spec", "testdata", "fixtures", "__fixtures__"}

// sourceExtensions are those of program text.
var sourceExtensions = []string{
	".c", ".cc", ".cpp", ".cs", ".ex", ".exs", ".go", ".h", ".hpp", ".java", ".js", ".jsx", ".kt",
	".mjs", ".cjs", ".php", ".py", ".pyi", ".rb", ".rs", ".scala", ".swift", ".ts", ".tsx",
}

// secret reports whether a file is left out of the copy. A key or an .env file
// below a folder of tests, and program text below a folder that happens to be
// called "credentials", belong to the project as long as git does not ignore
// them: without them its tests could not even be built.
func secret(p string, ignored bool) bool {
	elements := strings.Split(strings.ToLower(p), "/")
	name := elements[len(elements)-1]
	folders := elements[:len(elements)-1]
	if inGit(p) {
		return false // a branch may be called anything
	}
	inTests := slices.ContainsFunc(folders, func(f string) bool { return slices.Contains(testFolders, f) })
	if !slices.Contains(notSecret, name) && matchesAny(secretFiles, name) {
		return ignored || !inTests
	}
	if slices.ContainsFunc(folders, secretFolder) {
		return ignored || !slices.Contains(sourceExtensions, path.Ext(name))
	}
	return false
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matchElement(p, name) })
}

// secretFolder reports whether a folder holds secrets by its name.
func secretFolder(p string) bool {
	return slices.Contains(secretFolders, strings.ToLower(path.Base(p)))
}

// inGit reports whether p lies in a repository's own data.
func inGit(p string) bool { return strings.HasPrefix(p, ".git/") || strings.Contains(p, "/.git/") }
