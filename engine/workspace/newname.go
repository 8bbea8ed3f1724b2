package workspace

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// pythonRunners are modules that run tests, or take part in that. A module of
// the project with such a name would be run in their place.
var pythonRunners = []string{
	"pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "exceptiongroup", "pygments", "coverage", "pytest_cov", "xdist",
	"nose", "nose2", "hypothesis", "_hypothesis_pytestplugin", "mock", "sitecustomize", "usercustomize", "conftest", "pkg_resources", "setuptools",
	"anyio", "trio", "pytest_asyncio", "pytest_django", "pytest_mock", "django", "tox", "behave",
}

// checkNew refuses a new file that Python would import in the place of a module
// of its library or of a test runner. Only folders that are no packages count:
// such a folder can be where imports are searched.
func checkNew(p string, exists func(string) (bool, error)) error {
	module, folder, ok := pythonModule(p)
	if !ok {
		return nil
	}
	module = fold(module)
	why := ""
	switch {
	case slices.Contains(pythonRunners, module) || strings.HasPrefix(module, "pytest_") || strings.HasPrefix(module, "_autocoder"):
		why = fmt.Sprintf("a new module %q could be run in the place of the test runner's", module)
	case slices.ContainsFunc(pythonLibrary, func(name string) bool { return strings.EqualFold(name, module) }):
		why = fmt.Sprintf("a new module %q could be imported in the place of the one of Python's library", module)
	default:
		return nil
	}
	if folder != "." {
		inPackage, err := exists(path.Join(folder, "__init__.py"))
		if err != nil {
			return fmt.Errorf("look for %q: %w", path.Join(folder, "__init__.py"), err)
		}
		if inPackage {
			return nil
		}
	}
	return &Refusal{Path: p, Class: Name, Why: why}
}

// pythonModule returns the name of the module that a file makes, and the folder
// that it is imported from.
func pythonModule(p string) (name, folder string, ok bool) {
	base, folder := path.Base(p), path.Dir(p)
	name, ext, _ := strings.Cut(base, ".")
	switch ext := strings.ToLower(ext); {
	case ext == "py" || ext == "pyc" || ext == "pyw":
	case strings.HasSuffix(ext, "so") || strings.HasSuffix(ext, "pyd"):
	default:
		return "", "", false
	}
	if fold(name) == "__init__" {
		return path.Base(folder), path.Dir(folder), folder != "."
	}
	return name, folder, true
}
