package sandbox_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"autocoder/engine/command"
	"autocoder/engine/sandbox"
)

// calls are system calls with arguments that harm nobody where they succeed.
var calls = []struct {
	name string
	call func() unix.Errno
}{
	{"ptrace", func() unix.Errno { return try(unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0) }},
	{"process_vm_readv", func() unix.Errno { return try(unix.SYS_PROCESS_VM_READV, uintptr(os.Getppid()), 0, 0) }},
	{"keyctl", func() unix.Errno { return try(unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, ^uintptr(4)+1, 0) }},
	{"io_uring", func() unix.Errno {
		var params [120]byte
		return try(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
	}},
	{"bpf", func() unix.Errno { return try(unix.SYS_BPF, 0xffff, 0, 0) }},
	{"perf_event_open", func() unix.Errno { return try(unix.SYS_PERF_EVENT_OPEN, 0, 0, 0) }},
	{"userfaultfd", func() unix.Errno { return try(unix.SYS_USERFAULTFD, 0xffff, 0, 0) }},
	{"unshare", func() unix.Errno { return try(unix.SYS_UNSHARE, 0, 0, 0) }},
	{"setns", func() unix.Errno { return try(unix.SYS_SETNS, ^uintptr(0), 0, 0) }},
	{"mount", func() unix.Errno { return try(unix.SYS_MOUNT, 0, 0, 0) }},
	{"fsopen", func() unix.Errno { return try(unix.SYS_FSOPEN, 0, 0, 0) }},
	{"open_tree", func() unix.Errno { return try(unix.SYS_OPEN_TREE, ^uintptr(0), 0, 0) }},
	{"open_by_handle_at", func() unix.Errno { return try(unix.SYS_OPEN_BY_HANDLE_AT, ^uintptr(0), 0, 0) }},
	{"pidfd_getfd", func() unix.Errno { return try(unix.SYS_PIDFD_GETFD, ^uintptr(0), 0, 0) }},
	{"clone into namespaces", func() unix.Errno { return try(unix.SYS_CLONE, unix.CLONE_NEWUSER|unix.CLONE_SIGHAND, 0, 0) }},
	{"clone3", func() unix.Errno { return try(unix.SYS_CLONE3, 0, 0, 0) }},
	{"TIOCSTI", func() unix.Errno { return try(unix.SYS_IOCTL, 0, unix.TIOCSTI, 0) }},
	{"socket vsock", func() unix.Errno { return try(unix.SYS_SOCKET, unix.AF_VSOCK, unix.SOCK_STREAM, 0) }},
	{"socket alg", func() unix.Errno { return try(unix.SYS_SOCKET, unix.AF_ALG, unix.SOCK_SEQPACKET, 0) }},
	{"socket packet", func() unix.Errno { return try(unix.SYS_SOCKET, unix.AF_PACKET, unix.SOCK_RAW, 0) }},
}

func try(call, a, b, c uintptr) unix.Errno {
	_, _, errno := unix.Syscall6(call, a, b, c, 0, 0, 0)
	return errno
}

// attack makes the calls and prints how each ended.
func attack([]string) error {
	for _, c := range calls {
		fmt.Printf("%s: %s\n", c.name, unix.ErrnoName(c.call()))
	}
	return nil
}

// TestRefusedCalls makes system calls that reach round the other restrictions.
// Supervised, where the kernel judges the arguments, is the control.
func TestRefusedCalls(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		out, exit := runSpec(t, open(t, p.config(tier), p.tree()), toolSpec("attack"))
		if !exit.Success() {
			t.Fatalf("%v %s", exit, out)
		}
		refused := 0
		for line := range strings.Lines(out) {
			name, errno, _ := strings.Cut(strings.TrimSpace(line), ": ")
			want := "EPERM"
			if name == "clone3" {
				want = "ENOSYS"
			}
			if errno == want {
				refused++
			} else if tier != sandbox.Supervised {
				t.Errorf("%s: %s, want %s", name, errno, want)
			}
		}
		// An ordinary user is refused two by the kernel itself.
		if tier == sandbox.Supervised && refused > 2 {
			t.Errorf("outside so many calls are refused that this is no test:\n%s", out)
		}
	})
}

