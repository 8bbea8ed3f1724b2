"""A source file as the language-neutral tree of the repair engine.

A node is built as a list [kind, start, end, children, op, op start, op end,
name, type, scope]; write() lays the tree out in preorder, so that neither side
has to nest as deeply as the source does.
"""
import ast
import sys
import threading

from .names import Scopes
from .source import Refused, Source
from .types import Types, annotation

BINARY = {
    ast.Add: '+', ast.Sub: '-', ast.Mult: '*', ast.Div: '/', ast.FloorDiv: '//', ast.Mod: '%', ast.Pow: '**',
    ast.LShift: '<<', ast.RShift: '>>', ast.BitOr: '|', ast.BitXor: '^', ast.BitAnd: '&', ast.MatMult: '@',
}
COMPARE = {
    ast.Lt: '<', ast.LtE: '<=', ast.Gt: '>', ast.GtE: '>=', ast.Eq: '==', ast.NotEq: '!=', ast.Is: 'is',
    ast.IsNot: 'is not', ast.In: 'in', ast.NotIn: 'not in',
}
UNARY = {ast.USub: '-', ast.UAdd: '+', ast.Invert: '~', ast.Not: 'not'}
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
TRY = tuple(getattr(ast, n) for n in ('Try', 'TryStar') if hasattr(ast, n))


def Node(kind, start, end, children=(), op='', ops=0, ope=0, name='', type='', scope=-1):
    return [kind, start, end, [c for c in children if c], op, ops, ope, name, type, scope]


