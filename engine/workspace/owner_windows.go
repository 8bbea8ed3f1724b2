package workspace

import "os"

// KeepOwner does nothing here: a file belongs to whoever made it, or to the
// group of administrators, and is reached by the rights of its folder.
func KeepOwner(*os.Root, string, string) {}
