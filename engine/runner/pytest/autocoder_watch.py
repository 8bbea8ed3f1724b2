"""Watches a drilled test: whether it came to its checks, and what became of those
that failed.

That the body of a test ended says nothing when no check was reached, when the one
that failed before the edit is no longer come to, or when a check failed and the
code under test kept that for itself.
"""
import ast
import os
import re
import sys
import threading

_CALLS = 20000  # more would slow the test down

_MACHINERY = re.compile(r"[\\/](_pytest|pytest|pluggy|unittest|hypothesis)[\\/]|[\\/]pytest\.py$")

_THREADS = re.compile(r"thread|executor|asyncio\.(gather|create_task|wait)|TaskGroup|multiprocessing", re.IGNORECASE)


class _Source:
    """The tree of a test file, with what is around each statement."""

    def __init__(self, file):
        self.text = ""
        self.around = {}
        try:
            with open(file, "rb") as source:
                text = source.read()
            self.tree = ast.parse(text)
            self.text = text.decode("utf-8", "replace")
        except (OSError, SyntaxError, ValueError):
            self.tree = ast.Module(body=[], type_ignores=[])
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.around[child] = node

    def function(self, code):
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
                if min([node.lineno] + [d.lineno for d in node.decorator_list]) == code.co_firstlineno:
                    return node
        return None

    def around_bodies(self):
        """Names the functions of the file that run before or after the bodies of tests,
        and those that they call."""
        called = {}
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                calls = {_name(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
                called[node.name] = called.get(node.name, set()) | calls
                if _AROUND.match(node.name) or any("fixture" in ast.dump(d) for d in node.decorator_list):
                    called.setdefault(None, set()).add(node.name)
        found, left = set(), called.get(None, set())
        while left:
            found |= left
            left = {name for f in left for name in called[f] if name in called} - found
        return found

    def statement(self, line):
        """Returns the innermost statement, or body of a lambda, at a line."""
        found = None
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.stmt, ast.Lambda)) and node.lineno <= line <= (getattr(node, "end_lineno", None) or node.lineno):
                found = node
        return found


# _AROUND are what unittest and pytest run around the body of a test.
_AROUND = re.compile(r"((async)?[sS]etUp|(async)?[tT]earDown)(Class|Module)?$|(setup|teardown)(_(method|function|class|module))?$")


def _name(called):
    """The name by which a function is called."""
    return getattr(called, "attr", getattr(called, "id", ""))


def _lines(node):
    return range(node.lineno, (getattr(node, "end_lineno", None) or node.lineno) + 1)


def _fails(node):
    """Reports whether a statement does nothing but fail."""
    if isinstance(node, ast.Raise):
        return True
    if isinstance(node, ast.Assert):
        return isinstance(node.test, ast.Constant)
    call = node.value if isinstance(node, ast.Expr) else node.body if isinstance(node, ast.Lambda) else None
    return isinstance(call, ast.Call) and _name(call.func) in ("fail", "skip", "exit")


def _asserts(call):
    return isinstance(call, ast.Call) and _name(call.func).lower().startswith("assert")


def _runs(what):
    """Reports whether a loop has something to run for by what the test says itself:
    a list, or one beside what is tested. That what is tested gives nothing may be
    what a test asks for."""
    if isinstance(what, ast.Call) and getattr(what.func, "id", "") in ("zip", "enumerate", "range"):
        return any(isinstance(a, (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Constant)) for a in what.args)
    return isinstance(what, (ast.List, ast.Tuple, ast.Set, ast.Dict))


def _checks(body):
    """Yields the lines of the checks that a function comes to, whatever it is that
    it tests."""
    for node in body:
        if isinstance(node, ast.Assert) or isinstance(node, ast.Expr) and _asserts(node.value):
            yield from _lines(node)
        elif isinstance(node, ast.Try) and not node.handlers or isinstance(node, ast.For) and _runs(node.iter):
            yield from _checks(node.body)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            if not any(word in ast.dump(item.context_expr).lower() for item in node.items for word in ("raises", "suppress", "warns")):
                yield from _checks(node.body)
            else:
                yield node.lineno  # that it raises is the check


class _Failed:
    """The check at which a test failed before the edit."""

    def __init__(self, source, line, called):
        self.lines, self.sure, self.name, self.plain = frozenset(), False, None, True
        node = source.statement(line)
        if node is None or isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # an example in a text
        inner, sure, conditional = node, True, not _fails(node)
        while node in source.around:
            child, node = node, source.around[node]
            if self.name is None and isinstance(child, (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef)):
                self.name = getattr(child, "name", "<lambda>")
                self.plain = isinstance(node, (ast.Module, ast.ClassDef))
            if isinstance(node, (ast.If, ast.While)) and child is not node.test:
                if not conditional:
                    inner, conditional = node.test, True
                else:
                    sure = False
            elif isinstance(node, (ast.For, ast.AsyncFor)) and child is not node.iter:
                sure = sure and _runs(node.iter)
            elif isinstance(node, ast.ExceptHandler) or isinstance(node, ast.Try) and node.handlers:
                sure = False
        if self.name is None or self.name in source.around_bodies():
            return  # only bodies are watched
        if conditional and not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.lines, self.sure = frozenset(_lines(inner)), sure and (called or self.plain)


