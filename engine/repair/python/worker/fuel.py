"""Limits on what a piece of the project's code may use: processor time, wall time
and memory. What runs in C and never comes back to the interpreter is not seen
here; the parent process kills that."""
import resource
import signal
import time


class Spent(BaseException):
    """The fuel is used up. No project code expects it."""


class Fuel:
    """Timers around a call. Both go on firing, for code that catches everything."""

    def __init__(self):
        self.spent = False
        self.armed = False
        self.itimer = signal.setitimer
        signal.signal(signal.SIGPROF, self.fire)

    def fire(self, *_):
        if self.armed:
            self.spent = True
            raise Spent()

    def start(self, seconds):
        self.spent, self.armed = False, True
        self.itimer(signal.ITIMER_PROF, seconds, 0.01)

    def stop(self):
        self.armed = False
        self.itimer(signal.ITIMER_PROF, 0)


class Watch:
    """Processor time of a piece of code. Where that clock ticks coarsely, little time
    on the wall is the better answer."""

    COARSE = 0.01

    def __init__(self):
        self.wall, self.used = time.perf_counter(), time.process_time()

    def read(self):
        """(processor seconds, wall seconds) since the start."""
        wall = time.perf_counter() - self.wall
        return max(time.process_time() - self.used, min(wall, self.COARSE)), wall


class Clock(Fuel):
    """Fuel that also ends a call that waits: for input, for a lock, asleep. It uses
    the real-time timer, which some pytest plugins need for themselves."""

    def __init__(self):
        super().__init__()
        signal.signal(signal.SIGALRM, self.fire)

    def start(self, seconds):
        super().start(seconds)
        self.itimer(signal.ITIMER_REAL, 0.5 + 10 * seconds, 0.01)

    def stop(self):
        self.itimer(signal.ITIMER_REAL, 0)
        super().stop()


def limit_memory(more):
    """Lets this process grow by so many bytes, and no further."""
    try:
        with open('/proc/self/statm') as f:
            now = int(f.read().split()[0]) * resource.getpagesize()
    except OSError:
        return
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        soft, hard = resource.getrlimit(kind)
        wanted = now + more
        if hard != resource.RLIM_INFINITY:
            wanted = min(wanted, hard)
        if soft == resource.RLIM_INFINITY or soft > wanted:
            try:
                resource.setrlimit(kind, (wanted, hard))
            except (OSError, ValueError):
                pass
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
