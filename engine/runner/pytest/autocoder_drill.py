"""Shows that failures are still reported.

Laid beside autocoder_reporter.py for a drill. It puts tests of its own, the
canaries, behind the tests of each file that holds a target, and makes each target
fail when its body ends. What the body did, and whether the means with which tests
find failures are whole at that moment, is said in the message of that failure.
Names are random and everything is made in memory: nothing is written, and the
code under test can't know the names before.
"""
import ast
import asyncio
import functools
import importlib
import inspect
import os
import sys

import pytest

import autocoder_means as means
import autocoder_overloads as overloads
import autocoder_veil as veil
import autocoder_watch as watch

_CANARIES = '''
import unittest
import pytest

def {passing}():
    assert {n} + 1 == {n1}

def {assertion}():
    value = {n}
    assert value == {n1}

def {approximate}():
    assert {n}.0 == pytest.approx({n1}.0)

def {raises}():
    with pytest.raises(ValueError):
        pass

def {error}():
    raise ValueError({n})

def {failing}():
    pytest.fail("{n}")

def {skipping}():
    pytest.skip("{n}")

class {case}(unittest.TestCase):
    def {case_passing}(self):
        self.assertEqual({n} + 1, {n1})

    def {case_equal}(self):
        self.assertEqual({n}, {n1})

    def {case_true}(self):
        self.assertTrue({n} > {n1})

    def {case_raises}(self):
        with self.assertRaises(ValueError):
            pass

    def {case_failing}(self):
        self.fail({n})

    def {case_error}(self):
        raise ValueError({n})
'''


