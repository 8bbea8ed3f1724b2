// Tells candidates apart by what the project's functions return on inputs like
// those of the tests.
'use strict';

const { inspect } = require('node:util');
const v8 = require('node:v8');
const { isWritten, revived, shown } = require('./revived.cjs');

const mostInputs = 300;
const perInput = 200000;

// random makes the same numbers each time.
function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

// variation makes values like a given one.
class Variation {
  constructor(seed) {
    this.next = random(seed);
  }

  pick(list) {
    return list[Math.floor(this.next() * list.length)];
  }

  number(v) {
    if (!Number.isFinite(v)) return v;
    if (!Number.isInteger(v)) return this.pick([v, v + 1, v / 2, Math.round(v * 10) / 10, v + 0.5, Math.round(v)]);
    const near = Math.floor(this.next() * 11) - 5;
    const moved = this.pick([v, v, v + 1, v - 1, Math.floor(this.next() * 13), v * 2, v + near]);
    return v >= 0 && moved < 0 ? -moved : moved;
  }

  text(v) {
    if (/\d/.test(v) && this.next() < 0.4) return this.numbered(v);
    const list = [...v];
    for (let i = Math.floor(this.next() * 3); i > 0; i--) {
      const at = Math.floor(this.next() * (list.length + 1));
      const way = this.next();
      const other = this.pick([...list, 'a', 'A', 'b', 'z', '1', ' ']);
      if (way < 0.35 && list.length > 0) list.splice(Math.min(at, list.length - 1), 1);
      else if (way < 0.7 && list.length > 0) list[Math.min(at, list.length - 1)] = other;
      else list.splice(at, 0, other);
    }
    return list.join('');
  }

  // numbered is a text with another number in one place.
  numbered(v) {
    const all = v.match(/\d+/g);
    let at = Math.floor(this.next() * all.length);
    return v.replace(/\d+/g, (n) => (at-- === 0 ? String(Math.max(0, Number(n) + this.pick([1, -1, 2, 10]))) : n));
  }

  list(v) {
    const list = v.map((x) => (this.next() < 0.4 ? this.value(x) : x));
    const at = Math.floor(this.next() * list.length);
    const way = this.next();
    if (way < 0.15 && list.length > 0) list.splice(at, 1);
    else if (way < 0.3 && list.length > 0) list.splice(at, 0, this.pick(list));
    else if (way < 0.4) list.sort(() => this.next() - 0.5);
    return list;
  }

  value(v) {
    switch (typeof v) {
      case 'number':
        return this.number(v);
      case 'string':
        return this.text(v);
      case 'boolean':
        return this.next() < 0.5 ? !v : v;
      case 'bigint':
        return v + BigInt(Math.floor(this.next() * 5) - 2);
      default:
    }
    if (Array.isArray(v)) return this.list(v);
    if (isWritten(v)) {
      if (v.fields) return { ...v, fields: this.value(v.fields) };
      return { ...v, args: v.args.map((x) => this.value(x)) };
    }
    if (v instanceof Map) return new Map([...v].map(([k, x]) => [k, this.value(x)]));
    if (v instanceof Set) return new Set(this.list([...v]));
    if (v && typeof v === 'object' && Object.getPrototypeOf(v) === Object.prototype) {
      return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, this.value(x)]));
    }
    return v;
  }
}

function show(value) {
  const text = inspect(value, { depth: 6, breakLength: Infinity, compact: true, maxArrayLength: 100, maxStringLength: 500, sorted: true });
  return text.length > 4000 ? text.slice(0, 4000) : text;
}

// inputs derives calls from those that the tests made: these first, then
// variations of them.
function inputs(calls) {
  const seen = new Set();
  const out = [];
  const add = (call, args, steps) => {
    const name = call.slice(call.lastIndexOf('#') + 1);
    const list = (values) => values.map((v) => show(shown(v, show))).join(', ');
    let text = `${name}(${list(args)})`;
    if (steps) text = `new ${text}${steps.map((s) => `.${s.method}(${list(s.args)})`).join(' ')}`;
    if (seen.has(text)) return;
    seen.add(text);
    out.push({ call, data: v8.serialize({ args, steps }), text });
  };
  const unpack = (text) => v8.deserialize(Buffer.from(text, 'base64'));
  const recorded = calls.map(({ call, args, steps }) => ({ call, args: unpack(args), steps: steps && unpack(steps) }));
  for (const { call, args, steps } of recorded.slice(0, mostInputs / 3)) add(call, args, steps);
  const variation = new Variation(99);
  const vary = (args) => args.map((x) => variation.value(x));
  for (let i = 0; recorded.length > 0 && i < 4 * mostInputs && out.length < mostInputs; i++) {
    const { call, args, steps } = variation.pick(recorded);
    add(
      call,
      vary(args),
      steps?.map((s) => ({ method: s.method, args: vary(s.args) })),
    );
  }
  return out;
}

