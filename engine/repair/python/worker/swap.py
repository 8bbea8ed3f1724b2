"""New code for functions that are there already.

A module that was loaded need not be loaded anew for an edit that changes nothing
but what its functions do when they are called: their code is exchanged, wherever
the functions are by now.
"""
import gc
import sys
import types

OPTIMIZED = 0x1  # of code flags: a function's, and not a class's or module's


class Running:
    """Which code of the project runs between start and stop."""

    def __init__(self, project):
        self.project = project
        self.codes = {}

    def start(self):
        sys.setprofile(self.event)

    def stop(self):
        sys.setprofile(None)

    def event(self, frame, event, arg):
        code = frame.f_code
        if event == 'call' and id(code) not in self.codes and self.project.relative(code.co_filename) is not None:
            self.codes[id(code)] = code


class Functions:
    """The functions of the project that there are, by their code, and the code that
    ran already: to exchange that comes too late."""

    def __init__(self, project, ran):
        self.ran = ran
        self.live = {}
        for f in gc.get_objects():
            if type(f) is types.FunctionType and project.relative(f.__code__.co_filename) is not None:
                self.live.setdefault(id(f.__code__), []).append(f)

    def plan(self, old, new):
        """[(function, new code)] that make of a loaded module what its changed source
        would have made of it, else None."""
        out = []
        return out if self.body(old, new, out) else None

    def body(self, old, new, out):
        """Code that runs when the module is loaded must be the same."""
        if plain(old) != plain(new):
            return False
        return all(
            self.function(a, b, out) if a.co_flags & OPTIMIZED else self.body(a, b, out)
            for a, b in zip(nested(old), nested(new))
        )

    def function(self, old, new, out):
        if old == new and old.co_firstlineno == new.co_firstlineno:
            return True
        if id(old) in self.ran and whole(old) != whole(new):
            return False
        live = self.live.get(id(old), ())
        if live and len(old.co_freevars) != len(new.co_freevars):
            return False
        out += [(f, new) for f in live]
        a, b = nested(old), nested(new)
        if len(a) != len(b):
            return not any(self.alive(c) for c in a)
        return all(self.function(x, y, out) for x, y in zip(a, b))

    def alive(self, code):
        return id(code) in self.live or any(self.alive(c) for c in nested(code))


def exchange(plan):
    for f, code in plan:
        f.__code__ = code


def nested(code):
    return [c for c in code.co_consts if isinstance(c, types.CodeType)]


def plain(code):
    """What code does, without lines and without the code in it."""
    consts = [None if isinstance(c, types.CodeType) else (type(c), repr(c)) for c in code.co_consts]
    return (
        code.co_name, code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_argcount,
        code.co_kwonlyargcount, code.co_flags, getattr(code, 'co_exceptiontable', None), consts,
    )


def whole(code):
    return plain(code), [whole(c) for c in nested(code)]
