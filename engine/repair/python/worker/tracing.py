"""Which lines of the project run."""
import mmap
import struct
import sys
import threading

from .calling import Calls

TOOL = 3  # of sys.monitoring: none of those that have a name


class Shared:
    """The lines of the running test in memory that the parent process reads when it
    had to kill this one."""

    SIZE = 1 << 20

    def __init__(self):
        self.memory = mmap.mmap(-1, self.SIZE)
        self.count = 0

    def clear(self):
        self.count = 0
        struct.pack_into('<I', self.memory, 0, 0)

    def add(self, file, line):
        at = 4 + 8 * self.count
        if at + 8 > self.SIZE:
            return
        struct.pack_into('<II', self.memory, at, file, line)
        self.count += 1
        struct.pack_into('<I', self.memory, 0, self.count)

    def read(self):
        count, = struct.unpack_from('<I', self.memory, 0)
        return [struct.unpack_from('<II', self.memory, 4 + 8 * k) for k in range(count)]


class Tracer:
    """Collects lines into self.lines, (file, line) pairs, between start and stop."""

    def __init__(self, project, tests, shared, name_file):
        self.project, self.tests, self.shared = project, tests, shared
        self.name_file = name_file  # told of each file once, with its number
        self.files = {}
        self.lines = set()
        self.calls = Calls(project, tests)
        self.monitoring = getattr(sys, 'monitoring', None)
        if self.monitoring is not None:
            try:
                self.monitoring.use_tool_id(TOOL, 'autocoder')
            except ValueError:
                self.monitoring = None

    def fresh(self):
        """Begins a new set of lines."""
        self.lines = set()
        if self.monitoring is not None:
            self.monitoring.restart_events()
        return self.lines

    def hit(self, path, line):
        rel = self.project.relative(path)
        if rel is None or (rel, line) in self.lines:
            return rel is not None
        self.lines.add((rel, line))
        if rel not in self.files:
            self.files[rel] = len(self.files)
            self.name_file(self.files[rel], rel)
        self.shared.add(self.files[rel], line)
        return True

    def start(self):
        if self.monitoring is None:
            threading.settrace(self.on_call)
            sys.settrace(self.on_call)
            return
        m = self.monitoring
        m.register_callback(TOOL, m.events.LINE, self.on_line_event)
        m.register_callback(TOOL, m.events.PY_START, self.on_start_event)
        m.set_events(TOOL, m.events.LINE | m.events.PY_START)

    def stop(self):
        if self.monitoring is None:
            sys.settrace(None)
            threading.settrace(None)
        else:
            self.monitoring.set_events(TOOL, 0)

    # sys.settrace

    def on_call(self, frame, event, arg):
        path = frame.f_code.co_filename
        if self.project.relative(path) is None:
            return None
        self.calls.record(frame)
        return self.on_line

    def on_line(self, frame, event, arg):
        if event == 'line':
            self.hit(frame.f_code.co_filename, frame.f_lineno)
        return self.on_line

    # sys.monitoring

    def on_line_event(self, code, line):
        self.hit(code.co_filename, line)
        return self.monitoring.DISABLE

    def on_start_event(self, code, offset):
        if self.project.relative(code.co_filename) is None:
            return self.monitoring.DISABLE
        self.calls.record(sys._getframe(1))
