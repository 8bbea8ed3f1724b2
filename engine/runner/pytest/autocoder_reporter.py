"""Reports a pytest run as JSON lines, one event a line, each written at once.

The file is laid into a private folder beside autocoder_options.json, which says
what to run; report.jsonl is written there too. It works with pytest 6 to 9 and
Python 3.8 and later, on the standard library alone, and changes nothing in the
project's folder.
"""
import functools
import importlib
import json
import os
import re
import signal
import sys
import threading
import time

import pytest

import autocoder_layout as layout

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_VERSION = tuple(int(n) for n in re.findall(r"\d+", pytest.__version__)[:2])


def _clip(text, limit):
    """Returns text with its middle left out when it is longer than limit."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return "%s\n… %d characters left out …\n%s" % (text[:half], len(text) - 2 * half, text[-half:])


def _shorten(item, excinfo):
    """Has pytest show a deep recursion as Python does: frame by frame it takes seconds,
    and nobody reads that. What is reported of its frames is read elsewhere."""
    depth, tb = 0, excinfo.tb
    while tb is not None and depth < 100:
        depth, tb = depth + 1, tb.tb_next
    if tb is not None and isinstance(item, pytest.Function) and hasattr(item, "_repr_failure_py"):
        item.repr_failure = lambda excinfo, style=None: item._repr_failure_py(excinfo, style="native")


class _Hang(BaseException):
    """Ends a test that has run into its limit. No test code expects it."""


class _Report:
    """The report file. It keeps its own references to what it calls, so that
    tests that replace the clock or a function of os don't reach it."""

    def __init__(self, path):
        self.path = path
        self.flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        self.open, self.write, self.getpid, self.time = os.open, os.write, os.getpid, time.time
        self.encode = json.JSONEncoder().encode
        self.pid = os.getpid()
        self.fd = os.open(path, self.flags, 0o600)

    def emit(self, event, **fields):
        if self.getpid() != self.pid:
            return  # a child that a test forked and that came back into pytest
        fields["e"] = event
        line = (self.encode(fields) + "\n").encode("utf-8")
        while line:
            try:
                n = self.write(self.fd, line)
            except OSError:  # a test closed every descriptor
                self.fd = self.open(self.path, self.flags, 0o600)
                n = self.write(self.fd, line)
            line = line[n:]


class _Places:
    """Knows which files are the project's own."""

    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.known = {}

    def relative(self, path):
        """Returns a project file's path relative to the workspace, else None."""
        if path not in self.known:
            self.known[path] = self._relative(path)
        return self.known[path]

    def _relative(self, path):
        if not path or path.startswith("<"):
            return None
        real = os.path.realpath(path)
        if not real.startswith(self.root.rstrip(os.sep) + os.sep):
            return None
        rel = os.path.relpath(real, self.root).replace(os.sep, "/")
        parts = rel.split("/")
        if "site-packages" in parts or "dist-packages" in parts:
            return None
        return rel

    def stack(self, frame):
        """Returns the project's frames of a running stack, the deepest last."""
        found = []
        while frame is not None and len(found) < 40:
            rel = self.relative(frame.f_code.co_filename)
            if rel:
                found.append([rel, frame.f_lineno or 0, frame.f_code.co_name])
            frame = frame.f_back
        return found[::-1]

    def frames(self, tb):
        """Returns the project's frames of a traceback, the deepest last."""
        found = []
        while tb is not None:
            code = tb.tb_frame.f_code
            rel = self.relative(code.co_filename)
            if rel and not tb.tb_frame.f_locals.get("__tracebackhide__") is True:
                found.append([rel, tb.tb_lineno or 0, code.co_name])
            tb = tb.tb_next
        if len(found) > 60:
            found = found[:20] + found[-40:]
        return found


