"""Reads Python source for the scan: trees as JSON, of the files named in a request.

Nothing of the project is imported. The request is {files: [base64...], modules:
[name...]}; the answer is {files: [{tree} or {problem}], installed: [name...]},
where installed are those of the modules that are found without the project.
A node is [kind, line, name, path, value, children].
"""
import ast
import base64
import importlib.util
import io
import json
import os
import sys
import threading
import tokenize

COMPARE = {
    'Eq': '==', 'NotEq': '!=', 'Lt': '<', 'LtE': '<=', 'Gt': '>', 'GtE': '>=', 'Is': 'is', 'IsNot': 'is not',
    'In': 'in', 'NotIn': 'not in',
}
BINARY = {
    'Add': '+', 'Sub': '-', 'Mult': '*', 'Div': '/', 'FloorDiv': '//', 'Mod': '%', 'Pow': '**', 'LShift': '<<',
    'RShift': '>>', 'BitOr': '|', 'BitXor': '^', 'BitAnd': '&', 'MatMult': '@',
}
UNARY = {'USub': '-', 'UAdd': '+', 'Invert': '~'}
SAME = {'JoinedStr': 'Template', 'TemplateStr': 'Template'}


class Reader:
    def node(self, kind, at, kids=(), name='', path='', value=None):
        return [kind, getattr(at, 'lineno', 0), name or '', path or '', value, [k for k in kids if k is not None]]

    def all(self, nodes):
        return [self.read(n) for n in nodes]

    def block(self, body, at):
        return self.node('Block', body[0] if body else at, self.all(body))

    def read(self, n):
        if n is None:
            return None
        make = getattr(self, 'read_' + type(n).__name__, None)
        if make:
            return make(n)
        kind = SAME.get(type(n).__name__, 'Other')
        return self.node(kind, n, self.all(c for c in ast.iter_child_nodes(n) if not isinstance(c, ast.expr_context)))

    # Statements.

    def read_Module(self, n):
        return self.node('File', n, self.all(n.body))

    def params(self, a):
        plain = getattr(a, 'posonlyargs', []) + a.args
        defaults = [None] * (len(plain) - len(a.defaults)) + a.defaults
        out = [self.node('Param', p, [self.read(d)], p.arg) for p, d in zip(plain, defaults)]
        out += [self.node('Param', p, [self.read(d)], p.arg) for p, d in zip(a.kwonlyargs, a.kw_defaults)]
        return out + [self.node('Param', p, [], p.arg) for p in (a.vararg, a.kwarg) if p]

    def decorators(self, n):
        return [self.node('Decorator', d, [self.read(d)]) for d in n.decorator_list]

    def read_FunctionDef(self, n):
        return self.node('Func', n, self.params(n.args) + self.decorators(n) + [self.block(n.body, n)], n.name)

    read_AsyncFunctionDef = read_FunctionDef

    def read_Lambda(self, n):
        body = self.node('Block', n.body, [self.node('Return', n.body, [self.read(n.body)])])
        return self.node('Lambda', n, self.params(n.args) + [body])

    def read_ClassDef(self, n):
        bases = [self.node('Base', b, [self.read(b)]) for b in n.bases]
        bases += [self.node('Base', k.value, [self.read(k.value)], k.arg) for k in n.keywords]
        return self.node('Class', n, bases + self.decorators(n) + [self.block(n.body, n)], n.name)

    def read_Import(self, n):
        out = [
            self.node('Import', n, [], a.asname or a.name.split('.')[0], a.name if a.asname else a.name.split('.')[0])
            for a in n.names
        ]
        out += [self.node('Import', n, [], '', a.name) for a in n.names if not a.asname and '.' in a.name]
        return self.node('Other', n, out)

    def read_ImportFrom(self, n):
        base = '.' * n.level + (n.module or '')
        joint = '' if base.endswith('.') or not base else '.'
        return self.node('Other', n, [
            self.node('Import', n, [], a.asname or a.name, base if a.name == '*' else base + joint + a.name)
            for a in n.names
        ])

    def read_Assign(self, n):
        value = self.read(n.value)
        return self.node('Assign', n, self.all(n.targets) + [value], '=')

    def read_AnnAssign(self, n):
        if n.value is None:
            return self.node('Other', n, [self.read(n.target)])
        return self.node('Assign', n, [self.read(n.target), self.read(n.value)], '=')

    def read_AugAssign(self, n):
        return self.node('Assign', n, [self.read(n.target), self.read(n.value)], BINARY[type(n.op).__name__] + '=')

    def read_NamedExpr(self, n):
        return self.node('Assign', n, [self.read(n.target), self.read(n.value)], ':=')

    def read_Return(self, n):
        return self.node('Return', n, [self.read(n.value)])

    def read_Yield(self, n):
        return self.node('Yield', n, [self.read(n.value)])

    read_YieldFrom = read_Yield

    def read_Await(self, n):
        return self.node('Await', n, [self.read(n.value)])

    def read_Raise(self, n):
        return self.node('Raise', n, [self.read(n.exc), self.read(n.cause)])

    def read_Expr(self, n):
        return self.node('ExprStmt', n, [self.read(n.value)])

    def read_If(self, n):
        other = self.block(n.orelse, n) if n.orelse else None
        return self.node('If', n, [self.read(n.test), self.block(n.body, n), other])

    def read_For(self, n):
        other = self.block(n.orelse, n) if n.orelse else None
        return self.node('For', n, [self.read(n.target), self.read(n.iter), self.block(n.body, n), other])

    read_AsyncFor = read_For

    def read_While(self, n):
        other = self.block(n.orelse, n) if n.orelse else None
        return self.node('While', n, [self.read(n.test), self.block(n.body, n), other])

    def read_Try(self, n):
        kids = [self.block(n.body, n)] + self.all(n.handlers)
        if n.finalbody:
            kids.append(self.node('Finally', n.finalbody[0], self.all(n.finalbody)))
        if n.orelse:
            kids.append(self.block(n.orelse, n))
        return self.node('Try', n, kids)

    read_TryStar = read_Try

    def read_ExceptHandler(self, n):
        types = n.type.elts if isinstance(n.type, ast.Tuple) else [n.type]
        return self.node('Handler', n, self.all(types) + [self.block(n.body, n)], n.name)

    def read_With(self, n):
        items = []
        for i in n.items:
            item = self.read(i.context_expr)
            if i.optional_vars is not None:
                item = self.node('Assign', i.context_expr, [self.read(i.optional_vars), item], '=')
            items.append(item)
        return self.node('With', n, items + [self.block(n.body, n)])

    read_AsyncWith = read_With

    def read_Match(self, n):
        return self.node('Switch', n, [self.read(n.subject)] + self.all(n.cases))

    def read_match_case(self, n):
        values = [] if self.wild(n.pattern) and n.guard is None else [self.read(n.pattern)]
        return self.node('Case', n.pattern, values + [self.read(n.guard), self.block(n.body, n)])

    def wild(self, p):
        return type(p).__name__ == 'MatchAs' and p.pattern is None

    def read_MatchValue(self, n):
        return self.read(n.value)

    def read_MatchSingleton(self, n):
        return self.read(ast.copy_location(ast.Constant(n.value), n))

    def read_MatchSequence(self, n):
        return self.node('Tuple', n, self.all(n.patterns))

    def read_Assert(self, n):
        return self.node('Assert', n, [self.read(n.test), self.read(n.msg)])

    def read_Delete(self, n):
        return self.node('Delete', n, self.all(n.targets))

    def read_Global(self, n):
        return self.node('Other', n, [self.node('Global', n, [], name) for name in n.names])

    read_Nonlocal = read_Global

    # Expressions.

    def read_Name(self, n):
        return self.node('Ident', n, [], n.id)

    def read_Attribute(self, n):
        return self.node('Attr', n, [self.read(n.value)], n.attr)

    def read_Subscript(self, n):
        index = n.slice.value if type(n.slice).__name__ == 'Index' else n.slice
        if isinstance(index, ast.Slice):
            bounds = [self.read(b) or self.constant(n, None) for b in (index.lower, index.upper, index.step)]
            return self.node('Slice', n, [self.read(n.value)] + bounds)
        return self.node('Index', n, [self.read(n.value), self.read(index)])

    def read_Call(self, n):
        return self.node('Call', n, [self.read(n.func)] + self.all(n.args) + self.all(n.keywords))

    def read_keyword(self, n):
        if n.arg is None:
            return self.node('Spread', n.value, [self.read(n.value)])
        return self.node('Keyword', n.value, [self.read(n.value)], n.arg)

    def read_List(self, n):
        return self.node(type(n).__name__, n, self.all(n.elts))

    read_Tuple = read_Set = read_List

    def read_Starred(self, n):
        return self.node('Spread', n, [self.read(n.value)])

    def read_Constant(self, n):
        return self.constant(n, n.value)

    def constant(self, at, v):
        if isinstance(v, bytes):
            v = v.decode('latin-1')
        if v is None:
            return self.node('Const', at, value=['z', ''])
        if isinstance(v, bool):
            return self.node('Const', at, value=['b', str(int(v))])
        if isinstance(v, str):
            return self.node('Const', at, value=['s', v.encode('utf-8', 'replace').decode()])
        if isinstance(v, (int, float)):
            try:
                return self.node('Const', at, value=['n', repr(float(v))])
            except OverflowError:
                return self.node('Const', at, value=['s', hex(v)])
        return self.node('Other', at)

    def read_FormattedValue(self, n):
        return self.read(n.value)

    read_Interpolation = read_FormattedValue

    def read_Dict(self, n):
        pairs = [
            self.node('Pair', v, [self.read(k), self.read(v)]) if k is not None else self.node('Spread', v, [self.read(v)])
            for k, v in zip(n.keys, n.values)
        ]
        return self.node('Dict', n, pairs)

    def read_Compare(self, n):
        out, left = [], n.left
        for op, right in zip(n.ops, n.comparators):
            out.append(self.node('Compare', n, [self.read(left), self.read(right)], COMPARE[type(op).__name__]))
            left = right
        return out[0] if len(out) == 1 else self.node('Logical', n, out, 'and')

    def read_BoolOp(self, n):
        name = 'and' if isinstance(n.op, ast.And) else 'or'
        return self.node('Logical', n, self.all(n.values), name)

    def read_UnaryOp(self, n):
        if isinstance(n.op, ast.Not):
            return self.node('Not', n, [self.read(n.operand)])
        return self.node('Unary', n, [self.read(n.operand)], UNARY[type(n.op).__name__])

    def read_BinOp(self, n):
        return self.node('Binary', n, [self.read(n.left), self.read(n.right)], BINARY[type(n.op).__name__])

    def read_IfExp(self, n):
        return self.node('Cond', n, [self.read(n.test), self.read(n.body), self.read(n.orelse)])

    def comprehension(self, n):
        element = [n.key, n.value] if isinstance(n, ast.DictComp) else [n.elt]
        kids = self.all(element)
        for g in n.generators:
            kids.append(self.node('For', g.target, [self.read(g.target), self.read(g.iter)]))
            kids += self.all(g.ifs)
        return self.node('Comp', n, kids)

    read_ListComp = read_SetComp = read_DictComp = read_GeneratorExp = comprehension


def read(text):
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(text).readline)[0]
        if encoding not in ('utf-8', 'utf-8-sig', 'ascii', 'iso-8859-1', 'latin-1', 'cp1252', 'iso-8859-15'):
            return {'problem': 'it is written in the encoding %s, in which text can hide' % encoding}
        return {'tree': Reader().read(ast.parse(text))}
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        return {'problem': '%s: %s' % (type(e).__name__, e)}


def outside(name):
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        request = json.load(f)
    answer = {
        'files': [read(base64.b64decode(text)) for text in request['files']],
        'installed': [name for name in request['modules'] if outside(name)],
    }
    with open(sys.argv[2], 'w', encoding='utf-8') as f:
        json.dump(answer, f)
    return 0


def deep():
    """main, on a stack that is deep enough for any source that Python takes."""
    sys.setrecursionlimit(50000)
    threading.stack_size(512 << 20)
    thread = threading.Thread(target=main)
    thread.start()
    thread.join()


if __name__ == '__main__':
    deep()
    os._exit(0 if os.path.exists(sys.argv[2]) else 1)
