"""Values as text that makes them again, in another process and with other code:
literals, containers, and objects with what they hold.

Where the project's code is not loaded the text is read as stand-ins, which can be
varied, shown and written again like the values themselves.
"""
import collections
import enum
import importlib
import io
import re
import sys
import types

PLAIN = (bool, int, float, str, bytes, type(None))
LONG, MANY, DEEP = 1000, 200, 7
HEAP = 1 << 9  # of a type's flags: made by a class statement

# Classes of the library whose values are written as what makes them again.
LIBRARY = {
    'datetime': ('date', 'datetime', 'time', 'timedelta'), 'decimal': ('Decimal',), 'fractions': ('Fraction',),
    'pathlib': ('PosixPath', 'PurePosixPath'), 'uuid': ('UUID',),
}
CALL = '(lambda *a, **k: (a, k))(%s)'
FIXED = (str, bytes, int, float, tuple, frozenset)  # what holds its contents from the start


class Made:
    """Stands for an object of a class with its attributes, and what it holds where it
    is a container or another value as well."""

    def __init__(self, module, name, state, contents=None):
        self.module, self.name, self.state, self.contents = module, name, state, contents


class Called:
    """Stands for what a call gives."""

    def __init__(self, module, name, args):
        self.module, self.name, self.args = module, name, args


class Named:
    """Stands for what a module has under a name."""

    def __init__(self, module, name):
        self.module, self.name = module, name


def lookup(module, path):
    value = sys.modules.get(module) or importlib.import_module(module)
    for part in path.split('.'):
        value = getattr(value, part)
    return value


def make(module, name, state, contents=None):
    kind = lookup(module, name)
    out = alloc(kind, contents)
    own = getattr(out, '__dict__', None)
    for key, value in state.items():
        if own is not None and key not in slots(kind):
            own[key] = value
        else:
            object.__setattr__(out, key, value)
    return out


def alloc(kind, contents):
    if issubclass(kind, BaseException):
        return kind.__new__(kind, *contents)
    for base in FIXED:
        if issubclass(kind, base):
            return base.__new__(kind, contents)
    for base, fill in ((collections.OrderedDict, dict.update), (dict, dict.update), (list, list.extend), (set, set.update)):
        if issubclass(kind, base):
            out = base.__new__(kind)
            fill(out, contents)
            return out
    return object.__new__(kind)


def read(text, there=False):
    """Arguments from their text, new ones at each call: those that are meant where
    the project's code is there, stand-ins elsewhere."""
    names = {'__builtins__': {}, 'set': set, 'frozenset': frozenset, 'made': Made, 'called': Called, 'named': Named}
    if there:
        names.update(made=make, named=lookup, called=lambda module, name, args: lookup(module, name)(*args))
    for module, classes in LIBRARY.items():
        loaded = sys.modules.get(module)
        if loaded is not None:
            names[module] = loaded
            names.update((c, getattr(loaded, c)) for c in classes if module != 'datetime' and hasattr(loaded, c))
    return eval(CALL % text, names)


def from_library(value):
    """The text of a value of one of the library's classes, or None."""
    kind = type(value)
    if kind.__name__ not in LIBRARY.get(kind.__module__.split('.')[0], ()):
        return None
    if getattr(value, 'tzinfo', None) is not None and value.tzinfo is not sys.modules['datetime'].timezone.utc:
        return None
    return repr(value)


def slots(kind):
    """The names of the attributes that objects of a class have a place for."""
    out = []
    for c in kind.__mro__:
        own = c.__dict__.get('__slots__', ())
        out += [own] if isinstance(own, str) else list(own)
    return out


def state(value):
    """An object's attributes."""
    out = {s: object.__getattribute__(value, s) for s in slots(type(value)) if s not in ('__dict__', '__weakref__') and has(value, s)}
    out.update(getattr(value, '__dict__', None) or {})
    return out


def has(value, name):
    try:
        object.__getattribute__(value, name)
        return True
    except AttributeError:
        return False


def contents(value):
    """What a value of a class that is made from another one holds as such."""
    if isinstance(value, BaseException):
        return value.args
    for base in (dict, list, set, str, bytes, int, float, tuple, frozenset):
        if isinstance(value, base):
            return dict(dict.items(value)) if base is dict else base(value)
    return None


