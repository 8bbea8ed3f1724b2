"""Candidates one after the other in one process: each gets all project modules
anew and has the tests called directly.

This is a filter. What passes here is tried again in a process of its own, and
tests that don't behave here as they do under pytest, or not twice the same, take
no part.
"""
import base64
import gc
import math
import os
import resource
import sys
import threading

import pytest

from . import cases, failure, session, surroundings
from .forked import relevant
from .fuel import Clock, Spent, Watch, limit_memory
from .loader import Remembered, apply_edits, compile_quietly, reads_itself

MEMORY = 1 << 30
GROWTH = 300 << 10   # KiB that the process may grow before it is replaced
AGE = 4000           # candidates, likewise
PASSING = 0.05       # seconds of the passing tests that are worth calling here


class Stream(session.Run):
    """Runs inside a pytest session after collection, in the place of the tests."""

    def __init__(self, plan, project, sources, lines, least):
        super().__init__(plan, project, plan.wanted())
        self.sources, self.lines, self.least = sources, lines, least
        self.clock = None
        self.targets, self.passing = [], []
        self.seconds, self.sigs = {}, {}
        self.contents = {}
        self.around = surroundings.Around()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        direct = [cases.Case(i) for i in session.items if cases.direct(i)]
        self.remembered = Remembered(self.project, self.sources)
        direct = [c for c in direct if c.module in self.remembered.table]
        if reads_itself(self.project, self.sources):
            direct = []
        self.begin()
        self.base(direct)
        ids = [c.id for c in self.targets + self.passing]
        self.lines.send({'direct': ids, 'sigs': self.sigs})
        if not self.targets:
            os._exit(0)
        self.serve()

    def begin(self):
        sys.meta_path.insert(0, self.remembered)
        null = open(os.devnull, 'w')
        sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = null
        limit_memory(MEMORY)
        self.clock = Clock()
        self.environ, self.path, self.cwd = dict(os.environ), list(sys.path), os.getcwd()
        self.meta_path, self.streams = list(sys.meta_path), null
        self.threads = threading.active_count()
        gc.collect()
        gc.freeze()
        self.size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    # The code as it is.

    def base(self, direct):
        """Runs everything twice and keeps what behaves as under pytest."""
        direct = self.worth(direct)
        first = self.all(direct)
        hung = {i for i, r in first.items() if r[0] == 'hung'}
        second = self.all([c for c in direct if c.id not in hung])
        for c in direct:
            outcome, sig, seconds = second.get(c.id, first[c.id])
            if (outcome, sig) != first[c.id][:2]:
                continue
            if c.id in self.plan.targets and self.same(c.id, outcome, sig):
                self.targets.append(c)
                self.sigs[c.id] = sig
            elif c.id in self.plan.passing and outcome == 'passed':
                self.passing.append(c)
            else:
                continue
            self.seconds[c.id] = seconds
        self.slowest = max([0.0] + [self.seconds[c.id] for c in self.targets + self.passing if c.id not in hung])
        self.targets = self.quickest(self.targets, hung)
        self.passing = self.quickest(self.passing, hung)

    def quickest(self, some, hung):
        """Cases with the quickest first and those that hang last, but those of one class
        together: what is set up for a class is then set up once."""
        least = {}
        for c in some:
            key = c.module, c.classes
            least[key] = min(least.get(key, math.inf), self.seconds[c.id])
        return sorted(some, key=lambda c: (c.id in hung, least[c.module, c.classes], c.module, c.classes, self.seconds[c.id]))

    def worth(self, direct):
        """The targets, and the quick ones of the others: a session runs all of them for
        what passes here."""
        left, out = PASSING, []
        for c in sorted(direct, key=lambda c: (c.id not in self.plan.targets, self.plan.seconds.get(c.id, 0))):
            if c.id not in self.plan.targets:
                left -= self.plan.seconds.get(c.id, 0)
            if left >= 0:
                out.append(c)
        return out

    def same(self, native, outcome, sig):
        """Whether a target fails here as it does under pytest: by the kind of error and
        its place, since pytest words messages differently."""
        if outcome == 'hung':
            return native in self.plan.hung
        known = self.plan.sigs.get(native)
        if outcome != 'failed' or known is None or known[0] != sig[0]:
            return False
        return known[2:] == sig[2:] or sig[0] == 'RecursionError'

    def all(self, some):
        self.fresh()
        slowest, out = 0.0, {}
        for c in some:
            self.lines.send({'tick': c.id})
            known = self.plan.seconds.get(c.id, 0)
            limit = max(self.least, 3 * slowest) if c.id in self.plan.targets else max(1.0, 5 * known)
            watch = Watch()
            outcome, sig = self.call(c, limit, None)
            seconds, _ = watch.read()
            if outcome == 'passed':
                slowest = max(slowest, seconds)
            out[c.id] = (outcome, sig, seconds)
        return out

    # Running.

    def fresh(self):
        """Forgets every trace of the last candidate that is known how to find."""
        self.leave()
        self.remembered.purge()
        if os.environ != self.environ:
            os.environ.clear()
            os.environ.update(self.environ)
        if sys.path != self.path:
            sys.path[:] = self.path
        if sys.meta_path != self.meta_path:
            sys.meta_path[:] = self.meta_path
        try:
            moved = os.getcwd() != self.cwd
        except OSError:
            moved = True
        if moved:
            os.chdir(self.cwd)
        sys.stdout = sys.stderr = self.streams
        self.modules = {}

    def leave(self):
        """Takes down what the last candidate's modules and classes set up."""
        if not self.around.levels:
            return
        try:
            self.clock.start(1.0)
            self.around.end()
        except BaseException:
            pass  # how it ended tells nothing of the next candidate
        self.stop()

    def stop(self):
        """Stops the clock, which may fire once more on the way here."""
        while True:
            try:
                self.clock.stop()
                break
            except Spent:
                continue

    def call(self, case, limit, shift):
        """Runs one test: passed, failed or hung, and what the failure looks like."""
        try:
            module = self.modules.get(case.module)
            if module is None:
                self.clock.start(max(1.0, limit))
                module = self.modules[case.module] = case.load()
                self.clock.stop()
            self.clock.start(limit)
            case.prepare(module, self.around)()
            self.clock.stop()
            return ('hung', ['hung']) if self.clock.spent else ('passed', None)
        except BaseException as e:
            self.stop()
            if self.clock.spent:
                return 'hung', ['hung']
            return 'failed', failure.signature(e, e.__traceback__, self.project, self.tests, shift)

    def serve(self):
        count = 0
        while True:
            order = self.lines.receive()
            if order is None:
                os._exit(0)
            if 'file' in order:
                self.contents[order['file']] = base64.b64decode(order['content'])
                continue
            answer = self.candidate(order)
            count += 1
            if count % 64 == 0 or count >= AGE:
                answer['renew'] = count >= AGE or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > self.size + GROWTH
            if threading.active_count() > self.threads:
                answer['renew'] = True
            self.lines.send(answer)
            if answer.get('renew'):
                os._exit(0)

    def candidate(self, order):
        path = os.path.join(self.plan.root, order['path'])
        content = self.contents[order['path']]
        real = self.sources.path(path)
        try:
            code = compile_quietly(apply_edits(content, order['edits']), path)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            return {'id': order['id'], 'verdict': 'R', 'passed': 0, 'changed': False}
        self.sources.changed = {real: code}
        self.fresh()
        shift = failure.Shift(order['path'], content, order['edits'])
        fuel, passed = order['fuel'], 0
        for c in self.targets + self.passing:
            if not relevant(self.plan, c.id, order['path']):
                continue
            outcome, sig = self.call(c, max(fuel, 3 * self.slowest), shift)
            if outcome == 'passed':
                passed += c.id in self.sigs
                continue
            verdict = 'O' if outcome == 'hung' else 'D' if sig[0] == 'SystemExit' else 'F'
            before = self.sigs.get(c.id)
            return {
                'id': order['id'], 'verdict': verdict, 'passed': passed, 'changed': before != sig,
                'further': failure.further(sig, before),
            }
        return {'id': order['id'], 'verdict': 'G', 'passed': passed, 'changed': True}
