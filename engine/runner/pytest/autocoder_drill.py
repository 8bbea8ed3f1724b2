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
import builtins
import functools
import importlib
import inspect
import math
import operator
import os
import re
import sys
import types
import unittest

import pytest

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


def _unequal():
    """Checks, each of which is false unless somebody has changed what it uses."""
    case = unittest.TestCase()
    b = builtins

    def refuses(name, *args):
        """Reports whether the unittest method accepts what it must refuse."""
        try:
            getattr(case, name)(*args)
        except AssertionError:
            return False
        return True

    def unraised():
        try:
            with pytest.raises(ValueError):
                pass
        except BaseException:
            return False
        return True

    checks = {
        "pytest.approx": lambda: 1.0 == pytest.approx(2.0) or [1.0] == pytest.approx([2.0]),
        "pytest.raises": unraised,
        "abs": lambda: b.abs(-3) != 3 or b.abs(2.5 - 7) < 1,
        "all": lambda: b.all([True, False]),
        "any": lambda: b.any([False, 0]),
        "bool": lambda: b.bool(0) or b.bool("") or not b.bool(1),
        "float": lambda: b.float("2.5") != 2.5 or b.float(3) == 4.0,
        "int": lambda: b.int("12") != 12 or b.int(3) == 4,
        "isinstance": lambda: b.isinstance(3, b.str) or b.isinstance("", b.int),
        "issubclass": lambda: b.issubclass(str, int),
        "len": lambda: b.len([1, 2]) != 2,
        "max": lambda: b.max(1, 2) != 2,
        "min": lambda: b.min(1, 2) != 1,
        "repr": lambda: b.repr(1) != "1" or b.repr("a") != "'a'",
        "round": lambda: b.round(2.4) != 2,
        "set": lambda: b.set([1]) == b.set([2]),
        "sorted": lambda: b.sorted([2, 1]) != [1, 2],
        "str": lambda: b.str(1) != "1" or b.str(1) == b.str(2),
        "sum": lambda: b.sum([1, 2]) != 3,
        "tuple": lambda: b.tuple([1]) == b.tuple([2]),
        "type": lambda: b.type(1) is not 1 .__class__,
        "math.isclose": lambda: math.isclose(1.0, 2.0),
        "operator.eq": lambda: operator.eq(1, 2),
    }
    for name, args in (
        ("assertEqual", (1, 2)), ("assertNotEqual", (1, 1)), ("assertTrue", (0,)), ("assertFalse", (1,)),
        ("assertIs", (1, "a")), ("assertIsNone", (1,)), ("assertIsNotNone", (None,)), ("assertIn", (1, [2])),
        ("assertNotIn", (1, [1])), ("assertIsInstance", (1, str)), ("assertAlmostEqual", (1.0, 2.0)),
        ("assertGreater", (1, 2)), ("assertGreaterEqual", (1, 2)), ("assertLess", (2, 1)), ("assertLessEqual", (2, 1)),
        ("assertRegex", ("a", "b")), ("assertCountEqual", ([1], [2])), ("assertListEqual", ([1], [2])),
        ("assertDictEqual", ({1: 1}, {1: 2})), ("assertSetEqual", ({1}, {2})), ("assertTupleEqual", ((1,), (2,))),
        ("assertMultiLineEqual", ("a", "b")), ("assertSequenceEqual", ([1], [2])), ("fail", ("x",)),
    ):
        checks["unittest.TestCase." + name] = functools.partial(refuses, name, *args)
    return checks


def _arrays():
    """The same for numpy's helpers, when the project uses them."""
    testing = sys.modules.get("numpy.testing")

    def accepts(name, *args):
        try:
            getattr(testing, name)(*args)
        except AssertionError:
            return False
        return True

    names = ("assert_allclose", "assert_equal", "assert_array_equal", "assert_almost_equal", "assert_array_almost_equal")
    return {"numpy.testing." + name: functools.partial(accepts, name, 1.0, 2.0) for name in names if hasattr(testing, name)}


