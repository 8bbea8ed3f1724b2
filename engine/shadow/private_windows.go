package shadow

import "io/fs"

// mine asks nothing: the folder of temporary files is the user's own.
func mine(string, fs.FileInfo) error { return nil }
