package workspace

// mountRoot is false: the root of a volume is its own parent, which is refused
// already.
func mountRoot(string) bool { return false }
