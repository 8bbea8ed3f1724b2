"""What modules and classes set up for their tests, in the way of unittest and in
pytest's own, without pytest."""
import inspect
import unittest

# What pytest calls the fixtures that it makes of these.
FIXTURES = ('_unittest_setUpClass_fixture', 'unittest_setUpClass_fixture', '_xunit_setup_')


class Around:
    """What is set up at present, the module first and then the class, each with what
    takes it down. As under pytest, what is not around the next test is taken down before
    that is run, so that tests behave alike in any order."""

    def __init__(self):
        self.levels = []

    def enter(self, module, owner):
        """Sets up what a module, and a class or None, have for their tests, once while
        tests of them follow each other."""
        wanted = [module] if owner is None else [module, owner]
        while [what for what, _ in self.levels] != wanted[:len(self.levels)]:
            self.leave()
        for what in wanted[len(self.levels):]:
            ends = []
            self.levels.append((what, ends))
            try:
                self.begin(what, ends)
            except BaseException:
                self.leave()
                raise

    def begin(self, what, ends):
        if inspect.ismodule(what):
            names, cleanup = (('setUpModule', 'setup_module'), ('tearDownModule', 'teardown_module')), getattr(unittest, 'doModuleCleanups', None)
        elif issubclass(what, unittest.TestCase):
            names, cleanup = (('setUpClass',), ('tearDownClass',)), getattr(what, 'doClassCleanups', None)
        else:
            names, cleanup = (('setup_class',), ('teardown_class',)), None
        if cleanup is not None:
            ends.append(cleanup)
        begin, end = (first(what, n) for n in names)
        call(begin, what)
        if end is not None:
            ends.append(lambda: call(end, what))

    def leave(self):
        """Takes down the innermost level; what fails in that tells nothing."""
        _, ends = self.levels.pop()
        while ends:
            try:
                ends.pop()()
            except Exception:
                continue

    def end(self):
        """Takes everything down."""
        try:
            while self.levels:
                self.leave()
        finally:
            self.levels.clear()


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