class Writer:
    """Writes values; objects only of classes that owns says are the project's."""

    def __init__(self, owns=lambda module: False):
        self.owns = owns
        self.around = {}  # names of a module whose values may be written as such

    def literal(self, value, prefix='', depth=0):
        """value as an expression that makes it again, or None."""
        text = self.text(value, depth)
        return None if text is None else prefix + text

    def text(self, value, depth):
        kind = type(value)
        if kind in PLAIN:
            text = repr(value)
            return None if len(text) > LONG or kind is float and text in ('inf', '-inf', 'nan') else text
        written = from_library(value)
        if written is not None or depth > DEEP:
            return written
        if kind in (list, tuple, dict, set, frozenset):
            return self.container(value, kind, depth)
        if kind in (Made, Called, Named):
            return self.stand_in(value, depth)
        return self.reference(value) or self.object(value, kind, depth) or self.known(value)

    def container(self, value, kind, depth):
        if len(value) > MANY:
            return None
        if kind is dict:
            parts = [(self.text(k, depth + 1), self.text(v, depth + 1)) for k, v in value.items()]
            if any(k is None or v is None for k, v in parts):
                return None
            return '{' + ', '.join('%s: %s' % p for p in parts) + '}'
        parts = [self.text(v, depth + 1) for v in value]
        if None in parts:
            return None
        if kind in (set, frozenset):
            inner = '{' + ', '.join(sorted(parts)) + '}' if parts else ''
            return inner if kind is set and parts else '%s(%s)' % (kind.__name__, inner)
        if kind is tuple:
            return '(' + ', '.join(parts) + (',)' if len(parts) == 1 else ')')
        return '[' + ', '.join(parts) + ']'

    def stand_in(self, value, depth):
        if type(value) is Named:
            return 'named(%r, %r)' % (value.module, value.name)
        if type(value) is Called:
            return self.form('called', value.module, value.name, [value.args], depth)
        return self.form('made', value.module, value.name, [value.state] + ([] if value.contents is None else [value.contents]), depth)

    def form(self, verb, module, name, values, depth):
        parts = [self.text(v, depth + 1) for v in values]
        return None if None in parts else '%s(%r, %r, %s)' % (verb, module, name, ', '.join(parts))

    def reference(self, value):
        """What has a name of its own: functions, classes, members of enumerations."""
        if isinstance(value, enum.Enum):
            module, path = type(value).__module__, '%s.%s' % (type(value).__qualname__, value.name)
        elif isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            module, path = value.__module__, value.__qualname__
        else:
            return None
        try:
            return 'named(%r, %r)' % (module, path) if lookup(module, path) is value else None
        except Exception:
            return None

    def object(self, value, kind, depth):
        if kind is collections.deque:
            return self.form('called', 'collections', 'deque', [(list(value), value.maxlen)], depth)
        if kind is collections.OrderedDict:
            return self.form('called', 'collections', 'OrderedDict', [(list(value.items()),)], depth)
        if kind is collections.Counter:
            return self.form('called', 'collections', 'Counter', [(dict(value),)], depth)
        if kind is collections.defaultdict:
            return self.form('called', 'collections', 'defaultdict', [(value.default_factory, dict(value))], depth)
        if kind is re.Pattern:
            return self.form('called', 're', 'compile', [(value.pattern, int(value.flags))], depth)
        if kind in (io.StringIO, io.BytesIO) and not value.closed:
            return self.form('called', 'io', kind.__name__, [(value.getvalue()[value.tell():],)], depth)
        if not kind.__flags__ & HEAP or not self.ours(kind):
            return None
        held = contents(value)
        return self.form('made', kind.__module__, kind.__qualname__, [state(value)] + ([] if held is None else [held]), depth)

    def ours(self, kind):
        try:
            return self.owns(sys.modules.get(kind.__module__)) and lookup(kind.__module__, kind.__qualname__) is kind
        except Exception:
            return False

    def known(self, value):
        """What the module around has under a name, such as a mark for no value."""
        module = self.around.get('__name__')
        for name, v in list(self.around.items()):
            if v is value and module is not None:
                return 'named(%r, %r)' % (module, name)
        return None


class Shown:
    """Values, or stand-ins, for people, with all that they hold."""

    def __init__(self, most=3000):
        self.left = most  # pieces that may still be told

    def of(self, value, depth=0):
        kind = type(value)
        self.left -= 1
        if depth > DEEP or self.left < 0:
            return '...'
        if kind in (Named, Called, Made):
            return self.stand_in(value, kind, depth)
        if kind is dict:
            return '{' + ', '.join('%s: %s' % (self.of(k, depth + 1), self.of(v, depth + 1)) for k, v in value.items()) + '}'
        if kind in (set, frozenset):
            inner = '{' + ', '.join(sorted(self.each(value, depth))) + '}' if value else ''
            return inner if kind is set and value else '%s(%s)' % (kind.__name__, inner)
        if kind is tuple:
            return '(' + ', '.join(self.each(value, depth)) + (',)' if len(value) == 1 else ')')
        if kind is list:
            return '[' + ', '.join(self.each(value, depth)) + ']'
        if kind is io.StringIO and not value.closed:
            return 'StringIO(%r)' % value.getvalue()
        if isinstance(value, enum.Enum):
            return str(value)
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type)):
            return value.__qualname__
        if kind.__flags__ & HEAP and from_library(value) is None and kind.__module__ not in ('collections', 're'):
            own = state(value)
            if own or kind.__repr__ is object.__repr__:
                return self.fields(kind.__name__, own, contents(value), depth)
        return repr(value)

    def each(self, values, depth):
        return [self.of(v, depth + 1) for v in values]

    def stand_in(self, value, kind, depth):
        name = value.name.rpartition('.')[2]
        if kind is Named:
            return value.name
        if kind is Called:
            return '%s(%s)' % (name, ', '.join(self.each(value.args, depth)))
        return self.fields(name, value.state, value.contents, depth)

    def fields(self, name, attributes, held, depth):
        parts = [] if held is None else [self.of(held, depth + 1)]
        return '%s(%s)' % (name, ', '.join(parts + ['%s=%s' % (k, self.of(v, depth + 1)) for k, v in attributes.items()]))


def show(value):
    return Shown().of(value)
