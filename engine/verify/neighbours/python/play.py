"""Plays calls on the project's code as it is on the disk, each list in a process of
its own in which nothing of the project was loaded before."""
import base64
import os
import sys
import time

from autocoder_repair import behave
from autocoder_repair.calling import function
from autocoder_repair.children import Child
from autocoder_repair.fuel import Clock, limit_memory

ALL = 1.5        # seconds of processor time for the calls of one list
MEMORY = 1 << 30


class Files:
    """The edited files, as they are before and after the edit."""

    def __init__(self, root, before):
        self.before, self.after = {}, {}
        for name, text in before.items():
            path = os.path.join(root, *name.split('/'))
            self.before[path] = None if text is None else base64.b64decode(text)
            self.after[path] = read(path)

    def lay(self, version):
        for path, content in getattr(self, version).items():
            if content is None:
                if os.path.lexists(path):
                    os.remove(path)
                continue
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'wb') as f:
                f.write(content)


def read(path):
    try:
        with open(path, 'rb') as f:
            return f.read()
    except OSError:
        return None


class Player:
    """Serves lists of calls, in a process that was forked before the project was
    loaded."""

    def __init__(self, project, files):
        self.project, self.files = project, files

    def serve(self, lines):
        while True:
            order = lines.receive()
            if order is None:
                os._exit(0)
            self.files.lay(order['version'])
            try:
                lines.send({'told': self.play(order, lines)})
            finally:
                self.files.lay('after')

    def play(self, order, lines):
        """What each call of a list gave; None for those that can't be told."""
        child = Child(inherited=[lines.read, lines.write], settled=True)
        if child.inside:
            try:
                self.inside(order, child.lines)
            finally:
                os._exit(0)
        told, calls = [], order['calls']
        while len(told) < len(calls):
            message = child.receive(cpu=3, wall=order['wall'])
            if message is None or 'end' in message:
                break
            told.append(message['gives'])
        child.end()
        return told + [None] * (len(calls) - len(told))

    def inside(self, order, lines):
        limit_memory(MEMORY)
        sys.path[:] = order['path']
        for name in self.project.loaded():
            del sys.modules[name]
        clock, started = Clock(), time.process_time()
        sys.stdout = sys.stderr = open(os.devnull, 'w')
        for what, text in order['calls']:
            if time.process_time() - started > ALL:
                break
            if order['traced']:
                lines.send({'gives': self.way(clock, what, text)})
            else:
                lines.send({'gives': self.gives(clock, what, text)})
        lines.send({'end': True})

    @staticmethod
    def gives(clock, what, text):
        """What a call gives; None also for one that only waited."""
        used = time.process_time()
        answer = behave.output(clock, what, text)
        if answer == 'does not end' and time.process_time() - used < behave.EACH / 2:
            return None
        return answer

    def way(self, clock, what, text):
        """Through which places of the project's code a call leads, as a short text."""
        seen, relative = set(), self.project.relative

        def on_call(frame, event, arg):
            if relative(frame.f_code.co_filename) is None:
                return None
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            return on_step

        def on_step(frame, event, arg):
            if event == 'opcode':
                seen.add((frame.f_code.co_filename, frame.f_code.co_firstlineno, frame.f_code.co_name, frame.f_lasti))
            return on_step

        try:
            function(what['module'], what['owner'], what['name'])
        except BaseException:
            return None
        sys.settrace(on_call)
        try:
            behave.output(clock, what, text)
        finally:
            sys.settrace(None)
        return '%x' % (hash(frozenset(seen)) & (1 << 64) - 1)
