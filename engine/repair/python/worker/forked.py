"""Candidates in processes of their own, each a pytest session that was forked
after pytest had been set up and before it has collected anything.

Slower than the stream, but everything that pytest can do is done here by pytest:
fixtures, classes, plugins, whatever a test starts.
"""
import gc
import os
import pathlib
import sys

import _pytest.assertion.rewrite as rewrite
import pytest

from . import behave, examples, failure, session
from .children import Child
from .fuel import limit_memory
from .loader import apply_edits, compile_quietly

LEAST = 0.25       # seconds of processor time for a test at least
MEMORY = 1 << 30
SLOW = 0.2         # seconds of all tests below which nothing is slow


class Trial(session.Run):
    """Runs the tests of one candidate up to the first that does not pass. It tells
    {"tick"} at each test, and at the end {"verdict", "passed", "sig", "at"}; without
    an edit it goes on and tells {"base": id, "sig"} for each that does not pass."""

    def __init__(self, plan, project, sources):
        super().__init__(plan, project, plan.wanted())
        self.sources = sources
        self.lines = self.candidate = self.shift = self.parent = self.collected = None
        self.passed, self.left = 0, 0
        self.instead = None            # what is done in the place of the tests
        self.used = self.known = 0.0  # seconds of the tests that passed before

    def load(self, candidate, lines):
        """Takes up a candidate in this process, which is its own from here on."""
        self.candidate, self.lines = candidate, lines
        gc.set_threshold(50000, 20, 20)  # what there is lives on
        limit_memory(MEMORY)
        ids = [i for i in self.plan.wanted() if i not in self.plan.hung]
        if candidate is not None:
            ids = self.plan.wanted()
            self.instead = instead(candidate, self.plan)
            self.take(candidate)
            self.natural = candidate.get('natural', False)
            ids = [i for i in ids if relevant(self.plan, i, candidate['path']) and (self.natural or i in self.plan.targets)]
        self.order = {t: k for k, t in enumerate(ids)}
        self.left = len(ids)
        self.collected = self.plan.files(ids)

    def take(self, candidate):
        """The edit is served to imports and written to the file, for what reads it."""
        path = os.path.join(self.plan.root, candidate['path'])
        with open(path, 'rb') as f:
            content = f.read()
        self.shift = failure.Shift(candidate['path'], content, candidate['edits'])
        changed = apply_edits(content, candidate['edits'])
        code = compiled(changed, path)
        if code is None:
            self.finish('R')
        self.sources.changed[self.sources.path(path)] = code
        with open(path, 'wb') as f:
            f.write(changed)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self):
        if self.instead is None:
            return
        self.lines.send({'verdict': 'B', 'outputs': self.instead(self.lines)})
        os._exit(0)

    def limit(self, item):
        fuel = self.candidate['fuel'] if self.candidate else 0
        return max(LEAST, fuel, 5 * self.plan.seconds.get(item.nodeid, 0))

    def begins(self, item):
        self.lines.send({'tick': self.limit(item)})

    def ends(self, item, outcome, seconds, failed):
        self.left -= 1
        if outcome == 'passed':
            if item.nodeid in self.plan.targets:
                self.passed += 1
            else:
                self.used += seconds
                self.known += self.plan.seconds.get(item.nodeid, 0)
            return
        sig = self.signature(failed) if outcome == 'failed' and failed else [outcome]
        if self.candidate is None:
            self.lines.send({'base': item.nodeid, 'sig': sig})
        elif outcome == 'hung':
            self.finish('O', sig, item.nodeid)
        else:
            self.finish('D' if sig[0] == 'SystemExit' else 'F', sig, item.nodeid)

    def signature(self, failed):
        return failure.signature(failed[0], failed[1], self.project, self.tests, self.shift)

    def finish(self, verdict, sig=None, at=''):
        slow = self.used > max(SLOW, 10 * self.known)
        self.lines.send({'verdict': verdict, 'passed': self.passed, 'sig': sig, 'at': at, 'slow': slow})
        os._exit(0)

    def pytest_collectreport(self, report):
        if report.failed and self.candidate is not None:
            self.finish('F', ['collection', failure.text(report.longrepr)], 'collection')

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self):
        if self.lines is not None:
            if self.candidate is None:
                self.compiled()
            self.finish('G' if self.left == 0 and not self.fuel.spent else 'F', ['lost'])

    def compiled(self):
        """Tells what this process has compiled."""
        self.lines.send({'plain': [c.co_filename for c in self.sources.code.values()], 'rewritten': list(self.sources.rewritten)})


