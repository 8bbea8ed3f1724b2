"""With what the project's functions are called."""
import inspect

from . import values

LONGEST = 4000  # of the text of all arguments


class Calls:
    """Calls of project functions with arguments that can be written down, those of
    methods with their object as the first."""

    MOST = 60      # of one function
    TRIED = 300    # calls of one function that are looked at

    def __init__(self, project, tests):
        self.project, self.tests = project, tests
        self.seen = {}    # code: texts of arguments
        self.tried = {}   # code: how many
        self.ways = set()  # (file, line) of a function, and of one that a test called and that led there
        self.found = []   # not told yet
        self.writer = values.Writer(project.owns)

    def record(self, frame):
        code = frame.f_code
        texts = self.seen.setdefault(code, set())
        if len(texts) >= self.MOST or code.co_name.startswith('<') or self.tried.get(code, 0) >= self.TRIED:
            return
        file = self.project.relative(code.co_filename)
        if file in self.tests:
            return
        self.tried[code] = self.tried.get(code, 0) + 1
        self.reached(file, frame)
        try:
            call = self.describe(frame)
        except Exception:
            return
        if call is None:
            return
        owner, name, args = call
        caller = frame.f_back
        entry = caller is not None and self.project.relative(caller.f_code.co_filename) in self.tests
        if (entry, args) not in texts:
            texts.add((entry, args))
            self.found.append({
                'file': file, 'module': frame.f_globals.get('__name__', ''), 'owner': owner, 'name': name,
                'line': code.co_firstlineno, 'args': args, 'entry': entry,
            })

    def reached(self, file, frame):
        """Notes which function that a test called has led here."""
        below, above = frame, frame.f_back
        while above is not None and self.project.relative(above.f_code.co_filename) not in self.tests:
            below, above = (above if self.project.relative(above.f_code.co_filename) else below), above.f_back
        way = file, frame.f_code.co_firstlineno, self.project.relative(below.f_code.co_filename), below.f_code.co_firstlineno
        if above is not None and below is not frame and way not in self.ways:
            self.ways.add(way)
            self.found.append({'way': way})

    def take(self):
        found, self.found = self.found, []
        return found

    def describe(self, frame):
        """(class or "", name, arguments as text) of a call that could be made again from
        nothing but its text; else None."""
        code, names, local = frame.f_code, frame.f_code.co_varnames, frame.f_locals
        count = code.co_argcount
        at = count + code.co_kwonlyargcount
        args = [local[n] for n in names[:count]]
        keywords = {n: local[n] for n in names[count:at]}
        if code.co_flags & inspect.CO_VARARGS:
            args += local[names[at]]
            at += 1
        if code.co_flags & inspect.CO_VARKEYWORDS:
            keywords.update(local[names[at]])
        owner, name = self.owner(args, frame)
        if owner is None:
            return None
        self.writer.around = frame.f_globals
        parts = [self.writer.literal(v) for v in args] + [self.writer.literal(v, n + '=') for n, v in keywords.items()]
        if None in parts or sum(map(len, parts)) > LONGEST:
            return None
        return owner, name, ', '.join(parts)

    def owner(self, args, frame):
        """The class whose method runs, "" for a function, and its name there; None when
        it can't be found by name."""
        code, around = frame.f_code, frame.f_globals
        first = args[0] if args else None
        kind = first if isinstance(first, type) else type(first)
        for c in kind.__mro__:
            name = code.co_name
            if name.startswith('__') and name not in c.__dict__:
                name = '_%s%s' % (c.__name__.lstrip('_'), name)
            found = c.__dict__.get(name)
            if found is None or c.__module__ != around.get('__name__') or code.co_name in around and code_of(found) is not code:
                continue
            if values.lookup(c.__module__, c.__qualname__) is c:
                return c.__qualname__, name
        return ('', code.co_name) if code.co_name in around else (None, '')


def code_of(found):
    """The code of what a class has under a name."""
    return getattr(bare(found), '__code__', None)


def bare(found):
    """What is called in the end, with its object as the first argument."""
    for inner in ('fget', '__func__'):  # of properties, of class methods
        if hasattr(found, inner):
            found = getattr(found, inner)
    return found.func if type(found).__name__ == 'cached_property' else found


def function(module, owner, name):
    """What to call: a function, or what a class has under a name, called with its
    object as the first argument."""
    if not owner:
        return values.lookup(module, name)
    return bare(values.lookup(module, owner).__dict__[name])
