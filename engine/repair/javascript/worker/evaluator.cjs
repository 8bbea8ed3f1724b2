// The thread in which the project's code runs. It is told what to do by main.cjs,
// which watches it, ends it when it computes for ever, and starts it again.
//
// Loops and functions of the project count fuel ($autocoder.n). When it is gone
// they throw, again and again, whatever the code catches.
'use strict';

const { parentPort, workerData } = require('node:worker_threads');
const asserting = require('./asserting.cjs');
const { behave } = require('./behaving.cjs');
const foreign = require('./foreign.cjs');
const { Loader, compile } = require('./loading.cjs');
const primordials = require('./primordials.cjs');
const { Recorder } = require('./recording.cjs');
const { collect, quiet, Run } = require('./testing.cjs');

const codes = { rejected: 1, failed: 2, fuel: 3, died: 4, green: 5 };

// unnoticed is how much fuel all tests may take without being slow.
const unnoticed = 5000;

const spent = new RangeError('autocoder: the fuel is spent');
spent.stack = '';

// Fuel is given in slices: what needs many asks between them how much of the
// processor it has had.
const fuel = {
  n: 0,
  rest: 0,
  limit: 0,
  slice: 0,
  ms: 0,
  since: undefined,
  gone: false,
  hits: null,
  record: null,
  functions: null,
  fill(limit, ms) {
    this.limit = limit;
    this.slice = 200;
    this.n = Math.min(limit, this.slice);
    this.rest = limit - this.n;
    this.ms = ms;
    this.since = undefined;
    this.gone = false;
  },
  used() {
    return this.limit - this.rest - Math.max(0, this.n);
  },
  x() {
    if (!this.gone) {
      const now = process.cpuUsage();
      this.since ??= now;
      const used = (now.user - this.since.user + now.system - this.since.system) / 1000;
      if (this.rest > 0 && used <= this.ms) {
        this.slice = Math.min(4000, this.slice * 2);
        this.n = Math.min(this.rest, this.slice);
        this.rest -= this.n;
        return;
      }
      this.gone = true;
      this.n = -1;
    }
    throw spent;
  },
  t() {
    if (--this.n < 0) this.x();
  },
  c(i) {
    if (this.hits !== null) this.hits.add(i);
  },
  r(name, args, object) {
    if (this.record !== null) this.record.called(name, args, object);
  },
  m(file, functions) {
    if (this.functions !== null) this.functions.set(file, functions);
    if (this.record !== null) this.record.watch(file, functions);
  },
};

const loader = new Loader(workerData.root, fuel);
const shared = new Int32Array(workerData.shared);

// Parts are the test files: {file, ids, targets, passing, deps, inOrder}.
let parts = [];
// known is what was learnt of tests, by id: {fuel, sig, count}.
const known = new Map();
let polluting = false;

// mocks are the trackers of node:test, whose own runner is not started by them.
let open = [];
const mocks = {
  shared() {
    const tracker = require('node:test').mock;
    if (!open.includes(tracker)) open.push(tracker);
    return tracker;
  },
  fresh() {
    const Tracker = require('node:test').mock.constructor;
    const tracker = new Tracker();
    open.push(tracker);
    return tracker;
  },
};

let current = null;
function stray(error) {
  if (current) current.stray = { error: error ?? new Error('nothing was thrown') };
}
process.on('unhandledRejection', stray);
process.on('uncaughtException', stray);

for (const name of ['log', 'error', 'warn', 'info', 'debug', 'trace', 'dir', 'table', 'group', 'groupEnd', 'time', 'timeEnd']) console[name] = () => {};

// given are the modules of tests in this load.
function give(file) {
  for (const name of ['node:test', 'test']) loader.given.set(name, () => file.api);
  for (const name of ['assert', 'node:assert']) loader.given.set(name, () => file.assert);
  for (const name of ['assert/strict', 'node:assert/strict']) loader.given.set(name, () => file.assert.strict);
}

