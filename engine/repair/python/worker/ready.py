"""Candidates in processes forked when everything has been collected: what a
function does is exchanged, and nothing is imported or collected again."""
import gc
import os

import pytest

from . import failure, swap
from .forked import Kept, Zygote, compiled
from .loader import apply_edits, reads_itself


# Plugins that only report, or warn of what is no failure: each costs a child much that
# it would have to copy.
NEEDLESS = (
    'terminalreporter', 'nose', 'unraisableexception', 'threadexception', 'faulthandler', 'setuponly', 'setupplan', 'stepwise',
    'stepwiseplugin', 'pastebin', 'junitxml', 'lfplugin', 'nfplugin', 'debugging', 'doctest', 'helpconfig', 'recwarn', 'freeze_support',
)


class Ready(Zygote):
    """A pytest session that stops before its first test."""

    def __init__(self, plan, project, sources):
        super().__init__(plan, project, sources)
        self.contents = {}      # path: what is there without an edit
        self.running = swap.Running(project)
        self.functions = self.next = None
        self.writes = True

    def serve(self, lines):
        self.collected = self.plan.files(self.order)
        self.running.start()
        super().serve(lines)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session):
        """Goes on: these sessions wait later."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        self.running.stop()
        self.functions = swap.Functions(self.project, self.running.codes)
        self.writes = reads_itself(self.project, self.sources)
        for name in NEEDLESS:
            session.config.pluginmanager.unregister(name=name)
        self.wait(session.config)
        swap.exchange(self.next[1] if self.next else ())
        session.items[:] = [i for i in session.items if i.nodeid in self.order]
        return super().pytest_runtestloop()

    def pytest_collectreport(self, report):
        """What can't be collected as it is has no part in this."""

    def unfit(self, candidate):
        path = os.path.join(self.plan.root, candidate['path'])
        if path not in self.contents:
            with open(path, 'rb') as f:
                self.contents[path] = f.read()
        content, real = self.contents[path], self.sources.path(path)
        code = compiled(apply_edits(content, candidate['edits']), path)
        if code is None:
            return 'R'
        self.next = code, ()
        if not self.is_loaded(candidate['path']):
            return None
        if real not in self.sources.code or real in self.sources.rewritten:
            return 'elsewhere'
        plan = self.functions.plan(self.sources.code[real], code)
        if plan is None:
            return 'elsewhere'
        self.next = code, plan
        return None

    def keep(self, candidate):
        return Kept(self.plan, candidate if self.writes else None)

    def take(self, candidate):
        if self.writes:
            super().take(candidate)
            return
        path = os.path.join(self.plan.root, candidate['path'])
        self.shift = failure.Shift(candidate['path'], self.contents[path], candidate['edits'])
        self.sources.changed[self.sources.path(path)] = self.next[0]

    def compiled(self):
        """Nothing is compiled in the children."""
