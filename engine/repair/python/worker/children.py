"""Forked children that report in JSON lines and are killed when they stop doing
so."""
import json
import os
import select
import signal
import time
import warnings

TICKS = os.sysconf('SC_CLK_TCK')


def fork():
    with warnings.catch_warnings():  # of threads that third-party modules have started
        warnings.simplefilter('ignore')
        return os.fork()


def cpu_seconds(pid):
    try:
        with open('/proc/%d/stat' % pid) as f:
            fields = f.read().rpartition(')')[2].split()
        return sum(int(n) for n in fields[11:15]) / TICKS
    except (OSError, ValueError, IndexError):
        return None


class Lines:
    """One end of a pair of pipes that carry JSON lines."""

    def __init__(self, read, write):
        self.read, self.write = read, write
        self.buffer = b''

    def send(self, message):
        data = json.dumps(message, separators=(',', ':')).encode() + b'\n'
        while data:
            data = data[os.write(self.write, data):]

    def receive(self):
        """The next message; None at the end."""
        while True:
            line, newline, rest = self.buffer.partition(b'\n')
            if newline:
                self.buffer = rest
                return json.loads(line)
            data = os.read(self.read, 1 << 20)
            if not data:
                return None
            self.buffer += data

    def ready(self, seconds):
        return b'\n' in self.buffer or bool(select.select([self.read], [], [], seconds)[0])

    def close(self):
        for fd in (self.read, self.write):
            os.close(fd)


class Child:
    """A forked process that runs work(lines) and ends, or, without work, goes on in
    the caller with inside set. Everything that it starts is in its process group,
    unless it takes pains to leave it. settled means that the caller's own streams
    lead nowhere already."""

    def __init__(self, work=None, inherited=(), settled=False):
        down, up = os.pipe(), os.pipe()
        self.pid = fork()
        self.inside = self.pid == 0
        self.killed = False
        self.status = None
        if not self.inside:
            os.close(down[0])
            os.close(up[1])
            self.lines = Lines(up[0], down[1])
            return
        self.settle([down[1], up[0]] + list(inherited), settled)
        self.lines = Lines(down[0], up[1])
        if work is not None:
            try:
                work(self.lines)
            finally:
                os._exit(0)

    def settle(self, foreign, settled):
        os.setpgid(0, 0)
        for fd in foreign:
            os.close(fd)
        if settled:
            return
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        os.close(null)

    def receive(self, cpu, wall):
        """The next message; None when the child ended, or was killed because it used
        so much processor or wall time without one."""
        start, used = time.monotonic(), None
        while not self.lines.ready(0.05 if used is None else 0.2):
            now = cpu_seconds(self.pid)
            if used is None:
                used = now
            spent = now - used if now is not None and used is not None else 0
            if spent > cpu or time.monotonic() - start > wall:
                self.kill()
                return None
        try:
            return self.lines.receive()
        except (ValueError, OSError):
            return None

    def kill(self):
        self.killed = True
        self.end()

    def end(self):
        """Ends the child and its group; returns its wait status."""
        if self.status is None:
            for kill in (os.killpg, os.kill):
                try:
                    kill(self.pid, signal.SIGKILL)
                except OSError:
                    pass
            self.status = os.waitpid(self.pid, 0)[1]
            self.lines.close()
        return self.status
