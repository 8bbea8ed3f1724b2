"""Tests that can be called directly, without pytest around them."""
import importlib
import inspect
import unittest

import _pytest.mark.structures as structures
import _pytest.python
import _pytest.unittest

from . import fixtures, surroundings

# Marks that change how a test is run. Others only name it.
MEANING = {'skip', 'skipif', 'xfail', 'usefixtures', 'asyncio', 'anyio', 'trio', 'django_db', 'flaky', 'freeze_time', 'timeout', 'forked'}


class Case:
    """How to find a test again in a module that was loaded anew, and run it."""

    def __init__(self, item):
        self.id = item.nodeid
        self.module = item.module.__name__
        self.classes = tuple(c.name for c in item.listchain() if isinstance(c, _pytest.python.Class))
        self.name = getattr(item, 'originalname', None) or item.name
        self.unittest = isinstance(item, _pytest.unittest.TestCaseFunction)
        self.indices = dict(item.callspec.indices) if hasattr(item, 'callspec') else {}
        self.fixtures = [] if self.unittest else fixtures.plan(item, self.indices, asked(item)) or []
        self.needs = list(dict.fromkeys([f.module for f in self.fixtures if f.module]))

    def prepare(self, module, around):
        """What to call. What the module and the class set up for all their tests is set
        up by then."""
        owner = module
        for name in self.classes:
            owner = getattr(owner, name)
        around.enter(module, owner if self.classes else None)
        if self.unittest:
            return owner(self.name).debug
        instance = owner() if self.classes else None
        function = getattr(instance if self.classes else owner, self.name)
        ends = surroundings.each(module, instance, function)
        if not self.indices and not self.fixtures and ends is None:
            return function
        values = parameters(module, owner if self.classes else None, function, self.indices) if self.indices else {}
        return lambda: fixtures.call(function, values, self.fixtures, ends)

    def load(self):
        """The test's module, loaded with those that its fixtures are in."""
        module = importlib.import_module(self.module)
        for name in self.needs:
            importlib.import_module(name)
        return module


def parametrizations(module, owner, function):
    """The parametrize marks that hold for a function, as (names, values, indirect)."""
    places = [getattr(function, 'pytestmark', [])]
    for c in getattr(owner, '__mro__', ()):
        places.append(c.__dict__.get('pytestmark', []))
    places.append(getattr(module, 'pytestmark', []))
    for marks in places:
        for m in marks if isinstance(marks, (list, tuple)) else [marks]:
            m = getattr(m, 'mark', m)
            if m.name == 'parametrize':
                names = m.args[0] if m.args else m.kwargs['argnames']
                values = m.args[1] if len(m.args) > 1 else m.kwargs['argvalues']
                indirect = m.args[2] if len(m.args) > 2 else m.kwargs.get('indirect', False)
                if isinstance(names, str):
                    names = [n.strip() for n in names.split(',') if n.strip()]
                yield list(names), values, indirect


def parameters(module, owner, function, indices):
    """The arguments that a parametrized test gets, by the indices that pytest gave
    them."""
    values = {}
    for names, choices, _ in parametrizations(module, owner, function):
        if names[0] not in indices or names[0] in values:
            continue
        chosen = list(choices)[indices[names[0]]]
        if isinstance(chosen, structures.ParameterSet):
            chosen = chosen.values
        elif len(names) == 1:
            chosen = (chosen,)
        values.update(zip(names, chosen))
    if values.keys() != indices.keys():
        raise LookupError('parameters from elsewhere')
    return values


def direct(item):
    """Whether a collected test can be called directly: nothing but parametrization
    and plain fixtures feed it, and nothing else is set up around it."""
    if type(item) not in (_pytest.python.Function, _pytest.unittest.TestCaseFunction):
        return False
    function, owner = item.obj, item.cls
    if any(m.name in MEANING for m in item.iter_markers()):
        return False
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return False
    indices = getattr(getattr(item, 'callspec', None), 'indices', {})
    if type(item) is _pytest.unittest.TestCaseFunction:
        return not indices and not asked(item) and plain_case(owner, function)
    if fixtures.plan(item, indices, asked(item)) is None or any(hasattr(owner, n) for n in ('setup', 'teardown')):
        return False
    if indices:
        try:
            if any(indirect for _, _, indirect in parametrizations(item.module, owner, function)):
                return False
            parameters(item.module, owner, function, indices)
        except Exception:
            return False
    return True


def asked(item):
    """The fixtures that a test has, without those that pytest makes of what the module
    and the class set up, which need the request."""
    names = [n for n in item.fixturenames if not n.startswith(surroundings.FIXTURES)]
    if len(names) < len(item.fixturenames) and 'request' not in item._fixtureinfo.argnames:
        names = [n for n in names if n != 'request']
    return names


def plain_case(owner, function):
    """Whether a TestCase is run as all are, and the test is not left out."""
    own = unittest.TestCase
    return (
        owner.run is own.run and owner.debug is own.debug
        and not issubclass(owner, getattr(unittest, 'IsolatedAsyncioTestCase', ()))
        and not any(hasattr(owner, n) for n in ('setup_method', 'teardown_method'))
        and not getattr(function, '__unittest_skip__', False) and not getattr(owner, '__unittest_skip__', False)
        and not getattr(function, '__unittest_expecting_failure__', False)
    )
