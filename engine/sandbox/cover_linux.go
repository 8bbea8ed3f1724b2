package sandbox

import (
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// cover is a folder over which something is mounted, with the folder itself.
type cover struct {
	path string
	fd   int
}

// gone reports whether a call failed because something was removed since it was
// listed, by whoever works on the system beside us: what is not there need not be
// hidden. What is mounted on a folder goes with it.
func gone(err error) bool { return err == unix.ENOENT || err == unix.ENOTDIR }

// coverAll covers folders by empty ones.
func coverAll(folders []string) *fault {
	for _, path := range folders {
		if f := mountTmpfs(path, "mode=0755"); f != nil && !gone(f.Errno) {
			return f
		}
	}
	return nil
}

// remember keeps hold of the folders that are about to be covered.
func (m *mounts) remember(paths []string) *fault {
	for _, path := range paths {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return fail(fmt.Sprintf("open %q", path), err)
		}
		m.covers = append(m.covers, cover{path, fd})
	}
	return nil
}

// rememberFound is remember for folders that may be gone.
func (m *mounts) rememberFound(paths []string) {
	for _, path := range paths {
		_ = m.remember([]string{path}) // what can't be opened has nothing in it that we show
	}
}

// covered reports whether path lies below a cover, where there is nothing yet.
func (m *mounts) covered(path string) bool {
	return slices.ContainsFunc(m.covers, func(c cover) bool { return path != c.path && within(path, c.path) })
}
