"""Test files rewritten so that each assertion is tried and told apart: a failed
one does not end its test."""
import ast

RECORDER = '__autocoder_recorder__'
RAISES = ('raises', 'warns', 'assertRaises', 'assertRaisesRegex', 'assertWarns', 'assertLogs')


def call(method, line):
    recorder = ast.Attribute(ast.Name(RECORDER, ast.Load()), method, ast.Load())
    return ast.Expr(ast.Call(recorder, [ast.Constant(line)], []))


class Rewriter(ast.NodeTransformer):
    def __init__(self):
        self.inside = 0

    def visit_FunctionDef(self, n):
        self.inside += 1
        self.generic_visit(n)
        self.inside -= 1
        return n

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Assert(self, n):
        return self.wrap(n)

    def visit_Expr(self, n):
        f = n.value.func if isinstance(n.value, ast.Call) else None
        if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id == 'self' and f.attr.startswith('assert'):
            return self.wrap(n)
        return n

    def visit_With(self, n):
        f = n.items[0].context_expr
        f = f.func if isinstance(f, ast.Call) else None
        name = f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else ''
        if name in RAISES and not any(isinstance(x, (ast.Return, ast.Yield, ast.Await)) for x in ast.walk(n)):
            return self.wrap(n)
        self.generic_visit(n)
        return n

    def wrap(self, n):
        if not self.inside:
            return n
        caught = ast.ExceptHandler(ast.Attribute(ast.Name(RECORDER, ast.Load()), 'Failure', ast.Load()), None, [call('fail', n.lineno)])
        new = ast.Try([call('begin', n.lineno), n], [caught], [call('good', n.lineno)], [])
        return ast.copy_location(new, n)


def rewrite(content, path):
    tree = Rewriter().visit(ast.parse(content))
    return compile(ast.fix_missing_locations(tree), path, 'exec', dont_inherit=True)


class Recorder:
    """What rewritten tests tell of their assertions."""

    Failure = Exception
    MOST = 60  # rows of one test for assertions that hold, and for those that fail

    def __init__(self, tracer, emit):
        self.tracer, self.emit = tracer, emit
        self.reset()

    def reset(self):
        self.setup, self.open, self.rows = set(), None, {False: 0, True: 0}

    def begin(self, line):
        self.setup |= self.tracer.lines
        self.tracer.fresh()
        self.open = line

    def good(self, line):
        self.close(line, False)

    def fail(self, line):
        self.close(line, True)

    def close(self, line, failed):
        import sys
        self.open = None
        if self.rows[failed] < self.MOST:
            self.rows[failed] += 1
            value, tb = sys.exc_info()[1:] if failed else (None, None)
            self.emit(line, failed, self.setup | self.tracer.lines, (value, tb) if failed else None)
        self.tracer.fresh()

    def finish(self, outcome, failed):
        """The end of a test: what is left over is a row of its own when it failed."""
        if self.open is not None or outcome in ('failed', 'hung'):
            self.emit(self.open or 0, True, self.setup | self.tracer.lines, failed)
        self.reset()
