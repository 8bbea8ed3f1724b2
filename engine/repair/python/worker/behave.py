"""What candidates do on derived inputs, to tell them apart."""
import asyncio
import inspect
import itertools
import os
import sys
import time

from . import failure, inputs, values
from .calling import function
from .fuel import Clock

EACH = 0.1   # seconds of processor time for a call
ALL = 3.0    # and for all calls of one candidate
MOST = 200   # inputs
TOLD = 400   # characters of an input or output, for people


def outputs(calls, lines):
    """What functions give, parallel to calls. It is the last thing that this process
    does: what the functions print goes nowhere."""
    clock, started, told = Clock(), time.process_time(), []
    sys.stdout = sys.stderr = open(os.devnull, 'w')
    for what, text in calls:
        if time.process_time() - started > ALL:
            told.append(None)
            continue
        lines.send({'tick': EACH})
        told.append(output(clock, what, text))
    return told


def output(clock, what, text):
    """What a call gives, as text; None when that can't be told."""
    try:
        args, keywords = values.read(text, there=True)
    except Exception:
        return None  # the code no longer has such objects
    try:
        clock.start(EACH)
        result = function(what['module'], what['owner'], what['name'])(*args, **keywords)
        shown = show(result, args, what)
        clock.stop()
    except BaseException as e:
        clock.stop()
        return 'does not end' if clock.spent else 'raises ' + type(e).__name__
    return failure.ADDRESS.sub('0x', shown)[:2000]


def show(result, args, what):
    if inspect.iscoroutine(result):
        result = asyncio.run(result)
    if hasattr(type(result), '__next__'):
        result = list(itertools.islice(result, 200))
    shown = values.show(result)
    own = args[:1] if what['owner'] else ()
    if what['name'] == '__init__' and own:
        return values.show(own[0])
    changed = [values.show(a) for k, a in enumerate(args) if k < len(own) or result is None and isinstance(a, (list, dict, set))]
    return ', leaving '.join([shown] + ([', '.join(changed)] if changed else []))


def choose(calls, greens, spans):
    """The functions to call, with inputs: those that the tests call and that hold an
    edit, else those that the tests call and that lead there, else all that the tests
    call, else those that hold an edit."""
    by_function, ways = {}, set()
    for c in calls:
        if 'way' in c:
            if tuple(c['way'][:2]) in spans:
                ways.add(tuple(c['way'][2:]))
            continue
        key = (c['module'], c['owner'], c['name'], c['file'], c['line'])
        entry, inner = by_function.setdefault(key, ([], []))
        (entry if c['entry'] else inner).append(c['args'])
    edited = {k for k in by_function if k[3:] in spans}
    leading = {k for k in by_function if k[3:] in ways}
    for keys, part in ((edited, 0), (leading, 0), (by_function, 0), (edited, 1)):
        chosen = [(k, by_function[k][part]) for k in by_function if k in keys and by_function[k][part]]
        if chosen:
            return chosen
    return []


def plan_calls(chosen):
    """(function, text of arguments) pairs, shared out among the functions."""
    out = []
    share = max(20, MOST // max(1, len(chosen)))
    for (module, owner, name, _, _), texts in chosen[:10]:
        what = {'module': module, 'owner': owner, 'name': name}
        out += [(what, t) for t in inputs.derive(texts, values.Writer(), share, bool(owner))]
    return out


def compare(calls, results, again, before):
    """Clusters of results (lists of outputs), and for each that differs from the
    first the clearest input with its output. None when nothing can be told: also
    when all do what the code does as it is (before), so that no input shows what is
    wrong with it."""
    usable = [
        k for k in range(len(calls))
        if all(r[k] is not None for r in results) and (again is None or again[k] == results[0][k])
    ]
    if before is not None and all(r[k] == before[k] for r in results for k in usable):
        return None
    clusters, out = {}, []
    for r in results:
        key = tuple(r[k] for k in usable)
        cluster = clusters.setdefault(key, len(clusters))
        differing = [k for k in usable if r[k] != results[0][k]]
        row = {'cluster': cluster, 'input': '', 'output': ''}
        if differing:
            k = min(differing, key=lambda k: (len(calls[k][1]) + len(r[k]), k))
            row.update(input=short(readable(*calls[k])), output=short(r[k]))
        out.append(row)
    return out if usable else None


def short(text):
    return text if len(text) <= TOLD else text[:TOLD - 1] + '…'


def readable(what, text):
    """A call for people."""
    args, keywords = values.read(text)
    name = what['name']
    if what['owner'] and args and name == '__init__':
        name, args = what['owner'], args[1:]
    elif what['owner'] and args:
        name, args = '%s.%s' % (values.show(args[0]), name), args[1:]
    return '%s(%s)' % (name, ', '.join([values.show(a) for a in args] + ['%s=%s' % (k, values.show(v)) for k, v in keywords.items()]))
