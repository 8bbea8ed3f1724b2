package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// target is what escapes go for: a file, a process, shared memory and a queue of
// messages outside.
type target struct {
	dir      string
	victim   int
	memory   int
	messages int      // the open queue, of ours
	held     *os.File // a file in memory that the process has open
}

// queue is the name of the queue.
func (g target) queue() string { return "sandbox-test-" + filepath.Base(g.dir) }

func (g target) file() string { return filepath.Join(g.dir, "file") }

// newTarget makes what an escape goes for.
func newTarget(t *testing.T, p place) target {
	t.Helper()
	dir, err := os.MkdirTemp(p.dir, "target")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "file"), "outside")
	write(t, filepath.Join(dir, "suid"), "")
	if err := os.Chmod(filepath.Join(dir, "suid"), 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	victim := exec.Command("/bin/cat")
	victim.Dir = dir
	held := fileInMemory(t)
	victim.ExtraFiles = []*os.File{held}
	in, err := victim.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	memory, err := unix.SysvShmGet(ownMemory, 4096, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	g := target{dir: dir, victim: victim.Process.Pid, memory: memory, held: held}
	g.messages = newQueue(t, g.queue())
	t.Cleanup(func() {
		in.Close()
		_ = victim.Wait() // an escape may have killed it
		if _, err := unix.SysvShmCtl(memory, removeMemory, nil); err != nil {
			t.Error(err)
		}
	})
	return g
}

// newQueue makes a queue of messages; -1 where there are none.
func newQueue(t *testing.T, name string) int {
	t.Helper()
	text := append([]byte(name), 0)
	form := struct {
		flags, messages, size, held int64
		_                           [4]int64
	}{messages: 4, size: queueSize}
	fd, _, errno := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(&text[0])), unix.O_CREAT|unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o600, uintptr(unsafe.Pointer(&form)), 0, 0)
	if errno != 0 {
		return -1
	}
	t.Cleanup(func() {
		unix.Close(int(fd))
		if errno := try(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(&text[0])), 0, 0); errno != 0 {
			t.Error(errno)
		}
	})
	return int(fd)
}

// fileInMemory makes a file without a name.
func fileInMemory(t *testing.T) *os.File {
	t.Helper()
	fd, err := unix.MemfdCreate("held", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fd), "held")
	t.Cleanup(func() { f.Close() })
	if err := f.Chmod(0o600); err != nil {
		t.Fatal(err)
	}
	return f
}
