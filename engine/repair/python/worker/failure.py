"""What a failure looks like, to tell whether an edit changed it."""
import re

ADDRESS = re.compile(r'0x[0-9a-fA-F]+')


def text(value):
    try:
        message = str(value)
    except BaseException as e:
        message = '<%s in str()>' % type(e).__name__
    return ADDRESS.sub('0x', message[:2000])[:500]


def frames(tb, project):
    """The project's frames of a traceback, the deepest last: [file, line, function]."""
    out = []
    while tb is not None:
        code = tb.tb_frame.f_code
        file = project.relative(code.co_filename)
        if file is not None:
            out.append([file, tb.tb_lineno, code.co_name])
        tb = tb.tb_next
    return out[:20] + out[20:][-80:]


def signature(value, tb, project, tests, shift=None):
    """[type, message, file, function, line, line of the test] of a failure; the place
    is the deepest frame in a project file that is no test. shift maps a line of an
    edited file to what it was before."""
    deepest, reached = ['', '', 0], 0
    for file, line, function in frames(tb, project):
        if file not in tests:
            deepest = [file, function, line]
        elif not reached:
            reached = line
    if shift is not None and deepest[0]:
        deepest[2] = shift(deepest[0], deepest[2])
    return [type(value).__name__, text(value)] + deepest + [reached]


def further(sig, before):
    """Whether a failure comes later in its test than another."""
    return bool(sig and before and len(sig) == len(before) == 6 and sig[5] > before[5] > 0)


class Shift:
    """Lines of a file with edits made, as lines of the file without them."""

    def __init__(self, path, content, edits):
        self.path = path
        self.steps = []
        for start, end, new in edits:
            first = content.count(b'\n', 0, start) + 1
            self.steps.append((first, content.count(b'\n', start, end), new.count('\n')))

    def __call__(self, path, line):
        if path != self.path:
            return line
        moved = 0
        for first, old, new in self.steps:
            if line + moved > first + new:
                moved += old - new
            elif line + moved > first:
                return first
        return line + moved