// spoken means that files of tests have the words of other runners, since a command
// of the project's own runs them; globals are those that are names.
let spoken = false;
let globals = null;

// load loads a test file and everything of the project that it loads, anew, and
// returns its tests. A script is one test.
async function load(part, assert) {
  loader.begin();
  const file = collect(assert, mocks);
  give(file);
  if (spoken) {
    const { globals: names, modules } = foreign.words(file, workerData.root);
    globals = names;
    for (const [name, exports] of Object.entries(modules)) loader.given.set(name, () => exports);
  }
  if (part.script) file.api.test(part.part, () => play(part.file));
  else loader.require(part.file);
  if (file.pending.length > 0) await Promise.all(file.pending);
  return file;
}

// left is what process.exit throws in the middle of a script, leaving the code it named.
const left = new Error('autocoder: the script has left');
left.stack = '';
let leaving = 0;

function leave(how) {
  leaving ||= Number(how ?? process.exitCode ?? 0);
  throw left;
}

// play runs a script as a process of its own would be run.
async function play(file) {
  leaving = 0;
  process.exitCode = undefined;
  loader.begin();
  try {
    loader.require(file);
    await quiet();
  } catch (error) {
    if (error !== left) throw error;
  }
  leaving ||= Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  if (leaving !== 0) throw new Error(`the script ended with ${leaving}`);
}

// loadAll is load that asks for what is not known yet.
async function loadAll(part, assert) {
  for (;;) {
    let file;
    let error;
    try {
      fuel.fill(1e8, 5000);
      file = await load(part, assert);
      if (part.script) await play(part.file).catch(() => {});
    } catch (thrown) {
      error = thrown;
    }
    if (loader.needed.size > 0) {
      await ask([...loader.needed]);
      loader.needed.clear();
    } else if (!(await loader.wait())) {
      if (error) throw error;
      part.deps = new Set(loader.modules.keys());
      return file;
    }
  }
}

let answered;
function ask(files) {
  parentPort.postMessage({ need: files });
  return new Promise((resolve) => {
    answered = { left: files.length, resolve };
  });
}

function learnFile({ path, code, polluting: pollutes }) {
  if (path === undefined) return;
  polluting ||= Boolean(pollutes);
  loader.files.set(path, code === null ? { external: true } : { code });
  if (answered && --answered.left === 0) answered.resolve();
}

// sign is how a failure looks.
function sign(error) {
  if (error === spent) return 'fuel';
  let text = '';
  try {
    text = `${error?.name}|${String(error?.message).slice(0, 200)}`;
  } catch {
    text = typeof error;
  }
  return `${asserting.state.count}|${text}`;
}

const begin = (limit) => (test) => {
  asserting.state.count = 0;
  fuel.fill(...limit(test));
};

// tidy undoes what a trial left behind.
function tidy(thoroughly) {
  for (const tracker of open) tracker.restoreAll?.();
  open = [];
  loader.replaced.clear();
  if (polluting || thoroughly || primordials.grown()) primordials.restore();
}

// learning is the fuel of a test that is run as it is, less for one that is known
// never to end.
const learning = (part) => (test) => (part.endless?.includes(test.names.join(' > ')) ? [1e5, 40] : [3e6, 400]);

// scripted reports whether a file that was loaded checks something without any test.
const scripted = (part, file) => spoken && !part.script && !file?.tests.length && asserting.state.count > 0;

