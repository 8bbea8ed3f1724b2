"""Fixtures that can be made without pytest: plain functions for one test each, and
the most common of pytest's own."""
import collections
import importlib
import inspect
import io
import pathlib
import shutil
import sys
import tempfile

import pytest

Fixture = collections.namedtuple('Fixture', 'name module function')


def unwrap(value):
    """The function that was decorated as a fixture."""
    get = getattr(value, '_get_wrapped_function', None)
    if get is not None:
        return get()
    return getattr(getattr(value, '__pytest_wrapped__', None), 'obj', None)


def plan(item, indices, names):
    """The fixtures of a test of these names in the order in which they are made; None
    when one of them needs pytest."""
    out, known = [], item._fixtureinfo.name2fixturedefs

    def add(name):
        if any(f.name == name for f in out):
            return True
        if name in OWN and name in known and len(known[name]) == 1:
            out.append(Fixture(name, None, None))
            return True
        definitions = known.get(name) or ()
        if len(definitions) != 1:
            return False
        d = definitions[0]
        f = d.func
        if d.scope != 'function' or d.params or not inspect.isfunction(f):
            return False
        if inspect.iscoroutinefunction(f) or inspect.isasyncgenfunction(f):
            return False
        module = sys.modules.get(f.__module__)
        if unwrap(getattr(module, f.__name__, None)) is not f or not all(add(a) for a in d.argnames):
            return False
        out.append(Fixture(name, f.__module__, f.__name__))
        return True

    try:
        return out if all(add(n) for n in names if n not in indices) else None
    except Exception:
        return None


def call(function, values, fixtures, around):
    """Calls a test with parameters and fixtures; around is what is to be called before
    and after it, or None."""
    made, ends = dict(values), []
    try:
        if around is not None:
            ends.append(around.end)
            around.begin()
        for f in fixtures:
            made[f.name] = make(f, made, ends)
        function(**{n: made[n] for n in inspect.signature(function).parameters if n in made})
    finally:
        for end in reversed(ends):
            end()


def make(fixture, made, ends):
    if fixture.module is None:
        return OWN[fixture.name](ends)
    f = unwrap(getattr(importlib.import_module(fixture.module), fixture.function))
    value = f(**{n: made[n] for n in inspect.signature(f).parameters})
    if inspect.isgeneratorfunction(f):
        generator = value
        value = next(generator)
        ends.append(lambda: next(generator, None))
    return value


def tmp_path(ends):
    path = pathlib.Path(tempfile.mkdtemp())
    ends.append(lambda: shutil.rmtree(path, ignore_errors=True))
    return path


def monkeypatch(ends):
    patch = pytest.MonkeyPatch()
    ends.append(patch.undo)
    return patch


class Captured:
    Result = collections.namedtuple('CaptureResult', 'out err')

    def __init__(self, ends):
        before = sys.stdout, sys.stderr
        self.out, self.err = sys.stdout, sys.stderr = io.StringIO(), io.StringIO()

        def end():
            sys.stdout, sys.stderr = before

        ends.append(end)

    def readouterr(self):
        result = self.Result(self.out.getvalue(), self.err.getvalue())
        for s in (self.out, self.err):
            s.seek(0)
            s.truncate()
        return result


# Those of pytest's own that are made here.
OWN = {'tmp_path': tmp_path, 'monkeypatch': monkeypatch, 'capsys': Captured}
