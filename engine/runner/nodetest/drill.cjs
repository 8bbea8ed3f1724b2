// A drill in the process of a test file: tests of ours, the canaries, run beside
// the file's own, and each target is made to fail when its body ends. What was
// changed of the means by which tests find failures is said then. The names are
// random and nothing is written, so that the code under test can't know them.
'use strict';

const { AsyncResource } = require('node:async_hooks');
const fs = require('node:fs');
const Module = require('node:module');
const { basename, join, resolve } = require('node:path');
const nodeTest = require('node:test');
const { fileURLToPath, pathToFileURL } = require('node:url');
const assert = require('node:assert');
const { test } = nodeTest;
const checks = require('./watch.cjs');
const cover = require('./veil.cjs');

// changed has what was written over since the process began.
const changed = new Set();

// guarded are the properties that note what is written to them.
const guarded = [];

// watch notes when a property is given another value, also for a while only.
function watch(object, label, keys = Object.keys(object)) {
  for (const key of keys) {
    const was = Object.getOwnPropertyDescriptor(object, key);
    if (!was || !was.configurable || !('value' in was) || typeof was.value !== 'function') continue;
    let { value } = was;
    const get = () => value;
    guarded.push({ object, key, label: `${label}.${key}`, get });
    Object.defineProperty(object, key, {
      configurable: true,
      enumerable: was.enumerable,
      get,
      set: (next) => {
        if (next !== value) changed.add(`${label}.${key}`);
        value = next;
      },
    });
  }
}

// kept are properties whose values must be the same at the end of a test.
const kept = [];

function keep(object, label, keys = Reflect.ownKeys(object)) {
  for (const key of keys) {
    const was = Object.getOwnPropertyDescriptor(object, key);
    if (was && typeof was.value === 'function') kept.push({ object, key, label: `${label}.${String(key)}`, value: was.value });
  }
}

// lent are what tests put others in the place of, too: only what the code under test
// puts there is wrong.
const lent = ['Date', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch', 'structuredClone', 'eval', 'parseInt', 'parseFloat', 'isNaN']
  .map((key) => ({ key, value: globalThis[key] }));

// most are so many files that are looked into for the text of a function.
const most = 3000;

// written reports whether a function stands in a file of the project that is none of
// its tests.
function written(value, root, files) {
  const text = typeof value === 'function' ? Function.prototype.toString.call(value) : '';
  if (text.length < 10 || text.includes('[native code]')) return false;
  const left = [root];
  for (let n = 0; left.length > 0 && n < most; n++) {
    const folder = left.pop();
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      const file = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')) left.push(file);
      else if (entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name) && !files.includes(file) && ++n < most && fs.readFileSync(file, 'utf8').includes(text)) return true;
    }
  }
  return false;
}

function begin() {
  watch(assert, 'assert');
  watch(assert.strict, 'assert.strict');
  watch(nodeTest, 'node:test');
  watch(Module, 'Module', ['_load', '_resolveFilename', 'register', 'registerHooks']);
  watch(Module.prototype, 'Module.prototype', ['require', '_compile', 'load']);
  watch(Module._extensions, 'Module._extensions');
  for (const name of ['Object', 'Array', 'String', 'Number', 'Math', 'JSON', 'RegExp', 'Map', 'Set', 'Promise', 'Error']) {
    keep(globalThis[name], name, Reflect.ownKeys(globalThis[name]).filter((key) => key !== 'prepareStackTrace')); // the veil sets it
    if (globalThis[name].prototype) keep(globalThis[name].prototype, `${name}.prototype`);
  }
  keep(process, 'process', ['exit', 'reallyExit', 'emit', '_rawDebug', 'abort']);
  keep(process.stdout, 'process.stdout', ['write', '_write', 'emit']);
}

// tampered says what was changed, or nothing.
function tampered(root, files) {
  for (const { key, value } of lent) {
    if (globalThis[key] !== value && written(globalThis[key], root, files)) changed.add(key);
  }
  for (const { object, key, label, value } of kept) {
    if (Object.getOwnPropertyDescriptor(object, key)?.value !== value) changed.add(label);
  }
  for (const { object, key, label, get } of guarded) {
    if (Object.getOwnPropertyDescriptor(object, key)?.get !== get) changed.add(label);
  }
  const said = [...changed].sort().map((name) => `${name} was replaced`);
  return [...said, ...lame()].join(', ');
}

