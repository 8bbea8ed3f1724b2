"""Values near those that the tests use.

What is near does not come about by chance: it is the same in each run, and there is
enough of it that a change of behaviour which is no exception is met.
"""
import math
import random
import re
import sys

from autocoder_repair.values import Called, Made, Writer, from_library, read

EACH = 44      # values in one place of one input
CONTAINER = 8  # parts of an argument that are places of their own


class Input:
    """The arguments of one call, as text and read."""

    def __init__(self, text):
        self.text = text
        self.args, self.keywords = read(text)

    def with_(self, path, value):
        """The text with another value in a place, None when it can't be written."""
        args, keywords = list(self.args), dict(self.keywords)
        top, rest = path[0], path[1:]
        inside = keywords if isinstance(top, str) else args
        inside[top] = put(inside[top], rest, value)
        return written(args, keywords)

    def replaced(self, old, new):
        """The text with every value that equals old replaced."""
        same = lambda v: type(v) is type(old) and v == old
        args = [swap(a, same, new) for a in self.args]
        return written(args, {k: swap(v, same, new) for k, v in self.keywords.items()})

    def tops(self):
        return list(range(len(self.args))) + list(self.keywords)

    def top(self, key):
        return self.keywords[key] if isinstance(key, str) else self.args[key]


def written(args, keywords):
    writer = Writer()
    parts = [writer.literal(a) for a in args] + [writer.literal(v, k + '=') for k, v in keywords.items()]
    return None if None in parts else ', '.join(parts)


def literal(value):
    return Writer().literal(value)


def put(value, path, new):
    """value with another one in a place inside."""
    if not path:
        return new
    top, rest = path[0], path[1:]
    if type(value) is Made:
        return Made(value.module, value.name, {**value.state, top: put(value.state[top], rest, new)}, value.contents)
    if type(value) is dict:
        return {**value, top: put(value[top], rest, new)}
    return value[:top] + (put(value[top], rest, new),) + value[top + 1:]


def swap(value, same, new):
    if same(value):
        return new
    kind = type(value)
    if kind in (list, tuple):
        return kind(swap(v, same, new) for v in value)
    if kind is dict:
        return {swap(k, same, new): swap(v, same, new) for k, v in value.items()}
    if kind is Made:
        return Made(value.module, value.name, {k: swap(v, same, new) for k, v in value.state.items()}, value.contents)
    return value


def parts(value, depth=0):
    """(path, value) of what may be another: the value itself, or what it is made of."""
    kind = type(value)
    inner = {}
    if depth < 2 and kind is Made and value.contents is None:
        inner = value.state
    elif depth < 2 and kind is dict and len(value) <= CONTAINER and all(type(k) is str for k in value):
        inner = value
    elif depth < 2 and kind is tuple and 2 <= len(value) <= CONTAINER:
        inner = dict(enumerate(value))
    if not inner:
        yield (), value
        return
    for key, v in inner.items():
        for path, found in parts(v, depth + 1):
            yield (key,) + path, found


def places(given):
    """(path, value) of everything in an input that may be another."""
    for top in given.tops():
        for path, value in parts(given.top(top)):
            yield (top,) + path, value


def scalars(value):
    """The plain values in a value."""
    kind = type(value)
    if kind in (int, float, str):
        yield value
    elif kind in (list, tuple):
        for v in value:
            yield from scalars(v)
    elif kind is dict:
        for k, v in value.items():
            yield from scalars(k)
            yield from scalars(v)
    elif kind is Made:
        yield from scalars(list(value.state.values()))


def twice(given):
    """Values that an input has in more than one place."""
    seen, out = {}, []
    for top in given.tops():
        for v in scalars(given.top(top)):
            key = type(v), v
            seen[key] = seen.get(key, 0) + 1
            if seen[key] == 2:
                out.append(v)
    return out


