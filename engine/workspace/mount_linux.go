package workspace

import (
	"os"
	"strings"
)

// mountRoot reports whether a whole file system is mounted at the folder. A
// bind mount of one folder is not one: containers are given projects that way.
func mountRoot(dir string) bool {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return false
	}
	for line := range strings.SplitSeq(string(table), "\n") {
		// id, parent, device, root within the file system, mount point, …
		f := strings.Fields(line)
		if len(f) > 4 && f[3] == "/" && mountEscapes.Replace(f[4]) == dir {
			return true
		}
	}
	return false
}

// mountEscapes undoes the octal escapes of the kernel's mount table.
var mountEscapes = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
