package sandbox_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"golang.org/x/sys/unix"
)

// hogStep is how much a hog takes at a time.
const hogStep = 32 << 20

// hogs take one more step of memory, each in another way.
var hogs = map[string]func(n int) error{
	"its own": func(int) error { return mapStep(unix.MAP_PRIVATE) },
	"shared":  func(int) error { return mapStep(unix.MAP_SHARED) },
	"unnamed files": func(int) error {
		fd, err := unix.MemfdCreate("hog", 0)
		if err != nil {
			return err
		}
		return fill(fd) // which stays open
	},
	"files": func(n int) error {
		f, err := os.Create(fmt.Sprintf("/dev/shm/hog%d", n))
		if err != nil {
			return err
		}
		return errors.Join(fill(int(f.Fd())), f.Close())
	},
	"segments": func(int) error {
		id, err := unix.SysvShmGet(ownMemory, hogStep, 0o600)
		if err != nil {
			return err
		}
		at, err := unix.SysvShmAttach(id, 0, 0)
		if err != nil {
			return err
		}
		touch(at)
		return unix.SysvShmDetach(at) // the segment stays
	},
	"children": func(int) error {
		child := exec.Command(mustExecutable(), toolArg, "hog", "its own", "32", "stay")
		out, err := child.StdoutPipe()
		if err != nil {
			return err
		}
		if err := child.Start(); err != nil {
			return err
		}
		_, err = out.Read(make([]byte, 1)) // it has it, or is dead
		return err
	},
}

func touch(b []byte) {
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
}

func mapStep(how int) error {
	b, err := unix.Mmap(-1, 0, hogStep, unix.PROT_READ|unix.PROT_WRITE, how|unix.MAP_ANON)
	touch(b)
	return err
}

func fill(fd int) error {
	const part = 1 << 20
	b := make([]byte, part)
	for range hogStep / part {
		if _, err := unix.Write(fd, b); err != nil {
			return err
		}
	}
	return nil
}

// hog takes args[1] megabytes in steps of the kind args[0] and, with args[2], waits
// to be killed.
func hog(args []string) error {
	megabytes, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	for n := range megabytes << 20 / hogStep {
		if err := hogs[args[0]](n); err != nil {
			return err
		}
	}
	fmt.Println("has", megabytes)
	if len(args) > 2 {
		select {}
	}
	return nil
}