// learn runs every test as it is.
async function learn(each) {
  for (const part of parts) {
    let file;
    asserting.state.count = 0;
    try {
      file = await loadAll(part, asserting.hard.loose).catch((error) => {
        if (!scripted(part)) throw error;
      });
      if (scripted(part, file)) {
        part.script = true;
        each({ script: part.part });
        file = await loadAll(part, asserting.hard.loose);
      }
    } catch (error) {
      each({ part: part.part, broken: String(error?.stack ?? error).slice(0, 1000) });
      part.broken = true;
      continue;
    }
    const run = new Run(file, {
      begin: begin(learning(part)),
      end: () => !fuel.gone,
    });
    current = run;
    const { one } = run;
    run.one = async (test) => {
      const started = performance.now();
      // What hangs may hang for as long as main.cjs bears.
      Atomics.store(shared, 1, Atomics.load(shared, 1) + 1);
      parentPort.postMessage({ at: `${part.part} > ${test.names.join(' > ')}` });
      const status = await one.call(run, test);
      test.took = { ms: performance.now() - started, fuel: fuel.used(), sig: '' };
      return status;
    };
    part.names = file.tests.map((t) => t.names.join(' > '));
    await run.all(
      (test) => !part.hung?.includes(test.names.join(' > ')),
      () => false,
      true,
    );
    current = null;
    tidy();
    for (const [name, { status, error }] of run.results) {
      const test = file.tests.find((t) => t.names.join(' > ') === name);
      const id = `${part.part} > ${name}`;
      const info = { fuel: test?.took?.fuel ?? 0, ms: test?.took?.ms ?? 0, sig: status === 'fail' ? sign(error) : '', endless: status === 'fuel' };
      known.set(id, info);
      each({ test: id, status, ms: info.ms, fuel: info.fuel, message: status === 'fail' ? String(error?.message ?? error).slice(0, 300) : undefined });
    }
  }
}

// signed runs the targets alone for how each of them fails.
async function signed() {
  for (const part of parts) {
    if (part.broken || part.targets.size === 0) continue;
    const file = await load(part, asserting.hard.loose);
    const run = new Run(file, { begin: begin(enough(part, false)), end: () => !fuel.gone });
    const { one } = run;
    run.one = async (test) => {
      const status = await one.call(run, test);
      for (const [name, result] of run.results) {
        const info = known.get(`${part.part} > ${name}`);
        if (info && !info.signed) {
          info.signed = true;
          info.sig = status === 'fuel' ? 'fuel' : sign(result.error);
          info.count = asserting.state.count;
        }
      }
      return status;
    };
    run.wanted = (names) => within(part.targets, names);
    current = run;
    await run.all((test) => holds(part.targets, test) && !part.hung?.includes(test.names.join(' > ')), () => false);
    current = null;
    tidy();
  }
}

// holds reports whether a test is, or has below it, one of the names.
function holds(names, test) {
  const own = test.names.join(' > ');
  if (names.has(own)) return true;
  for (const name of names) if (name.startsWith(`${own} > `) || name.startsWith(`${own} #`)) return true;
  return false;
}

// within reports whether a test inside another is one of the names, has one below it
// or is itself below one.
const within = (set, names) => holds(set, { names }) || names.some((_, i) => set.has(names.slice(0, i).join(' > ')));

// trace runs tests with coverage; each assertion of a failing one is a row.
async function trace(each) {
  const recorder = new Recorder();
  fuel.record = recorder;
  for (const part of parts) {
    if (part.broken) continue;
    let row = null;
    const tell = (passed, error) => {
      if (row) {
        row.list.push({ passed, hits: [...fuel.hits], frames: passed ? '' : String(error?.stack ?? '') });
        fuel.hits.clear();
      }
    };
    const soft = asserting.soft(tell, (error) => error === spent).loose;
    fuel.hits = new Set();
    let file;
    try {
      fuel.fill(3e6, 400);
      file = await loadAll(part, soft);
    } catch {
      continue;
    }
    each({ part: part.part, load: part.script ? [] : [...fuel.hits] });
    const run = new Run(file, {
      begin(test) {
        fuel.fill(...learning(part)(test));
        fuel.hits = new Set();
        row = { list: [], asked: recorder.asked };
        recorder.on = true;
        test.row = row;
      },
      end(error) {
        row.crash = error && { hits: [...fuel.hits], stack: String(error?.stack ?? '') };
        row.rest = [...fuel.hits];
        row.used = fuel.gone ? 0 : fuel.used();
        row.stateful = recorder.asked > row.asked;
        row = null;
        recorder.on = false;
        recorder.depth = 0;
        return !fuel.gone;
      },
    });
    current = run;
    await run.all(
      (test) => (holds(part.targets, test) || holds(part.passing, test)) && !part.hung?.includes(test.names.join(' > ')),
      () => false,
    );
    current = null;
    fuel.hits = null;
    tidy();
    for (const test of file.tests) {
      if (!test.row) continue;
      const id = `${part.part} > ${test.names.join(' > ')}`;
      const info = known.get(id);
      if (info) info.fuel = Math.max(info.fuel, test.row.used);
      each({ row: id, list: test.row.list, crash: test.row.crash, rest: test.row.rest, stateful: test.row.stateful });
    }
  }
  fuel.record = null;
  recorder.lines().forEach(each);
}