class _Alarm:
    """Ends a phase of a test that takes too long, from inside the process, so
    that many hanging tests don't cost a start each. What it can't end, the
    program that reads the report kills."""

    def __init__(self, report, places, limit):
        self.report = report
        self.places = places
        self.limit = limit
        self.usable = bool(limit) and hasattr(signal, "setitimer")
        self.phase = None
        self.hung = {}
        self.slowest = 0.0
        self.hung_phases = set()
        self.monotonic = time.monotonic

    def allowed(self, when):
        """A phase gets the whole limit until one of its kind has hung; then ten
        times the slowest test that finished, at least half a second."""
        if when not in self.hung_phases:
            return self.limit
        return min(max(10 * self.slowest, 0.5), self.limit)

    def start(self, key, when, limit=None):
        if not self.usable or threading.current_thread() is not threading.main_thread():
            return
        limit = limit or self.allowed(when)
        delay, interval = signal.getitimer(signal.ITIMER_REAL)
        if delay and delay < limit:
            return  # the project's own time limit is the tighter one
        self.before = (signal.getsignal(signal.SIGALRM), delay, interval, self.monotonic())
        self.phase = (key, when, limit)
        signal.signal(signal.SIGALRM, self.fire)
        # It fires again and again: one exception may be swallowed by the test.
        signal.setitimer(signal.ITIMER_REAL, limit, 0.5)

    def stop(self):
        if self.phase is None:
            return
        self.phase = None
        # signal.getsignal returns the bound method anew: compare by equality.
        if signal.getsignal(signal.SIGALRM) != self.fire:
            return  # the test has set an alarm of its own
        signal.setitimer(signal.ITIMER_REAL, 0)
        handler, delay, interval, since = self.before
        signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)
        if delay:
            left = max(delay - (self.monotonic() - since), 0.001)
            signal.setitimer(signal.ITIMER_REAL, left, interval)

    def fire(self, signum, frame):
        if self.phase is None:
            return
        key, when, limit = self.phase
        if key not in self.hung:
            self.hung[key] = limit
            self.hung_phases.add(when)
            self.report.emit("hang", id=key, when=when, after=limit, frames=self.places.stack(frame))
        raise _Hang("no end after %.3g s" % limit)