class _Raised:
    """A failure of a check on its way up. through says that code under test called
    the one that failed; handled that the last frame that saw it went on."""

    def __init__(self, error, line):
        self.error, self.line, self.through, self.foreign = error, line, False, False
        self.frame, self.handled, self.own, self.product, self.said = None, False, False, None, False


class Watch:
    """failed has, by the ids of tests, the file and line where each failed before,
    and whether code of another file had called that place."""

    def __init__(self, root, failed, kinds):
        self.root = os.path.realpath(root).rstrip(os.sep) + os.sep
        self.failed, self.kinds = failed, kinds
        self.sources = {}
        self.reset(None)

    def reset(self, file):
        self.file, self.code, self.lines, self.met = file, None, frozenset(), True
        self.again, self.other, self.open, self.left = None, None, {}, 0
        self.thread = threading.get_ident()

    def source(self, file):
        if file not in self.sources:
            self.sources[file] = _Source(file)
        return self.sources[file]

    def begin(self, nodeid, body):
        while hasattr(body, "__wrapped__"):
            body = body.__wrapped__
        code = getattr(getattr(body, "__func__", body), "__code__", None)
        self.reset(code.co_filename if code else None)
        if code is None or sys.gettrace() is not None:
            return
        function = self.source(self.file).function(code)
        self.code = code
        self.lines = frozenset(_checks(function.body)) if function else frozenset()
        self.met = not self.lines
        place = self.failed.get(nodeid)
        if place:
            self.other = os.path.join(self.root, place[0])
            check = _Failed(self.source(self.other), place[1], place[2])
            self.again = check if check.lines else None
        self.came = False
        self.left = _CALLS
        threading.settrace(self.call)
        sys.settrace(self.call)

    def end(self):
        if sys.gettrace() == self.call:
            sys.settrace(None)
            threading.settrace(None)

    # -- tracing ----------------------------------------------------------

    def call(self, frame, event, arg):
        self.left -= 1
        if self.left < 0:  # what was not seen until now is not held against the test
            self.met, self.again = True, None
            self.end()
            return None
        file = frame.f_code.co_filename
        if file == self.file or file == self.other:
            return self.within
        frame.f_trace_lines = False
        return self.below

    def within(self, frame, event, arg):
        """Follows the test file."""
        if event == "line":
            line = frame.f_lineno
            if line in self.lines and frame.f_code is self.code:
                self.met = True
            if self.again and line in self.again.lines and frame.f_code.co_filename == self.other:
                self.came = self.came or frame.f_code.co_name == self.again.name
            if self.open:
                self.goes_on(frame)
        elif event == "exception":
            self.raised(frame, arg[1], True)
        return self.within

    def below(self, frame, event, arg):
        """Follows everything else, for what it does with failures of checks."""
        if event == "exception":
            self.raised(frame, arg[1], False)
        elif event == "line" and self.open:
            self.goes_on(frame)
        return self.below

    def raised(self, frame, error, own):
        before = self.open.get(id(getattr(error, "__context__", None)))
        if before and not isinstance(error, (StopIteration, StopAsyncIteration)):
            before.said = True  # another one tells of it
        if not isinstance(error, self.kinds):
            return
        record = self.open.get(id(error))
        if record is None:
            if not own or len(self.open) > 20:
                return
            record = self.open[id(error)] = _Raised(error, frame.f_lineno)
            record.through = self.called_by_product(frame)
            record.foreign = threading.get_ident() != self.thread
        record.frame, record.handled = frame, False
        file = frame.f_code.co_filename
        record.own = own or _MACHINERY.search(file) is not None
        if not record.own and self.is_product(file):
            record.product = file
        if not own:
            frame.f_trace_lines = True

    def goes_on(self, frame):
        for record in self.open.values():
            if record.frame is frame:
                record.handled = True

    def is_product(self, file):
        return file.startswith(self.root) and not _MACHINERY.search(file) and "-packages" + os.sep not in file and file != self.file

    def called_by_product(self, frame):
        while frame is not None and frame.f_code is not self.code:
            if self.is_product(frame.f_code.co_filename) and frame.f_code.co_filename != self.other:
                return True
            frame = frame.f_back
        return False

    # -- what it says -----------------------------------------------------

    def swallowed(self, error):
        """Names a failed check of the test that the code under test kept for itself."""
        source = self.source(self.file) if self.file else None
        for record in self.open.values():
            if record.said or record.error is error or record.own and record.handled or _fails(source.statement(record.line)):
                continue
            keeps = record.product is not None and not record.own
            lost = record.through or record.foreign and not _THREADS.search(source.text)
            if keeps or lost:
                return "a check failed at line %d of it, and the code under test kept that for itself" % record.line
        return None

    def unreached(self):
        """Says which checks were not come to, and whether that is sure to be wrong."""
        if not self.met:
            return "none of its checks was reached", True
        if self.again and not self.came:
            return "the check that had failed (line %d) was not come to" % min(self.again.lines), self.again.sure
        return None, False
