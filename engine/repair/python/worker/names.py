"""Which names are visible where."""
import ast

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
CALLABLE, LOCAL = 1, 2
BUILTINS = ('abs all any bool dict enumerate filter float int isinstance len list map max min ord pow range repr reversed '
            'round set sorted str sum tuple zip').split()


def parameters(args):
    every = getattr(args, 'posonlyargs', []) + args.args + args.kwonlyargs
    return every + [a for a in (args.vararg, args.kwarg) if a]


def walk(node):
    """node and what is below it, but not inside functions, classes and lambdas."""
    stack = [node]
    while stack:
        n = stack.pop()
        yield n
        if n is node or not isinstance(n, FUNCTIONS + (ast.ClassDef, ast.Lambda)):
            stack.extend(reversed(list(ast.iter_child_nodes(n))))


def comprehended(node):
    """The target names of comprehensions below node: they are not seen outside."""
    out = set()
    for n in walk(node):
        if isinstance(n, ast.comprehension):
            out.update(id(x) for x in ast.walk(n.target))
    return out


def bound(node):
    """The names that a statement binds, with whether each is a function or class."""
    hidden = comprehended(node)
    out = {}
    for n in walk(node):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and id(n) not in hidden:
            out.setdefault(n.id, False)
        elif isinstance(n, FUNCTIONS + (ast.ClassDef,)):
            out[n.name] = True
        elif isinstance(n, ast.Import):
            for a in n.names:
                out.setdefault(a.asname or a.name.split('.')[0], False)
        elif isinstance(n, ast.ImportFrom):
            for a in n.names:
                name = a.asname or a.name
                out.setdefault(name, not name.isupper())
        elif isinstance(n, ast.ExceptHandler) and n.name:
            out.setdefault(n.name, False)
    out.pop('*', None)
    return out


class Scopes:
    """A table of scopes, [parent, [[name, type, flags]…]] each, and which one holds at
    a statement and inside a function."""

    def __init__(self, tree, types):
        self.types = types
        self.table = []
        self.at, self.within = {}, {}
        builtins = self.add(-1, [[n, '', CALLABLE] for n in BUILTINS])
        names = {}
        for n in tree.body:
            names.update(bound(n))
        module = self.add(builtins, [[n, types.module.get(n, ''), CALLABLE if c else 0] for n, c in names.items()])
        self.at[tree] = module
        for n in tree.body:
            self.nested(n, module)

    def add(self, parent, symbols):
        if not symbols and parent >= 0:
            return parent
        self.table.append([parent, symbols])
        return len(self.table) - 1

    def of(self, node):
        return self.at.get(node, -1)

    def inside(self, function):
        return self.within.get(function, -1)

    def extend(self, scope, *binders):
        """A scope for a lambda's parameters or a comprehension's targets."""
        names = []
        for b in binders:
            if isinstance(b, ast.arguments):
                names += [a.arg for a in parameters(b)]
            else:
                names += [n.id for n in ast.walk(b) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        return self.add(scope, [[n, self.types.lookup(n), LOCAL] for n in names])

    def nested(self, node, scope):
        """Finds the functions below a statement that is in no function."""
        for n in walk(node):
            if isinstance(n, FUNCTIONS):
                self.function(n, scope)
            elif isinstance(n, ast.ClassDef) and n is not node:
                for inner in n.body:
                    self.nested(inner, scope)

    def function(self, f, outer):
        if f in self.within:
            return
        env = self.types.env(f)
        symbols = [[a.arg, env.get(a.arg, ''), LOCAL] for a in parameters(f.args)]
        self.within[f] = self.add(outer, symbols)
        foreign = {n for s in walk(f) if isinstance(s, (ast.Global, ast.Nonlocal)) for n in s.names}
        self.body(f.body, self.within[f], env, {a.arg for a in parameters(f.args)} | foreign)

    def body(self, statements, scope, env, seen):
        for s in statements:
            self.at[s] = scope
            if isinstance(s, FUNCTIONS):
                # A nested function sees what is bound by the time it is called.
                self.function(s, scope)
            elif isinstance(s, ast.ClassDef):
                for inner in s.body:
                    self.nested(inner, scope)
            else:
                self.compound(s, scope, env, seen)
            scope = self.grow(scope, s, env, seen)
        return scope

    def compound(self, s, scope, env, seen):
        inner, known = scope, set(seen)
        if isinstance(s, LOOPS + (ast.With, ast.AsyncWith)):
            # In a loop, what a later line binds is seen by an earlier one.
            inner = self.grow(scope, s, env, known)
        for field in ('body', 'handlers', 'orelse', 'finalbody', 'cases'):
            part = getattr(s, field, None)
            if not isinstance(part, list):
                continue
            for h in part:
                if isinstance(h, ast.ExceptHandler) or type(h).__name__ == 'match_case':
                    self.body(h.body, inner, env, set(known))
            if part and isinstance(part[0], ast.stmt):
                self.body(part, inner, env, set(known))

    def grow(self, scope, s, env, seen):
        fresh = [(n, c) for n, c in bound(s).items() if n not in seen]
        seen.update(n for n, _ in fresh)
        return self.add(scope, [[n, env.get(n, ''), LOCAL | (CALLABLE if c else 0)] for n, c in fresh])