class _Reporter:
    def __init__(self, options, report):
        self.options = options
        self.report = report
        self.places = _Places(options["root"])
        self.alarm = _Alarm(report, self.places, options.get("limit") or 0)
        self.ids = None if options.get("ids") is None else set(options["ids"])
        self.skip = set(options.get("skip") or ())
        self.compared = None
        self.code = None
        self.files = None
        self.drill = None

    # -- the run ----------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config):
        self.neutralise(config)

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config):
        self.neutralise(config)
        self.rootdir = str(getattr(config, "rootpath", None) or config.rootdir)
        if self.options.get("drill"):
            self.drill = self.options["drill"](config)
        self.report.emit("configure", root=self.rootdir)

    def neutralise(self, config):
        """Takes back options of the project that would hide tests, change their
        order or run them in processes that don't report."""
        option = config.option
        option.maxfail = 0
        for name, value in (
            ("lf", False), ("failedfirst", False), ("newfirst", False), ("stepwise", False),
            ("stepwise_skip", False), ("usepdb", False), ("trace", False),
            ("numprocesses", None), ("dist", "no"), ("tx", []), ("looponfail", False),
            ("randomly_seed", 0), ("randomly_reorganize", False), ("cov_fail_under", None),
        ):
            if hasattr(option, name):
                setattr(option, name, value)
        cov = config.pluginmanager.getplugin("_cov")
        if cov is None:
            return
        # Coverage costs time, and its threshold would fail a run of green tests.
        config.pluginmanager.unregister(cov)
        controller = getattr(cov, "cov_controller", None)
        for step in ("pause", "unset_env"):
            if hasattr(controller, step):
                getattr(controller, step)()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(self):
        outcome = yield
        if outcome.excinfo is None:
            return
        error = outcome.excinfo[1]
        if type(error).__name__ == "ConftestImportFailure":
            self.broken("", error.__cause__ or error)

    def pytest_internalerror(self, excrepr, excinfo):
        error = excinfo.value
        if type(error).__name__ == "ConftestImportFailure":
            self.broken("", error.__cause__ or error)
            return
        self.report.emit("internal", message=_clip("%s: %s" % (type(error).__name__, error), 2000),
                         frames=self.places.frames(excinfo.tb))

    def pytest_keyboard_interrupt(self, excinfo):
        self.report.emit("interrupt", kind=excinfo.typename, message=_clip(str(excinfo.value), 2000),
                         frames=self.places.frames(excinfo.tb))

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session):
        yield
        self.code = int(session.exitstatus)
        self.report.emit("finish", code=self.code, elsewhere=self.elsewhere())

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self):
        """A thread that a test left behind must not hold the process for ever."""
        if self.code is None or self.report.getpid() != self.report.pid:
            return
        patience = 0.5 if self.alarm.hung else 5
        sleep, leave, code = time.sleep, os._exit, self.code

        def watch():
            sleep(patience)
            leave(code)

        threading.Thread(target=watch, daemon=True).start()

    # -- collection -------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self):
        if self.drill:
            self.drill.begin()

    def ignored(self, path):
        """Leaves out the files that hold nothing of the selection."""
        path = os.path.normpath(path)
        rel = os.path.relpath(path, self.rootdir).replace(os.sep, "/")
        if rel in self.skip:
            return True
        if self.ids is None:
            return None
        if self.files is None:
            self.files, self.folders = set(), set()
            for nodeid in self.ids:
                file = os.path.normpath(os.path.join(self.rootdir, nodeid.split("::")[0]))
                self.files.add(file)
                while os.path.dirname(file) != file:
                    file = os.path.dirname(file)
                    self.folders.add(file)
        if path in self.files or path in self.folders:
            return None
        if os.path.basename(path) == "__init__.py" and os.path.dirname(path) in self.folders:
            return None
        return True

    if _VERSION >= (7, 0):
        @pytest.hookimpl(tryfirst=True)
        def pytest_ignore_collect(self, collection_path):
            return self.ignored(str(collection_path))
    else:
        @pytest.hookimpl(tryfirst=True)
        def pytest_ignore_collect(self, path):
            return self.ignored(str(path))

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector):
        part = collector.nodeid
        file = isinstance(collector, pytest.File)
        if file:
            self.report.emit("collect", part=part)
            self.alarm.start(part, "collect", self.options.get("collect"))
        try:
            outcome = yield
        finally:
            self.alarm.stop()
        if outcome.excinfo is not None:
            error = outcome.excinfo[1]
            if not isinstance(error, (SystemExit, KeyboardInterrupt)):
                return
            # A module that leaves at its import must not take the others along.
            self.broken(part, error)
            failed = pytest.CollectReport(part, "failed", repr(error), []) if hasattr(
                pytest, "CollectReport") else _collect_report()(part, "failed", repr(error), [])
            failed.call = None
            outcome.force_result(failed)
            return
        result = outcome.get_result()
        if result.outcome != "failed":
            return
        call = result.__dict__.get("call")
        if call is None or call.excinfo is None:
            self.report.emit("broken", part=part, kind="", message=_clip(str(result.longrepr), 2000), frames=[])
            return
        error = call.excinfo.value
        if type(error).__name__ == "ConftestImportFailure":
            part = ""  # of a folder, whose own name says less
        self.broken(part, error.__cause__ or error)

    def broken(self, part, error):
        """Reports a part that can't be collected, with the place at fault."""
        frames = self.places.frames(error.__traceback__)
        kind = type(error).__name__
        if part in self.alarm.hung:
            kind = "_Hang"
        if isinstance(error, SyntaxError) and error.filename:
            rel = self.places.relative(error.filename)
            if rel:
                frames.append([rel, error.lineno or 0, ""])
        message = str(error)
        if isinstance(error, SyntaxError):
            message = error.msg or message
        self.report.emit("broken", part=part, kind=kind, message=_clip(message, 2000), frames=frames,
                         syntax=isinstance(error, SyntaxError), imports=isinstance(error, ImportError))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        keep, drop = [], []
        for item in items:
            wanted = self.ids is None or item.nodeid in self.ids
            (keep if wanted and item.nodeid not in self.skip else drop).append(item)
        if drop:
            config.hook.pytest_deselected(items=drop)
            items[:] = keep
        if self.drill:
            self.drill.place(items)

    def pytest_collection_finish(self, session):
        self.report.emit("collected", ids=[item.nodeid for item in session.items],
                         lines=[self.line(item) for item in session.items])

    @staticmethod
    def line(item):
        """Returns the line of a test in the file of its id, 0 when it is elsewhere."""
        try:
            file, line, _ = item.location
            own = os.path.normpath(file) == os.path.normpath(item.nodeid.split("::")[0])
            return line + 1 if own and line is not None else 0
        except Exception:  # a plugin's own kind of test
            return 0

    # -- tests ------------------------------------------------------------

    def phase(self, item, when):
        self.compared = None
        self.report.emit("run", id=item.nodeid, when=when, t=self.report.time())
        self.alarm.start(item.nodeid, when)
        try:
            yield
        finally:
            self.alarm.stop()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item):
        yield from self.phase(item, "setup")

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item):
        if self.drill:
            self.drill.force(item)
        yield from self.phase(item, "call")

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item):
        yield from self.phase(item, "teardown")

    def pytest_assertrepr_compare(self, op, left, right):
        if op == "==":
            self.compared = (left, right)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        if call.excinfo is not None:
            _shorten(item, call.excinfo)
        outcome = yield
        report = outcome.get_result()
        if report.outcome == "failed" and call.excinfo is not None:
            report._autocoder = self.failure(item, call.excinfo)
        self.compared = None

    def failure(self, item, excinfo):
        error = excinfo.value
        kind = type(error).__name__
        frames = self.places.frames(excinfo.tb)
        found = {"kind": kind, "frames": frames, "chain": self.chain(error)}
        if isinstance(error, SyntaxError) and error.filename:
            rel = self.places.relative(error.filename)
            if rel:
                frames.append([rel, error.lineno or 0, ""])
        if isinstance(error, AssertionError):
            if self.compared is not None:
                found["actual"], found["expected"] = (self.show(value) for value in self.compared)
            elif type(item).__name__ == "TestCaseFunction":
                said = re.match(r"(?:\w+ differ: )?(.+?) != (.+)", str(error).split("\n")[0])
                if said:
                    found["actual"], found["expected"] = said.group(1), said.group(2)
        return found

    @staticmethod
    def show(value):
        try:
            return _clip(repr(value), 2000)
        except Exception as error:  # the value's own repr is broken
            return "<%s in repr>" % type(error).__name__

    @staticmethod
    def chain(error):
        """The error and those that led to it, for what a wrapper hides."""
        found, seen = [], set()
        while error is not None and id(error) not in seen and len(found) < 8:
            seen.add(id(error))
            said = _clip("%s: %s" % (type(error).__name__, error), 500)
            tb = error.__traceback__
            while tb is not None and tb.tb_next is not None:
                tb = tb.tb_next
            if isinstance(error, PermissionError) and not error.filename and tb is not None:
                if os.path.basename(tb.tb_frame.f_code.co_filename) == "socket.py":
                    said += " (socket)"
            found.append(said)
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return found

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.outcome == "passed":
            self.alarm.slowest = max(self.alarm.slowest, report.duration)
        fields = {"id": report.nodeid, "when": report.when, "outcome": report.outcome,
                  "duration": getattr(report, "duration", 0)}
        if hasattr(report, "wasxfail"):
            fields["xfail"] = str(report.wasxfail)
        if report.outcome == "failed":
            fields.update(self.described(report))
        elif report.outcome == "skipped":
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            fields["message"] = _clip(fields.get("xfail") or str(reason), 500)
        self.report.emit("phase", **fields)

    def described(self, report):
        fields = dict(getattr(report, "_autocoder", None) or {})
        crash = getattr(report.longrepr, "reprcrash", None)
        message = crash.message if crash is not None else str(report.longrepr)
        fields["message"] = _clip(message, 8000)
        places = getattr(report.longrepr, "reprlocation_lines", None)
        if places:  # a doctest
            place = places[-1][0]
            rel = self.places.relative(os.path.join(self.rootdir, place.path))
            if rel:
                fields["at"] = [rel, place.lineno or 0, ""]
                fields["message"] = _clip("\n".join(places[-1][1]), 8000)
        fields["output"] = _clip(report.capstdout + report.capstderr, 16000)
        return fields

    # -- what was executed ------------------------------------------------

    def elsewhere(self):
        """Returns the file of a module of the project that was loaded from outside
        of the workspace: an install of it, of which an edit changes nothing."""
        ordinary = {"test", "tests", "setup", "conftest", "docs", "doc", "examples", "src", "noxfile", "tasks"}
        top = set().union(*(layout.names(f) for f in [self.rootdir] + self.options["sources"])) - ordinary
        stdlib, anywhere = os.path.dirname(os.path.realpath(os.__file__)), None
        for name, module in sorted(sys.modules.items()):
            if "." in name or name in ordinary:
                continue
            place = getattr(module, "__file__", None)
            if not isinstance(place, str):
                continue
            place = os.path.realpath(place)
            if self.places.relative(place):
                continue
            rest = os.path.relpath(place, stdlib)
            if not rest.startswith("..") and "site-packages" not in rest and "dist-packages" not in rest:
                continue  # the standard library has one of the same name
            if name in top:
                return place
            if layout.foreign(place, self.places.root):
                if anywhere is None:
                    anywhere = self.everywhere()
                if name in anywhere:
                    return place
        return None

    def everywhere(self):
        """The importable names of the workspace's folders, not of its packages."""
        found, seen = set(), 0
        for folder, folders, _ in os.walk(self.places.root):
            seen += 1
            depth = os.path.relpath(folder, self.places.root).count(os.sep)
            if depth >= 4 or seen > 2000 or os.path.exists(os.path.join(folder, "__init__.py")):
                folders[:] = []
            folders[:] = [f for f in folders if not f.startswith(".") and f not in ("node_modules", "site-packages")]
            if not os.path.exists(os.path.join(folder, "__init__.py")):
                found |= layout.names(folder)
        return found


