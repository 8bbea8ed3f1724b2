"""A pytest session in this process, as the project's own command would have it."""
import importlib.util
import os
import sys
import time

import pytest

from . import autocoder_layout as layout
from . import failure
from .fuel import Fuel, Watch


class Plan:
    """What is run: the workspace, the unit's folder, the tests and what is known of
    them."""

    def __init__(self, root, folder, targets, passing):
        self.root, self.folder = root, folder
        self.targets, self.passing = list(targets), list(passing)
        self.seconds = {}   # id: what the test took without tracing
        self.sigs = {}      # id: what its failure looks like
        self.hung = set()
        self.options = []   # further arguments for pytest
        self.covers = None  # id: the project files that the test runs code of

    def wanted(self):
        """All tests, those that are quick to fail first."""
        targets = sorted(self.targets, key=lambda t: (t in self.hung, self.seconds.get(t, 0)))
        return targets + self.passing

    def files(self, ids):
        """The tests' files in the order in which pytest finds them by itself: of two
        modules with one name, it is the first file's that all the others get."""
        return sorted({file_of(i) for i in ids}, key=found)


def found(file):
    parts = file.split('/')
    if int(pytest.__version__.partition('.')[0]) >= 8:
        return parts
    return [(k + 1 < len(parts), part) for k, part in enumerate(parts)]  # a folder's files first


def file_of(native):
    """The file part of a node id."""
    return native.partition('::')[0]


def arguments(plan, what):
    args = [
        '--rootdir=' + plan.folder, '--continue-on-collection-errors', '-q', '--color=no', '--tb=short', '--capture=sys',
        '-p', 'no:cacheprovider', '-p', 'no:randomly', '--maxfail=0',
    ]
    if importlib.util.find_spec('xdist') is not None:
        args += ['-n', '0']
    if importlib.util.find_spec('pytest_cov') is not None:
        args += ['--no-cov']
    return args + plan.options + what


def main(plan, plugin, what):
    """Runs pytest; returns its exit code. It is called once in a process."""
    os.chdir(plan.folder)
    if sys.path[:1] != [plan.folder]:
        sys.path.insert(0, plan.folder)  # as python -m pytest does
    layout.arrange(plan.root)
    sys.argv[:] = ['pytest']
    try:
        return int(pytest.main(arguments(plan, what), plugins=[plugin]))
    except SystemExit as e:
        return e.code if isinstance(e.code, int) else 1


class Run:
    """The plugin that chooses tests and tells their outcomes; what happens with an
    outcome is up to who inherits it."""

    def __init__(self, plan, project, ids):
        self.plan, self.project = plan, project
        self.order = {t: k for k, t in enumerate(ids)}
        self.fuel = Fuel()
        self.tests = {project.relative(os.path.join(plan.folder, f)) for f in plan.files(ids)}
        self.now = None
        self.wall = 0.0
        self.natural = False  # whether tests run in the order in which pytest finds them

    # For who inherits.

    def limit(self, item):
        """Seconds of processor time for a test."""
        raise NotImplementedError

    def begins(self, item):
        pass

    def ends(self, item, outcome, seconds, failed):
        """seconds are of processor time, and self.wall those on the clock; failed is
        (exception, traceback) or None."""
        raise NotImplementedError

    # Hooks.

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        chosen = [i for i in items if i.nodeid in self.order]
        if not self.natural:
            chosen.sort(key=lambda i: self.order[i.nodeid])
        items[:] = chosen

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.now = {'outcome': None, 'failed': None}
        self.begins(item)
        watch = Watch()
        self.fuel.start(self.limit(item))
        try:
            yield
        finally:
            self.fuel.stop()
        seconds, self.wall = watch.read()
        outcome = 'hung' if self.fuel.spent else self.now['outcome'] or 'failed'
        self.ends(item, outcome, seconds, self.now['failed'])

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        # Nobody reads pytest's own account, which takes long for deep recursions.
        item.repr_failure = item._repr_failure_py = lambda *args, **kwargs: 'failed'
        yield
        if call.excinfo is not None and self.now['failed'] is None:
            self.now['failed'] = (call.excinfo.value, call.excinfo.tb)

    def pytest_runtest_logreport(self, report):
        now = self.now
        if now is None:
            return
        if report.failed:
            now['outcome'] = 'failed'
        elif report.skipped:
            now['outcome'] = now['outcome'] or 'skipped'
        elif report.when == 'call':
            now['outcome'] = now['outcome'] or 'passed'

    def pytest_keyboard_interrupt(self):
        pass


class Learn(Run):
    """Runs the tests once as they are and tells outcomes, times and what was
    imported from outside the project."""

    def __init__(self, plan, project, lines, ids, budget):
        super().__init__(plan, project, ids)
        self.lines, self.budget = lines, budget
        self.targets = set(plan.targets)
        self.started = time.monotonic()
        self.hangs, self.slowest = 0, 0.0
        self.before = set(sys.modules)
        self.session = None

    def limit(self, item):
        if item.nodeid not in self.targets:
            return 2.0
        return max(0.05, 10 * self.slowest) if self.hangs else 0.5

    def begins(self, item):
        self.lines.send({'start': item.nodeid})
        if item.nodeid not in self.targets and time.monotonic() - self.started > self.budget:
            self.session.shouldstop = 'enough tests'

    def ends(self, item, outcome, seconds, failed):
        if outcome == 'hung':
            self.hangs += 1
        else:
            self.slowest = max(self.slowest, seconds)
        sig = failure.signature(failed[0], failed[1], self.project, self.tests) if outcome == 'failed' and failed else None
        self.lines.send({'test': item.nodeid, 'outcome': outcome, 'seconds': seconds, 'wall': self.wall, 'sig': sig})

    def pytest_sessionstart(self, session):
        self.session = session

    def pytest_collection_finish(self, session):
        self.lines.send({'imported': self.imported(session.config)})

    def imported(self, config):
        """Modules that the tests need and that are not the project's, so that later
        processes can have them from the start."""
        plugins = {str(getattr(p, '__name__', '')).partition('.')[0] for p, _ in config.pluginmanager.list_plugin_distinfo()}
        names = []
        for name in list(sys.modules):
            top = name.partition('.')[0]
            module = sys.modules.get(name)
            if name in self.before or module is None or top in plugins or top.startswith(('pytest', '_pytest')):
                continue
            if getattr(module, '__spec__', None) is None or self.project.owns(module) or name == '__main__':
                continue
            names.append(name)
        return names