// TestWaysOut tries to reach the host by way of processes and files that are not
// the command's own.
func TestWaysOut(t *testing.T) {
	t.Parallel()
	for _, tier := range []sandbox.Tier{sandbox.Isolated, sandbox.Confined} {
		t.Run(tier.String(), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			c := p.config(tier)
			c.ReadAll = false
			cell := open(t, c, p.tree())
			for name, script := range map[string]string{
				"root of the launcher":      `cat "/proc/$PPID/root$0"`,
				"folder of the launcher":    `ls /proc/$PPID/cwd/`,
				"files of the launcher":     `ls -l /proc/$PPID/fd/ | grep socket`,
				"memory of the launcher":    `head -c 1 /proc/$PPID/mem`,
				"environment of the first":  `cat /proc/1/environ | grep -q .`,
				"root of the first":         `cat "/proc/1/root$0"`,
				"a namespace of the first":  `nsenter -t 1 -m true`,
				"the launcher's life":       `kill -9 $PPID`,
				"everybody's life":          `kill -9 -1; sleep 0.01; false`,
				"through a link of a link":  `ln -s / l1; ln -s l1 l2; cat "l2$0"`,
				"a device of its own":       `mknod disk b 254 0`,
				"a set-uid program":         `cp /bin/cat mine && chmod 4755 mine && ./mine "$0"`,
				"a job for later":           `echo "# nothing" > /etc/cron.d/sandbox-test || echo "# nothing" > /var/spool/cron/crontabs/sandbox-test`,
				"a program of all users":    `cp /bin/true /usr/local/bin/sandbox-test`,
				"what the kernel logs":      `dmesg`,
				"the kernel's settings":     `echo 1 > /proc/sys/kernel/sysrq`,
				"what a program is run for": `echo "|/bin/true" > /proc/sys/kernel/core_pattern`,
			} {
				out, exit := run(t, cell, "/bin/sh", "-c", "PATH=$PATH:/usr/sbin:/sbin; "+script, p.path("outside/file"))
				if exit.Success() || strings.Contains(out, "outside\n") {
					t.Errorf("%s: %v %.200q", name, exit, out)
				}
			}
			if got := sh(t, cell, `ls /proc/self/fd | tr '\n' ' '`); got != "0 1 2 3 " {
				t.Errorf("open files: %s", got)
			}
			if got := read(t, p.path("outside/file")); got != "outside" {
				t.Errorf("the file outside is %q", got)
			}
		})
	}
}

// TestFlood prints a gigabyte: only the start is kept, and the command ends by
// itself.
func TestFlood(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	cell := open(t, p.config(sandbox.Isolated), p.tree())
	out, err := command.Run(t.Context(), cell, command.Spec{Args: []string{"/bin/sh", "-c", "head -c 1000000000 /dev/zero; echo done >&2"}}, 1<<10)
	if err != nil || !out.Exit.Success() || !out.Truncated || len(out.Stdout) != 1<<10 || string(out.Stderr) != "done\n" {
		t.Errorf("%v, %+v, kept %d bytes, %q", err, out.Exit, len(out.Stdout), out.Stderr)
	}
}

// TestFloodIsKilled kills what prints without end in several processes while nobody
// reads it: Wait must return, and what comes after it is the end.
func TestFloodIsKilled(t *testing.T) {
	eachTier(t, func(t *testing.T, tier sandbox.Tier) {
		p := newPlace(t)
		cell := open(t, p.config(tier), p.tree())
		proc, err := cell.Start(t.Context(), command.Spec{Args: []string{"/bin/sh", "-c", `for i in 1 2 3; do setsid yes & setsid yes >&2 & done; yes`}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(proc.Stdout, make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
		proc.Kill()
		if exit := proc.Wait(); !exit.Killed {
			t.Errorf("%+v, want killed", exit)
		}
		for _, out := range []io.Reader{proc.Stdout, proc.Stderr} {
			if n, err := io.Copy(io.Discard, out); err != nil || n > 1<<20 {
				t.Errorf("after the end there were %d bytes, %v", n, err)
			}
		}
	})
}
