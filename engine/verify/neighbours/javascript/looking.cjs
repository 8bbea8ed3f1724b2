// The program: one request, one answer, each a file of JSON.
//
// It runs the test files of a request and notes with what they call the project's
// functions. What these give is asked before and after the edit; of those that the edit
// changes for an input of the tests it is asked with inputs near that one too.
'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const v8 = require('node:v8');
const derive = require('./derive.cjs');

const [, , requestFile, answerFile] = process.argv;
const work = JSON.parse(fs.readFileSync(requestFile, 'utf8'));
const end = Date.now() + 1000 * work.seconds;
const mostFunctions = 24;
const mostGiven = 16;
const turnsInAll = 40; // calls until something that counts them shows itself
const mostChanged = 6;
const mostInputs = 5;
const mostNear = 1800;
const mostMixed = 24;
const deaths = 3; // calls of one list that may not end

const left = () => end - Date.now();

// node runs a script of ours for as long as there is time. It says whether there was
// enough.
function node(args, most = left()) {
  if (most < 50) return false;
  const done = spawnSync(process.execPath, [...work.options, ...args], { cwd: work.folder, stdio: 'ignore', timeout: Math.floor(most), killSignal: 'SIGKILL' });
  return done.error === undefined;
}

// record runs the test files and returns what they called.
function record() {
  const calls = path.join(__dirname, 'calls');
  fs.writeFileSync(path.join(__dirname, 'plan.json'), JSON.stringify({ root: work.root, tests: work.files, calls }));
  fs.writeFileSync(calls, '');
  for (const file of work.files) node(['--require', path.join(__dirname, 'record.cjs'), file], left() / 2);
  const unpack = (text) => v8.deserialize(Buffer.from(text, 'base64'));
  const lines = fs.readFileSync(calls, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line)).map(({ call, args, steps }) => ({ call, args: unpack(args), ...(steps && { steps: unpack(steps) }) }));
}

// files are the edited ones, as they are before and after the edit.
const files = { before: new Map(), after: new Map() };
for (const [name, text] of Object.entries(work.before)) {
  const file = path.join(work.root, name);
  files.before.set(file, text === null ? null : Buffer.from(text, 'base64'));
  files.after.set(file, fs.existsSync(file) ? fs.readFileSync(file) : null);
}

function lay(version) {
  for (const [file, content] of files[version]) {
    if (content === null) {
      fs.rmSync(file, { force: true });
      continue;
    }
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
  }
}

let orders = 0;

// ask is what calls give, null where that can't be told.
function ask(version, calls) {
  const told = [];
  lay(version);
  for (let died = 0; told.length < calls.length && died <= deaths && left() > 50; died++) {
    const [order, answer] = [path.join(__dirname, `order-${++orders}`), path.join(__dirname, `answer-${orders}`)];
    fs.writeFileSync(order, v8.serialize({ calls: calls.slice(told.length) }));
    fs.writeFileSync(answer, '');
    const ended = node([path.join(__dirname, 'play.cjs'), order, answer]);
    told.push(...fs.readFileSync(answer, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)));
    if (told.length < calls.length) told.push(ended ? 'does not end' : null);
  }
  lay('after');
  while (told.length < calls.length) told.push(null);
  return told;
}

const nameOf = (call) => call.slice(call.lastIndexOf('#') + 1);

function readable({ call, args, steps }, name) {
  const list = (values) => values.map(derive.literal).join(', ');
  if (!steps) return `${name}(${list(args)})`;
  return `new ${name}(${list(args)})${steps.map((s) => `.${s.method}(${list(s.args)})`).join('')}`;
}

class Fn {
  constructor(call) {
    this.file = call.slice(0, call.lastIndexOf('#'));
    this.name = nameOf(call);
    if (this.name === '' || this.name === 'default') this.name = path.basename(this.file).replace(/\.\w+$/, '');
    this.given = new Map();
    this.unsteady = false;
  }

  add(input) {
    const text = readable(input, this.name);
    if (text.length <= 4000 && this.given.size < mostGiven && !this.given.has(text)) this.given.set(text, { input, text, near: [], before: null, after: null, later: null });
  }

  moved() {
    return [...this.given.values()].filter((g) => g.before !== null && g.after !== null && g.before !== g.after).slice(0, mostInputs);
  }

