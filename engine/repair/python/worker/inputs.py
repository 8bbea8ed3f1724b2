"""Inputs for functions, derived from those that the tests use."""
import random
import re
import sys

from .values import Called, Made, from_library, read


def vary(value, rng, depth=0):
    """A value of the same type, a little different."""
    kind = type(value)
    if kind is bool:
        return rng.random() < 0.5
    if kind is int:
        if abs(value) > 10 ** 6:
            return value
        return rng.choice([value, value + 1, value - 1, 0, 1, -value, -1, value * 2, rng.randint(0, 12), value + rng.randint(-5, 5)])
    if kind is float:
        return rng.choice([value, value + 1, value / 2, -value, 0.0, round(rng.uniform(-5, 50), 2)])
    if kind is str:
        return vary_text(value, rng)
    if kind in (list, tuple):
        return kind(vary_sequence(list(value), rng, depth))
    if kind in (set, frozenset):
        return kind(v for v in value if rng.random() < 0.8)
    if kind.__module__ == 'datetime' and kind.__name__ in ('date', 'datetime', 'timedelta'):
        days = sys.modules['datetime'].timedelta(days=rng.choice([-31, -7, -1, 0, 1, 2, 7, 31]))
        return value + days if value.max - abs(days) > value > value.min + abs(days) else value
    if kind.__name__ in ('Decimal', 'Fraction') and from_library(value):
        return value + rng.choice([-1, 0, 0, 1, 10])
    if kind is Made:
        contents = value.contents if value.contents is None else vary(value.contents, rng, depth + 1)
        return Made(value.module, value.name, {k: vary(v, rng, depth + 1) if rng.random() < 0.3 else v for k, v in value.state.items()}, contents)
    if kind is Called and value.name != 'compile':
        return Called(value.module, value.name, (vary(value.args[0], rng, depth + 1),) + value.args[1:])
    if kind is dict:
        return {k: vary(v, rng, depth + 1) if rng.random() < 0.5 else v for k, v in value.items() if depth == 0 or rng.random() < 0.9}
    return value


def vary_number(match, rng):
    """Another number in the place of one in a text."""
    return str(max(0, int(match.group()) + rng.choice((1, -1, 2, 10))))


def vary_text(value, rng):
    numbers = list(re.finditer(r'[0-9]{1,9}', value))
    if numbers and rng.random() < 0.3:
        one = rng.choice(numbers)
        return value[:one.start()] + vary_number(one, rng) + value[one.end():]
    way = rng.random()
    if way < 0.08:
        return ''
    if way < 0.16:
        return value + value
    if way < 0.24:
        return value.swapcase()
    letters = list(value)
    for _ in range(rng.randint(1, 2)):
        at = rng.randint(0, len(letters))
        change = rng.random()
        if letters and change < 0.4:
            del letters[min(at, len(letters) - 1)]
        elif letters and change < 0.7:
            letters[min(at, len(letters) - 1)] = rng.choice(letters)
        else:
            letters.insert(at, rng.choice(letters + list('aZ 1')))
    return ''.join(letters)


def vary_sequence(items, rng, depth):
    items = [vary(v, rng, depth + 1) if rng.random() < 0.4 else v for v in items]
    way = rng.random()
    if way < 0.06:
        return []
    if way < 0.2 and items:
        del items[rng.randrange(len(items))]
    elif way < 0.35 and items:
        items.insert(rng.randint(0, len(items)), rng.choice(items))
    elif way < 0.43:
        items.reverse()
    elif way < 0.5:
        rng.shuffle(items)
    return items


def derive(texts, writer, most, bound):
    """Up to most texts of arguments: those given, then variations of them. Where bound
    the first is a method's object, whose parts depend on one another: it stays as the
    tests had it while there is anything else to vary."""
    rng = random.Random(20)
    out = dict.fromkeys(texts[:most // 2])
    if not texts:
        return []
    for _ in range(3 * most):
        if len(out) >= most:
            break
        args, keywords = read(rng.choice(texts))
        kept = 1 if bound and len(args) + len(keywords) > 1 else 0
        varied = list(args[:kept]) + [vary(a, rng) for a in args[kept:]]
        parts = [writer.literal(a) for a in varied] + [writer.literal(vary(v, rng), k + '=') for k, v in keywords.items()]
        if None not in parts:
            out.setdefault(', '.join(parts))
    return list(out)
