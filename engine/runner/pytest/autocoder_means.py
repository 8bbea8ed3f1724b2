"""Knows the means by which tests find failures, and says what has become of them.

Everything is noted before any test file is loaded.
"""
import ast
import builtins
import functools
import importlib
import math
import operator
import os
import sys
import types
import unittest

import pytest


def unequal():
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


def arrays():
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


class Means:
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


class Code:
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


class Lent:
    """Knows the parts of Python's library that tests often see through. A test may put
    others in their place; what the code under test puts there is said."""

    modules = ("builtins", "json", "math", "operator", "copy", "re", "time", "datetime", "random", "decimal", "pathlib", "statistics")
    kinds = (("json", "JSONDecoder"), ("pathlib", "Path"), ("pathlib", "PurePath"))

    def __init__(self, root, is_test):
        self.root, self.is_test = os.path.realpath(root).rstrip(os.sep) + os.sep, is_test
        self.kept = []
        for name in self.modules:
            if name in sys.modules:
                self.keep(sys.modules[name], name)
        for name, kind in self.kinds:
            if name in sys.modules and hasattr(sys.modules[name], kind):
                self.keep(getattr(sys.modules[name], kind), "%s.%s" % (name, kind))

    def keep(self, owner, label):
        self.kept.extend((owner, key, value, "%s.%s" % (label, key)) for key, value in list(vars(owner).items())
                         if callable(value) and not key.startswith("__"))

    def changed(self):
        for owner, key, value, label in self.kept:
            now = vars(owner).get(key)
            if now is not value and self.of_project(now):
                return label + " was replaced"
        return None

    def of_project(self, value):
        """Reports whether a function or class stands in the code under test."""
        for _ in range(20):
            inner = getattr(value, "__func__", None) or getattr(value, "func", None) or getattr(value, "__wrapped__", None)
            if inner is None or isinstance(value, type):
                break
            value = inner
        code = getattr(value, "__code__", None)
        if code is not None:
            file = code.co_filename
        else:
            kind = value if isinstance(value, type) else type(value)
            file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        if not isinstance(file, str):
            return False
        file = os.path.realpath(file)
        return file.startswith(self.root) and "-packages" + os.sep not in file and not self.is_test(file)
