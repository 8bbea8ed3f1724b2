//go:build !linux

package shadow

// MemoryFolder returns nothing: here are no layers.
func MemoryFolder() string { return "" }

func freeOn(string) uint64 { return 0 }
