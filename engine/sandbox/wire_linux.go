package sandbox

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Everything on the wire is gob, because JSON would mangle paths and arguments
// that are not UTF-8.

// order is what we ask of the supervisor. A start order carries the four files
// of the command: stdin, stdout, stderr, leash.
type order struct {
	Setup  *Config // the first order, with Switch
	Switch *Tree
	Start  bool
	Look   bool // answered with the tree's folder as a file
}

// fault is an error on the wire.
type fault struct {
	What  string        // what was attempted, with which thing
	Errno syscall.Errno // 0 when the kernel refused nothing
	// Missing is the program that was not found.
	Missing string
	// NoLayers means ErrNoLayers.
	NoLayers bool
}

// answer is the supervisor's to each order.
type answer struct{ Fault *fault }

// task is what the launcher runs, sent over the leash.
type task struct {
	Args, Env []string
	Dir       string // absolute
	Limits    limits
}

// limits are the restrictions on a command.
type limits struct {
	Tier    Tier
	Network Network
	// Writable are the paths that must be writable, Devices those that may be
	// missing.
	Writable, Devices []string
	// Readable are the paths that may be read; none means all.
	Readable []string
	Gentle   bool
	// Memory and Processes are as in Config.
	Memory    int64
	Processes int
	// Grouped means that a control group bounds the processes, OwnUsers that the user
	// namespace is the cell's own.
	Grouped, OwnUsers bool
	// MemoryTree is a tree whose layer is in memory; empty for none.
	MemoryTree string
	// Scratch is on the disk that commands must not fill: that of the tree too.
	Scratch string
}

// news is what comes back over the leash.
type news struct {
	Fault   *fault
	Started bool
	Bound   string // with Started: how the number of processes is bounded
	Exit    *exit
	Reaped  bool // from the supervisor, always the last
}

// exit is how the command ended; Killed when the launcher ended it for us.
type exit struct {
	Code   int
	Signal syscall.Signal
	Killed bool
	Over   string // the limit that was passed
	// Refused is what it was refused, as in command.Exit.
	Refused string
}

// fail makes a fault of err.
func fail(what string, err error) *fault {
	f := &fault{What: what}
	if !errors.As(err, &f.Errno) && err != nil {
		f.What += ": " + err.Error()
	}
	return f
}

// err makes an error of f.
func (f *fault) err() error {
	if f.NoLayers {
		return fmt.Errorf("%w: %s: %w", ErrNoLayers, f.What, f.Errno)
	}
	if f.Errno == 0 {
		return errors.New(f.What)
	}
	return fmt.Errorf("%s: %w", f.What, f.Errno)
}

// maxPacket bounds one order; a tree of thousands of shared folders fits.
const maxPacket = 128 << 10

// sendPacket writes one message with files to a packet socket.
func sendPacket(c *net.UnixConn, v any, files ...*os.File) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		return err
	}
	if b.Len() > maxPacket {
		return fmt.Errorf("message of %d bytes is too long", b.Len())
	}
	var oob []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		oob = unix.UnixRights(fds...)
	}
	_, _, err := c.WriteMsgUnix(b.Bytes(), oob, nil)
	return err
}

// receivePacket reads one message and the files with it.
func receivePacket(c *net.UnixConn, v any) ([]*os.File, error) {
	b := make([]byte, maxPacket)
	oob := make([]byte, unix.CmsgSpace(4*max(8, maxAllowed)))
	n, m, _, _, err := c.ReadMsgUnix(b, oob)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, io.EOF
	}
	files, err := rights(oob[:m])
	if err != nil {
		return nil, err
	}
	return files, gob.NewDecoder(bytes.NewReader(b[:n])).Decode(v)
}

// rights returns the files in ancillary data; the net package has made them
// close-on-exec.
func rights(oob []byte) ([]*os.File, error) {
	cs, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, fmt.Errorf("read passed files: %w", err)
	}
	var files []*os.File
	for _, c := range cs {
		fds, err := unix.ParseUnixRights(&c)
		if err != nil {
			return nil, fmt.Errorf("read passed files: %w", err)
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "passed"))
		}
	}
	return files, nil
}

// sendFrame writes one message to a leash.
func sendFrame(w io.Writer, v any) error {
	var b bytes.Buffer
	b.Write(make([]byte, 4))
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		return err
	}
	binary.BigEndian.PutUint32(b.Bytes(), uint32(b.Len()-4))
	_, err := w.Write(b.Bytes())
	return err
}

// receiveFrame reads one message from a leash.
func receiveFrame(r io.Reader, v any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	b := make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	return gob.NewDecoder(bytes.NewReader(b)).Decode(v)
}

// socketPair makes two connected, close-on-exec sockets: our end, and the other
// as a file to hand over.
func socketPair(kind int) (*net.UnixConn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	theirs := os.NewFile(uintptr(fds[1]), "socket")
	ours, err := connOf(os.NewFile(uintptr(fds[0]), "socket"))
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

// connOf makes a connection of f and closes f.
func connOf(f *os.File) (*net.UnixConn, error) {
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, fmt.Errorf("use socket: %w", err)
	}
	return c.(*net.UnixConn), nil
}
