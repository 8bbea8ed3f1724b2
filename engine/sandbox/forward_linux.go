package sandbox

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// hostsName is the file of a cell's scratch that stands for /etc/hosts.
const hostsName = "hosts"

// forwarded are the endpoints that a cell's commands can't reach by themselves.
func forwarded(c Config) []endpoint {
	if c.Tier != Isolated || c.Network == NetworkOn {
		return nil
	}
	list, _ := endpoints(c.Allowed) // Config.check has looked
	return list
}

// listenAll listens in the cell's network for every endpoint. Whoever holds the
// listeners accepts from inside and connects outside.
func listenAll(list []endpoint) ([]*os.File, *fault) {
	var files []*os.File
	for i, e := range list {
		what := fmt.Sprintf("listen for %s:%d", e.host, e.port)
		if !e.at.IsLoopback() {
			if err := addAddress(i+1, e); err != nil {
				closeAll(files)
				return nil, fail(what, err)
			}
		}
		l, err := net.Listen("tcp4", net.JoinHostPort(e.at.String(), strconv.Itoa(e.port)))
		if err != nil {
			closeAll(files)
			return nil, fail(what, err)
		}
		f, err := l.(*net.TCPListener).File()
		l.Close()
		if err != nil {
			closeAll(files)
			return nil, fail(what, err)
		}
		files = append(files, f)
	}
	return files, nil
}

// addAddress gives the loopback interface another address.
func addAddress(n int, e endpoint) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq(fmt.Sprintf("lo:%d", n))
	if err != nil {
		return err
	}
	if err := lo.SetInet4Addr(e.at.AsSlice()); err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFADDR, lo); err != nil {
		return err
	}
	// The address alone, not the network that it would be of.
	if err := lo.SetInet4Addr([]byte{255, 255, 255, 255}); err != nil {
		return err
	}
	return unix.IoctlIfreq(fd, unix.SIOCSIFNETMASK, lo)
}

// writeHosts makes the file that will stand for /etc/hosts.
func writeHosts(scratch string, list []endpoint) error {
	before, err := os.ReadFile("/etc/hosts")
	if err != nil {
		return fmt.Errorf("name the allowed hosts: %w", err)
	}
	return os.WriteFile(filepath.Join(scratch, hostsName), hostsFile(list, before), 0o644)
}

// showHosts lays that file over /etc/hosts.
func showHosts(scratch string) *fault {
	if err := unix.Mount(filepath.Join(scratch, hostsName), "/etc/hosts", "", unix.MS_BIND, ""); err != nil {
		return fail(`mount "/etc/hosts"`, err)
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/etc/hosts", 0, &readOnly); err != nil {
		return fail(`mount_setattr "/etc/hosts"`, err)
	}
	return nil
}

// forwarder carries connections from a cell to the endpoints that it may reach.
type forwarder struct {
	listeners []net.Listener
	cancel    context.CancelFunc
	wait      sync.WaitGroup
}

func newForwarder(list []endpoint, files []*os.File) (*forwarder, error) {
	ctx, cancel := context.WithCancel(context.Background())
	f := &forwarder{cancel: cancel}
	if len(files) != len(list) {
		return f, fmt.Errorf("%d listeners came for %d addresses", len(files), len(list))
	}
	for i, e := range list {
		l, err := net.FileListener(files[i])
		if err != nil {
			f.close()
			return f, fmt.Errorf("use listener: %w", err)
		}
		f.listeners = append(f.listeners, l)
		f.wait.Go(func() { f.accept(ctx, l, net.JoinHostPort(e.host, strconv.Itoa(e.port))) })
	}
	return f, nil
}

func (f *forwarder) accept(ctx context.Context, l net.Listener, outside string) {
	for {
		in, err := l.Accept()
		if err != nil {
			return // it was closed
		}
		f.wait.Go(func() { carry(ctx, in, outside) })
	}
}

// carry connects outside and copies both ways until either end is closed, or ctx
// ends.
func carry(ctx context.Context, in net.Conn, outside string) {
	defer in.Close()
	var d net.Dialer
	out, err := d.DialContext(ctx, "tcp", outside)
	if err != nil {
		return // the command sees its connection closed
	}
	defer out.Close()
	stop := context.AfterFunc(ctx, func() { in.Close(); out.Close() })
	defer stop()
	var both sync.WaitGroup
	both.Go(func() { pour(out, in) })
	both.Go(func() { pour(in, out) })
	both.Wait()
}

// pour copies and then says that no more will come.
func pour(to, from net.Conn) {
	_, _ = io.Copy(to, from) // how it ended is the two ends' business
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

func (f *forwarder) close() {
	if f == nil {
		return
	}
	f.cancel()
	for _, l := range f.listeners {
		l.Close()
	}
	f.wait.Wait()
}
