package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"autocoder/engine/command"
)

// Cell is a place where commands run on one tree at a time. Its methods may be
// called at the same time.
type Cell struct {
	config     Config // as given
	real       Config // without symlinks
	home, tmp  string
	system     []string // what commands may read of it, where Landlock is to keep them from the rest
	supervisor *exec.Cmd
	crash      *tail         // what the supervisor printed, which is only ever a crash
	forward    *forwarder    // nil when nothing outside may be reached
	group      *controlGroup // nil where there is none
	dead       chan struct{} // closed when the supervisor has been reaped

	ask     sync.Mutex // held while an order is answered
	control *net.UnixConn

	mu        sync.Mutex // guards the fields below
	tree      Tree
	processes map[*process]bool // those that live, and those with output not read yet
	closed    bool
	bound     string // how the number of processes of the last command is bounded
}

// Open starts a cell on tree. ctx bounds the opening only; the cell lives until
// Close, or until this process ends in whatever way.
func Open(ctx context.Context, c Config, tree Tree) (*Cell, error) {
	if err := errors.Join(c.check(), tree.check()); err != nil {
		return nil, err
	}
	real, err := c.resolved()
	if err != nil {
		return nil, err
	}
	realTree, err := tree.resolved()
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc([]string{privateTmp, privateDev, hostRun}, func(hidden string) bool { return within(c.Root, hidden) }) {
		c.Root = real.Root // the symlinks on the way are hidden there
	}
	cell := &Cell{
		config: c, real: real, tree: tree, processes: map[*process]bool{}, dead: make(chan struct{}), crash: &tail{},
		home: filepath.Join(c.Scratch, "home"), tmp: filepath.Join(c.Scratch, "tmp"),
	}
	cell.real.Readable = slices.Concat(filepath.SplitList(lookup(environment(c, cell.Root(), "", "", nil), "PATH")), c.Readable, toolFolders(c.Environ))
	if c.Tier == Confined && !c.ReadAll {
		cell.system = readableOfSystem()
	}
	for _, dir := range []string{cell.home, cell.tmp} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("open cell: %w", err)
		}
	}
	if err := cell.spawn(); err != nil {
		return nil, fmt.Errorf("open %v cell: %w", c.Tier, err)
	}
	stop := context.AfterFunc(ctx, func() { cell.control.Close() })
	setup := cell.real
	setup.Environ = nil // the supervisor has no use for it
	reached := forwarded(c)
	if len(reached) > 0 {
		err = writeHosts(c.Scratch, reached)
	}
	var listeners []*os.File
	if err == nil {
		listeners, err = cell.request(order{Setup: &setup, Switch: &realTree})
	}
	if err == nil && len(reached) > 0 {
		cell.forward, err = newForwarder(reached, listeners)
	}
	closeAll(listeners)
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		cell.Close()
		return nil, fmt.Errorf("open %v cell on %q: %w", c.Tier, tree.Dir, err)
	}
	return cell, nil
}

// spawn starts the supervisor. It has a session of its own, so that a ^C at the
// terminal does not end it before we do. It has no parent-death signal, which
// the kernel ties to the thread that forked: the control socket does that.
func (c *Cell) spawn() error {
	ours, theirs, err := socketPair(unix.SOCK_SEQPACKET)
	if err != nil {
		return err
	}
	defer theirs.Close()
	cmd := exec.Command("/proc/self/exe", roleSupervisor.arg())
	cmd.Args[0] = "autocoder"
	cmd.Dir = "/"
	cmd.Env = []string{} // not nil: nothing is inherited
	cmd.Stderr = c.crash
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if c.config.Tier == Isolated {
		namespaces(cmd.SysProcAttr, c.config.Network)
	}
	if err := cmd.Start(); err != nil {
		ours.Close()
		if cmd.SysProcAttr.Cloneflags != 0 {
			return fmt.Errorf("clone supervisor into new namespaces: %w", err)
		}
		return fmt.Errorf("start supervisor: %w", err)
	}
	c.supervisor, c.control = cmd, ours
	bounds := groupBounds{processesOf(c.config.Processes), memoryOf(c.config.Memory)}
	c.group = enterGroup(cmd.Process.Pid, bounds, c.config.Tier == Isolated && boundsNamespaces())
	go func() { // ends with the supervisor; Close waits for it
		_ = cmd.Wait() // how it ended shows in c.crash
		close(c.dead)
	}()
	return nil
}

// order has the supervisor do something and returns its error.
func (c *Cell) order(o order, files ...*os.File) error {
	seen, err := c.request(o, files...)
	closeAll(seen)
	return err
}

// request is order for what is answered with files.
func (c *Cell) request(o order, files ...*os.File) ([]*os.File, error) {
	c.ask.Lock()
	defer c.ask.Unlock()
	if err := sendPacket(c.control, o, files...); err != nil {
		return nil, c.lost(err)
	}
	var a answer
	seen, err := receivePacket(c.control, &a)
	if err != nil {
		return nil, c.lost(err)
	}
	if a.Fault != nil {
		closeAll(seen)
		return nil, a.Fault.err()
	}
	return seen, nil
}

// Files returns the folder of the current tree as commands see it, which is the
// only place where a tree with a layer may be written while it is shown. It stays
// that tree's after a Switch; whoever asked closes it.
func (c *Cell) Files() (*os.Root, error) {
	c.mu.Lock()
	tree := c.tree
	c.mu.Unlock()
	if tree.Layer == "" {
		return os.OpenRoot(tree.Dir)
	}
	seen, err := c.request(order{Look: true})
	if err != nil {
		return nil, fmt.Errorf("look into the cell: %w", err)
	}
	defer closeAll(seen)
	if len(seen) != 1 {
		return nil, fmt.Errorf("look into the cell: %d files came", len(seen))
	}
	return os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d", seen[0].Fd()))
}

