"""What modules and classes set up for their tests, in the way of unittest and in
pytest's own, without pytest."""
import inspect
import unittest

# What pytest calls the fixtures that it makes of these.
FIXTURES = ('_unittest_setUpClass_fixture', 'unittest_setUpClass_fixture', '_xunit_setup_')


class Around:
    """What is set up at present, each once, and how to take it down."""

    def __init__(self):
        self.done, self.ends = set(), []

    def module(self, module):
        self.once(module, ('setUpModule', 'setup_module'), ('tearDownModule', 'teardown_module'), getattr(unittest, 'doModuleCleanups', None))

    def owner(self, owner):
        if issubclass(owner, unittest.TestCase):
            self.once(owner, ('setUpClass',), ('tearDownClass',), getattr(owner, 'doClassCleanups', None))
        else:
            self.once(owner, ('setup_class',), ('teardown_class',), None)

    def once(self, what, begins, ends, cleanup):
        if what in self.done:
            return
        if cleanup is not None:
            self.ends.append(cleanup)
        end = first(what, ends)
        call(first(what, begins), what)
        self.done.add(what)
        if end is not None:
            self.ends.append(lambda: call(end, what))

    def end(self):
        """Takes everything down, the last first; what fails in that tells nothing."""
        ends, self.ends, self.done = self.ends, [], set()
        for e in reversed(ends):
            try:
                e()
            except Exception:
                continue


class Each:
    """What is called before and after one test."""

    def __init__(self, begin, end, function):
        self.before, self.after, self.function = begin, end, function

    def begin(self):
        call(self.before, self.function)

    def end(self):
        call(self.after, self.function)


def each(module, instance, function):
    """What a module, or a class, has for each of its tests; None for nothing."""
    if instance is not None:
        found = first(instance, ('setup_method',)), first(instance, ('teardown_method',))
    else:
        found = first(module, ('setup_function',)), first(module, ('teardown_function',))
    return Each(*found, function) if any(found) else None


def first(owner, names):
    for name in names:
        found = getattr(owner, name, None)
        if callable(found):
            return found
    return None


def call(function, argument):
    """Calls what may take an argument or none, as pytest does."""
    if function is None:
        return
    code = getattr(inspect.unwrap(getattr(function, '__func__', function)), '__code__', None)
    taken = code.co_argcount - inspect.ismethod(function) if code is not None else 0
    if taken > 0:
        function(argument)
    else:
        function()