class _Means:
    """Knows what pytest and unittest were before any test file was loaded."""

    def __init__(self):
        self.kept = []
        for name, module in sorted(sys.modules.items()):
            top = name.split(".")[0]
            if top not in ("pytest", "_pytest", "pluggy", "unittest") or name.startswith("unittest.mock"):
                continue
            for key, value in list(vars(module).items()):
                if isinstance(value, type) and value.__module__.split(".")[0] == top:
                    self.keep(value, "%s.%s" % (value.__module__, value.__qualname__))
                elif isinstance(value, (types.FunctionType, type)):
                    self.kept.append((vars(module), key, value, "%s.%s" % (name, key)))
        self.tracing = self.traced()

    def keep(self, kind, label):
        for key, value in list(vars(kind).items()):
            if isinstance(value, (types.FunctionType, classmethod, staticmethod, property)):
                self.kept.append((kind, key, value, "%s.%s" % (label, key)))

    @staticmethod
    def traced():
        tools = getattr(sys, "monitoring", None)
        used = [tools.get_tool(n) for n in range(6)] if tools else []
        return sys.gettrace(), sys.getprofile(), used

    def changed(self):
        """Names a part that is another one now, or says who watches every step."""
        for owner, key, value, label in self.kept:
            now = owner.get(key) if type(owner) is dict else vars(owner).get(key)
            if now is not value:
                return label + " was replaced"
        if self.traced() != self.tracing:
            return "a trace function follows the tests"
        return None


class _Code:
    """Knows the code that the functions of a test file are made of."""

    def __init__(self, config):
        self.config = config
        self.files = {}

    def changed(self, module):
        """Names a function of the module that is not what its file says."""
        file = getattr(module, "__file__", None)
        if not file:
            return None
        if file not in self.files:
            self.files[file] = self.read(file)
        code, plain = self.files[file]
        for name, line in plain.items():
            owner, _, method = name.rpartition(".")
            holder = getattr(module, owner, None) if owner else module
            now = vars(holder).get(method) if holder is not None else None
            if type(now) is not types.FunctionType or now.__code__ != code.get((method, line), now.__code__) or \
                    now.__code__.co_filename != file:
                return name
        for name, value in list(vars(module).items()):
            held = vars(value) if isinstance(value, type) and value.__module__ == module.__name__ else {"": value}
            for method, function in list(held.items()):
                if self.differs(function, file, code):
                    return (name + "." + method).strip(".")
        return None

    @staticmethod
    def differs(function, file, code):
        """Reports whether a decorated function of the file has another code."""
        function, steps = getattr(function, "__func__", function), 0
        while hasattr(function, "__wrapped__") and steps < 20:
            function, steps = function.__wrapped__, steps + 1
        if type(function) is not types.FunctionType or function.__code__.co_filename != file:
            return False
        written = code.get((function.__name__, function.__code__.co_firstlineno))
        return written is not None and function.__code__ != written

    def read(self, file):
        """Compiles a test file as pytest does. Returns the code by name and line,
        and the lines of the functions that are plainly there: without a decorator,
        and with a name that has one meaning only."""
        try:
            rewrite = importlib.import_module("_pytest.assertion.rewrite")
            with open(file, "rb") as source:
                text = source.read()
            tree = ast.parse(text, filename=file)
            plain = self.plain(tree.body, "", self.bound(tree.body))
            rewrite.rewrite_asserts(tree, text, file, self.config)
            code = {}
            self.collect(compile(tree, file, "exec", dont_inherit=True), code)
            return code, plain
        except Exception:
            return {}, {}

    @staticmethod
    def bound(body):
        """Counts how often each name is bound in a body."""
        count = {}
        for statement in body:
            for node in ast.walk(statement) if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)) else [statement]:
                name = getattr(node, "name", None) or (node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else None)
                if isinstance(node, ast.alias):
                    name = node.asname or node.name.split(".")[0]
                count[name] = count.get(name, 0) + 1
        return count

    def plain(self, body, prefix, bound):
        found = {}
        for node in body:
            name = getattr(node, "name", "")
            mangled = prefix and name.startswith("__") and not name.endswith("__")
            if bound.get(name) != 1 or mangled or getattr(node, "decorator_list", None):
                continue
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found[prefix + node.name] = node.lineno
            elif isinstance(node, ast.ClassDef) and not prefix and not node.keywords:
                found.update(self.plain(node.body, node.name + ".", self.bound(node.body)))
        return found

    def collect(self, code, found):
        for const in code.co_consts:
            if isinstance(const, types.CodeType):
                found[(const.co_name, const.co_firstlineno)] = const
                self.collect(const, found)