// lost says why the supervisor does not answer.
func (c *Cell) lost(err error) error {
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		return ErrClosed
	}
	select {
	case <-c.dead:
		return fmt.Errorf("%w: its supervisor ended: %v %s", ErrClosed, c.supervisor.ProcessState, c.crash)
	default:
		return fmt.Errorf("%w: its supervisor does not answer: %v", ErrClosed, err)
	}
}

// Root is the absolute path at which commands see the workspace: its own in
// isolated, else that of the current tree.
func (c *Cell) Root() string {
	if c.config.Tier == Isolated {
		return c.config.Root
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tree.Dir
}

// Scratch is the folder outside the workspace that both sides can write.
func (c *Cell) Scratch() string { return c.config.Scratch }

// Tier is the tier the cell was opened with.
func (c *Cell) Tier() Tier { return c.config.Tier }

// Switch puts another tree in the place of the current one. Only warm workers
// may be running; they see the new tree after they have changed into its folder
// again. In confined they may not write it unless Config.Writable has it: what
// a running process may write can't be widened.
func (c *Cell) Switch(ctx context.Context, tree Tree) error {
	if err := errors.Join(ctx.Err(), tree.check()); err != nil {
		return fmt.Errorf("switch cell: %w", err)
	}
	real, err := tree.resolved()
	if err != nil {
		return fmt.Errorf("switch cell: %w", err)
	}
	if err := c.order(order{Switch: &real}); err != nil {
		return fmt.Errorf("switch cell to %q: %w", tree.Dir, err)
	}
	c.mu.Lock()
	c.tree = tree
	c.mu.Unlock()
	return nil
}

// Close kills everything in the cell and returns when all of it is dead. It may
// be called more than once.
func (c *Cell) Close() error {
	c.mu.Lock()
	c.closed = true
	var running []*process
	for p := range c.processes {
		running = append(running, p)
	}
	c.mu.Unlock()
	for _, p := range running {
		p.kill()
	}
	c.control.Close()
	<-c.dead
	c.group.remove()
	c.forward.close()
	for _, p := range running {
		<-p.done
		p.release()
	}
	return nil
}

// Start starts a command. It is killed when ctx ends.
func (c *Cell) Start(ctx context.Context, spec command.Spec) (*command.Process, error) {
	t, err := c.task(spec)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Args[0], err)
	}
	p, err := c.launch(t, spec.Stdin)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Args[0], err)
	}
	c.mu.Lock()
	c.bound = p.bound
	c.mu.Unlock()
	stop := context.AfterFunc(ctx, p.kill)
	go func() {
		<-p.done
		stop()
	}()
	out := &command.Process{Stdout: p.stdout, Stderr: p.stderr, Kill: p.kill, Wait: p.wait}
	if p.stdin != nil {
		out.Stdin = p.stdin
	}
	return out, nil
}

// task says what the launcher is to do for spec.
func (c *Cell) task(spec command.Spec) (task, error) {
	if len(spec.Args) == 0 {
		return task{}, errors.New("start command: no program given")
	}
	dir := filepath.FromSlash(spec.Dir)
	if dir != "" && !filepath.IsLocal(dir) {
		return task{}, fmt.Errorf("start %s: working folder %q leads out of the workspace", spec.Args[0], spec.Dir)
	}
	root := c.Root()
	tmp := c.tmp
	if c.config.Tier == Isolated {
		tmp = privateTmp
	}
	t := task{Args: spec.Args, Dir: filepath.Join(root, dir)}
	t.Env = environment(c.config, root, c.home, tmp, append([]string{"PWD=" + t.Dir}, spec.Env...))
	if c.config.Tier == Isolated {
		root = c.real.Root
	}
	visible := c.visible()
	t.Limits = limitsFor(visible, root)
	if len(c.system) > 0 {
		t.Limits.Readable = slices.Concat(c.system, visible.Readable)
	}
	t.Limits.Grouped = c.group != nil
	c.mu.Lock()
	defer c.mu.Unlock()
	if within(c.tree.Layer, sharedMemory) {
		t.Limits.MemoryTree = root
	}
	return t, nil
}

// visible is the cell's own configuration, with all that may be read.
func (c *Cell) visible() Config {
	visible := c.real
	visible.Readable = slices.Clone(visible.Readable)
	if exe, err := os.Executable(); err == nil {
		visible.Readable = append(visible.Readable, exe)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.tree.Shared {
		visible.Readable = append(visible.Readable, s.Source)
	}
	for _, k := range c.tree.Kept {
		if dir, err := filepath.EvalSymlinks(k.Dir); err == nil && k.Layer == "" {
			visible.Readable = append(visible.Readable, dir)
			visible.Writable = slices.DeleteFunc(slices.Clone(visible.Writable), func(w string) bool { return w == dir })
		}
	}
	return visible
}

// Reads reports whether commands may read a host path.
func (c *Cell) Reads(path string) bool {
	if c.config.Tier == Supervised || c.config.ReadAll {
		return true
	}
	visible := c.visible()
	open := slices.Concat(systemFolders, visible.Readable, visible.Writable, []string{visible.Root, c.config.Root, visible.Scratch})
	return slices.ContainsFunc(open, func(dir string) bool { return within(path, dir) })
}

// bounds says how what commands take is bounded, once one was started.
func (c *Cell) bounds() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	memory := ""
	if c.group != nil && c.group.memory {
		memory = "memory " + boundGroup + " too, "
	}
	return fmt.Sprintf("processes %s, %smemory and disk %s every %v", c.bound, memory, boundWatch, watchEvery)
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex // guards text
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - 4096; over > 0 {
		t.text = t.text[over:]
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