class Builder:
    def __init__(self, source):
        self.s = source
        tree = source.parse()
        self.types = Types(tree, source)
        self.scopes = Scopes(tree, self.types)
        self.scope = self.scopes.of(tree)  # that of the statement being built
        self.root = Node('File', 0, len(source.bytes), self.statements(tree.body), scope=self.scope)

    # Statements.

    def statements(self, body):
        return [self.statement(n) for n in body]

    def block(self, body):
        if not body:
            return None
        nodes = self.statements(body)
        return Node('Block', nodes[0][1], nodes[-1][2], nodes)

    def statement(self, n):
        make = getattr(self, 'stmt_' + type(n).__name__, None)
        start, end = self.s.start(n), self.s.end(n)
        outer, scope = self.scope, self.scopes.of(n)
        self.scope = scope if scope >= 0 else outer
        node = make(n, start, end) if make else Node('OtherStmt', start, end)
        if node[9] < 0:
            node[9] = scope
        self.scope = outer
        return node

    def decorators(self, n, start):
        """Decorators as Other, and where the first begins."""
        out = []
        for d in n.decorator_list:
            at = self.s.start(d)
            while at > 0 and self.s.bytes[at:at + 1] != b'@':
                at -= 1
            inner = self.expr(d)
            out.append(Node('Other', min(at, inner[1]), inner[2], [inner]))
        return out, min([start] + [d[1] for d in out])

    def stmt_FunctionDef(self, n, start, end):
        decorators, start = self.decorators(n, start)
        params = self.params(n.args)
        self.types.enter(n)
        children = decorators + params + [self.block(n.body)]
        self.types.leave()
        return Node('Function', start, end, children, name=n.name, type=annotation(n.returns, self.s),
                    scope=self.scopes.inside(n))

    stmt_AsyncFunctionDef = stmt_FunctionDef

    def stmt_ClassDef(self, n, start, end):
        decorators, start = self.decorators(n, start)
        bases = sorted([self.wrap(b) for b in n.bases] + [self.keyword(k) for k in n.keywords], key=lambda c: c[1])
        return Node('OtherStmt', start, end, decorators + bases + [self.block(n.body)], name=n.name)

    def params(self, args):
        plain = getattr(args, 'posonlyargs', []) + args.args
        defaults = [None] * (len(plain) - len(args.defaults)) + list(args.defaults)
        pairs = list(zip(plain, defaults)) + list(zip(args.kwonlyargs, args.kw_defaults))
        pairs += [(a, None) for a in (args.vararg, args.kwarg) if a]
        out = []
        for a, default in sorted(pairs, key=lambda p: (p[0].lineno, p[0].col_offset)):
            value = self.expr(default) if default is not None else None
            end = value[2] if value else self.s.end(a)
            out.append(Node('Param', self.s.start(a), end, [value], name=a.arg, type=self.types.param(a, args)))
        return out

    def stmt_Expr(self, n, start, end):
        if isinstance(n.value, ast.Constant) and isinstance(n.value.value, str):
            return Node('OtherStmt', start, end)  # a docstring
        return Node('ExprStmt', start, end, [self.expr(n.value)])

    def stmt_Assign(self, n, start, end):
        targets = [self.expr(t) for t in n.targets]
        value = self.expr(n.value)
        at = self.find(targets[-1][2], '=')
        return Node('Assign', start, end, targets + [value], '=', at, at + 1)

    def stmt_AugAssign(self, n, start, end):
        target, value = self.expr(n.target), self.expr(n.value)
        op = BINARY[type(n.op)] + '='
        at = self.find(target[2], op)
        return Node('Assign', start, end, [target, value], op, at, at + len(op))

    def stmt_AnnAssign(self, n, start, end):
        if n.value is None:
            return Node('OtherStmt', start, end)
        at = self.find(self.s.end(n.annotation), '=')
        return Node('Assign', start, end, [self.expr(n.target), self.expr(n.value)], '=', at, at + 1)

    def stmt_Return(self, n, start, end):
        return Node('Return', start, end, [self.optional(n.value)])

    def stmt_If(self, n, start, end):
        children = [self.expr(n.test), self.block(n.body)]
        if n.orelse:
            first = n.orelse[0]
            at = self.s.start(first)
            elif_ = len(n.orelse) == 1 and isinstance(first, ast.If) and self.s.bytes[at:at + 4] == b'elif'
            children.append(self.statement(first) if elif_ else self.block(n.orelse))
        return Node('If', start, end, children)

    def stmt_While(self, n, start, end):
        return Node('While', start, end, [self.expr(n.test), self.block(n.body), self.block(n.orelse)])

    def stmt_For(self, n, start, end):
        target, iterable = self.expr(n.target), self.expr(n.iter)
        at = self.find(target[2], 'in')
        return Node('For', start, end, [target, iterable, self.block(n.body), self.block(n.orelse)], 'in', at, at + 2)

    stmt_AsyncFor = stmt_For

    def stmt_Break(self, n, start, end):
        return Node('Break', start, end)

    def stmt_Continue(self, n, start, end):
        return Node('Continue', start, end)

    def stmt_Raise(self, n, start, end):
        return Node('Raise', start, end, [self.optional(n.exc), self.optional(n.cause)])

    def stmt_Assert(self, n, start, end):
        return Node('Assert', start, end, [self.expr(n.test), self.optional(n.msg)])

    def stmt_Try(self, n, start, end):
        children = [self.block(n.body)]
        for h in n.handlers:
            caught = self.wrap(h.type) if h.type is not None else None
            at = self.s.start(h)
            children.append(Node('Other', at, self.s.end(h), [caught, self.block(h.body)], 'except', at, at + 6))
        return Node('Try', start, end, children + [self.block(n.orelse), self.block(n.finalbody)])

    stmt_TryStar = stmt_Try

    def stmt_With(self, n, start, end):
        children = []
        for item in n.items:
            children += [self.expr(item.context_expr), self.optional(item.optional_vars)]
        return Node('With', start, end, children + [self.block(n.body)])

    stmt_AsyncWith = stmt_With

    def stmt_Delete(self, n, start, end):
        return Node('OtherStmt', start, end, [self.expr(t) for t in n.targets])

    def stmt_Match(self, n, start, end):
        children = [self.expr(n.subject)]
        for c in n.cases:
            body = self.block(c.body)
            children.append(Node('Other', self.s.start(c.pattern), body[2], [self.optional(c.guard), body]))
        return Node('OtherStmt', start, end, children)

    # Expressions.

    def optional(self, n):
        return self.expr(n) if n is not None else None

    def wrap(self, n):
        """An expression that names types or the like: templates leave it alone."""
        return Node('Other', self.s.start(n), self.s.end(n))

    def expr(self, n):
        make = getattr(self, 'expr_' + type(n).__name__, None)
        start, end = self.s.start(n), self.s.end(n)
        node = make(n, start, end) if make else Node('Other', start, end, self.below(n))
        if not node[8]:
            node[8] = self.types.of(n)
        return node

    def below(self, n):
        return sorted((self.expr(c) for c in ast.iter_child_nodes(n) if isinstance(c, ast.expr)), key=lambda c: c[1])

    def expr_Name(self, n, start, end):
        return Node('Name', start, end, name=n.id)

    def expr_Constant(self, n, start, end):
        v = n.value
        if isinstance(v, bool):
            return Node('Bool', start, end)
        if v is None:
            return Node('Nil', start, end)
        if isinstance(v, (int, float, complex)):
            return Node('Number', start, end)
        return Node('String' if isinstance(v, str) else 'Other', start, end)

    def expr_JoinedStr(self, n, start, end):
        return Node('Other', start, end, self.formatted(n, start, end))

    expr_TemplateStr = expr_JoinedStr

    def formatted(self, n, start, end):
        """The expressions in an f-string. Positions in it are wrong in some versions
        of Python, so only those that read back as themselves are taken."""
        out = []
        for part in n.values:
            if type(part).__name__ not in ('FormattedValue', 'Interpolation'):
                continue
            v = part.value
            a, b = self.s.start(v), self.s.end(v)
            if a < (out[-1][2] if out else start) or b > end or a >= b or b'\n' in self.s.bytes[a:b]:
                continue
            try:
                same = ast.dump(ast.parse(self.s.bytes[a:b].strip(), mode='eval').body) == ast.dump(v)
            except (SyntaxError, ValueError):
                same = False
            if same and not isinstance(v, (ast.JoinedStr, ast.Yield, ast.YieldFrom)):
                out.append(self.expr(v))
        return out

    def expr_BinOp(self, n, start, end):
        left, right = self.expr(n.left), self.expr(n.right)
        op = BINARY[type(n.op)]
        at = self.find(left[2], op)
        return Node('Binary', start, end, [left, right], op, at, at + len(op))

    def expr_Compare(self, n, start, end):
        node = self.expr(n.left)
        for k, (o, r) in enumerate(zip(n.ops, n.comparators)):
            right, op = self.expr(r), COMPARE[type(o)]
            at, to = self.find_words(node[2], op)
            stop = end if k == len(n.ops) - 1 else self.closed(right[2])
            kind = 'Compare' if len(n.ops) == 1 or k < len(n.ops) - 1 and k == 0 else 'Other'
            node = Node(kind, start, stop, [node, right], op, at, to, type='bool')
        return node

    def expr_BoolOp(self, n, start, end):
        node, op = self.expr(n.values[0]), 'and' if isinstance(n.op, ast.And) else 'or'
        for k, v in enumerate(n.values[1:]):
            right = self.expr(v)
            at = self.find(node[2], op)
            stop = end if k == len(n.values) - 2 else self.closed(right[2])
            node = Node('Logical', start, stop, [node, right], op, at, at + len(op))
        return node

    def closed(self, at):
        """Where the operand that ends at at ends with its closing parentheses."""
        while True:
            next_ = self.s.skip(at, closing=False)
            if self.s.bytes[next_:next_ + 1] != b')':
                return at
            at = next_ + 1

    def expr_UnaryOp(self, n, start, end):
        op = UNARY[type(n.op)]
        return Node('Unary', start, end, [self.expr(n.operand)], op, start, start + len(op))

    def expr_Call(self, n, start, end):
        args = [self.expr(a) for a in n.args] + [self.keyword(k) for k in n.keywords]
        callee = self.expr(n.func)
        for a in args:  # the generator in f(x for x in y) claims the call's parentheses
            if a[0] == 'Comp' and a[2] == end:
                a[1], a[2] = a[1] + 1, a[2] - 1
        return Node('Call', start, end, [callee] + sorted(args, key=lambda c: c[1]))

    def keyword(self, k):
        value = self.expr(k.value)
        if hasattr(k, 'lineno'):
            start, end = self.s.start(k), max(self.s.end(k), value[2])
        else:  # before Python 3.9 a keyword has no place of its own
            end, at = value[2], value[1]
            while at > 0 and self.s.bytes[at - 1:at] in (b' ', b'\t', b'\r', b'\n', b'(', b'=', b'*', b'\\'):
                at -= 1
            start = at - len(k.arg.encode()) if k.arg else value[1]
            if k.arg and self.s.text(start, at) != k.arg:
                return Node('Other', value[1], value[2], [value])
        if k.arg is None:
            return Node('Other', start, end, [value])
        return Node('Keyword', start, end, [value], name=k.arg)

    def expr_Subscript(self, n, start, end):
        value = self.expr(n.value)
        index = n.slice.value if type(n.slice).__name__ == 'Index' else n.slice
        if isinstance(index, ast.Slice):
            return Node('Slice', start, end, [value] + self.bounds(index, value[2], end))
        if type(index).__name__ == 'ExtSlice':
            return Node('Other', start, end, [value])
        if isinstance(index, ast.Tuple) and any(isinstance(e, (ast.Slice, ast.Starred)) for e in index.elts):
            inner = [self.expr(e) for e in index.elts if not isinstance(e, ast.Slice)]
            return Node('Other', start, end, [value] + inner)
        return Node('Index', start, end, [value, self.expr(index)])

    def bounds(self, n, after, end):
        """Low, high and step, each Empty where it is left out."""
        at = self.find(after, '[') + 1
        out = []
        for k, part in enumerate((n.lower, n.upper, n.step)):
            node = self.expr(part) if part is not None else None
            if node is None:
                out.append(Node('Empty', at, at))
                stop = self.s.skip(at)
            else:
                out.append(node)
                stop = self.s.skip(node[2])
            if self.s.bytes[stop:stop + 1] == b':' and k < 2:
                at = stop + 1
            elif node is not None:
                at = self.closed(node[2])
        return out

    def expr_Attribute(self, n, start, end):
        return Node('Attribute', start, end, [self.expr(n.value)], name=n.attr)

    def expr_IfExp(self, n, start, end):
        return Node('Cond', start, end, [self.expr(n.test), self.expr(n.body), self.expr(n.orelse)])

    def expr_List(self, n, start, end):
        return Node('List', start, end, [self.expr(e) for e in n.elts])

    def expr_Tuple(self, n, start, end):
        return Node('Tuple', start, end, [self.expr(e) for e in n.elts])

    def expr_Dict(self, n, start, end):
        children = []
        for k, v in zip(n.keys, n.values):
            value = self.expr(v)
            children += [self.expr(k), value] if k is not None else [Node('Other', value[1], value[2], [value])]
        return Node('Dict', start, end, children)

    def expr_Lambda(self, n, start, end):
        outer, self.scope = self.scope, self.scopes.extend(self.scope, n.args)
        children = self.params(n.args) + [self.expr(n.body)]
        node = Node('Lambda', start, end, children, scope=self.scope)
        self.scope = outer
        return node

    def comprehension(self, n, start, end):
        outer, self.scope = self.scope, self.scopes.extend(self.scope, *[g.target for g in n.generators])
        element = [n.key, n.value] if isinstance(n, ast.DictComp) else [n.elt]
        children = [self.expr(e) for e in element if e is not None]
        for g in n.generators:
            target, iterable = self.expr(g.target), self.expr(g.iter)
            at = self.find(target[2], 'in')
            children.append(Node('For', target[1], iterable[2], [target, iterable], 'in', at, at + 2))
            children += [self.expr(c) for c in g.ifs]
        node = Node('Comp', start, end, children, scope=self.scope)
        self.scope = outer
        return node

    expr_ListComp = expr_SetComp = expr_DictComp = expr_GeneratorExp = comprehension

    def expr_Yield(self, n, start, end):
        return Node('Yield', start, end, [self.optional(n.value)], 'yield', start, start + 5)

    def expr_YieldFrom(self, n, start, end):
        _, to = self.find_words(start, 'yield from')
        return Node('Yield', start, end, [self.expr(n.value)], 'yield from', start, to)

    # Operators.

    def find(self, after, op):
        return self.find_words(after, op)[0]

    def find_words(self, after, op):
        """The span of the operator that follows the operand ending at after."""
        first = at = self.s.skip(after)
        for word in op.split(' '):
            at = self.s.skip(at)
            if self.s.bytes[at:at + len(word)] != word.encode():
                raise Refused('the operator %r is not where it should be, at byte %d' % (op, at))
            at += len(word)
        return first, at


def write(root):
    """The tree in preorder: [kind, start, end, number of children, op, op start, op
    end, name, type, scope], without what is empty at the end."""
    rows, stack = [], [root]
    while stack:
        kind, start, end, children, op, ops, ope, name, type_, scope = stack.pop()
        row = [kind, start, end, len(children), op, ops, ope, name, type_, scope]
        while row[-1] in ('', 0, -1) and len(row) > 4:
            row.pop()
        rows.append(row)
        stack.extend(reversed(children))
    return rows


def build(content):
    b = Builder(Source(content))
    return {'rows': write(b.root), 'scopes': b.scopes.table}


def parse(content):
    """build, on a stack that is deep enough for any source that Python takes."""
    result = []

    def run():
        try:
            result.append(build(content))
        except Refused as e:
            result.append({'refused': str(e)})
        except RecursionError:
            result.append({'refused': 'it is nested too deeply'})

    old_limit = sys.getrecursionlimit()
    old_size = threading.stack_size(256 << 20)
    try:
        sys.setrecursionlimit(20000)
        t = threading.Thread(target=run)
        t.start()
        t.join()
    finally:
        sys.setrecursionlimit(old_limit)
        threading.stack_size(old_size)
    return result[0] if result else {'refused': 'the parser failed'}