class _Overloads:
    """Watches the comparisons that the code under test answers by itself, and
    asks those again that said yes: what is equal to anything tests nothing."""

    names = {"__eq__": operator.eq, "__lt__": operator.lt, "__le__": operator.le,
             "__gt__": operator.gt, "__ge__": operator.ge}

    def __init__(self, root):
        self.root = os.path.realpath(root).rstrip(os.sep) + os.sep
        self.seen = {}
        self.left = 0

    def begin(self):
        self.seen, self.left = {}, 20000  # calls: more would slow the test down
        if sys.getprofile() is None:
            sys.setprofile(self.step)

    def end(self):
        if sys.getprofile() == self.step:
            sys.setprofile(None)

    def step(self, frame, event, arg):
        code = frame.f_code
        self.left -= 1
        if self.left < 0:
            sys.setprofile(None)
        if event != "call" or code.co_argcount != 2 or not code.co_filename.startswith(self.root):
            return
        try:
            this = frame.f_locals[code.co_varnames[0]]
            for name in self.names:
                held = getattr(type(this), name, None)
                if getattr(held, "__code__", None) is code and len(self.seen) < 50:
                    self.seen[(type(this), name)] = this
        except Exception:  # an object that won't be looked at
            return

    def wild(self, module):
        """Names a class of the code under test that compares with anything, unless
        the test file asks for it by its name."""
        for (kind, name), this in self.seen.items():
            others = (object(), "\0?", 7919.25, None, (7919,)) if name == "__eq__" else (1e300, -1e300)
            yes = self.accepts(this, name, others) or name == "__eq__" and self.accepts(this, name, self.unlike(this))
            if yes and not self.asked_for(kind.__name__, module):
                return "%s.%s says yes to anything" % (kind.__name__, name)
        return None

    def accepts(self, this, name, others):
        """Reports whether a comparison says yes to all others, if there are any."""
        try:
            return bool(others) and all(self.names[name](this, other) is True for other in others)
        except Exception:
            return False

    @staticmethod
    def unlike(this):
        """Values of the built-in class that an object passes for, none of which is
        its own."""
        if isinstance(this, str):
            return (str.__add__(this, "\0?"), "\0?" + str.__str__(this)[::-1], "7919\0")
        if isinstance(this, (int, float)):
            own = float(this) if isinstance(this, float) else int.__int__(this)
            return (own + 1, own - 1, own + 7919)
        if isinstance(this, (list, tuple)):
            plain = list if isinstance(this, list) else tuple
            return (plain([7919, "\0?"]), plain(["\0?"]), plain([None, None, 7919.25]))
        if isinstance(this, dict):
            return ({"\0?": 7919}, {7919: None}, {"\0?": None, 7919: 0})
        return ()

    @staticmethod
    def asked_for(name, module):
        try:
            with open(module.__file__, encoding="utf-8") as source:
                return re.search(r"\b%s\b" % re.escape(name), source.read()) is not None
        except (AttributeError, OSError, UnicodeDecodeError, TypeError):
            return False


class Drill:
    """options has token, targets, alone and names, the names of the canaries, and
    failed, where each target failed before the edit."""

    def __init__(self, options, root, config):
        self.token = options["token"]
        self.targets = set(options["targets"])
        self.alone = options["alone"]
        self.plain = options["plain"]
        self.names = options["names"]
        self.code = _Code(config)
        self.means = None
        self.overloads = _Overloads(root)
        self.watch = watch.Watch(root, options["failed"], (AssertionError, pytest.fail.Exception))
        self.veiled = veil.Veil(root, options["targets"])
        self.checks = _unequal()
        self.failure = AssertionError
        # A test may replace these.
        self.skipped = pytest.skip.Exception
        self.leaving = (KeyboardInterrupt, pytest.exit.Exception)

    def begin(self):
        """Notes how things are before any test file is loaded. From then on nothing
        that says what runs is where the code under test could read it."""
        self.means = _Means()
        self.veil()
        if not self.plain:
            self.veiled.lay()
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
        self.overloads.begin()
        self.watch.begin(item.nodeid, body)

    def end(self):
        self.watch.end()
        self.overloads.end()

    def tampered(self, module):
        """Says what of the means to find failures was changed, or nothing."""
        found = self.lame() or self.means and self.means.changed()
        if found:
            return found
        name = self.code.changed(module)
        return "the code of %s is not that of its file" % name if name else None

    def lame(self):
        """Names a helper of tests that no longer finds what is wrong."""
        for name, accepts in list(self.checks.items()) + list(_arrays().items()):
            try:
                if accepts():
                    return name + " accepts what it must refuse"
            except Exception:
                return name + " no longer works"
        return None
