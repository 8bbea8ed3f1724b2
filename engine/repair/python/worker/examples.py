"""What documentation says that functions give, as evidence about edits that make the
tests pass: examples in the form of a session, and lines like "f(1) -> 2"."""
import ast
import doctest
import os
import re
import sys
import time

from .fuel import Clock
from .source import Refused, Source

EACH = 0.2   # seconds of processor time for an example
ALL = 1.5    # and for all of a file
MOST = 40    # examples of a file
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
ARROW = re.compile(r'^[\s#*>.-]*(?P<call>[A-Za-z_]\w*\(.*\))\s*(?:==|=>|->|=|➞|→|⇒|➔|returns|should return|gives)\s*(?P<want>\S.*?)\s*$')
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def find(content):
    """[[source, want, form], …] for each docstring of a file that has some."""
    try:
        tree = Source(content).parse()
    except Refused:
        return []
    out, count = [], 0
    for n in ast.walk(tree):
        text = isinstance(n, DOCUMENTED) and ast.get_docstring(n)
        found = of(text)[:MOST - count] if text else []
        if found:
            out.append(found)
            count += len(found)
    return out


def of(text):
    try:
        sessions = [[e.source, e.want, 'raises' if e.exc_msg else 'shown'] for e in doctest.DocTestParser().get_examples(text)]
    except ValueError:
        sessions = []
    if any(want for _, want, _ in sessions):
        return sessions
    out = []
    for line in text.splitlines():
        m = ARROW.match(line)
        if m is not None and call(m['call']) and literal(m['want']) is not None:
            out.append([m['call'], literal(m['want']), 'equal'])
    return out


def call(text):
    """Whether a text is a call with values written out."""
    try:
        n = ast.parse(text, mode='eval').body
        return isinstance(n, ast.Call) and all(ast.literal_eval(a) is not Ellipsis for a in n.args)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def literal(text):
    """The part of a text that is a value, else None: a sentence may go on behind it."""
    for part in (text, re.split(r'\s+#|\s{2,}|\s+(?:because|since|as)\s', text)[0], text.rstrip('.')):
        try:
            ast.literal_eval(part)
            return part
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def outcomes(path, docstrings, lines):
    """Whether each example holds in the module that was loaded from path, in a list;
    None where nothing was loaded."""
    module = next((m for m in list(sys.modules.values()) if same(getattr(m, '__file__', None), path)), None)
    if module is None:
        return None
    clock, started, out = Clock(), time.process_time(), []
    sys.stdout = sys.stderr = open(os.devnull, 'w')
    for examples in docstrings:
        names = dict(module.__dict__)
        for source, want, form in examples:
            lines.send({'tick': EACH})
            late = time.process_time() - started > ALL
            out.append(None if late or not want and form != 'shown' else holds(clock, names, source, want, form))
    return out


def same(file, path):
    return isinstance(file, str) and (file == path or os.path.realpath(file) == os.path.realpath(path))


def holds(clock, names, source, want, form):
    """Whether an example holds; None for one that says nothing."""
    shown = []
    try:
        clock.start(EACH)
        if form == 'equal':
            result = eval(source, names) == ast.literal_eval(want)
            clock.stop()
            return bool(result)
        hook, sys.displayhook = sys.displayhook, shown.append
        try:
            exec(compile(source, '<example>', 'single', dont_inherit=True), names)
        finally:
            sys.displayhook = hook
        clock.stop()
    except BaseException as e:
        clock.stop()
        last = want.strip().rpartition('\n')[2]
        return form == 'raises' and last.partition(':')[0].strip().rpartition('.')[2] == type(e).__name__
    if not want:
        return None
    if form == 'raises':
        return False
    got = ''.join(repr(v) + '\n' for v in shown if v is not None)
    return doctest.OutputChecker().check_output(want, got, FLAGS)


def judge(before, after):
    """How many examples hold that did not, and how many don't that did."""
    pairs = list(zip(before or (), after or ()))
    return sum(b is False and a is True for b, a in pairs), sum(b is True and a is not True for b, a in pairs)