// enough is the fuel of a test: several times what it took, more when there is
// patience.
const enough = (part, patient) => (test) => {
  const info = known.get(`${part.part} > ${test.names.join(' > ')}`);
  if (patient === 1) return [3e5, 40 + 4 * (info?.ms ?? 0)];
  if (patient) return [3e6, 400 + 4 * (info?.ms ?? 0)];
  // Most candidates for a test that never ends don't end it.
  if (info?.endless) return [10000, 2];
  return [Math.max(20000, (info?.fuel ?? 0) * 4 + 2000), 4 + 4 * (info?.ms ?? 0)];
};

// pass runs a part's targets, or all of it, and says in verdict how far that went.
async function pass(part, everything, patient, verdict) {
  const counted = everything ? (test) => holds(part.targets, test) || holds(part.passing, test) : (test) => holds(part.targets, test);
  // The tests of a file may need one another, and what runs behind them may count.
  const chosen = everything && !part.slow ? (test) => !part.hung?.includes(test.names.join(' > ')) || counted(test) : counted;
  let file;
  try {
    fuel.fill(200000, 1000);
    file = await load(part, asserting.hard.loose);
  } catch (error) {
    verdict.code = fuel.gone ? codes.fuel : codes.failed;
    verdict.changed = true;
    return false;
  }
  const start = begin(enough(part, patient));
  let compared = null; // what is known of the test that runs, when it passed before
  const run = new Run(file, {
    begin(test) {
      const name = test.names.join(' > ');
      compared = part.passing.has(name) ? known.get(`${part.part} > ${name}`) : null;
      start(test);
    },
    end() {
      if (compared) {
        verdict.used += fuel.used();
        verdict.usual += compared.fuel;
      }
      return !fuel.gone;
    },
  });
  if (!everything) run.wanted = (names) => within(part.targets, names);
  current = run;
  let sub = false;
  const whole = await run.all(
    chosen,
    (status, test) => {
      if (!counted(test)) return false;
      if (status === 'sub') sub = true;
      return status === 'fail' || status === 'fuel';
    },
    everything && !part.slow,
  );
  current = null;
  for (const [name, result] of run.results) {
    if (part.targets.has(name) && result.status === 'pass') verdict.passed++;
    if ((result.status === 'fail' || result.status === 'fuel') && (part.targets.has(name) || part.passing.has(name))) {
      const info = known.get(`${part.part} > ${name}`);
      verdict.changed ||= !info || info.sig !== sign(result.error);
      // A stopped pass ends with the test that failed.
      if (result.status === 'fail' && part.targets.has(name)) verdict.further ||= asserting.state.count > (info?.count ?? Infinity);
      if (result.status === 'fuel') verdict.code = codes.fuel;
    }
  }
  if (!whole || sub) {
    verdict.code ||= codes.failed;
    return false;
  }
  return run;
}