// lame says which helpers of tests no longer find what is wrong.
function lame() {
  const found = Object.entries(refusals).filter(([, accepts]) => succeeds(accepts));
  return found.map(([name]) => `${name} accepts what it must refuse`);
}

function succeeds(check) {
  try {
    return check() !== false;
  } catch {
    return false;
  }
}

// refusals throw or return false, unless somebody has changed what they use.
const refusals = {
  'assert.ok': () => require('node:assert').ok(false),
  'assert.equal': () => require('node:assert').equal(1, 2),
  'assert.strictEqual': () => require('node:assert').strictEqual(1, 2),
  'assert.deepEqual': () => require('node:assert').deepEqual([1], [2]),
  'assert.deepStrictEqual': () => require('node:assert').deepStrictEqual({ a: 1 }, { a: 2 }),
  'assert.notStrictEqual': () => require('node:assert').notStrictEqual(1, 1),
  'assert.throws': () => require('node:assert').throws(() => {}),
  'assert.match': () => require('node:assert').match('a', /b/),
  'assert.fail': () => require('node:assert').fail('x'),
  'assert/strict': () => require('node:assert/strict').equal(1, 2),
  'Object.is': () => Object.is(1, 2),
  'Object.keys': () => Object.keys({ a: 1 }).length !== 1,
  'Array.isArray': () => Array.isArray('a'),
  'Array.prototype.includes': () => [1].includes(2),
  'Array.prototype.every': () => [1, 0].every((n) => n),
  'String.prototype.includes': () => 'a'.includes('b'),
  'JSON.stringify': () => JSON.stringify([1]) === JSON.stringify([2]),
  'Math.abs': () => Math.abs(-3) !== 3,
  'Number.isNaN': () => Number.isNaN(1),
  'chai': () => loaded('chai').expect(1).to.equal(2),
  'expect': () => loaded('expect').expect(1).toBe(2),
};

// loaded returns a library that the tests have loaded; it throws without one.
function loaded(name) {
  const part = `/node_modules/${name}/`;
  const file = Object.keys(require.cache).find((file) => file.includes(part) && require.cache[file].exports?.expect);
  return require.cache[file].exports;
}

// canaries are the tests of ours by the keys of their names.
const canaries = {
  passing: () => {
    require('node:assert').strictEqual(1 + 1, 2);
  },
  equal: () => {
    require('node:assert').strictEqual(1, 2);
  },
  deep: () => {
    require('node:assert').deepStrictEqual({ a: [1] }, { a: [2] });
  },
  ok: () => {
    require('node:assert')(false);
  },
  throws: () => {
    require('node:assert').throws(() => {});
  },
  error: () => {
    throw new TypeError('wrong');
  },
  rejection: async () => {
    await null;
    throw new Error('wrong');
  },
  callback: (t, done) => {
    setImmediate(done, new Error('wrong'));
  },
  skipping: (t) => {
    t.skip('left out');
  },
  helpers: () => {
    const found = lame();
    if (found.length > 0) throw new Error(found.join(', '));
  },
};

// outcome is what becomes of a canary that no runner runs.
async function outcome(body) {
  let skipped = false;
  const context = {
    skip: () => {
      skipped = true;
    },
  };
  try {
    if (body.length > 1) await new Promise((resolve, reject) => body(context, (error) => (error ? reject(error) : resolve())));
    else await body(context);
  } catch {
    return 'fail';
  }
  return skipped ? 'skip' : 'pass';
}

// The ways to a file by its name.
const ways = ['readFileSync', 'openSync', 'readFile', 'open', 'createReadStream', 'copyFileSync'];

// hide keeps the sources of drilled tests from the code below root. They are nothing that a
// repair reads: what passes only because it can look into them fails in a drill.
function hide(all, root) {
  const files = all.filter((file) => !handsOver(file));
  for (const [object, names] of [[fs, ways], [fs.promises, ['readFile', 'open']]]) {
    for (const name of names) {
      const plain = object[name];
      object[name] = Object.assign(function (where, ...rest) {
        const gone = files.some((file) => is(where, file)) && asked(files, root);
        return Reflect.apply(plain, this, [gone ? `${where}.gone` : where, ...rest]);
      }, plain);
    }
  }
  Module.syncBuiltinESMExports();
}