// settled is a result, waited for and read out.
async function settled(result) {
  if (result && typeof result.then === 'function') {
    let timer;
    result = await Promise.race([result, new Promise((resolve) => (timer = setTimeout(resolve, 300)))]);
    clearTimeout(timer);
  }
  if (result && typeof result.next === 'function' && typeof result[Symbol.iterator] === 'function') {
    const list = [];
    for (const x of result) if (list.push(x) > 100) break;
    result = list;
  }
  return result;
}

// lived makes an object, asks of it what the tests did, and shows all answers.
async function lived(Class, args, steps) {
  const object = new Class(...args);
  const answers = [];
  for (const { method, args } of steps) {
    const answer = await settled(object[method](...args));
    answers.push(answer === object ? 'itself' : show(answer));
  }
  return `${answers.join(', ')}; ${show(object)}`;
}

async function outcome(fn, input, { fuel, spent }) {
  fuel.fill(perInput, 60);
  let args;
  let steps;
  let before;
  let text;
  try {
    ({ args, steps } = revived(v8.deserialize(input.data), fuel.functions));
    before = show(args);
    text = steps ? await lived(fn, args, steps) : show(await settled(fn(...args)));
  } catch (error) {
    text = error === spent || fuel.gone ? 'does not end' : `throws ${error?.name ?? show(error)}`;
  }
  if (fuel.gone) text = 'does not end';
  const after = before === undefined ? before : show(args);
  return after === before ? text : `${text}, and its arguments become ${after}`;
}

// run returns what one candidate does on all inputs.
async function run(c, list, world) {
  const { loader, fuel, compile, splice } = world;
  fuel.functions = new Map();
  const out = [];
  try {
    const base = loader.files.get(c.path);
    loader.begin();
    loader.replaced.set(c.path, compile(c.code ?? splice(base.code, c.edits), c.path));
    fuel.fill(perInput, 60);
    loader.require(c.path);
    for (const input of list) {
      const [file, name] = [input.call.slice(0, input.call.lastIndexOf('#')), input.call.slice(input.call.lastIndexOf('#') + 1)];
      let fn;
      try {
        fn = fuel.functions.get(file)?.[name]?.();
      } catch {
        fn = undefined;
      }
      out.push(typeof fn === 'function' ? await outcome(fn, input, world) : 'is not there');
    }
  } catch (error) {
    while (out.length < list.length) out.push(`throws ${error?.name}`);
  }
  fuel.functions = null;
  world.tidy(true);
  return out;
}

async function behave(world, { candidates, calls }) {
  const list = inputs(calls);
  const rows = [];
  for (const c of candidates) rows.push(await run(c, list, world));
  const useful = list.map((_, i) => rows.some((row) => !row[i].startsWith('throws') && row[i] !== 'does not end' && row[i] !== 'is not there'));
  if (!useful.includes(true)) return [];
  const differs = (a, b) => list.findIndex((_, i) => useful[i] && a[i] !== b[i]);
  const leaders = [];
  const result = rows.map((row) => {
    let cluster = leaders.findIndex((leader) => differs(leader, row) < 0);
    if (cluster < 0) cluster = leaders.push(row) - 1;
    const at = differs(rows[0], row);
    return { cluster, input: at < 0 ? '' : list[at].text, output: at < 0 ? '' : row[at] };
  });
  // The first is shown on the input on which the next differs.
  const other = result.find((r) => r.input !== '');
  if (other) Object.assign(result[0], { input: other.input, output: rows[0][list.findIndex((x) => x.text === other.input)] });
  return result;
}

module.exports = { behave, lived, settled, show };