def edge(value):
    """Whether a value is one that code naturally treats by itself: nothing, one,
    empty, a single element."""
    kind = type(value)
    if kind in (bool, type(None)):
        return True
    if kind is int:
        return -2 <= value <= 2 or abs(value) >= 2 ** 31 - 1
    if kind is float:
        return value in (-1.0, 0.0, 1.0) or not math.isfinite(value)
    if kind in (str, bytes):
        return len(value.strip()) <= 1
    if kind in (list, tuple, dict, set, frozenset):
        return len(value) <= 1
    return False


def position(value):
    """Where a value lies among those of its kind, None where they have no order."""
    kind = type(value)
    if kind in (int, float) and math.isfinite(value):
        return value if abs(value) < 2 ** 53 else None
    if kind.__name__ in ('Decimal', 'Fraction') and from_library(value):
        return float(value)
    if kind.__module__ == 'datetime' and kind.__name__ in ('date', 'datetime'):
        return value.toordinal() + getattr(value, 'hour', 0) / 24
    if kind.__module__ == 'datetime' and kind.__name__ == 'timedelta':
        return value.total_seconds()
    return None


def bare(value):
    """A text without case and all that is no letter or digit."""
    return re.sub(r'[\W_]+', '', value).lower() if isinstance(value, str) else ''


def near(value, others=()):
    """Values near one, without it, each once. Below zero it goes only where the others
    are."""
    seen, out = {literal(value)}, []
    negative = any(below(o) for o in [value, *others])
    for v in candidates(value, others):
        text = literal(v)
        if text is not None and text not in seen and (negative or not below(v)):
            seen.add(text)
            out.append((text, v))
    return out[:EACH]


def below(value):
    return type(value) in (int, float) and value < 0


def candidates(value, others):
    kind = type(value)
    if kind is bool:
        return [not value]
    if kind is int:
        return whole(value)
    if kind is float:
        return broken(value)
    if kind is str:
        return texts(value)
    if kind is bytes:
        return [t.encode('latin-1') for t in texts(value.decode('latin-1')) if all(ord(c) < 256 for c in t)]
    if kind in (list, tuple):
        return [kind(v) for v in lists(list(value), others)]
    if kind in (set, frozenset):
        return [kind(v) for v in lists(sorted(value, key=repr), others)]
    if kind is dict:
        return dicts(value, others)
    if kind.__module__ == 'datetime':
        return dates(value)
    if kind.__name__ in ('Decimal', 'Fraction') and from_library(value):
        return [kind(str(v)) for v in broken(float(value))]
    if kind is Called and len(value.args) >= 1 and value.name != 'compile':
        return [Called(value.module, value.name, (v,) + value.args[1:]) for _, v in near(value.args[0])]
    if kind is Made and value.contents is not None:
        return [Made(value.module, value.name, value.state, v) for _, v in near(value.contents)]
    return []


def whole(n):
    """Integers near one: beside it, multiples, with another digit, and as round as it
    is."""
    out = [n + 1, n - 1, n + 2, n - 2, 2 * n, n + 3, n - 3, -n, 3 * n, n + 5, n + 10, n - 10]
    digits = str(abs(n))
    sign = -1 if n < 0 else 1
    step = 10 ** (len(digits) - len(digits.rstrip('0')))
    if step > 1:
        out += [n + k * step for k in (1, 2, 3, -1, 4, 5)]
    turned = []
    for at in range(len(digits)):
        for d in '9271835460':
            if d != digits[at] and not (at == 0 and d == '0'):
                turned.append(sign * int(digits[:at] + d + digits[at + 1:]))
    for d in '123':
        turned += [sign * int(d + digits), sign * int(digits + d)]
    if len(digits) > 1:
        turned += [sign * int(digits[:-1]), sign * int(digits[1:])]
    return out + sorted(turned, key=lambda v: (v * 2654435761) % 1009)


def broken(x):
    out = [x + 1, x - 1, x * 2, x / 2, x + 0.01, x - 0.01, x + 0.1, x - 0.1, -x, x * 3, x + 10, x * 10, x / 10, x + 2, x - 2, x + 5]
    text = repr(x)
    if 'e' not in text:
        for at, c in enumerate(text):
            if c.isdigit():
                out += [float(text[:at] + d + text[at + 1:]) for d in '2735914' if d != c]
    places = len(text.partition('.')[2]) if 'e' not in text else 6
    return [round(v, max(places, 2)) for v in out]