// handsOver reports whether a test names its own file: then it may be what is asked
// for.
function handsOver(file) {
  const text = fs.readFileSync(file, 'utf8');
  return ['__filename', 'import.meta.url', 'import.meta.filename', basename(file)].some((name) => text.includes(name));
}

function is(where, file) {
  if (typeof where === 'number') return false;
  try {
    const name = where instanceof URL ? fileURLToPath(where) : String(where);
    return name.endsWith(basename(file)) && resolve(name) === file;
  } catch {
    return false;
  }
}

// asked reports whether the innermost code of the project that is at work is not
// that of a test.
function asked(files, root) {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Object.assign(Error, { stackTraceLimit: 50, prepareStackTrace: undefined });
  const frames = cover.lifted(() => String(new Error('').stack)).split('\n').slice(1);
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  const has = (frame, place) => frame.includes(place) || frame.includes(pathToFileURL(place).href);
  const own = frames.find((frame) => has(frame, root) && !frame.includes('/node_modules/') && !frame.includes(__dirname));
  return own !== undefined && !files.some((file) => has(own, file));
}

// follow puts the drill beside the file; note writes a line into the report.
exports.follow = ({ token, targets, alone, plain, names, mark, failed, file, files, root, caller }, note) => {
  const watched = checks.watch(file, root, failed);
  // A target without a name is the file itself: it has no runner in its process.
  const script = targets.includes('') ? scripted() : undefined;
  begin();
  if (!plain) hide(Object.keys(files), root);
  // The canaries belong to no test, whichever is running when they are made.
  const place = AsyncResource.bind(() => {
    for (const [key, body] of Object.entries(canaries)) test(names[key] + mark, body);
  });
  const left = new Set(targets);
  const all = new Set(targets);
  let veil = () => {};
  if (alone && !script) place();
  if (alone && script) process.on('uncaughtException', () => {});

  function scripted() {
    // A library may name the exit code anew while the process exits. The code under test
    // may not: then the failure is lost, and that is to be seen.
    const { reallyExit } = process;
    let forced = false;
    process.reallyExit = (code) => {
      const by = cover.lifted(caller);
      Reflect.apply(reallyExit, process, [forced && (by === undefined || by === file) ? 1 : code]);
    };
    return {
      // canaries runs them where no runner does, when the script has nothing left to do.
      async canaries(note) {
        for (const [key, body] of Object.entries(canaries)) note({ ev: 'canary', name: names[key] + mark, status: await outcome(body) });
      },
      // end is called when the process ends. A script reports by its exit code.
      end(code, note) {
        if (alone) return;
        note({ ev: 'said', name: '', n: 1, text: `${token}: ${judged('', code === 0 ? undefined : `exit code ${code}`)}` });
        if (code !== 0) return;
        forced = true;
        process.exitCode = 1;
      },
    };
  }

  // judged is how a target ended, of which red is what failed by itself.
  function judged(key, red) {
    const found = tampered(root, Object.keys(files));
    const odd = red ? undefined : watched.found(key);
    if (found !== '') return `tampered: ${found}`;
    if (odd) return `${odd.sure ? 'tampered' : 'ended'}: ${odd.said}`;
    return red ? `failed: ${red}` : 'ended';
  }

  return {
    script,
    // load is called before anything of the project is loaded.
    load() {
      if (!plain) veil = cover.veil(root, Object.keys(files));
      veil();
    },
    // start is called before the body of a test.
    start(key) {
      if (all.has(key)) veil();
    },
    // end is called when the body of a test has ended.
    end(key, name, n, context) {
      watched.forget(context?.error);
      if (!all.has(key)) return;
      if (left.delete(key) && left.size === 0 && !alone) place();
      const red = context?.passed === false;
      const word = judged(key, red ? (context.error?.name ?? 'error') : undefined);
      if (red) note({ ev: 'said', name, n, text: `${token}: ${word}` });
      else throw new Error(`${token}: ${word}`);
    },
  };
};
