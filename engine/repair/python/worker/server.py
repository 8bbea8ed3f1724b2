"""The worker: it takes requests as JSON lines on its standard input and answers on
its standard output. It imports pytest and what the tests need from outside the
project, never the project itself; that happens in children.
"""
import ast
import base64
import importlib
import json
import os
import sys
import time
import traceback

from . import behave, examples, failure, tree
from .children import Child, Lines
from .loader import Project, Sources


def main():
    lines = Lines(os.dup(0), os.dup(1))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    sys.dont_write_bytecode = True
    server = Server(lines)
    while True:
        request = lines.receive()
        if request is None:
            break
        try:
            server.handle(request)
            lines.send({'end': True})
        except Exception:
            lines.send({'error': traceback.format_exc()[-2000:]})
    server.close()


class Server:
    def __init__(self, lines):
        self.lines = lines
        self.plan = self.project = self.sources = None
        self.stream = None
        self.zygotes = {}           # kind: sessions to fork from
        self.cold = set()           # (kind, path) of files that are loaded before such a session waits
        self.stream_files = set()   # that the stream was given
        self.usable = None      # whether the stream can be used, once that is known
        self.base = {}          # id: what its failure looks like in a session
        self.examples = {}      # path: those in its documentation, and whether each holds
        self.least = 0.03

    def handle(self, request):
        getattr(self, 'on_' + request['do'])(request)

    def inherited(self):
        fds = [self.lines.read, self.lines.write]
        for child in self.children():
            if child.status is None:
                fds += [child.lines.read, child.lines.write]
        return fds

    def child(self, work):
        return Child(work, self.inherited())

    def children(self):
        return [c for c in (self.stream, *self.zygotes.values()) if c is not None]

    def close(self):
        for child in self.children():
            child.end()

    # Requests.

    def on_parse(self, request):
        content = base64.b64decode(request['content'])
        child = self.child(lambda lines: lines.send(tree.parse(content)))
        answer = child.receive(cpu=20, wall=60)
        child.end()
        self.lines.send({'tree': answer or {'refused': 'the parser died'}})

    def on_open(self, request):
        """What to run. It brings what another worker has learnt, or nothing."""
        from . import session
        preload_pytest()
        self.close()
        self.stream = self.usable = None
        self.zygotes, self.cold, self.base, self.examples = {}, set(), {}, {}
        self.plan = session.Plan(request['root'], request['folder'], request['targets'], request['passing'])
        self.project = Project(request['root'])
        self.sources = Sources(self.project)
        self.plan.options = request.get('options') or []
        self.plan.seconds = request.get('seconds') or {}
        self.plan.sigs = request.get('sigs') or {}
        self.plan.hung = set(request.get('hung') or ())
        self.plan.covers = request.get('covers')
        self.preload(request.get('imported') or ())

    def on_learn(self, request):
        """Runs the tests as they are: {"test", "outcome", "seconds"} for each, then
        {"imported"} and {"options"}."""
        left, budget = self.plan.wanted(), request['budget']
        done = self.learn(left, budget)
        if not done:
            self.plan.options = ['-o', 'addopts=']  # they may need what is left out here
            done = self.learn(left, budget)
        for _ in range(3):  # a test that ended the session is left out of the next
            left = [i for i in left if i not in done]
            if not done or not left:
                break
            done = self.learn(left, budget)
        self.lines.send({'options': self.plan.options})

    def learn(self, ids, budget):
        """One session. It returns the ids that are dealt with; the last of them may
        have ended the session."""
        from . import session
        plan, project = self.plan, self.project

        def work(lines):
            plugin = session.Learn(plan, project, lines, ids, budget)
            code = session.main(plan, plugin, plan.files(ids))
            lines.send({'code': code})

        child, done, running = self.child(work), [], None
        while True:
            message = child.receive(cpu=30 if running is None else 4, wall=90 if running is None else 20)
            if message is None:
                break
            if 'code' in message:
                done = ids if done else []
                break
            if 'imported' in message:
                self.preload(message['imported'])
                self.lines.send(message)
            elif 'start' in message:
                running = message['start']
                done.append(running)
            elif 'test' in message:
                self.learnt(message)
                running = None
        child.end()
        if message is None and running is not None:
            self.learnt({'test': running, 'outcome': 'hung' if child.killed else 'died', 'seconds': 0, 'wall': 0})
        return done

    def learnt(self, message):
        self.lines.send(message)
        if message['outcome'] == 'hung':
            self.plan.hung.add(message['test'])
        elif message['outcome'] in ('passed', 'failed'):
            self.plan.seconds[message['test']] = message['seconds']
            if message.get('sig'):
                self.plan.sigs[message['test']] = message['sig']

    def preload(self, names):
        for name in names:
            try:
                importlib.import_module(name)
            except BaseException:
                continue

    # Coverage.

    def on_spectrum(self, request):
        """{"row", …} for each test, or assertion, and {"imports"}."""
        left = list(request['ids'])
        for _ in range(4):
            done = self.trace(left, request['budget'], request['by_assertion'])
            left = [i for i in left if i not in done]
            if not done or not left:
                break

    def trace(self, ids, budget, by_assertion):
        """One session. It returns the ids that are dealt with; the last of them may
        have ended the session."""
        from . import spectrum, tracing
        shared = tracing.Shared()
        plan, project, sources = self.plan, self.project, Sources(self.project)

        def work(lines):
            plugin = spectrum.Spectrum(plan, project, sources, lines, ids, budget, shared, by_assertion)
            sources.install()
            plugin.prepare()
            lines.send({'code': spectrum.session.main(plan, plugin, plan.files(ids))})

        child, done, names, running, limit = self.child(work), [], {}, None, 10
        while True:
            message = child.receive(cpu=2 * limit, wall=10 + 5 * limit)
            if message is None:
                break
            if 'code' in message:
                running, done = None, ids
                break
            if 'start' in message:
                running, limit = message['start'], message['limit']
                done.append(running)
            elif 'file' in message:
                names[message['file']] = message['name']
            else:
                self.lines.send(message)
                if 'row' in message and not message['assertion']:
                    running, limit = None, 10
        child.end()
        if running is not None:
            by_file = {}
            for number, line in shared.read():
                by_file.setdefault(names.get(number, ''), []).append(line)
            self.lines.send({
                'row': running, 'assertion': 0, 'outcome': 'hung' if child.killed else 'died',
                'lines': {f: sorted(set(n)) for f, n in by_file.items() if f}, 'frames': [],
            })
        return done

    # Candidates.

    def on_evaluate(self, request):
        """{"id", "verdict", "passed", "changed"} for each candidate."""
        self.least = request['least']
        todo = request['candidates']
        for c in todo:
            c['fuel'] = request['fuel']
        if self.usable is not False and todo:
            todo = self.through_stream(todo)
        for c in todo:
            self.lines.send(self.in_session(c))

    def through_stream(self, todo):
        """Tries candidates in the stream; returns those that are left when it can't
        be used."""
        while todo:
            if self.stream is None and not self.open_stream():
                return todo
            stream = self.stream
            try:
                self.send_files(todo)
                for c in todo:
                    stream.lines.send(c)
            except OSError:
                pass  # it has ended; what is left goes to the next
            seconds = self.plan.seconds.values()
            limit = 0.5 + 4 * max(todo[0]['fuel'], 3 * max(seconds, default=0)) + 4 * sum(seconds)
            while todo:
                answer = stream.receive(cpu=limit, wall=5 + 5 * limit)
                if answer is None:
                    verdict = 'O' if stream.killed else 'D'
                    self.lines.send({'id': todo.pop(0)['id'], 'verdict': verdict, 'passed': 0, 'changed': True})
                    self.drop_stream()
                    break
                c = todo.pop(0)
                if answer.pop('renew', False):
                    self.drop_stream()
                self.lines.send(self.in_session(c, passed=True) if answer['verdict'] == 'G' else answer)
                if self.stream is None:
                    break
        return todo

    def send_files(self, todo):
        """Gives the stream the files that candidates edit: while it works, a session
        may have another candidate's text in their place."""
        for path in {c['path'] for c in todo} - self.stream_files:
            with open(os.path.join(self.plan.root, path), 'rb') as f:
                self.stream.lines.send({'file': path, 'content': base64.b64encode(f.read()).decode()})
            self.stream_files.add(path)

    def drop_stream(self):
        self.stream.end()
        self.stream = None

    def open_stream(self):
        if self.usable is False:
            return False
        from . import session, stream
        plan, project, sources, least = self.plan, self.project, self.sources, self.least

        def work(lines):
            plugin = stream.Stream(plan, project, sources, lines, least)
            sources.install()
            session.main(plan, plugin, plan.files(plugin.order))

        self.stream, self.stream_files = self.child(work), set()
        while True:
            message = self.stream.receive(cpu=20, wall=60)
            if message is None or 'direct' in message:
                break
        if message is None or not any(t in message['sigs'] for t in message['direct']):
            self.usable = False
            self.drop_stream()
            return False
        self.usable = True
        return True

    def in_session(self, candidate, passed=False):
        """Tries a candidate in a session of its own: on the targets, unless it is known
        that they pass, and then on all tests in pytest's own order, since those that
        share state may pass in that only."""
        told = {'verdict': 'G'} if passed else self.session_of(candidate)
        if told['verdict'] == 'G' and (passed or self.plan.passing):
            told = self.session_of(dict(candidate, natural=True))
        sig, at = told.get('sig'), told.get('at')
        gained, broken = self.documented(candidate) if told['verdict'] == 'G' else (0, 0)
        return {
            'gained': gained, 'broken': broken,
            'id': candidate['id'], 'verdict': told['verdict'], 'passed': told.get('passed', 0), 'slow': told.get('slow', False),
            'changed': sig is None or self.base.get(at) != sig, 'further': failure.further(sig, self.base.get(at)),
        }

    def documented(self, candidate):
        """How many examples of the documentation hold with an edit that did not, and how
        many don't that did."""
        path = candidate['path']
        if path not in self.examples:
            with open(os.path.join(self.plan.root, path), 'rb') as f:
                found = examples.find(f.read())
            self.examples[path] = found, found and self.outcomes_of(candidate, [], found)
        found, before = self.examples[path]
        return examples.judge(before, self.outcomes_of(candidate, candidate['edits'], found)) if before else (0, 0)

    def outcomes_of(self, candidate, edits, found):
        return self.session_of(dict(candidate, edits=edits, examples=found)).get('outputs')

    def session_of(self, candidate):
        """What a session tells, begun as late as the edit allows. On all tests it is
        never one that has collected already: what they say counts."""
        kinds = ['ready', 'late', 'early']
        if candidate.get('natural') or 'ready' not in self.zygotes and ('calls' in candidate or 'examples' in candidate):
            kinds.remove('ready')
        for kind in kinds:
            if (kind, candidate['path']) in self.cold:
                continue
            told = self.ask_zygote(kind, candidate) or self.ask_zygote(kind, candidate)  # it may have died of something else
            if told is not None and told['verdict'] not in ('cold', 'elsewhere'):
                return told
            if told is not None and told['verdict'] == 'cold':
                self.cold.add((kind, candidate['path']))
        return self.ask_cold(candidate)

    def ask_zygote(self, kind, candidate):
        zygote = self.zygotes.get(kind)
        if zygote is None or zygote.status is not None:
            zygote = self.open_zygote(kind)
        try:
            zygote.lines.send({'candidate': candidate})
        except OSError:
            zygote.end()
            return None
        told = self.await_verdict(zygote)
        if told is None:
            zygote.end()
        return told

    def await_verdict(self, zygote):
        while True:
            message = zygote.receive(cpu=60, wall=300)
            if message is None or 'verdict' in message:
                return message
            if 'base' in message:
                self.base[message['base']] = message['sig']

    def open_zygote(self, kind):
        """Starts it, and runs the code as it is once, to know what its failures look
        like."""
        from . import forked, ready
        kinds = {'ready': ready.Ready, 'late': forked.Zygote, 'early': lambda *a: forked.Zygote(*a, early=True)}
        zygote = kinds[kind](self.plan, self.project, self.sources)
        self.zygotes[kind] = child = self.child(zygote.serve)
        self.base.update((t, ['hung']) for t in self.plan.hung)
        try:
            child.lines.send({'candidate': None})
            self.await_verdict(child)
        except OSError:
            pass
        return child

    def ask_cold(self, candidate):
        from . import forked
        messages = []
        file = forked.Kept(self.plan, candidate)
        child = self.child(forked.cold(self.plan, self.project, self.sources, candidate))
        forked.relay(child, messages.append, file)
        return messages[-1]

    # Behaviours.

    def on_behave(self, request):
        greens = request['candidates']
        chosen = behave.choose(request['calls'], greens, self.spans(greens))
        calls = behave.plan_calls(chosen)
        results = [self.outputs(g, calls) for g in greens] if calls else []
        if not results or results[0] is None:
            self.lines.send({'behaviours': None})
            return
        again, before = self.outputs(greens[0], calls), self.outputs(dict(greens[0], edits=[]), calls)
        silent = ['' for _ in calls]
        rows = behave.compare(calls, [r or silent for r in results], again, before)
        self.lines.send({'behaviours': rows})

    def outputs(self, green, calls):
        """What the calls give with an edit; None when they could not be made."""
        return self.session_of(dict(green, fuel=0, calls=calls)).get('outputs')

    def spans(self, greens):
        """(file, first line) of the functions that hold an edit."""
        out = set()
        for g in greens:
            with open(os.path.join(self.plan.root, g['path']), 'rb') as f:
                content = f.read()
            first = content.count(b'\n', 0, g['edits'][0][0]) + 1
            holding = [
                n for n in ast.walk(ast.parse(content))
                if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) and n.lineno <= first <= n.end_lineno
            ]
            for n in holding:
                out.add((g['path'], n.lineno))
                out.update((g['path'], d.lineno) for d in n.decorator_list[:1])
        return out


def preload_pytest():
    """Imports pytest with what it would import at its own start."""
    import _pytest.config
    import pytest
    for name in _pytest.config.default_plugins:
        try:
            importlib.import_module(name if '.' in name else '_pytest.' + name)
        except ImportError:
            continue
    return pytest
