"""What candidates do on derived inputs, to tell them apart."""
import itertools
import os
import sys
import time

from . import failure, inputs
from .fuel import Clock
from .tracing import literal

EACH = 0.1   # seconds of processor time for a call
ALL = 3.0    # and for all calls of one candidate
MOST = 200   # inputs


def outputs(calls, lines):
    """What functions give, parallel to calls. It is the last thing that this process
    does: what the functions print goes nowhere."""
    clock, started, told = Clock(), time.process_time(), []
    sys.stdout = sys.stderr = open(os.devnull, 'w')
    for function, text in calls:
        if time.process_time() - started > ALL:
            told.append(None)
            continue
        lines.send({'tick': EACH})
        told.append(output(clock, function, text))
    return told


def output(clock, function, text):
    """What a call gives, as text; None when that can't be told."""
    args, keywords = inputs.read(text)
    try:
        clock.start(EACH)
        module = sys.modules[function['module']]
        owner = getattr(module, function['owner'])() if function['owner'] else module
        result = getattr(owner, function['name'])(*args, **keywords)
        shown = show(result, args)
        clock.stop()
    except BaseException as e:
        clock.stop()
        return 'does not end' if clock.spent else 'raises ' + type(e).__name__
    return None if failure.ADDRESS.search(shown) else shown[:2000]


def show(result, args):
    if hasattr(type(result), '__next__'):
        result = list(itertools.islice(result, 200))
    shown = repr(result)
    if result is None:
        changed = [repr(a) for a in args if isinstance(a, (list, dict, set))]
        if changed:
            shown += ', leaving ' + ', '.join(changed)
    return shown


def choose(calls, greens, spans):
    """The functions to call, with inputs: those that the tests call and that hold an
    edit, else all that the tests call, else those that hold an edit."""
    by_function = {}
    for c in calls:
        key = (c['module'], c['owner'], c['name'], c['file'], c['line'])
        entry, inner = by_function.setdefault(key, ([], []))
        (entry if c['entry'] else inner).append(c['args'])
    edited = {k for k in by_function if (k[3], k[4]) in spans}
    for keys, part in ((edited, 0), (by_function, 0), (edited, 1)):
        chosen = [(k, by_function[k][part]) for k in by_function if k in keys and by_function[k][part]]
        if chosen:
            return chosen
    return []


def plan_calls(chosen):
    """(function, text of arguments) pairs, shared out among the functions."""
    out = []
    share = max(20, MOST // max(1, len(chosen)))
    for (module, owner, name, _, _), texts in chosen[:10]:
        function = {'module': module, 'owner': owner, 'name': name}
        out += [(function, t) for t in inputs.derive(texts, literal, share)]
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
            function, text = calls[k]
            dotted = '%s().%s' % (function['owner'], function['name']) if function['owner'] else function['name']
            row.update(input='%s(%s)' % (dotted, text), output=r[k])
        out.append(row)
    return out if usable else None
