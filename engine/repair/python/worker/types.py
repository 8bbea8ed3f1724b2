"""What can be told of types without running anything: literals, annotations and
what simple expressions make of them. A wrong guess costs a candidate, an unknown
type costs nothing, so in doubt it is unknown ("")."""
import ast

from .names import FUNCTIONS, parameters, walk

CALLS = {
    'len': 'int', 'int': 'int', 'ord': 'int', 'hash': 'int', 'id': 'int', 'float': 'float', 'str': 'str', 'repr': 'str', 'chr': 'str',
    'hex': 'str', 'bin': 'str', 'input': 'str', 'bool': 'bool', 'isinstance': 'bool', 'any': 'bool', 'all': 'bool', 'callable': 'bool',
    'range': 'range', 'list': 'list', 'dict': 'dict', 'set': 'set', 'tuple': 'tuple', 'frozenset': 'frozenset', 'defaultdict': 'defaultdict',
    'Counter': 'counter', 'deque': 'deque', 'OrderedDict': 'dict',
}
TEXT = set('lower upper strip lstrip rstrip title capitalize swapcase casefold replace join format zfill center ljust rjust '
           'removeprefix removesuffix translate expandtabs'.split())
COUNTS = set('find rfind index rindex count'.split())
TESTS = set('startswith endswith isdigit isalpha isalnum islower isupper isspace isnumeric isdecimal istitle isidentifier '
            'issubset issuperset isdisjoint'.split())
SEQUENCES = set('list tuple sequence iterable iterator collection deque set frozenset generator'.split())
MAPPINGS = set('dict mapping defaultdict counter ordereddict'.split())
NUMBERS = ('bool', 'int', 'float')


def annotation(node, source):
    if node is None:
        return ''
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else \
        source.text(source.start(node), source.end(node))
    return ' '.join(text.split())[:80]


def split(t):
    """"Dict[str, int]" is "dict" and its arguments."""
    head, bracket, rest = t.partition('[')
    head = head.rpartition('.')[2].strip().lower()
    args, depth, at = [], 0, 0
    rest = rest[:-1] if bracket else ''
    for i, c in enumerate(rest + ','):
        depth += (c in '[(') - (c in '])')
        if c == ',' and depth == 0:
            args.append(rest[at:i].strip())
            at = i + 1
    return head, [a for a in args if a]


def element(t):
    head, args = split(t)
    if head == 'str':
        return 'str'
    if head == 'range':
        return 'int'
    if head in SEQUENCES or head in MAPPINGS:
        return args[0] if args else ''
    return ''


def join(types):
    """The one type of several values, or ""."""
    kinds = [t for t in dict.fromkeys(types)]
    if not kinds or '' in kinds:
        return ''
    if len(kinds) > 1 and all(k in NUMBERS for k in kinds):
        return max(kinds, key=NUMBERS.index) if 'bool' not in kinds else ''
    heads = {split(k)[0] for k in kinds}
    if len(heads) == 1:
        return max(kinds, key=len)
    return ''


