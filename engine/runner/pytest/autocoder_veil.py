"""Keeps what the tests say from the code under test while it is drilled.

The sources of the tests are nothing that a repair reads. For code under test they
are not there: what passes only because it can look into them fails in a drill.
"""
import errno
import linecache
import os
import re
import sys

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
                return file not in self.files and not _TESTS.match(self.base(file))
            frame = frame.f_back
        return False
