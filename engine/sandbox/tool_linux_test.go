package sandbox_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"autocoder/engine/sandbox"
)

// each does several things, each a tool with its arguments in one text, and prints how
// each ended.
func each(args []string) error {
	for _, a := range args {
		words := strings.Fields(a)
		if err := tools(words[0])(words[1:]); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println("ok")
		}
	}
	return nil
}

// toolMain does something inside a cell, or as the owner of one. It prints errors
// and returns the exit code.
func toolMain(name string, args []string) int {
	if err := tools(name)(args); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// tools returns what the tool of a name does.
func tools(name string) func(args []string) error {
	return map[string]func(args []string) error{
		"loopback": loopback, "unix": unixSocket, "dial": dial, "socket": socketOfFamily,
		"swarm": swarm, "daemon": daemon, "owner": owner, "worker": worker, "abstract": abstract, "pty": pty, "put": put, "kept": kept, "hog": hog, "ask": ask, "attack": attack, "shown": shown, "each": each, "escape": escape, "rename": func(args []string) error { return os.Rename(args[0], args[1]) },
	}[name]
}

// talk listens and connects to itself.
func talk(network, address string) error {
	l, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	defer l.Close()
	c, err := net.Dial(network, l.Addr().String())
	if err != nil {
		return err
	}
	return c.Close()
}

func loopback([]string) error        { return talk("tcp", "127.0.0.1:0") }
func unixSocket(args []string) error { return talk("unix", args[0]) }

func dial(args []string) error {
	c, err := net.Dial(args[0], args[1])
	if err != nil {
		return err
	}
	return c.Close()
}

func abstract(args []string) error { return dial([]string{"unix", "@" + args[0]}) }

func socketOfFamily(args []string) error {
	family, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	_, err = unix.Socket(family, unix.SOCK_DGRAM, 0)
	return err
}

// hold takes a shared lock that lives as long as the process.
func hold(path string) error {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CREAT|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	return unix.Flock(fd, unix.LOCK_SH)
}

// swarm holds the lock args[0], ignores SIGTERM, and starts three of itself,
// each in a session of its own, to depth args[1]. The root prints "ready" when
// all of it lives, and stays when args[2] is "stay".
func swarm(args []string) error {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	if err := hold(args[0]); err != nil {
		return err
	}
	depth, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	for range 3 * min(depth, 1) {
		child := exec.Command("/proc/self/exe", toolArg, "swarm", args[0], strconv.Itoa(depth-1), "stay")
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, err := child.StdoutPipe()
		if err != nil {
			return err
		}
		if err := child.Start(); err != nil {
			return err
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			return fmt.Errorf("child: %w", err)
		}
	}
	fmt.Println("ready")
	if args[2] == "stay" {
		select {}
	}
	return nil
}

// daemon leaves behind a process, forked twice and in its own session, that
// holds the lock args[0]; it then does args[1]: "exit", "stay", or "kill", which
// is to kill its parent, the launcher.
func daemon(args []string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	middle := exec.Command("/bin/sh", "-c", `setsid "$0" "$@" >&3 3>&- & exit 0`, "/proc/self/exe", toolArg, "swarm", args[0], "0", "stay")
	middle.Args[3] = mustExecutable()
	middle.ExtraFiles = []*os.File{w}
	if err := middle.Run(); err != nil {
		return fmt.Errorf("daemon: %w", err)
	}
	w.Close()
	if line, err := bufio.NewReader(r).ReadString('\n'); err != nil {
		return fmt.Errorf("daemon did not start: %q %w", line, err)
	}
	fmt.Println("ready")
	switch args[1] {
	case "stay":
		select {}
	case "kill":
		return syscall.Kill(os.Getppid(), syscall.SIGKILL)
	}
	return nil
}

// mustExecutable is for a path that /proc/self/exe can't say to a shell.
func mustExecutable() string {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return exe
}

// pty talks through a terminal of its own.
func pty([]string) error {
	ptmx, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	n, err := unix.IoctlGetInt(int(ptmx.Fd()), unix.TIOCGPTN)
	if err != nil {
		return err
	}
	if err := unix.IoctlSetPointerInt(int(ptmx.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return err
	}
	tty, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	if _, err := ptmx.WriteString("hello\n"); err != nil {
		return err
	}
	line, err := bufio.NewReader(tty).ReadString('\n')
	fmt.Print(line)
	return err
}

// worker is a warm worker: for each line it reads, a folder and a file, it
// changes into the folder and prints the file.
func worker([]string) error {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if err := os.Chdir(in.Text()); err != nil {
			return err
		}
		b, err := os.ReadFile("file")
		if err != nil {
			return err
		}
		if err := os.WriteFile("written", b, 0o600); err != nil {
			return err
		}
		fmt.Println(string(b))
	}
	return in.Err()
}

// owner opens a cell of tier args[0] in the place args[1] and starts a daemon
// that holds the lock args[2]; then it waits to be killed.
func owner(args []string) error {
	tier := map[string]sandbox.Tier{"isolated": sandbox.Isolated, "confined": sandbox.Confined, "supervised": sandbox.Supervised}[args[0]]
	p := place{dir: args[1]}
	cell, err := sandbox.Open(context.Background(), p.config(tier), p.tree())
	if err != nil {
		return err
	}
	proc, err := cell.Start(context.Background(), toolSpec("daemon", args[2], "stay"))
	if err != nil {
		return err
	}
	line, err := bufio.NewReader(proc.Stdout).ReadString('\n')
	fmt.Print(line)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, proc.Stdout)
	return err
}

// put writes to the open file args[0].
func put(args []string) error {
	fd, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte("x"))
	return err
}

// kept prints whether the open file args[0] is kept from what this executes.
func kept(args []string) error {
	fd, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	fmt.Print(flags&unix.FD_CLOEXEC != 0)
	return err
}

// ask prints what args[0] answers to a line.
func ask(args []string) error {
	c, err := net.Dial("tcp", args[0])
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := io.WriteString(c, "hello\n"); err != nil {
		return err
	}
	_, err = io.Copy(os.Stdout, c)
	return err
}
