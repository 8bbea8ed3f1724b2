"""Project modules in this process: which they are, their compiled code, the
changed source of one of them, and a fresh start for all of them.

Source files of the project don't change while a worker lives but by the
candidate that is being tried, so their code is compiled once and kept. Bytecode
files are never read for them: a file that was changed twice in one second would
be served stale.
"""
import importlib.machinery
import importlib.util
import os
import sys
import warnings

ELSEWHERE = {'subprocess', 'multiprocessing', 'runpy', 'Popen', 'getsource', 'ProcessPoolExecutor'}
FOREIGN = ('site-packages', 'dist-packages', 'node_modules')


def compile_quietly(source, path):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return compile(source, path, 'exec', dont_inherit=True)


class Project:
    """Knows which files are the project's own."""

    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.prefix = self.root.rstrip(os.sep) + os.sep
        self.known = {}

    def relative(self, path):
        """A project file's path relative to the workspace with slashes, else None."""
        if path not in self.known:
            self.known[path] = self.find(path)
        return self.known[path]

    def find(self, path):
        if not isinstance(path, str) or not path or path.startswith('<'):
            return None
        real = os.path.realpath(path)
        if not real.startswith(self.prefix):
            return None
        for prefix in (sys.prefix, sys.base_prefix):
            prefix = os.path.realpath(prefix)
            if prefix != self.root and prefix.startswith(self.prefix) and real.startswith(prefix + os.sep):
                return None  # an environment inside the workspace
        rel = real[len(self.prefix):]
        if any(part in FOREIGN for part in rel.split(os.sep)):
            return None
        return rel.replace(os.sep, '/')

    def owns(self, module):
        """Whether the module's source is the project's own."""
        file = getattr(module, '__file__', None)
        if file:
            return self.relative(file) is not None
        try:
            places = list(getattr(module, '__path__', None) or ())
        except Exception:
            return False
        return bool(places) and all(self.relative(p) is not None or os.path.realpath(p) == self.root for p in places)

    def loaded(self):
        """Names of the project's modules that are loaded."""
        return [name for name, m in list(sys.modules.items()) if name != '__main__' and m is not None and self.owns(m)]


class Sources:
    """The code of project files, served to every import."""

    def __init__(self, project):
        self.project = project
        self.code = {}      # real path: code
        self.real = {}      # path: real path
        self.changed = {}   # real path: code of the candidate
        self.rewritten = {}  # real path: what pytest made of a test file
        self.installed = False

    def install(self):
        """Serves imports through SourceFileLoader and pytest's rewriting."""
        if self.installed:
            return
        self.installed = True
        self.serve_imports()
        self.serve_rewriting()

    def path(self, p):
        if p not in self.real:
            self.real[p] = os.path.realpath(p)
        return self.real[p]

    def serve_imports(self):
        original = importlib.machinery.SourceFileLoader.get_code

        def get_code(loader, fullname):
            name = loader.get_filename(fullname)
            if self.project.relative(name) is None:
                return original(loader, fullname)
            return self.get(name)

        importlib.machinery.SourceFileLoader.get_code = get_code

    def get(self, name):
        path = self.path(name)
        if path in self.changed:
            return self.changed[path]
        if path not in self.code:
            with open(path, 'rb') as f:
                self.code[path] = compile_quietly(f.read(), name)
        return self.code[path]

    def serve_rewriting(self):
        import _pytest.assertion.rewrite as rewrite
        original = getattr(rewrite, '_rewrite_test', None)
        if original is None:
            return  # another pytest than is known: slower, and asserts say less

        def rewrite_test(fn, config):
            path = self.path(str(fn))
            if path in self.changed:
                return original(fn, config)
            if path not in self.rewritten:
                self.rewritten[path] = original(fn, config)
            return self.rewritten[path]

        rewrite._rewrite_test = rewrite_test
        rewrite._read_pyc = lambda *args, **kwargs: None

    def test_code(self, path):
        """The code of a test file as pytest runs it, else None."""
        kept = self.rewritten.get(self.path(path))
        return kept[1] if kept else None


class Remembered:
    """Finds the modules that were loaded before where they were found then, without
    looking at the disk, and gives each a fresh start."""

    def __init__(self, project, sources):
        self.project, self.sources = project, sources
        self.table = {}
        self.foreign = set(sys.modules) - set(project.loaded())
        for name in project.loaded():
            m = sys.modules[name]
            spec = getattr(m, '__spec__', None)
            file = getattr(m, '__file__', None)
            if spec is None or not file or not file.endswith('.py'):
                continue
            places = spec.submodule_search_locations
            self.table[name] = (file, None if places is None else list(places))

    def find_spec(self, fullname, path=None, target=None):
        known = self.table.get(fullname)
        if known is None:
            return None
        file, places = known
        spec = importlib.machinery.ModuleSpec(fullname, self, origin=file, is_package=places is not None)
        if places is not None:
            spec.submodule_search_locations[:] = places
        spec.has_location = True
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        file = module.__file__
        code = self.sources.changed.get(self.sources.path(file)) or self.sources.test_code(file) or self.sources.get(file)
        exec(code, module.__dict__)

    # What inspect, pkgutil and the like ask a loader.

    def get_filename(self, fullname):
        return self.table[fullname][0]

    def is_package(self, fullname):
        return self.table[fullname][1] is not None

    def get_source(self, fullname):
        return importlib.util.decode_source(self.get_data(self.table[fullname][0]))

    def get_data(self, path):
        with open(path, 'rb') as f:
            return f.read()

    def purge(self):
        """Forgets every project module, so that the next import runs it anew."""
        for name in sys.modules.keys() - self.foreign:
            if name == '__main__' or not self.project.owns(sys.modules[name]):
                self.foreign.add(name)
            else:
                del sys.modules[name]


def apply_edits(content, edits):
    """content with [start, end, text] edits made; they are sorted and apart."""
    out, at = [], 0
    for start, end, text in edits:
        out += [content[at:start], text.encode('utf-8', 'surrogatepass')]
        at = end
    out.append(content[at:])
    return b''.join(out)


def reads_itself(project, sources):
    """Whether loaded project code starts processes or reads its own source: a candidate
    that is only in memory is not what they would see."""
    for name in project.loaded():
        code = getattr(sys.modules[name], '__file__', None)
        path = code and sources.path(code)
        if path in sources.code and mentions(sources.code[path], ELSEWHERE):
            return True
        if path in sources.rewritten and mentions(sources.rewritten[path][1], ELSEWHERE):
            return True
    return False


def mentions(code, names):
    """Whether code, or code in it, names one of names."""
    if not names.isdisjoint(code.co_names):
        return True
    return any(hasattr(c, 'co_names') and mentions(c, names) for c in code.co_consts)
