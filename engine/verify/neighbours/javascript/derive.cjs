// Values near those that the tests use: the same in each run, and enough of them that a
// change of behaviour which is no exception is met.
'use strict';

const { inspect } = require('node:util');
const { isWritten, shown } = require('./revived.cjs');

const each = 44; // values in one place of one input
const container = 8; // parts of a value that are places of their own

const plain = (value) => value !== null && typeof value === 'object' && !isWritten(value) && Object.getPrototypeOf(value) === Object.prototype;
const literal = (value) => inspect(shown(value, literal), { depth: 8, breakLength: Infinity, compact: true, maxArrayLength: 200, maxStringLength: 1000, sorted: true });

// An input is {call, args, steps}; a path begins with 'args' or with 'steps', the number
// of the step and 'args'.
function* parts(value, path, depth = 0) {
  if (depth < 2 && plain(value) && Object.keys(value).length > 0 && Object.keys(value).length <= container) {
    for (const [k, v] of Object.entries(value)) yield* parts(v, [...path, k], depth + 1);
    return;
  }
  if (depth < 2 && isWritten(value)) {
    yield* parts(value.fields ?? value.args, [...path, value.fields ? 'fields' : 'args'], depth);
    return;
  }
  if (depth < 2 && Array.isArray(value) && path.at(-1) === 'args') {
    for (const [k, v] of value.entries()) yield* parts(v, [...path, k], depth + 1);
    return;
  }
  yield [path, value];
}

function* places(input) {
  for (const [k, v] of input.args.entries()) yield* parts(v, ['args', k]);
  for (const [n, s] of (input.steps ?? []).entries()) for (const [k, v] of s.args.entries()) yield* parts(v, ['steps', n, 'args', k]);
}

const put = (value, [top, ...rest], v) => {
  const inner = rest.length === 0 ? v : put(value[top], rest, v);
  if (Array.isArray(value)) return value.with ? value.with(top, inner) : Object.assign([...value], { [top]: inner });
  return { ...value, [top]: inner };
};

function swap(value, old, v) {
  if (Object.is(value, old)) return v;
  if (Array.isArray(value)) return value.map((x) => swap(x, old, v));
  if (plain(value) || isWritten(value)) return Object.fromEntries(Object.entries(value).map(([k, x]) => [k, swap(x, old, v)]));
  return value;
}

const swapped = (input, old, v) => ({ ...input, args: swap(input.args, old, v), ...(input.steps && { steps: input.steps.map((s) => ({ ...s, args: swap(s.args, old, v) })) }) });

// twice are plain values that an input has in more than one place.
function twice(input) {
  const seen = new Map();
  const look = (value) => {
    if (typeof value === 'number' || typeof value === 'string') seen.set(value, (seen.get(value) ?? 0) + 1);
    else if (Array.isArray(value)) value.forEach(look);
    else if (plain(value)) Object.values(value).forEach(look);
    else if (isWritten(value)) look([value.args ?? [], value.fields ?? {}]);
  };
  look([input.args, (input.steps ?? []).map((s) => s.args)]);
  return [...seen].filter(([, n]) => n > 1).map(([v]) => v);
}

// edge says whether a value is one that code naturally treats by itself.
function edge(value) {
  switch (typeof value) {
    case 'number':
      return !Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) <= 2) || Math.abs(value) >= 2 ** 31 - 1;
    case 'bigint':
      return value >= -2n && value <= 2n;
    case 'string':
      return value.trim().length <= 1;
    case 'object':
      break;
    default:
      return true;
  }
  if (value === null) return true;
  if (Array.isArray(value)) return value.length <= 1;
  if (value instanceof Map || value instanceof Set) return value.size <= 1;
  return plain(value) && Object.keys(value).length <= 1;
}

const position = (value) => {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return value instanceof Date ? value.getTime() : null;
};

const bare = (value) => (typeof value === 'string' ? value.replace(/[\W_]+/g, '').toLowerCase() : '');
const below = (value) => typeof value === 'number' && value < 0;

// near are [text, value] of values near one, without it, each once. Below zero it goes
// only where the others are.
function near(value, others = []) {
  const seen = new Set([literal(value)]);
  const negative = [value, ...others].some(below);
  const out = [];
  for (const v of candidates(value, others)) {
    const text = literal(v);
    if (seen.has(text) || (!negative && below(v))) continue;
    seen.add(text);
    out.push([text, v]);
    if (out.length >= each) break;
  }
  return out;
}

function candidates(value, others) {
  switch (typeof value) {
    case 'boolean':
      return [!value];
    case 'number':
      return Number.isInteger(value) ? whole(value) : Number.isFinite(value) ? broken(value) : [];
    case 'bigint':
      return Math.abs(Number(value)) < 2 ** 50 ? whole(Number(value)).map(BigInt) : [value + 1n, value - 1n];
    case 'string':
      return texts(value);
    default:
  }
  if (Array.isArray(value)) return lists(value, others);
  if (value instanceof Set) return lists([...value], []).map((v) => new Set(v));
  if (value instanceof Map) return objects(Object.fromEntries([...value].map(([k, v]) => [String(k), v]))).map((o) => new Map(Object.entries(o)));
  if (value instanceof Date) return days.map((n) => new Date(value.getTime() + n * 86400000));
  if (plain(value)) return objects(value);
  return [];
}

const days = [1, -1, 2, -2, 7, -7, 28, 29, 30, 31, -28, -30, -31, 59, 60, 61, 90, 91, 92, 365, 366, -365, -366, 1460, 1461, -1461, 3652, 10, 14, 45, 100];

