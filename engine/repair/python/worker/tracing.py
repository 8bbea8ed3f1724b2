"""Which lines of the project run, and with what its functions are called."""
import mmap
import struct
import sys
import threading

from . import inputs

LITERALS = (bool, int, float, str, bytes, type(None))
VARARGS, VARKEYWORDS = 4, 8
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


class Calls:
    """Calls of project functions with arguments that can be written down."""

    MOST = 60  # of one function

    def __init__(self, project, tests):
        self.project, self.tests = project, tests
        self.seen = {}    # code: texts of arguments
        self.found = []   # not told yet

    def record(self, frame):
        code = frame.f_code
        texts = self.seen.setdefault(code, set())
        if len(texts) >= self.MOST or code.co_name.startswith('<'):
            return
        file = self.project.relative(code.co_filename)
        if file in self.tests:
            return
        try:
            call = describe(frame)
        except Exception:
            return
        if call is None:
            return
        owner, args = call
        caller = frame.f_back
        entry = caller is not None and self.project.relative(caller.f_code.co_filename) in self.tests
        if (entry, args) not in texts:
            texts.add((entry, args))
            self.found.append({
                'file': file, 'module': frame.f_globals.get('__name__', ''), 'owner': owner, 'name': code.co_name,
                'line': code.co_firstlineno, 'args': args, 'entry': entry,
            })

    def take(self):
        found, self.found = self.found, []
        return found


def describe(frame):
    """(class name or "", arguments as text) of a call that could be made again from
    nothing but its text; else None."""
    code, names = frame.f_code, frame.f_code.co_varnames
    count = code.co_argcount
    values = [frame.f_locals[n] for n in names[:count]]
    at = count + code.co_kwonlyargcount
    keywords = {n: frame.f_locals[n] for n in names[count:at]}
    if code.co_flags & VARARGS:
        values += frame.f_locals[names[at]]
        at += 1
    if code.co_flags & VARKEYWORDS:
        keywords.update(frame.f_locals[names[at]])
    owner = ''
    if code.co_name not in frame.f_globals:
        owner = stateless(values, code, frame.f_globals)
        if owner is None:
            return None
        values = values[1:]
    parts = [literal(v) for v in values] + [literal(v, n + '=') for n, v in keywords.items()]
    if None in parts or sum(map(len, parts)) > 2000:
        return None
    return owner, ', '.join(parts)


def stateless(values, code, names):
    """The class of a method's object when a new object would be as good; else None."""
    if not values:
        return None
    kind = type(values[0])
    own = getattr(values[0], '__dict__', None)
    method = kind.__dict__.get(code.co_name)
    if names.get(kind.__name__) is kind and own == {} and getattr(method, '__code__', None) is code:
        return kind.__name__
    return None


def literal(value, prefix='', depth=0):
    """value as an expression that makes it again, or None."""
    kind = type(value)
    if kind in LITERALS:
        text = repr(value)
        if len(text) > 1000 or kind is float and text in ('inf', '-inf', 'nan'):
            return None
        return prefix + text
    written = inputs.from_library(value)
    if written is not None:
        return prefix + written
    if depth > 6 or kind not in (list, tuple, dict, set, frozenset) or len(value) > 200:
        return None
    if kind is dict:
        parts = [(literal(k, '', depth + 1), literal(v, '', depth + 1)) for k, v in value.items()]
        if any(k is None or v is None for k, v in parts):
            return None
        return prefix + '{' + ', '.join('%s: %s' % p for p in parts) + '}'
    parts = [literal(v, '', depth + 1) for v in value]
    if None in parts:
        return None
    if kind in (set, frozenset):
        inner = '{' + ', '.join(sorted(parts)) + '}' if parts else ''
        return prefix + (inner if kind is set and parts else '%s(%s)' % (kind.__name__, inner))
    if kind is tuple:
        return prefix + '(' + ', '.join(parts) + (',)' if len(parts) == 1 else ')')
    return prefix + '[' + ', '.join(parts) + ']'
