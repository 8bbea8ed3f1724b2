"""Keeps what the tests say from the code under test while it is drilled.

The sources of the tests are nothing that a repair reads. For code under test they
are not there: what passes only because it can look into them fails in a drill.
"""
import errno
import importlib.machinery
import linecache
import os
import re
import sys
import threading

_TESTS = re.compile(r"^(test_.*|.*_tests?|tests?|conftest)\.py$")


class Veil:
    """root is the folder of the workspace, and nodeids the tests that are drilled, from
    the folder in which this begins."""

    def __init__(self, root, nodeids):
        self.root = os.path.realpath(root).rstrip(os.sep) + os.sep
        self.files = {os.path.realpath(nodeid.split("::")[0]) for nodeid in nodeids}
        self.names = {os.path.basename(file) for file in self.files}
        # The code under test may put others in the place of these.
        self.real, self.decode, self.base, self.frame = os.path.realpath, os.fsdecode, os.path.basename, sys._getframe

    def is_test(self, file):
        return file in self.files or _TESTS.match(self.base(file)) is not None

    def lay(self):
        self.files = {file for file in self.files if not self.hands_over(file)}
        sys.addaudithook(self.hook)

    def hands_over(self, file):
        """Reports whether a test names its own file: then it may be what is asked for."""
        try:
            with open(file, encoding="utf-8") as source:
                text = source.read()
        except (OSError, UnicodeDecodeError):
            return True
        return "__file__" in text or self.base(file) in text

    def forget(self):
        """Drops the lines of the tests that something has read before."""
        for file in self.files:
            linecache.cache.pop(file, None)

    def hook(self, event, args):
        if event != "open":
            return
        try:
            path = self.decode(args[0])
        except TypeError:  # a descriptor
            return
        if self.base(path) in self.names and self.real(path) in self.files and self.is_asked_for():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    def is_asked_for(self):
        """Reports whether code under test opens a file: the innermost code of the
        project that is at work is none of the tests'."""
        frame = self.frame(2)
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith(self.root) and "-packages" + os.sep not in file:
                return not self.is_test(file)
            frame = frame.f_back
        return False


class Own:
    """Gives the code under test the interpreter's own hooks and input, where the runner has
    put something of its own in their places."""

    def __init__(self):
        self.empty, self.replaced = None, []

    def put(self):
        self.replace(sys, "unraisablehook", sys.__unraisablehook__)
        self.replace(threading, "excepthook", getattr(threading, "__excepthook__", None))
        if self.is_runners(type(sys.stdin)):
            self.empty = self.empty or open(os.devnull, encoding="utf-8")
            self.replace(sys, "stdin", self.empty, type(sys.stdin))

    def replace(self, module, name, own, what=None):
        now = getattr(module, name)
        if own is not None and self.is_runners(what or getattr(now, "func", now)):
            setattr(module, name, own)
            self.replaced.append((module, name, own, now))

    def take_back(self):
        for module, name, own, before in self.replaced:
            if getattr(module, name) is own:
                setattr(module, name, before)
        self.replaced = []

    @staticmethod
    def is_runners(what):
        return str(getattr(what, "__module__", "")).startswith("_pytest.")


class Unseen:
    """Keeps from the code under test which modules are loaded for its tests alone. Who
    imports one is given it all the same."""

    loading = re.compile(r"^(pytest|_pytest|pluggy|autocoder_\w+)(\.|$)")
    running = re.compile(r"^(pytest|_pytest|pluggy|unittest|autocoder_\w+)(\.|$)")

    def __init__(self):
        self.held, self.names, self.paused = {}, self.loading, False

    def hide(self, names):
        """Takes the modules with such names away, as well as what was taken before."""
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)
        self.names, self.paused = names, False
        self.held.update((name, module) for name, module in list(sys.modules.items()) if names.match(name))
        self.take()

    def take(self):
        for name in self.held:
            sys.modules.pop(name, None)

    def show(self):
        """Puts everything back, and hides no more until it is asked to."""
        self.paused = True
        for name, module in self.held.items():
            sys.modules.setdefault(name, module)

    def find_spec(self, name, path=None, target=None):
        module = None if self.paused else self.held.get(name)
        if module is not None:
            return importlib.machinery.ModuleSpec(name, _Lender(module))
        if self.names.match(name):
            self.paused = True  # it needs those above it while it is loaded
        elif not self.paused:
            self.take()
        return None


class _Lender:
    """Gives a module that is there already to who imports it."""

    def __init__(self, module):
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        module.__spec__ = self.spec