  derive(most) {
    const moved = this.moved();
    const given = [...this.given.values()];
    const known = new Set(this.given.keys());
    const values = new Map();
    for (const g of given) {
      for (const [at, v] of derive.places(g.input)) {
        const key = at.join('.');
        if (!values.has(key)) values.set(key, new Map());
        values.get(key).set(derive.literal(v), v);
      }
    }
    for (const g of moved) {
      const note = (input, place, value, at) => {
        const text = readable(input, this.name);
        if (known.has(text)) return;
        known.add(text);
        g.near.push({ input, text, place, value, at, before: null, after: null });
      };
      for (const v of derive.twice(g.input).slice(0, 4)) {
        for (const [text, w] of derive.near(v).slice(0, 8)) note(derive.swapped(g.input, v, w), 'together', text, null);
      }
      let mixed = mostMixed;
      for (const k of g.input.args.keys()) {
        for (const o of given) if (o !== g && k < o.input.args.length && mixed-- > 0) note(derive.put(g.input, ['args', k], o.input.args[k]), 'mixed', '', null);
      }
      const rows = [...derive.places(g.input)].map(([at, v]) => {
        const others = values.get(at.join('.'));
        const alike = new Set([...others.values()].map(derive.bare).filter(Boolean));
        return derive.near(v, [...others.values()]).filter(([text, w]) => !others.has(text) && !alike.has(derive.bare(w))).map(([text, w]) => [at, text, w]);
      });
      for (let k = 0; rows.some((row) => k < row.length) && g.near.length < most / moved.length; k++) {
        for (const row of rows) {
          if (k >= row.length) continue;
          const [at, text, w] = row[k];
          note(derive.put(g.input, at, w), this.place(at), text, derive.position(w));
        }
      }
    }
  }

  place(at) {
    const inner = (list) => list.filter((x) => x !== 'args' && x !== 'fields');
    if (at[0] === 'args') return ['argument ' + (at[1] + 1), ...inner(at.slice(2))].join('.');
    const g = [...this.given.values()].find((x) => x.input.steps?.[at[1]]);
    return [`${g?.input.steps[at[1]].method} (${at[1] + 1})`, ...inner(at.slice(3))].join('.');
  }

  told() {
    const inputs = [...this.given.values()].map(({ input, text, before, after, later, near }) => ({
      text, before, after, later, ways: [],
      places: Object.fromEntries([...derive.places(input)].map(([at, v]) => [this.place(at), { value: derive.literal(v), at: derive.position(v), edge: derive.edge(v) }])),
      near: near.map(({ input: _, ...n }) => ({ ...n, ways: [] })),
    }));
    return { file: path.relative(work.root, this.file).split(path.sep).join('/'), name: this.name, line: 0, inputs };
  }
}

// turns is in which order n calls are made again and again: what counts them, or knows
// in which order the tests make them, shows itself.
function turns(n) {
  const once = Array.from({ length: n }, (_, k) => k);
  const rounds = Math.max(2, Math.min(turnsInAll, Math.floor(turnsInAll / n) + 1));
  return [...Array.from({ length: rounds }, () => once).flat(), ...[...once].reverse(), ...once.flatMap((k) => [k, k])];
}

function look() {
  const functions = new Map();
  for (const input of record()) {
    if (!functions.has(input.call)) functions.set(input.call, new Fn(input.call));
    functions.get(input.call).add(input);
  }
  const list = [...functions.values()].slice(0, mostFunctions);
  const given = list.flatMap((f) => [...f.given.values()].map((g) => [f, g]));
  if (given.length === 0) return [];
  const n = given.length;
  const order = turns(n);
  const calls = order.map((k) => given[k][1].input);
  const [before, after, again] = [ask('before', calls), ask('after', calls), ask('after', calls.slice(0, n))];
  for (const [k, [f, g]] of given.entries()) {
    [g.before, g.after] = [before[k], after[k]];
    const visits = [...order.keys()].filter((at) => order[at] === k);
    const later = visits.filter((at) => after[at] !== after[k]).map((at) => after[at]);
    f.unsteady ||= again[k] !== after[k] || visits.some((at) => before[at] !== before[k]);
    if (later.length > 0 && !later.includes(null)) g.later = later[0];
  }
  const changed = list.filter((f) => !f.unsteady && (f.moved().length > 0 || [...f.given.values()].some((g) => g.later !== null))).slice(0, mostChanged);
  for (const f of changed) f.derive(mostNear / changed.length);
  const near = changed.flatMap((f) => f.moved().flatMap((g) => g.near));
  const asked = near.map((x) => x.input);
  const [b, a] = [ask('before', asked), ask('after', asked)];
  for (const [k, x] of near.entries()) [x.before, x.after] = [b[k], a[k]];
  return changed.map((f) => f.told());
}

fs.writeFileSync(answerFile, JSON.stringify({ functions: look() }));
