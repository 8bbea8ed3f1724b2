"""Watches the comparisons that the code under test answers by itself."""
import operator
import os
import re
import sys


class Overloads:
    """Watches the comparisons that the code under test answers by itself, and
    asks those again that said yes: what is equal to anything tests nothing."""

    names = {"__eq__": operator.eq, "__lt__": operator.lt, "__le__": operator.le,
             "__gt__": operator.gt, "__ge__": operator.ge, "__contains__": operator.contains,
             "__instancecheck__": lambda this, other: isinstance(other, this),
             "__subclasscheck__": lambda this, other: issubclass(other, this)}
    strange = (object(), "\0?", 7919.25, None, (7919,))
    others = {"__eq__": strange, "__contains__": strange, "__instancecheck__": strange, "__subclasscheck__": (int, str, tuple, type(None))}

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
            yes = self.accepts(this, name, self.others.get(name, (1e300, -1e300))) or name == "__eq__" and self.accepts(this, name, self.unlike(this))
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