function whole(n) {
  const digits = String(Math.abs(n));
  const out = [n + 1, n - 1, n + 2, n - 2, 2 * n, n + 3, n - 3, -n, 3 * n, n + 5, n + 10, n - 10];
  if (!/^\d+$/.test(digits)) return out;
  const sign = n < 0 ? -1 : 1;
  const step = 10 ** /0*$/.exec(digits)[0].length;
  if (step > 1) out.push(...[1, 2, 3, -1, 4, 5].map((k) => n + k * step));
  const turned = [];
  for (let at = 0; at < digits.length; at++) {
    for (const d of '9271835460') {
      if (d !== digits[at] && !(at === 0 && d === '0')) turned.push(sign * Number(digits.slice(0, at) + d + digits.slice(at + 1)));
    }
  }
  for (const d of '123') turned.push(sign * Number(d + digits), sign * Number(digits + d));
  if (digits.length > 1) turned.push(sign * Number(digits.slice(0, -1)), sign * Number(digits.slice(1)));
  const key = (v) => Math.abs(v * 40503) % 1009;
  return [...out, ...turned.sort((a, b) => key(a) - key(b))].filter(Number.isSafeInteger);
}

function broken(x) {
  const out = [x + 1, x - 1, x * 2, x / 2, x + 0.01, x - 0.01, x + 0.1, x - 0.1, -x, x * 3, x + 10, x * 10, x / 10, x + 2, x - 2, x + 5];
  const text = String(x);
  if (!text.includes('e')) {
    for (let at = 0; at < text.length; at++) {
      if (/\d/.test(text[at])) for (const d of '2735914') if (d !== text[at]) out.push(Number(text.slice(0, at) + d + text.slice(at + 1)));
    }
  }
  const places = Math.max((text.split('.')[1] ?? '').length, 2);
  return out.map((v) => Number(v.toFixed(Math.min(places, 12))));
}

// other is another character of the same kind.
function other(c, k) {
  for (const kind of ['0123456789', 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ']) {
    const at = kind.indexOf(c);
    if (at >= 0) return kind[(at + ((3 * k + 1) % kind.length || 1)) % kind.length];
  }
  return 'abcdefgh'[k % 8];
}

function texts(s) {
  const out = [];
  for (const m of [...s.matchAll(/\d{1,9}/g)].slice(0, 4)) {
    const n = Number(m[0]);
    for (const v of [n + 1, n + 2, Math.max(0, n - 1), 2 * n + 3]) {
      out.push(s.slice(0, m.index) + String(v).padStart(m[0][0] === '0' ? m[0].length : 0, '0') + s.slice(m.index + m[0].length));
    }
  }
  const half = Math.floor(s.length / 2);
  const turned = [...s].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');
  out.push(s + s, `${s} ${s}`, s.slice(half) + s.slice(0, half), [...s].reverse().join(''), turned, ` ${s}`);
  const words = s.split(' ');
  if (words.length > 1) out.push([...words].reverse().join(' '), words.slice(1).join(' '), words.slice(0, -1).join(' '), [...words, words[0]].join(' '));
  const spots = [...s].map((_, k) => k).sort((a, b) => ((a * 7919) % 101) - ((b * 7919) % 101)).slice(0, 16);
  for (const [k, at] of spots.entries()) {
    out.push(s.slice(0, at) + other(s[at], k) + s.slice(at + 1));
    out.push(k % 2 === 0 ? s.slice(0, at) + s.slice(at + 1) : s.slice(0, at) + other(s[at], k + 3) + s.slice(at));
    if (at + 1 < s.length) out.push(s.slice(0, at) + s[at + 1] + s[at] + s.slice(at + 2));
  }
  for (let k = 0; k < 14 - 2 * spots.length; k++) out.push(s + 'abcdefghijklmn'[k], 'zyxwvutsrqponm'[k] + s);
  return out;
}

function lists(items, others) {
  const out = [[...items, ...items], [...items].reverse(), items.slice(1), items.slice(0, -1), [...items.slice(1), ...items.slice(0, 1)]];
  for (let at = 0; at < Math.min(items.length, 6); at++) {
    out.push([...items.slice(0, at), items[at], ...items.slice(at)], [...items.slice(0, at), ...items.slice(at + 1)]);
    for (const [k, [, v]] of inside(items[at]).slice(0, 6).entries()) {
      out.push([...items.slice(0, at), v, ...items.slice(at + 1)]);
      if (k === 0) out.push([...items.slice(0, at), v, ...items.slice(at)]);
    }
  }
  for (const [k, v] of others.filter(Array.isArray).flat().slice(0, 6).entries()) {
    const at = k % (items.length + 1);
    out.push([...items.slice(0, at), v, ...items.slice(at)]);
  }
  return out;
}

// inside are values near an element: of an object that is written down, near its parts.
function inside(value) {
  if (!isWritten(value)) return near(value);
  const out = [];
  for (const [path, v] of parts(value, [])) {
    if (path.length === 0) continue;
    for (const [, w] of near(v).slice(0, 4)) out.push(['', put(value, path, w)]);
  }
  return out;
}

function objects(value) {
  const out = [];
  for (const [key, v] of Object.entries(value).slice(0, 8)) {
    const { [key]: _, ...rest } = value;
    out.push(rest);
    for (const [, w] of near(v).slice(0, 4)) out.push({ ...value, [key]: w });
    for (const [, k] of near(key).slice(0, 3)) out.push({ ...rest, [k]: v }, { ...value, [k]: v });
  }
  return out;
}

module.exports = { bare, edge, literal, near, places, position, put, swapped, twice };
