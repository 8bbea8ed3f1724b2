"""Tests that can be called directly, without pytest around them."""
import inspect
import unittest

import _pytest.mark.structures as structures
import _pytest.python
import _pytest.unittest

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

    def prepare(self, module):
        """What to call."""
        owner = module
        for name in self.classes:
            owner = getattr(owner, name)
        if self.unittest:
            return owner(self.name).debug
        function = getattr(owner() if self.classes else owner, self.name)
        if not self.indices:
            return function
        values = parameters(module, owner if self.classes else None, function, self.indices)
        return lambda: function(**values)


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
    feeds it, and nothing is set up around it."""
    if type(item) not in (_pytest.python.Function, _pytest.unittest.TestCaseFunction):
        return False
    function, owner = item.obj, item.cls
    if any(m.name in MEANING for m in item.iter_markers()):
        return False
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return False
    indices = getattr(getattr(item, 'callspec', None), 'indices', {})
    fixtures = [f for f in item.fixturenames if f not in indices]
    if type(item) is _pytest.unittest.TestCaseFunction:
        return not indices and plain_case(item.module, owner, function, fixtures)
    if fixtures or any(hasattr(owner, n) for n in ('setup', 'teardown', 'setup_method', 'setup_class')):
        return False
    if indices:
        try:
            if any(indirect for _, _, indirect in parametrizations(item.module, owner, function)):
                return False
            parameters(item.module, owner, function, indices)
        except Exception:
            return False
    return True


def plain_case(module, owner, function, fixtures):
    """Whether a TestCase sets up nothing for its class or module."""
    own = unittest.TestCase
    return (
        all(f.startswith(('_unittest_setUpClass_fixture', 'unittest_setUpClass_fixture')) for f in fixtures)
        and owner.setUpClass.__func__ is own.setUpClass.__func__
        and owner.tearDownClass.__func__ is own.tearDownClass.__func__
        and owner.run is own.run and owner.debug is own.debug
        and not issubclass(owner, getattr(unittest, 'IsolatedAsyncioTestCase', ()))
        and not hasattr(module, 'setUpModule')
        and not getattr(function, '__unittest_skip__', False) and not getattr(owner, '__unittest_skip__', False)
        and not getattr(function, '__unittest_expecting_failure__', False)
    )