def compiled(source, path):
    """The code of a changed source, None when there is none."""
    try:
        return compile_quietly(source, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None


def instead(candidate, plan):
    """What to do with an edit in the place of the tests, None to run them."""
    if 'calls' in candidate:
        return lambda lines: behave.outputs(candidate['calls'], lines)
    if 'examples' in candidate:
        return lambda lines: examples.outcomes(os.path.join(plan.root, candidate['path']), candidate['examples'], lines)
    return None


def relevant(plan, native, path):
    """Whether a test can tell anything about an edit of the file."""
    if plan.covers is None or native in plan.targets:
        return True
    return native not in plan.covers or path in plan.covers[native]


class Zygote(Trial):
    """A pytest session that stops before collection, or, when it is early, before it
    has loaded any conftest.py, and forks for each candidate."""

    def __init__(self, plan, project, sources, early=False):
        super().__init__(plan, project, sources)
        self.early = early

    def serve(self, lines):
        """Runs in a child of its own."""
        self.parent = lines
        self.sources.install()
        session.main(self.plan, self, self.plan.files(self.order))

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self, early_config):
        if self.early:
            self.wait(early_config)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session):
        if not self.early:
            self.wait(session.config)
        session.config.args = list(self.collected)  # relative: pytest takes a "[" of the folder for parameters

    def wait(self, config):
        """Serves candidates. It returns in children only, where pytest goes on."""
        self.config = config
        gc.collect()
        gc.freeze()
        while True:
            order = self.parent.receive()
            if order is None:
                os._exit(0)
            candidate = order['candidate']
            answer = None if candidate is None else self.unfit(candidate)
            if answer is not None:
                self.parent.send({'verdict': answer})
            elif self.enter(candidate):
                return

    def unfit(self, candidate):
        """What to answer to a candidate that can't be tried in such a session."""
        return 'cold' if self.is_loaded(candidate['path']) else None

    def is_loaded(self, path):
        return any(self.project.relative(getattr(sys.modules[n], '__file__', None)) == path for n in self.project.loaded())

    def enter(self, candidate):
        """Forks. In the child it returns True, in the parent it passes on what the
        child tells."""
        file = self.keep(candidate)
        child = Child(inherited=[self.parent.read, self.parent.write], settled=True)
        if child.inside:
            self.load(candidate, child.lines)
            return True
        relay(child, self.told, file)
        return False

    def keep(self, candidate):
        """The file that a candidate writes, to be restored."""
        return Kept(self.plan, candidate)

    def told(self, message):
        if 'plain' not in message:
            self.parent.send(message)
            return
        # What the first session has compiled, compiled once for all that follow.
        for path in message['plain']:
            self.sources.get(path)
        for path in message['rewritten']:  # none where pytest has no such function
            rewrite._rewrite_test(pathlib.Path(path), self.config)


def cold(plan, project, sources, candidate):
    """What a child does for a candidate whose file is loaded before collection: a
    session from the very start."""
    def work(lines):
        trial = Trial(plan, project, sources)
        sources.install()
        trial.load(candidate, lines)
        session.main(plan, trial, plan.files(trial.order))
    return work


def relay(child, send, file):
    """Sends on what the child of a trial tells, to its end, and the verdict when
    everything is as it was."""
    told = None
    seconds = 5.0  # until the first test begins: imports
    while told is None:
        message = child.receive(cpu=1 + 2 * seconds, wall=5 + 10 * seconds)
        if message is None:
            break
        if 'tick' in message:
            seconds = message['tick']
            continue
        if 'verdict' in message:
            told = message
        else:
            send(message)
    killed = child.killed
    child.end()
    file.restore()
    send(told or {'verdict': 'O' if killed else 'D', 'passed': 0, 'sig': None, 'at': ''})


class Kept:
    """The file that a candidate edits, as it is before the child that writes it is
    there."""

    def __init__(self, plan, candidate):
        self.path = self.content = None
        if candidate is not None:
            self.path = os.path.join(plan.root, candidate['path'])
            with open(self.path, 'rb') as f:
                self.content = f.read()

    def restore(self):
        if self.path is None:
            return
        try:
            with open(self.path, 'rb') as f:
                if f.read() == self.content:
                    return
        except OSError:
            pass  # the candidate took it away
        with open(self.path, 'wb') as f:
            f.write(self.content)