// evaluate tries one candidate.
async function evaluate(c, patient) {
  const verdict = { code: 0, passed: 0, changed: false, used: 0, usual: 0 };
  let fn;
  try {
    const base = loader.files.get(c.path);
    fn = compile(c.code ?? splice(base.code, c.edits), c.path);
  } catch {
    return { code: codes.rejected, passed: 0, changed: false };
  }
  for (const part of parts) {
    if (part.broken || part.targets.size === 0) continue;
    loader.replaced.set(c.path, fn);
    const run = await pass(part, false, patient, verdict);
    tidy(c.polluting);
    if (!run) return verdict;
    for (const name of part.targets) {
      if (run.results.get(name)?.status !== 'pass') {
        verdict.code = codes.failed;
        return verdict;
      }
    }
  }
  for (const part of parts) {
    if (part.broken || part.passing.size === 0 || !part.deps?.has(c.path)) continue;
    loader.replaced.set(c.path, fn);
    const before = verdict.passed;
    const run = await pass(part, true, patient, verdict);
    verdict.passed = before;
    tidy(c.polluting);
    if (!run) return verdict;
    for (const name of part.passing) {
      if (run.results.get(name)?.status !== 'pass') {
        verdict.code = codes.failed;
        return verdict;
      }
    }
  }
  verdict.code = codes.green;
  verdict.slow = verdict.used > Math.max(unnoticed, 10 * verdict.usual);
  return verdict;
}

function splice(base, edits) {
  let out = '';
  let at = 0;
  for (const [start, end, text] of edits) {
    out += base.slice(at, start) + text;
    at = end;
  }
  return out + base.slice(at);
}

// Where a candidate's verdict stands in the memory that is shared: behind two words
// for the candidate at work and a count of beats.
const first = 4;

async function batch({ candidates, from }) {
  for (let i = from; i < candidates.length; i++) {
    Atomics.store(shared, 0, i);
    Atomics.store(shared, 1, Atomics.load(shared, 1) + 1);
    const v = await evaluate(candidates[i], candidates[i].patient ?? 0);
    Atomics.store(shared, first + i, v.code | (v.changed ? 8 : 0) | (v.further ? 16 : 0) | (v.slow ? 32 : 0) | (Math.min(v.passed, 1e6) << 6));
  }
  Atomics.store(shared, 0, -1);
}

// remember takes over what another thread has learnt.
function remember(list) {
  for (const [id, info] of Object.entries(list ?? {})) known.set(id, { ...info, signed: true });
}

async function handle(request) {
  const line = (value) => parentPort.postMessage({ line: value });
  switch (request.do) {
    case 'file':
      learnFile(request);
      return;
    case 'open':
      if (request.foreign && !spoken) {
        spoken = true;
        process.exit = leave;
        foreign.install(() => globals);
        primordials.keep();
      }
      parts = request.parts.map((p) => ({ ...p, targets: new Set(p.targets), passing: new Set(p.passing) }));
      remember(request.known);
      for (const p of parts) if (request.deps?.[p.part]) p.deps = new Set(request.deps[p.part]);
      break;
    case 'learn':
      await learn(line);
      break;
    case 'ready':
      for (const part of parts) {
        const now = request.parts.find((p) => p.part === part.part);
        part.targets = new Set(now?.targets ?? []);
        part.passing = new Set(now?.passing ?? []);
      }
      for (const part of parts) if (!part.broken && (part.targets.size > 0 || part.passing.size > 0)) await loadAll(part, asserting.hard.loose).catch(() => {});
      remember(request.known);
      if (!request.known) await signed();
      line({ known: Object.fromEntries(known), deps: Object.fromEntries(parts.map((p) => [p.part, [...(p.deps ?? [])]])) });
      break;
    case 'trace': {
      // The files are asked for once more, with more woven in.
      const { files } = loader;
      loader.files = new Map();
      try {
        await trace(line);
      } finally {
        loader.files = files;
      }
      line({ known: Object.fromEntries(known) });
      break;
    }
    case 'evaluate':
      await batch(request);
      break;
    case 'behave':
      line({ behaviours: await behave({ loader, fuel, compile, splice, spent, tidy }, request) });
      break;
    default:
      throw new Error(`autocoder: ${request.do} is unknown`);
  }
  parentPort.postMessage({ end: true });
}

primordials.keep();
parentPort.on('message', (request) => {
  handle(request).catch((error) => parentPort.postMessage({ failed: String(error?.stack ?? error) }));
});
