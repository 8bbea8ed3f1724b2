package workspace

import (
	"path"
	"slices"
	"strings"
)

// secretFolders hold secrets by their name.
var secretFolders = []string{"secrets", "credentials", ".ssh", ".aws", ".gnupg"}

// secretNames are whole names of files that hold secrets, secretExtensions what
// such names end with.
var (
	secretNames = []string{
		"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", "_netrc", ".pgpass", ".pypirc", ".git-credentials", ".htpasswd",
	}
	secretExtensions = []string{".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".tfstate"}
)

// environmentFiles is how names of files with variables begin.
const environmentFiles = ".env"

// notSecret are files that have such names and hold no secrets.
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
	if inGit(p) {
		return false // a branch may be called anything
	}
	p = strings.ToLower(p)
	dir, name := path.Split(p)
	if secretName(name) {
		return ignored || !anyElement(dir, testFolders)
	}
	if anyElement(dir, secretFolders) {
		return ignored || !slices.Contains(sourceExtensions, path.Ext(name))
	}
	return false
}

// secretName reports whether a file holds secrets by its own name, in lower case.
func secretName(name string) bool {
	is := strings.HasPrefix(name, environmentFiles) || slices.Contains(secretExtensions, path.Ext(name)) ||
		slices.Contains(secretNames, name) || strings.HasSuffix(name, ".tfstate.backup")
	return is && !slices.Contains(notSecret, name)
}

// anyElement reports whether an element of a path is among names.
func anyElement(p string, names []string) bool {
	for element := range strings.SplitSeq(p, "/") {
		if slices.Contains(names, element) {
			return true
		}
	}
	return false
}

// secretFolder reports whether a folder holds secrets by its name.
func secretFolder(p string) bool {
	return slices.Contains(secretFolders, strings.ToLower(path.Base(p)))
}

// inGit reports whether p lies in a repository's own data.
func inGit(p string) bool { return strings.HasPrefix(p, ".git/") || strings.Contains(p, "/.git/") }
