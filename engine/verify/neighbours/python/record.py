"""Runs tests and notes with what they call the project's functions."""
import dis
import sys
import threading
import time

import pytest

from autocoder_repair import calling, session
from autocoder_repair.children import Child

CALLS = 200000  # of Python functions that are looked at in all tests
RESUMED = 0x20 | 0x80 | 0x200  # flags of code that is entered more than once: generators, coroutines


class Recording(session.Run):
    """The plugin. Before anything of the project is loaded it forks a process that
    plays calls later, as they are in a program that has just begun."""

    def __init__(self, plan, project, ids, serve, until):
        super().__init__(plan, project, ids)
        self.calls = calling.Calls(project, self.tests)
        self.left, self.until = CALLS, until
        self.serve, self.player, self.session = serve, None, None
        self.parameters, self.starts = {}, {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self):
        self.player = Child(self.serve)

    def pytest_sessionstart(self, session):
        self.session = session

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        """The repaired tests first, then the others of their files."""
        items.sort(key=lambda i: i.nodeid not in self.order)

    def limit(self, item):
        return 2.0

    def begins(self, item):
        if time.monotonic() > self.until:
            self.session.shouldstop = 'enough tests'
        if sys.gettrace() is None and self.left > 0:
            threading.settrace(self.on_call)
            sys.settrace(self.on_call)

    def ends(self, item, outcome, seconds, failed):
        if sys.gettrace() == self.on_call:
            sys.settrace(None)
            threading.settrace(None)

    def on_call(self, frame, event, arg):
        self.left -= 1
        code = frame.f_code
        if self.left < 0:
            sys.settrace(None)
        elif self.project.relative(code.co_filename) is not None and not self.resumes(frame, code):
            names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
            self.parameters[self.project.relative(code.co_filename), code.co_firstlineno] = names
            self.calls.record(frame)
        return None

    def resumes(self, frame, code):
        """Whether a frame goes on where it was left: its variables are no arguments
        any more."""
        if not code.co_flags & RESUMED:
            return False
        if code not in self.starts:
            starts = [i.offset for i in dis.get_instructions(code) if i.opname == 'RESUME' and i.arg == 0]
            self.starts[code] = starts[0] if starts else 0
        return frame.f_lasti > self.starts[code]


def changed_functions(before, after):
    """The first lines of functions that an edit changes or adds, in the new text, with
    those of decorators."""
    import ast

    def functions(text):
        out = {}

        def walk(node, path):
            for child in ast.iter_child_nodes(node):
                name = path + (getattr(child, 'name', ''),)
                if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    out[name] = child
                walk(child, name if hasattr(child, 'name') else path)
        walk(ast.parse(text), ())
        return out

    try:
        old, new = functions(before), functions(after)
    except (SyntaxError, ValueError, RecursionError):
        return set()
    lines = set()
    for name, node in new.items():
        if name not in old or ast.dump(old[name]) != ast.dump(node):
            lines.add(min([node.lineno] + [d.lineno for d in node.decorator_list]))
    return lines