def _collect_report():
    return importlib.import_module("_pytest.reports").CollectReport


def _distrust_bytecode(root):
    """Makes imports of workspace files compile their source. Python and pytest
    know a stale cache file by the source's size and the second of its change,
    and an edit can keep both. Caches of everything else stay in use."""
    root = os.path.realpath(root).rstrip(os.sep) + os.sep

    def own(path):
        path = os.path.realpath(str(path))
        return path.startswith(root) and "site-packages" not in path and "dist-packages" not in path

    loader = importlib._bootstrap_external
    cached = loader.cache_from_source

    def cache_from_source(path, *args, **kwargs):
        if own(path):
            raise NotImplementedError("no cache for the files under test")
        return cached(path, *args, **kwargs)

    loader.cache_from_source = cache_from_source
    rewrite = importlib.import_module("_pytest.assertion.rewrite")
    read = getattr(rewrite, "_read_pyc", None)
    if read is not None:
        rewrite._read_pyc = lambda source, *args, **kwargs: None if own(source) else read(source, *args, **kwargs)


def pytest_addoption(parser, pluginmanager):
    """Runs once, before conftest files are loaded and options are parsed."""
    with open(os.path.join(_FOLDER, "autocoder_options.json"), encoding="utf-8") as file:
        options = json.load(file)
    report = _Report(os.path.join(_FOLDER, "report.jsonl"))
    report.emit("start", pytest=pytest.__version__, python=".".join(map(str, sys.version_info[:3])))
    if options.get("drill"):
        drill = importlib.import_module("autocoder_drill").Drill
        options["drill"] = functools.partial(drill, options["drill"], options["root"])
    options["sources"] = layout.arrange(options["root"])
    _distrust_bytecode(options["root"])
    pluginmanager.register(_Reporter(options, report), "autocoder_reporter_run")
