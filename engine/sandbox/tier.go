package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Tier is how strongly a cell confines what runs in it.
type Tier uint8

// The tiers, strongest first.
const (
	// InvalidTier is the zero value.
	InvalidTier Tier = iota
	// Isolated has its own namespaces with a loopback network, the copy mounted at
	// the workspace's own path, everything else read-only, and Landlock. /tmp is
	// private, and /run, where services listen, is empty unless the network is on.
	Isolated
	// Confined has Landlock and no network at all, not even loopback. What Landlock
	// has no rights for, the modes and times of files, sockets of files and news of
	// what happens to files, goes through a broker; owners stay, and extended
	// attributes can't be set. Shared memory and semaphores have names of their own;
	// those of System V, which have none, are refused.
	Confined
	// Supervised has nothing that the kernel enforces: only a clean environment, a
	// private home, and the certainty that the whole process tree is killed.
	Supervised
)

// String returns the tier's name as settings and reports have it.
func (t Tier) String() string {
	switch t {
	case InvalidTier:
		return "invalid"
	case Isolated:
		return "isolated"
	case Confined:
		return "confined"
	case Supervised:
		return "supervised"
	default:
		return fmt.Sprintf("tier(%d)", uint8(t))
	}
}

// Network says what commands may reach. Confined and supervised know only
// on and off: confined refuses loopback too, supervised refuses nothing.
type Network uint8

// The networks. Config.Allowed opens single hosts beside.
const (
	// NetworkOff reaches nothing. It is the zero value: what was not asked for is
	// not given.
	NetworkOff Network = iota
	// NetworkLoopback reaches only what runs in the same cell.
	NetworkLoopback
	// NetworkOn reaches what the user can reach.
	NetworkOn
)

// Tree is a copy of the workspace to run on.
type Tree struct {
	// Dir is the absolute host folder that holds the copy.
	Dir string
	// Layer, unless empty, is an absolute host folder with the folders "upper" and
	// "work", of which this tree alone makes use, once. The tree is then Dir with
	// upper laid over it, and what commands write goes into upper. Only isolated can
	// do that, and not on every system: see ErrNoLayers.
	Layer string
	// Shared are folders that are not copied.
	Shared []Shared
	// Kept are folders of Config.Writable that commands on this tree find as they
	// are, and write only into a layer: what they write is gone with the next tree.
	// Without a layer they can't write it at all, which supervised does not enforce.
	Kept []Kept
}

// Kept is a writable folder with the layer that takes what is written.
type Kept struct {
	// Dir and Layer are absolute host folders; see Tree.Layer. Layer may be empty.
	Dir, Layer string
}

// Shared is a folder that the tree takes from the host, read-only. In isolated
// the tree must have an empty folder at Path, over which Source is mounted; in
// confined it has a symlink to Source there.
type Shared struct {
	// Path is relative to the tree, with slashes.
	Path string
	// Source is the absolute host folder.
	Source string
	// Layer, unless empty, takes what commands write, as that of the tree does.
	// Where the system can't lay it over Source, the folder is read-only.
	Layer string
}

// ErrNoLayers is wrapped by the errors of Open and Switch when this system, or
// the file system on which the folders are, can't lay one folder over another.
var ErrNoLayers = errors.New("folders can't be laid over each other here")

// Config is what a cell is for as long as it lives.
type Config struct {
	// Root is the workspace's own absolute path, an existing folder.
	Root string
	// Scratch is an absolute host folder that exists, is private to this cell and
	// outside Root. Commands can write it, at the same path. Open makes home and
	// tmp in it.
	Scratch string
	// Tier is how strongly to confine.
	Tier Tier
	// Network is what commands may reach.
	Network Network
	// Allowed are addresses, HOST:PORT, that commands may reach by TCP beside what
	// Network gives them. Only isolated can do that; elsewhere Open refuses it unless
	// Network is on. With supervised nothing is refused anyway.
	Allowed []string
	// Environ is the user's environment, from which a few values are taken over.
	Environ []string
	// PassEnv are names of variables of Environ to let through.
	PassEnv []string
	// Writable are further absolute folders that commands may write.
	Writable []string
	// Readable are absolute paths that commands may read, beside the system's own
	// folders, the tree and what is writable. Folders of PATH need not be named.
	Readable []string
	// Memory is how many bytes a command may take with all that it starts; 0 for
	// three quarters of the machine's. Processes is how many processes and threads
	// that may be; 0 for 5000. Beyond, commands are killed. Only Linux counts.
	Memory    int64
	Processes int
	// ReadAll lets commands read whatever the user can, but what isolated hides
	// below /tmp, /dev and /run.
	ReadAll bool
	// Gentle gives commands a lower priority than what the user works with.
	Gentle bool
}

// gentleness is the nice value of commands of a gentle cell.
const gentleness = 10

// ErrNotFound is wrapped by the error of Start when the program is not there; the
// error is an *exec.Error that names it.
var ErrNotFound = errors.New("program not found")

// ErrClosed is wrapped by the errors of a cell that has been closed or has died.
var ErrClosed = errors.New("the cell is closed")

// check reports what in c can't be right on any system.
func (c Config) check() error {
	switch c.Tier {
	case Isolated, Confined, Supervised:
	case InvalidTier:
		return errors.New("open cell: no tier given")
	default:
		return fmt.Errorf("open cell: unknown tier %d", c.Tier)
	}
	switch c.Network {
	case NetworkOff, NetworkLoopback, NetworkOn:
	default:
		return fmt.Errorf("open cell: unknown network %d", c.Network)
	}
	if _, err := endpoints(c.Allowed); err != nil {
		return fmt.Errorf("open cell: %w", err)
	}
	if len(c.Allowed) > 0 && c.Tier == Confined && c.Network != NetworkOn {
		return fmt.Errorf("open cell: the tier %v can't let commands reach %s and nothing else", c.Tier, strings.Join(c.Allowed, ", "))
	}
	named := slices.Concat([]string{c.Root, c.Scratch}, c.Writable, c.Readable)
	for _, p := range named {
		if !filepath.IsAbs(p) {
			return fmt.Errorf("open cell: path %q is not absolute", p)
		}
	}
	if within(c.Scratch, c.Root) {
		return fmt.Errorf("open cell: scratch %q lies in the workspace %q", c.Scratch, c.Root)
	}
	return nil
}

// check reports what in t can't be right on any system.
func (t Tree) check() error {
	if !filepath.IsAbs(t.Dir) {
		return fmt.Errorf("tree %q is not an absolute path", t.Dir)
	}
	if t.Layer != "" && !filepath.IsAbs(t.Layer) {
		return fmt.Errorf("layer %q is not an absolute path", t.Layer)
	}
	for _, k := range t.Kept {
		if !filepath.IsAbs(k.Dir) || k.Layer != "" && (!filepath.IsAbs(k.Layer) || t.Layer == "") {
			return fmt.Errorf("kept folder %q with layer %q: want absolute folders, and a layer of the tree", k.Dir, k.Layer)
		}
	}
	for _, s := range t.Shared {
		if !filepath.IsLocal(filepath.FromSlash(s.Path)) || s.Path == "." || !filepath.IsAbs(s.Source) {
			return fmt.Errorf("shared folder %q from %q: want a path in the tree and an absolute source", s.Path, s.Source)
		}
		if s.Layer != "" && !filepath.IsAbs(s.Layer) {
			return fmt.Errorf("layer %q of the shared folder %q is not an absolute path", s.Layer, s.Path)
		}
	}
	return nil
}

// within reports whether path is dir or lies below it; both are clean and
// absolute.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
