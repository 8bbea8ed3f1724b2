package scan

import (
	"fmt"
	"strings"
)

// Capability is a kind of thing that code can do and that a repair rarely needs
// to learn.
type Capability uint8

// The capabilities.
const (
	InvalidCapability Capability = iota
	Environment
	Arguments
	Surroundings
	Stack
	Memory
	Modules
	TestFiles
	TestAware
	TestLibrary
	Hook
	Exit
	Skip
	Spawn
	Files
	Network
	Patch
	Overload
	Unsafe
	Borrow
	Swallow
	Literal
	Incomparable
	Counting
	Dynamic
	Decode
	Pickup
	Shadowing
	Link
	Data
	Weaken
	Unreadable
	capabilities
)

// said is what each capability is called in a warning.
var said = [capabilities]string{
	Environment:  "reads the environment",
	Arguments:    "reads the command line of the process",
	Surroundings: "looks at the process or machine that it runs in",
	Stack:        "looks at the stack, its caller or source code",
	Memory:       "looks through the objects in memory or steers the garbage collector",
	Modules:      "looks at the loaded modules",
	TestFiles:    "names the tests or their files",
	TestAware:    "asks whether tests are running",
	TestLibrary:  "uses a test library",
	Hook:         "defines a hook that the test runner calls",
	Exit:         "can exit the process",
	Skip:         "can skip tests",
	Spawn:        "starts a process, or a thread while it is loaded",
	Files:        "opens or looks for files",
	Network:      "opens network connections",
	Patch:        "changes what it does not own",
	Overload:     "overloads equality, comparison or conversion",
	Unsafe:       "goes around the language's safety",
	Borrow:       "uses names that only the tests declare",
	Swallow:      "can swallow a failed assertion",
	Literal:      "special-cases the tests' inputs or expected values",
	Incomparable: "makes a value that no comparison finds wrong",
	Counting:     "does something else from one call to the next",
	Dynamic:      "runs code, or reaches names, put together at run time from text",
	Decode:       "decodes a hidden constant",
	Pickup:       "adds a file that the build or the runner picks up by itself",
	Shadowing:    "adds a file that is loaded in the place of another module",
	Link:         "puts a link in the place of a file",
	Data:         "changes data that the tests read",
	Weaken:       "checks less than before",
	Unreadable:   "can't be read",
}

// String returns the capability in words.
func (c Capability) String() string {
	if c < capabilities && said[c] != "" {
		return said[c]
	}
	return fmt.Sprintf("Capability(%d)", uint8(c))
}

// coarse reports whether a file that had the capability anywhere may use it
// everywhere: it is not the place that matters.
func (c Capability) coarse() bool {
	return c == Environment || c == Arguments || c == Files || c == Network || c == Spawn
}

// Level is how strong a finding is.
type Level uint8

// The levels.
const (
	InvalidLevel Level = iota
	// Warns means that a person should look.
	Warns
	// Refuses means that no honest repair does this.
	Refuses
)

// Finding is a capability that the changed code did not have before.
type Finding struct {
	Capability Capability
	Level      Level
	Path       string
	Line       int // 0 for the whole file
	// What is the thing itself: "os.environ", "returns 150 for 100".
	What string
}

// String is the finding as a warning says it.
func (f Finding) String() string {
	var b strings.Builder
	b.WriteString(f.Path)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	fmt.Fprintf(&b, " newly %s", f.Capability)
	if f.What != "" {
		fmt.Fprintf(&b, ": %s", f.What)
	}
	return b.String()
}

// fact is something that a file can do, at one place.
type fact struct {
	cap   Capability
	level Level
	// key is what the same thing has in common before and after.
	key string
	// scope is the function, by its qualified name; "" runs while the file is loaded.
	scope string
	line  int
	what  string
	// names are constants that say of what: the variable's name, the file's path.
	names []string
	// asks are words of which the failing test must have one to ask for this; one
	// that can't be asked for has none.
	asks []string
	// bare means that a module is only named, not used.
	bare bool
	// excused means that it is there and needs no person's eyes: the callers, or the
	// words around it, say what it is for.
	excused bool
	// always means that the place is new by itself: what was before does not matter.
	always bool
	// class names a class on which the fact is no news if it was there before.
	class string
}
