package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"autocoder/engine/command"
)

// Answer is what one probe found.
type Answer struct {
	// Name says what must hold: "write outside is refused".
	Name string
	OK   bool
	// Detail says what happened when it does not hold, else perhaps how it does.
	Detail string
}

// The probes, in the order of their answers.
const (
	probeOpen    = "a cell opens"
	probeBounds  = "what tests take is bounded"
	probeWrite   = "writing outside the copy is refused"
	probeShared  = "a shared folder is read-only"
	probeInside  = "writing the copy works"
	probeConnect = "connecting outside is refused"
	probeRead    = "reading a private file is refused"
	probeListen  = "listening on 127.0.0.1 works"
	probeSignal  = "signalling other processes is refused"
	probeLook    = "the environment of other programs is hidden"
)

// Probe opens a cell of the tier and really tries what the tier promises to
// refuse and to allow. The tier is to be had when every answer is OK.
func Probe(ctx context.Context, tier Tier, environ []string) []Answer {
	site, err := newSite()
	if err != nil {
		return []Answer{{Name: probeOpen, Detail: err.Error()}}
	}
	defer site.remove()
	cell, err := Open(ctx, Config{
		Root: site.path("root"), Scratch: site.path("scratch"), Tier: tier, Network: NetworkLoopback,
		Environ: append(slices.Clone(environ), "HOME="+site.path("home")),
	}, Tree{Dir: site.path("tree"), Shared: site.shared(tier)})
	if err != nil {
		return []Answer{{Name: probeOpen, Detail: err.Error()}}
	}
	defer cell.Close()
	answers := []Answer{{Name: probeOpen, OK: true}}
	tried, err := site.try(ctx, cell)
	if err != nil {
		return append(answers, Answer{Name: probeInside, Detail: err.Error()})
	}
	answers = append(answers, Answer{Name: probeBounds, OK: true, Detail: cell.bounds()})
	answers = append(answers, verdict(probeInside, tried["inside"] == "", tried["inside"]))
	if tier == Supervised {
		return answers
	}
	answers = append(answers, site.write(), site.sharedUntouched())
	answers = append(answers, verdict(probeRead, tried["read"] != "", "a file in the home folder was read"))
	answers = append(answers, verdict(probeConnect, tried["connect"] != "", "a listener of another process was reached"))
	if tier == Isolated {
		answers = append(answers, verdict(probeListen, tried["listen"] == "", tried["listen"]))
	}
	answers = append(answers, site.look(tier, tried))
	return append(answers, verdict(probeSignal, site.strangerLives(), "a process outside was killed"))
}

// look says what is seen of other programs. How they were called is shown to
// everybody by a /proc that is everybody's, which takes a namespace to change.
func (s *site) look(tier Tier, tried map[string]string) Answer {
	a := verdict(probeLook, tried["environ"] != "", "the environment of another program was read")
	if a.OK && tried["cmdline"] == "" {
		a.OK = tier != Isolated
		a.Detail = "their command lines can be seen, which isolated alone can hide"
	}
	return a
}

func verdict(name string, ok bool, detail string) Answer {
	if ok {
		detail = ""
	}
	return Answer{Name: name, OK: ok, Detail: detail}
}

// site is the scene of a probe: folders inside and outside, a listener and a
// process that must not be reached.
type site struct {
	dir      string
	listener net.Listener
	stranger *exec.Cmd
	hold     io.Closer // the stranger ends by itself when this is closed
}

const (
	untouched   = "untouched"
	privateFile = "home/.ssh/id_ed25519"
)

func newSite() (*site, error) {
	// Not in /tmp where that can be had: isolated hides /tmp, and what is hidden
	// proves nothing about what is refused.
	dir, err := os.MkdirTemp("/var/tmp", "autocoder-probe")
	if err != nil {
		dir, err = os.MkdirTemp("", "autocoder-probe")
	}
	if err != nil {
		return nil, fmt.Errorf("make a folder to probe in: %w", err)
	}
	s := &site{dir: dir}
	if err := s.build(); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

func (s *site) build() error {
	real, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		return err
	}
	s.dir = real
	for _, d := range []string{"root/dep", "tree", "scratch", "outside", "shared", "home/.ssh"} {
		if err := os.MkdirAll(s.path(d), 0o700); err != nil {
			return err
		}
	}
	for _, f := range []string{"outside/file", "shared/file", privateFile} {
		if err := os.WriteFile(s.path(f), []byte(untouched), 0o600); err != nil {
			return err
		}
	}
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return fmt.Errorf("listen for probe: %w", err)
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	s.stranger = exec.Command(exe, roleStranger.arg())
	if s.hold, err = s.stranger.StdinPipe(); err != nil {
		return err
	}
	return s.stranger.Start()
}