class Drill:
    """options has token, targets, alone and names, the names of the canaries, and
    failed, where each target failed before the edit."""

    def __init__(self, options, root, config):
        self.token = options["token"]
        self.targets = set(options["targets"])
        self.alone = options["alone"]
        self.plain = options["plain"]
        self.names = options["names"]
        self.code = means.Code(config)
        self.means = None
        self.overloads = overloads.Overloads(root)
        self.watch = watch.Watch(root, options["failed"], (AssertionError, pytest.fail.Exception))
        self.veiled = veil.Veil(root, options["targets"])
        self.unseen = veil.Unseen()
        self.own = veil.Own()
        self.lent, self.root = None, root
        self.checks = means.unequal()
        self.failure = AssertionError
        # A test may replace these.
        self.skipped = pytest.skip.Exception
        self.leaving = (KeyboardInterrupt, pytest.exit.Exception)

    def begin(self):
        """Notes how things are before any test file is loaded. From then on nothing
        that says what runs is where the code under test could read it."""
        self.means = means.Means()
        self.lent = means.Lent(self.root, self.veiled.is_test)
        self.veil()
        if not self.plain:
            self.veiled.lay()
            self.unseen.hide(self.unseen.loading)
            sys.argv[:] = ["app"]
            if hasattr(sys, "orig_argv"):
                sys.orig_argv[:] = ["app"]

    def veil(self):
        for name in () if self.plain else ("PYTEST_CURRENT_TEST", "PYTEST_VERSION"):
            os.environ.pop(name, None)

    # -- canaries ---------------------------------------------------------

    def place(self, items):
        """Puts the canaries behind the items of each file that holds a target."""
        placed, last, cases = [], {}, set()
        for item in items:
            if item.nodeid in self.targets:
                module = item.getparent(pytest.Module) or item.getparent(pytest.File)
                last[module] = item
                if type(item).__name__ == "TestCaseFunction":
                    cases.add(module)
        for item in items:
            if not self.alone:
                placed.append(item)
            module = item.getparent(pytest.Module) or item.getparent(pytest.File)
            if last.get(module) is item:
                placed.extend(self.canaries(item, module, module in cases))
        items[:] = placed

    def canaries(self, item, module, cases):
        names = dict(self.names)
        n = sum(map(ord, self.token)) % 1000 + 100
        source = _CANARIES.format(n=n, n1=n + 1, case="C" + self.token, **names)
        path = getattr(module, "path", None) or getattr(module, "fspath", None)
        file = str(path)[:-3] + "_" + names["passing"] + ".py"
        tree = ast.parse(source)
        importlib.import_module("_pytest.assertion.rewrite").rewrite_asserts(tree, source.encode(), file, item.config)
        namespace = {"__name__": names["passing"], "__file__": file}
        exec(compile(tree, file, "exec"), namespace)
        made = [self.function(module, name, namespace[name]) for name in names.values() if name in namespace]
        made.append(self.function(module, names["helpers"], self.intact(item)))
        if cases:
            made.extend(self.methods(module, namespace["C" + self.token], names))
        return made

    def intact(self, item):
        def helpers():
            found = self.lame()
            if found:
                raise self.failure(found)
        return helpers

    @staticmethod
    def function(parent, name, body, kind=None):
        """Makes an item without fixtures: those of the project are not for it."""
        info = importlib.import_module("_pytest.fixtures").FuncFixtureInfo((), (), [], {})
        kind = kind or pytest.Function
        return kind.from_parent(parent, name=name, callobj=body, fixtureinfo=info)

    def methods(self, module, case, names):
        module_of = importlib.import_module("_pytest.unittest")
        collector = module_of.UnitTestCase.from_parent(module, name=case.__name__)
        collector.obj = case
        return [self.function(collector, name, getattr(case, name), module_of.TestCaseFunction)
                for kind, name in names.items() if hasattr(case, name)]

    # -- forcing ----------------------------------------------------------

    def force(self, item):
        """Makes a target fail when its body ends, however it ends."""
        if item.nodeid not in self.targets:
            return
        if not isinstance(item, pytest.Function):
            item.runtest = self.ending(item, item.runtest)
            return
        item.obj = self.ending(item, item.obj)
        case = getattr(item, "_testcase", None)
        if case is not None:
            setattr(case, item.obj.__name__, item.obj)

    def ending(self, item, body):
        module = getattr(item.getparent(pytest.Module), "obj", None)

        def after(error):
            self.end()
            found = self.tampered(module) or self.overloads.wild(module) or self.watch.swallowed(error)
            missed, sure = self.watch.unreached() if error is None else (None, False)
            if not found and sure:
                found = missed
            if found:
                return self.failure("%s: tampered: %s" % (self.token, found))
            if error is None:
                return self.failure("%s: ended%s" % (self.token, ": " + missed if missed else ""))
            kind = "skipped" if isinstance(error, self.skipped) else type(error).__name__
            return self.failure("%s: failed: %s" % (self.token, kind))

        def ours(error):
            return isinstance(error, Exception) or isinstance(error, (self.skipped, SystemExit, GeneratorExit)) or \
                isinstance(error, BaseException) and type(error).__module__.startswith("_pytest.outcomes") and not isinstance(error, self.leaving)

        if inspect.iscoroutinefunction(body) or asyncio.iscoroutinefunction(body):
            @functools.wraps(body)
            async def wrapper(*args, **kwargs):
                self.start(item, body)
                try:
                    await body(*args, **kwargs)
                except BaseException as error:
                    if not ours(error):
                        self.end()
                        raise
                    raise after(error) from None
                raise after(None)
            return wrapper

        @functools.wraps(body)
        def wrapper(*args, **kwargs):
            self.start(item, body)
            try:
                body(*args, **kwargs)
            except BaseException as error:
                if not ours(error):
                    self.end()
                    raise
                raise after(error) from None
            raise after(None)
        return wrapper

    def start(self, item, body):
        self.veil()
        self.veiled.forget()
        if not self.plain:
            self.unseen.hide(self.unseen.running)
            self.own.put()
        self.overloads.begin()
        self.watch.begin(item.nodeid, body)

    def end(self):
        self.watch.end()
        self.overloads.end()
        self.own.take_back()
        self.unseen.show()

    def tampered(self, module):
        """Says what of the means to find failures was changed, or nothing."""
        found = self.lame() or self.means and self.means.changed() or self.lent and self.lent.changed()
        if found:
            return found
        name = self.code.changed(module)
        return "the code of %s is not that of its file" % name if name else None

    def lame(self):
        """Names a helper of tests that no longer finds what is wrong."""
        for name, accepts in list(self.checks.items()) + list(means.arrays().items()):
            try:
                if accepts():
                    return name + " accepts what it must refuse"
            except Exception:
                return name + " no longer works"
        return None