class Types:
    def __init__(self, tree, source):
        self.source = source
        self.returns = {}
        for n in ast.walk(tree):
            if isinstance(n, FUNCTIONS) and n.returns is not None:
                t = annotation(n.returns, source)
                self.returns[n.name] = t if self.returns.get(n.name, t) == t else ''
        self.stack, self.envs = [], {}
        self.module = {}
        self.module = self.settle(tree, {})
        self.stack = [self.module]

    def enter(self, function):
        self.stack.append(self.env(function))

    def leave(self):
        self.stack.pop()

    def lookup(self, name):
        for env in reversed(self.stack):
            if name in env:
                return env[name]
        return ''

    def param(self, a, args):
        if a is args.vararg:
            return 'tuple'
        if a is args.kwarg:
            return 'dict'
        if a.annotation is not None:
            return annotation(a.annotation, self.source)
        plain = getattr(args, 'posonlyargs', []) + args.args
        defaults = list(zip(plain[len(plain) - len(args.defaults):], args.defaults)) + list(zip(args.kwonlyargs, args.kw_defaults))
        for p, d in defaults:
            if p is a and isinstance(d, ast.Constant) and d.value is not None:
                return self.of(d)
        return ''

    def env(self, function):
        if function not in self.envs:
            self.envs[function] = self.settle(function, {a.arg: self.param(a, function.args) for a in parameters(function.args)})
        return self.envs[function]

    def settle(self, scope, fixed):
        """Types of the names bound in scope: passes over its bindings, until what is
        known does not change."""
        bindings = list(self.bindings(scope))
        env = dict(fixed)
        self.stack.append(env)
        for _ in range(3):
            found = {}
            for name, give in bindings:
                t = give() if name not in fixed else None
                if t is not None:
                    found.setdefault(name, []).append(t)
            before = dict(env)
            env.update((n, join(ts)) for n, ts in found.items())
            if env == before:
                break
        self.stack.pop()
        return env

    def bindings(self, scope):
        for n in walk(scope):
            if isinstance(n, ast.Assign):
                for t in n.targets:
                    yield from self.bind(t, n.value, self.of)
            elif isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name):
                yield n.target.id, (lambda n=n: annotation(n.annotation, self.source))
            elif isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name):
                yield n.target.id, (lambda n=n: self.augmented(n))
            elif isinstance(n, (ast.For, ast.AsyncFor, ast.comprehension)):
                yield from self.each(n.target, n.iter)
            elif isinstance(n, ast.NamedExpr):
                yield from self.bind(n.target, n.value, self.of)
            elif isinstance(n, (ast.With, ast.AsyncWith)):
                for item in n.items:
                    if item.optional_vars is not None:
                        yield from self.bind(item.optional_vars, item.context_expr, lambda _: '')

    def augmented(self, n):
        """None while what is added to is not known itself."""
        before = self.lookup(n.target.id)
        return self.binary(before, n.op, self.of(n.value)) or before if before else None

    def bind(self, target, value, give):
        if isinstance(target, ast.Name):
            yield target.id, (lambda: give(value))
        elif isinstance(target, (ast.Tuple, ast.List)):
            pairs = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
            for k, t in enumerate(target.elts):
                if pairs:
                    yield from self.bind(t, value.elts[k], give)
                else:
                    yield from self.bind(t.value if isinstance(t, ast.Starred) else t, value, lambda _: '')

    def each(self, target, iterable):
        """What a loop binds: enumerate and zip are looked through."""
        call = iterable.func.id if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) else ''
        if isinstance(target, ast.Tuple) and call == 'enumerate' and len(target.elts) == 2 and iterable.args:
            yield from self.bind(target.elts[0], iterable, lambda _: 'int')
            yield from self.each(target.elts[1], iterable.args[0])
        elif isinstance(target, ast.Tuple) and call == 'zip' and len(target.elts) == len(iterable.args):
            for t, a in zip(target.elts, iterable.args):
                yield from self.each(t, a)
        else:
            yield from self.bind(target, iterable, lambda v: element(self.of(v)))

    # Expressions.

    def of(self, n):
        make = getattr(self, 'of_' + type(n).__name__, None)
        return make(n) if make else ''

    def of_Constant(self, n):
        return '' if n.value is None or n.value is Ellipsis else type(n.value).__name__

    def of_JoinedStr(self, n):
        return 'str'

    def of_Name(self, n):
        return self.lookup(n.id)

    def holding(self, head, elts):
        inner = join([self.of(e) for e in elts]) if 0 < len(elts) <= 50 else ''
        return '%s[%s]' % (head, inner) if inner else head

    def of_List(self, n):
        return self.holding('list', n.elts)

    def of_Set(self, n):
        return self.holding('set', n.elts)

    def of_Tuple(self, n):
        return 'tuple'

    def of_Dict(self, n):
        k, v = (join([self.of(e) for e in part if e is not None]) if len(part) <= 50 else '' for part in (n.keys, n.values))
        return 'dict[%s, %s]' % (k, v) if k and v else 'dict'

    def of_ListComp(self, n):
        return self.holding('list', [n.elt])

    def of_SetComp(self, n):
        return self.holding('set', [n.elt])

    def of_DictComp(self, n):
        return 'dict'

    def of_GeneratorExp(self, n):
        return self.holding('generator', [n.elt])

    def of_Compare(self, n):
        return 'bool'

    def of_BoolOp(self, n):
        return join([self.of(v) for v in n.values])

    def of_UnaryOp(self, n):
        t = self.of(n.operand)
        return 'bool' if isinstance(n.op, ast.Not) else 'int' if t == 'bool' else t

    def of_BinOp(self, n):
        return self.binary(self.of(n.left), n.op, self.of(n.right))

    def binary(self, a, op, b):
        if isinstance(op, ast.Mod) and a == 'str':
            return 'str'
        if isinstance(op, ast.Mult) and ('str' in (a, b) or split(a)[0] == 'list' or split(b)[0] == 'list'):
            return a if a not in NUMBERS and a else b if b not in NUMBERS else ''
        if a in NUMBERS and b in NUMBERS:
            return 'float' if isinstance(op, ast.Div) or 'float' in (a, b) else 'int'
        return a if a == b and a not in NUMBERS else join([a, b]) if split(a)[0] == split(b)[0] else ''

    def of_IfExp(self, n):
        return join([self.of(n.body), self.of(n.orelse)])

    def of_Subscript(self, n):
        base, index = self.of(n.value), n.slice.value if type(n.slice).__name__ == 'Index' else n.slice
        if isinstance(index, ast.Slice):
            return base
        head, args = split(base)
        if head in MAPPINGS:
            return args[1] if len(args) == 2 else 'int' if head == 'counter' else ''
        if head == 'tuple':
            return ''
        return element(base)

    def of_Call(self, n):
        if isinstance(n.func, ast.Attribute):
            return self.method(n)
        name = n.func.id if isinstance(n.func, ast.Name) else ''
        first = self.of(n.args[0]) if n.args else ''
        if name in ('list', 'set', 'tuple', 'sorted') and element(first):
            return '%s[%s]' % ('list' if name == 'sorted' else name, element(first))
        if name == 'sorted':
            return 'list'
        if name == 'abs' or name == 'round' and len(n.args) == 2:
            return first
        if name == 'round':
            return 'int'
        if name in ('min', 'max', 'sum'):
            return element(first) if len(n.args) == 1 else join([self.of(a) for a in n.args]) if name != 'sum' else ''
        return self.returns.get(name, CALLS.get(name, ''))

    def method(self, n):
        name, base = n.func.attr, split(self.of(n.func.value))
        if name in TESTS:
            return 'bool'
        if name in COUNTS and base[0] in ('str', 'list', 'tuple'):
            return 'int'
        if name in TEXT and (base[0] == 'str' or name in ('join', 'lower', 'upper', 'format', 'strip')):
            return 'str'
        if name in ('split', 'splitlines', 'rsplit') and base[0] in ('str', ''):
            return 'list[str]'
        if name in ('get', 'pop', 'setdefault') and base[0] in MAPPINGS and len(base[1]) == 2:
            return base[1][1]
        if name == 'pop' and base[0] in SEQUENCES:
            return base[1][0] if base[1] else ''
        if name == 'copy':
            return self.of(n.func.value)
        return self.returns.get(name, '') if isinstance(n.func.value, ast.Name) and n.func.value.id in ('self', 'cls') else ''
