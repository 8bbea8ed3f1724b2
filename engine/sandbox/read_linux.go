package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// systemFolders are what every command may read: programs, libraries and their
// settings. The homes of users are not among them, nor is what servers keep.
var systemFolders = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/etc", "/opt", "/nix", "/gnu", "/snap", "/sys", "/proc",
	"/home/linuxbrew/.linuxbrew", "/var/lib/ca-certificates", "/var/lib/gems", "/var/lib/texmf", "/var/cache/fontconfig", "/run/current-system",
}

// hiddenFolders are the folders that are covered by empty ones: those on the way
// to what must be seen that commands can't pass, those that hold nothing that
// commands may read, and, unless commands may reach the network, those of the
// host's services. A read-only mount and Landlock both let a command connect to a
// socket of a file, and who listens there (a container engine, the user's
// session) would do as it says.
func hiddenFolders(c Config) []string {
	hidden := closedFolders(append([]string{c.Root, c.Scratch}, c.Writable...))
	if !c.ReadAll {
		hidden = append(hidden, unlisted(c)...)
	}
	for _, dir := range serviceFolders {
		if info, err := os.Lstat(dir); c.Network != NetworkOn && err == nil && info.IsDir() {
			hidden = append(hidden, dir)
		}
	}
	slices.Sort(hidden)
	var outermost []string // which come first
	for _, path := range hidden {
		if !slices.ContainsFunc(outermost, func(above string) bool { return within(path, above) }) {
			outermost = append(outermost, path)
		}
	}
	return outermost
}

// unlisted are the folders in / that are none of the system's. What has a cover
// of its own is not among them.
func unlisted(c Config) []string {
	top, err := os.ReadDir("/")
	if err != nil {
		return nil // then nothing else can be read either
	}
	var hidden []string
	for _, d := range top {
		path := "/" + d.Name()
		own := path == privateTmp || path == privateDev || path == hostRun || path == c.Root
		if d.IsDir() && !own && !slices.Contains(systemFolders, path) && !slices.Contains(c.Readable, path) {
			hidden = append(hidden, path)
		}
	}
	return hidden
}

// secretFolders are where the system keeps what only root may read, which tests
// that are run by root could, with how deep to look: what is installed in /opt may
// be large.
var secretFolders = map[string]int{"/etc": 6, "/opt": 2}

// secrets returns what is in secretFolders and closed to ordinary users.
func secrets() []fs.FileInfo {
	var found []fs.FileInfo
	for dir, depth := range secretFolders {
		found = append(found, closedBelow(dir, depth)...)
	}
	return found
}

// closedBelow returns what is in a folder, down to a depth, and closed to ordinary
// users.
func closedBelow(dir string, depth int) []fs.FileInfo {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var found []fs.FileInfo
	for _, d := range list {
		if d.Type()&fs.ModeSymlink != 0 {
			continue
		}
		path := filepath.Join(dir, d.Name())
		switch info, err := d.Info(); {
		case err != nil:
		case info.Mode().Perm()&0o004 == 0:
			found = append(found, named{info, path})
		case d.IsDir() && depth > 1:
			found = append(found, closedBelow(path, depth-1)...)
		}
	}
	return found
}

// named is an entry by its path.
type named struct {
	fs.FileInfo
	path string
}

// Name returns the path.
func (n named) Name() string { return n.path }

// hideSecrets covers secrets for commands of root, to whom the kernel shows them.
func hideSecrets(c Config) *fault {
	if c.ReadAll || os.Geteuid() != 0 {
		return nil
	}
	for _, info := range secrets() {
		var f *fault
		if info.IsDir() {
			f = mountTmpfs(info.Name(), "mode=0555,size=4k")
		} else if err := unix.Mount("/dev/null", info.Name(), "", unix.MS_BIND, ""); err != nil {
			f = fail(fmt.Sprintf("hide %q", info.Name()), err)
		}
		if f != nil && !gone(f.Errno) {
			return f
		}
	}
	return nil
}

// readableOfSystem returns what every confined command may read: Landlock can't hide
// what is in a folder that may be read, so that folders with secrets are listed entry
// by entry for root.
func readableOfSystem() []string {
	if os.Geteuid() != 0 {
		return systemFolders
	}
	closed := map[string]bool{}
	for _, info := range secrets() {
		closed[info.Name()] = true
	}
	var paths []string
	for _, dir := range systemFolders {
		if secretFolders[dir] > 0 {
			paths = append(paths, openEntries(dir, closed)...)
		} else {
			paths = append(paths, dir)
		}
	}
	return paths
}

// openEntries lists what is in a folder and not closed, instead of a folder in
// which something is closed its entries.
func openEntries(dir string, closed map[string]bool) []string {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var paths []string
	for _, d := range list {
		path := filepath.Join(dir, d.Name())
		inside := func(secret string) bool { return strings.HasPrefix(secret, path+"/") }
		switch {
		case closed[path] || d.Type()&fs.ModeSymlink != 0 && leadsInto(path, closed):
		case anyKey(closed, inside):
			paths = append(paths, openEntries(path, closed)...)
		default:
			paths = append(paths, path)
		}
	}
	return paths
}

// leadsInto reports whether a link leads nowhere, or to what is closed: a rule for a
// link is one for what it leads to.
func leadsInto(link string, closed map[string]bool) bool {
	real, err := filepath.EvalSymlinks(link)
	return err != nil || anyKey(closed, func(secret string) bool { return within(real, secret) || within(secret, real) })
}

func anyKey(set map[string]bool, holds func(string) bool) bool {
	for k := range set {
		if holds(k) {
			return true
		}
	}
	return false
}
