package workspace

// Resolve returns the real absolute path of the folder that root names. A folder
// that can't be worked on, the user's home among them, is a *RootError.
func Resolve(root, home string) (string, error) {
	real, _, err := resolveRoot(root, home)
	return real, err
}