func (s *site) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// shared is the shared folder as the tier wants the tree to have it.
func (s *site) shared(tier Tier) []Shared {
	at := s.path("tree/dep")
	if tier == Isolated {
		_ = os.Mkdir(at, 0o700) // opening the cell says what is missing
	} else {
		_ = os.Symlink(s.path("shared"), at)
	}
	return []Shared{{Path: "dep", Source: s.path("shared")}}
}

// try runs the attempts in the cell and returns their errors by name.
func (s *site) try(ctx context.Context, cell *Cell) (map[string]string, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	out, err := command.Run(ctx, cell, command.Spec{Args: []string{
		exe, roleProbe.arg(), s.path("outside"), s.listener.Addr().String(), strconv.Itoa(s.stranger.Process.Pid), s.path(privateFile),
	}}, 64<<10)
	if err != nil {
		return nil, err
	}
	tried := map[string]string{}
	for line := range strings.Lines(string(out.Stdout)) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		tried[name] = text
	}
	if _, ok := tried["end"]; !ok {
		return nil, fmt.Errorf("probe ended early: %v %s%s", out.Exit, out.Stdout, out.Stderr)
	}
	return tried, nil
}

// write looks at what the attempts to write outside have left.
func (s *site) write() Answer {
	b, err := os.ReadFile(s.path("outside/file"))
	if err != nil || string(b) != untouched {
		return verdict(probeWrite, false, "a file outside was changed")
	}
	if info, err := os.Stat(s.path("outside/file")); err != nil || info.Mode().Perm() != 0o600 || info.ModTime().Unix() == 1 {
		return verdict(probeWrite, false, "the mode or the time of a file outside was changed")
	}
	_, err = os.Lstat(s.path("outside/new"))
	return verdict(probeWrite, errors.Is(err, os.ErrNotExist), "a file was made outside")
}

func (s *site) sharedUntouched() Answer {
	b, err := os.ReadFile(s.path("shared/file"))
	if err != nil || string(b) != untouched {
		return verdict(probeShared, false, "a shared file was changed")
	}
	_, err = os.Lstat(s.path("shared/new"))
	return verdict(probeShared, errors.Is(err, os.ErrNotExist), "a file was made in a shared folder")
}

// strangerLives lets the stranger go and reports whether it ended by itself.
func (s *site) strangerLives() bool {
	s.hold.Close()
	err := s.stranger.Wait()
	s.stranger = nil
	return err == nil
}

func (s *site) remove() {
	if s.listener != nil {
		s.listener.Close()
	}
	if s.stranger != nil && s.stranger.Process != nil {
		s.hold.Close()
		_ = s.stranger.Wait() // it was only there to be looked at
	}
	_ = os.RemoveAll(s.dir) // in a temporary folder anyway
}

// strangerMain is the process that must not be reached.
func strangerMain(stdin io.Reader) int {
	_, _ = io.Copy(io.Discard, stdin)
	return 0
}

// probeMain tries, in a cell, to write into the folder args[0], to connect to
// args[1], to kill args[2] and to read args[3]. It prints a line for each attempt: its name and
// the error.
func probeMain(args []string, stdout io.Writer) int {
	if len(args) != 4 {
		return 2
	}
	pid, err := strconv.Atoi(args[2])
	if err != nil {
		return 2
	}
	say := func(name string, err error) {
		text := ""
		if err != nil {
			text = strings.ReplaceAll(err.Error(), "\n", " ")
		}
		fmt.Fprintln(stdout, name, text)
	}
	say("inside", deface("inside"))
	say("shared", deface("dep"))
	say("outside", deface(args[0]))
	_, err = os.ReadFile(args[3])
	say("read", err)
	say("connect", connect(args[1]))
	say("listen", listen())
	seen := lookAt(pid)
	say("cmdline", seen)
	if seen == nil {
		_, seen = os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	}
	say("environ", seen)
	if p, err := os.FindProcess(pid); err == nil {
		say("signal", p.Kill())
	}
	fmt.Fprintln(stdout, "end")
	return 0
}

// deface changes the files of a folder in every way that a restriction may have
// missed.
func deface(dir string) error {
	file := filepath.Join(dir, "file")
	_ = os.Mkdir(dir, 0o700) // only where it is missing
	_ = os.Chmod(file, 0o777)
	_ = os.Chtimes(file, time.Unix(1, 0), time.Unix(1, 0))
	_ = os.Truncate(file, 1)
	_ = os.Remove(file)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "new"), nil, 0o600)
}

// lookAt reads how the stranger was called. A process of another namespace may have
// its number.
func lookAt(pid int) error {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err == nil && !strings.Contains(string(b), roleStranger.arg()) {
		err = errors.New("it is another program's")
	}
	return err
}

func connect(address string) error {
	c, err := net.Dial("tcp", address)
	if err == nil {
		c.Close()
	}
	return err
}

func listen() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	return connect(l.Addr().String())
}