def texts(s):
    """Texts near one: another letter, one more or less, another case, another number,
    parts turned round, left out, and doubled."""
    rng = random.Random(len(s) * 7919 + sum(map(ord, s)))
    out = []
    for m in list(re.finditer(r'[0-9]{1,9}', s))[:4]:
        for n in (int(m.group()) + 1, int(m.group()) + 2, max(0, int(m.group()) - 1), 2 * int(m.group()) + 3):
            out.append(s[:m.start()] + str(n).zfill(len(m.group()) if m.group()[0] == '0' else 0) + s[m.end():])
    out += [s + s, s + ' ' + s, s[len(s) // 2:] + s[:len(s) // 2], s[::-1], s.swapcase(), ' ' + s]
    words = s.split(' ')
    if len(words) > 1:
        out += [' '.join(words[::-1]), ' '.join(words[1:]), ' '.join(words[:-1]), ' '.join(words + words[:1])]
    spots = list(range(len(s)))
    rng.shuffle(spots)
    for k, at in enumerate(spots[:16]):
        out.append(s[:at] + other(s[at], k) + s[at + 1:])
        if k % 2 == 0:
            out.append(s[:at] + s[at + 1:])
        else:
            out.append(s[:at] + other(s[at], k + 3) + s[at:])
        if at + 1 < len(s):
            out.append(s[:at] + s[at + 1] + s[at] + s[at + 2:])
    for k in range(max(0, 14 - 2 * len(spots))):  # short ones have few places
        out += [s + 'abcdefghijklmn'[k], 'zyxwvutsrqponm'[k] + s]
    return out


def other(c, k):
    """Another character of the same kind."""
    for kind in ('0123456789', 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'):
        at = kind.find(c)
        if at >= 0:
            return kind[(at + 3 * k + 1) % len(kind)] if (3 * k + 1) % len(kind) else kind[(at + 1) % len(kind)]
    return 'abcdefgh'[k % 8]


def lists(items, others):
    out = [items + items, items[::-1], items[1:], items[:-1], items[1:] + items[:1]]
    pool = [o for other in others if isinstance(other, (list, tuple)) for o in other][:6]
    for at in range(min(len(items), 6)):
        out.append(items[:at] + [items[at]] + items[at:])
        out.append(items[:at] + items[at + 1:])
        for k, (_, v) in enumerate(near(items[at])[:6]):
            out.append(items[:at] + [v] + items[at + 1:])
            if k == 0:
                out.append(items[:at] + [v] + items[at:])
    for k, v in enumerate(pool):
        at = k % (len(items) + 1)
        out.append(items[:at] + [v] + items[at:])
    return out


def dicts(value, others):
    keys = list(value)
    out = []
    for at, key in enumerate(keys[:8]):
        out.append({k: v for k, v in value.items() if k != key})
        out += [{**value, key: v} for _, v in near(value[key])[:4]]
        out += [{(new if k == key else k): v for k, v in value.items()} for _, new in near(key)[:3]]
    for key in keys[:3]:
        out += [{**value, new: value[key]} for _, new in near(key)[:3]]
    out.append(dict(reversed(list(value.items()))))
    return out


def dates(value):
    if type(value).__name__ not in ('date', 'datetime', 'timedelta'):
        return []
    delta = sys.modules['datetime'].timedelta
    out = []
    for days in (1, -1, 2, -2, 7, -7, 28, 29, 30, 31, -28, -30, -31, 59, 60, 61, 90, 91, 92, 365, 366, -365, -366, 1460, 1461, -1461, 3652, 3653, 10, 14, 45, 100):
        try:
            out.append(value + delta(days=days))
        except OverflowError:
            pass
    if type(value).__name__ != 'date':
        out += [value + delta(seconds=s) for s in (1, -1, 60, -60, 3600, -3600)]
    return out
