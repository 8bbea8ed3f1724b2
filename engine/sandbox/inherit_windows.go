package sandbox

// keepFiles has nothing to do: a process gets only the handles it is given.
func keepFiles() error { return nil }
