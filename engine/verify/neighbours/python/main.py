"""The program: one request, one answer, each a file of JSON.

It runs the tests of a request and notes with what they call the project's functions.
What these give is asked before and after the edit. Of those that the edit changes for
an input of the tests it is asked with inputs near that one too. What to make of it is
up to who reads the answer.
"""
import itertools
import json
import os
import sys
import time

from autocoder_repair import behave, session
from autocoder_repair.loader import Project, Sources

from . import derive, play, record

FUNCTIONS = 24   # that are asked
GIVEN = 16       # inputs of the tests of one function
TURNS = 40       # calls until something that counts them shows itself
CHANGED = 6      # functions, and inputs of each, that are looked at closely
INPUTS = 5
NEAR = 1800      # inputs near those of the tests, in all
OTHERS = 40      # inputs near one that is answered as before
MIXED = 24       # arguments of different calls together


def main(request, answer):
    with open(request, encoding='utf-8') as f:
        work = json.load(f)
    sys.dont_write_bytecode = True
    told = Comparison(work).run()
    with open(answer, 'w', encoding='utf-8') as f:
        json.dump({'functions': told}, f)


class Comparison:
    def __init__(self, work):
        self.work = work
        self.end = time.monotonic() + work['seconds']
        self.project = Project(work['root'])
        sources = Sources(self.project)
        sources.install()
        self.files = play.Files(work['root'], work['before'])
        plan = session.Plan(work['root'], work['folder'], work['tests'], [])
        self.recording = record.Recording(plan, self.project, work['tests'], play.Player(self.project, self.files).serve, time.monotonic() + work['seconds'] / 2)
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        session.main(plan, self.recording, plan.files(work['tests']))

    def run(self):
        if self.recording.player is None:
            return []
        functions = self.functions()
        told = self.changed([f for f in functions if f.entry])
        if not told:
            told = self.changed([f for f in functions if not f.entry])
        if self.recording.player.status is None:
            self.recording.player.end()
        return [f.told() for f in told]

    def functions(self):
        """Those that the tests call, and those that the edit changes."""
        edited = self.edited()
        found = {}
        for c in self.recording.calls.take():
            if 'way' in c:
                continue
            key = c['module'], c['owner'], c['name'], c['file'], c['line'], c['entry']
            if not c['entry'] and (c['file'], c['line']) not in edited:
                continue
            if key not in found:
                found[key] = Function(key, self.recording.parameters.get((c['file'], c['line']), ()), (c['file'], c['line']) in edited)
            if len(found[key].given) < GIVEN:
                found[key].add(c['args'])
        return list(found.values())[:FUNCTIONS]

    def edited(self):
        out = set()
        for path, before in self.files.before.items():
            after = self.files.after[path]
            if path.endswith('.py') and before is not None and after is not None:
                out.update((self.project.relative(path), line) for line in record.changed_functions(before, after))
        return out

    def ask(self, version, calls, traced=False):
        """What calls give."""
        left = self.end - time.monotonic()
        if left < 0.05 or not calls:
            return [None] * len(calls)
        player = self.recording.player
        player.lines.send({'version': version, 'calls': [[f.what, text] for f, text in calls], 'path': sys.path, 'traced': traced, 'wall': left})
        message = player.receive(cpu=left + 1, wall=left)
        if message is None:
            self.end = 0
            return [None] * len(calls)
        return message['told']

    def changed(self, functions):
        """Those that give something else for an input of the tests, or no longer the
        same when they are asked again, with what is near."""
        given = [(f, i) for f in functions for i in f.given]
        if not given:
            return []
        n = len(given)
        order = turns(n)
        calls = [(given[k][0], given[k][1].text) for k in order]
        before, after, again = self.ask('before', calls), self.ask('after', calls), self.ask('after', calls[:n])
        for k, (f, i) in enumerate(given):
            i.before, i.after = before[k], after[k]
            later = [after[at] for at, which in enumerate(order) if which == k and after[at] != after[k]]
            same = all(before[at] == before[k] for at, which in enumerate(order) if which == k)
            f.unsteady = f.unsteady or again[k] != after[k] or not same
            if later and None not in later:
                i.later = later[0]
        found = [f for f in functions if not f.unsteady and (f.moved() or any(i.later for i in f.given))][:CHANGED]
        self.look_closely(found)
        return found

    def look_closely(self, functions):
        calls = []
        for f in functions:
            f.derive(NEAR // max(1, len(functions)))
            calls += [(f, n) for n in f.near()]
        asked = [(f, n['text']) for f, n in calls]
        before, after = self.ask('before', asked), self.ask('after', asked)
        for (_, n), b, a in zip(calls, before, after):
            n['before'], n['after'] = b, a
        self.trace([f for f in functions if f.narrow()])

    def trace(self, functions):
        """The ways of what has an order, for those whose change may be a special case."""
        rows = []
        for f in functions:
            for i in f.moved():
                rows.append((f, i.text, i.ways))
                for n in i.near:
                    if n['at'] is not None:
                        n['ways'] = []
                        rows.append((f, n['text'], n['ways']))
        calls = [(f, text) for f, text, _ in rows]
        for version in ('before', 'after'):
            for (_, _, ways), way in zip(rows, self.ask(version, calls, traced=True)):
                ways.append(way)


def turns(n):
    """In which order n calls are made again and again: what counts them, or knows in
    which order the tests make them, shows itself."""
    rounds = max(2, min(TURNS, TURNS // n + 1))
    return list(range(n)) * rounds + list(range(n))[::-1] + [k for k in range(n) for _ in range(2)]


class Given:
    """An input of the tests."""

    def __init__(self, text):
        self.text = text
        self.input = derive.Input(text)
        self.before = self.after = None  # what it gives
        self.later = None  # what it gives when it is asked again, where that is something else
        self.near, self.ways = [], []


class Function:
    def __init__(self, key, parameters, edited):
        self.module, self.owner, self.name, self.file, self.line, self.entry = key
        self.what = {'module': self.module, 'owner': self.owner, 'name': self.name}
        self.parameters, self.edited = parameters, edited
        self.given, self.unsteady = [], False

    def add(self, text):
        try:
            self.given.append(Given(text))
        except Exception:
            pass  # it can't be read here

    def moved(self):
        return [i for i in self.given if None not in (i.before, i.after) and i.before != i.after][:INPUTS]

    def near(self):
        return [n for i in self.given for n in i.near]

    def narrow(self):
        """Whether there is a place in which no other value shows the change."""
        wide = {n['place'] for n in self.near() if n['before'] != n['after']}
        return any(n['place'] not in wide for n in self.near())

    def derive(self, most):
        """Inputs near those that the edit changes, which no test gives."""
        moved = self.moved()
        shares = [(i, most // len(moved)) for i in moved]
        shares += [(i, OTHERS) for i in self.given if i not in moved and None not in (i.before, i.after)][:2]
        known = {i.text for i in self.given}
        values = {}
        for i in self.given:
            for path, value in derive.places(i.input):
                values.setdefault(path, {})[derive.literal(value)] = value
        for i, share in shares:
            for value in derive.twice(i.input)[:4]:
                for text, v in derive.near(value)[:8]:
                    self.note(i, known, i.input.replaced(value, v), 'together', text, None)
            self.mix(i, known)
            ways = []
            for path, value in derive.places(i.input):
                others = values[path]
                alike = {derive.bare(v) for v in others.values()} - {''}
                ways.append([
                    (path, text, v) for text, v in derive.near(value, list(others.values()))
                    if text not in others and derive.bare(v) not in alike
                ])
            for row in itertools.zip_longest(*ways):
                for path, text, v in filter(None, row):
                    if len(i.near) < share:
                        self.note(i, known, i.input.with_(path, v), self.place(path), text, derive.position(v))

    def mix(self, given, known):
        """Arguments of different calls together."""
        left = MIXED
        for top in given.input.tops():
            for i in self.given:
                if i is not given and top in i.input.tops() and left > 0:
                    left -= 1
                    self.note(given, known, given.input.with_((top,), i.input.top(top)), 'mixed', '', None)

    def note(self, given, known, text, place, value, at):
        if text is not None and text not in known:
            known.add(text)
            given.near.append({'text': text, 'place': place, 'value': value, 'at': at, 'before': None, 'after': None})

    def place(self, path):
        """What people call a place: a parameter, and the parts in it."""
        top = path[0]
        name = top if isinstance(top, str) else self.parameters[top] if top < len(self.parameters) else str(top)
        return '.'.join([name] + [str(p) for p in path[1:]])

    def told(self):
        inputs = []
        for i in self.given:
            places = {
                self.place(path): {'value': derive.literal(v), 'at': derive.position(v), 'edge': derive.edge(v)}
                for path, v in derive.places(i.input)
            }
            inputs.append({
                'text': self.readable(i.text), 'before': i.before, 'after': i.after, 'later': i.later,
                'places': places, 'near': i.near, 'ways': i.ways,
            })
        name = '%s.%s' % (self.owner, self.name) if self.owner else self.name
        return {'file': self.file, 'name': name, 'line': self.line, 'unedited': not self.edited, 'inputs': inputs}

    def readable(self, text):
        try:
            return behave.short(behave.readable(self.what, text))
        except Exception:
            return text
