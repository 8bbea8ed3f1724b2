"""Tests with the lines that they ran: a row for each, or for each assertion."""
import ast
import builtins
import os
import time

import pytest

from . import asserts, failure, session
from .tracing import Tracer


class Spectrum(session.Run):
    """Runs tests with line coverage and tells a row for each."""

    def __init__(self, plan, project, sources, lines, ids, budget, shared, by_assertion):
        super().__init__(plan, project, ids)
        self.lines, self.budget, self.sources, self.shared = lines, budget, sources, shared
        self.targets = set(plan.targets)
        self.session, self.current = None, ''
        self.tracer = Tracer(project, self.tests, shared, lambda n, rel: lines.send({'file': n, 'name': rel}))
        self.recorder = None
        if by_assertion:
            self.recorder = asserts.Recorder(self.tracer, self.assertion)
            setattr(builtins, asserts.RECORDER, self.recorder)
        self.started = time.monotonic()

    def prepare(self):
        """Serves the rewritten tests to pytest's import."""
        if self.recorder is None:
            return
        for rel in self.tests:
            path = os.path.join(self.plan.root, rel)
            try:
                with open(path, 'rb') as f:
                    code = asserts.rewrite(f.read(), path)
            except (OSError, SyntaxError, ValueError, RecursionError):
                continue
            self.sources.rewritten[self.sources.path(path)] = (os.stat(path), code)

    def limit(self, item):
        known = self.plan.seconds.get(item.nodeid)
        if known is None or item.nodeid in self.plan.hung:
            return 0.1  # what runs at all has run by then
        return 1 + 20 * known

    def begins(self, item):
        self.lines.send({'start': item.nodeid, 'limit': self.limit(item)})
        if item.nodeid not in self.targets and time.monotonic() - self.started > self.budget:
            self.session.shouldstop = 'enough tests'
        self.current = item.nodeid
        self.shared.clear()
        self.tracer.fresh()
        self.tracer.start()

    def ends(self, item, outcome, seconds, failed):
        self.tracer.stop()
        if self.recorder is not None:
            self.recorder.finish(outcome, failed)
        self.row(item.nodeid, 0, outcome, self.tracer.lines, failed)
        calls = self.tracer.calls.take()
        if calls:
            self.lines.send({'calls': calls, 'of': item.nodeid})

    def assertion(self, line, failed, lines, what):
        self.row(self.current, line, 'failed' if failed else 'passed', lines, what)

    def row(self, native, line, outcome, lines, failed):
        by_file = {}
        for rel, n in lines:
            by_file.setdefault(rel, []).append(n)
        frames = failure.frames(failed[1], self.project) if failed else []
        self.lines.send({
            'row': native, 'assertion': line, 'outcome': outcome, 'lines': {f: sorted(n) for f, n in by_file.items()},
            'frames': [f[:2] for f in frames],
        })

    # What runs at import belongs to every test.

    def pytest_sessionstart(self, session):
        self.session = session

    @pytest.hookimpl(hookwrapper=True)
    def pytest_collection(self):
        self.tracer.fresh()
        self.tracer.start()
        yield
        self.tracer.stop()
        by_file = {}
        for rel, n in self.tracer.lines:
            if rel not in self.tests:
                by_file.setdefault(rel, set()).add(n)
        self.lines.send({'imports': {f: sorted(n & statements(self.plan.root, f)) for f, n in by_file.items()}})


def statements(root, rel):
    """The lines of a file that run at import and could be at fault: not those of
    definitions, imports and docstrings."""
    try:
        with open(os.path.join(root, rel), 'rb') as f:
            tree = ast.parse(f.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return set()
    out, stack = set(), list(tree.body)
    while stack:
        n = stack.pop()
        if isinstance(n, ast.ClassDef):
            stack.extend(n.body)
        elif isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if n.args.defaults or any(n.args.kw_defaults):
                out.update(range(n.lineno, n.body[0].lineno))
        elif not isinstance(n, (ast.Import, ast.ImportFrom)) and not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)):
            out.update(range(n.lineno, n.end_lineno + 1))
    return out
