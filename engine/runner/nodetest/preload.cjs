// Loaded into every process of a node --test run before anything else. In the
// process of a test file it writes a line, at once and synchronously, when a
// test begins and ends and when the process exits: the runner's own events come
// too late to tell which test loops for ever or took the process down.
'use strict';

const fs = require('node:fs');
const { homedir, tmpdir } = require('node:os');
const path = require('node:path');
const { isMainThread } = require('node:worker_threads');

// A test may put others in the place of these.
const { existsSync, openSync, readFileSync, realpathSync, writeFileSync, writeSync } = fs;
const now = Date.now;
const { stringify } = JSON;
const { thrown } = require('./thrown.cjs');

const owner = path.join(__dirname, 'runner.pid');

function main() {
  if (!isMainThread) return;
  if (process.env.NODE_TEST_CONTEXT === undefined) {
    try {
      writeFileSync(owner, String(process.pid), { flag: 'wx' });
    } catch {
      // Another process that a test started without the context.
    }
    return;
  }
  // Processes that a test starts inherit the context and the options too.
  if (Number(readFileSync(owner, 'utf8')) === process.ppid) follow();
}

function follow() {
  const file = process.argv[1];
  const { root, skip, drill } = JSON.parse(readFileSync(path.join(__dirname, 'config.json'), 'utf8'));
  const skipped = new Set(skip[file] ?? []);
  const fd = openSync(path.join(__dirname, `run-${process.pid}.jsonl`), 'a', 0o600);
  const note = (line) => {
    try {
      writeSync(fd, `${stringify(line)}\n`);
    } catch {
      // Without the line, only the blame is lost.
    }
  };
  note({ ev: 'file', file, pid: process.pid, checks: checks(file), t: now() });
  process.on('uncaughtExceptionMonitor', (error) => note({ ev: 'thrown', error: described(error), t: now() }));

  const drilled = drill?.files[file] && require('./drill.cjs').follow({ ...drill, ...drill.files[file], file, root, caller: () => caller(root) }, note);
  const keys = new WeakMap();
  const seen = new Map();
  const { beforeEach, afterEach } = require('node:test');
  beforeEach((test) => {
    const name = test?.fullName ?? test?.name ?? '';
    const n = (seen.get(name) ?? 0) + 1;
    seen.set(name, n);
    // A hook that throws is the one way to keep the body of a test from running
    // that all versions have.
    const key = n === 1 ? name : `${name} #${n}`;
    if (skipped.has(key)) throw new Error('autocoder: left out');
    if (test) keys.set(test, { key, name, n });
    note({ ev: 'run', name, n, t: now() });
    if (drilled) drilled.start(key);
    test?.after?.(() => note({ ev: 'done', name, n, t: now() }));
  });

  if (drilled) {
    afterEach((test) => {
      const { key, name, n } = keys.get(test) ?? {};
      drilled.end(key, name, n, test);
    });
    drilled.load();
  }

  let natural = false;
  process.on('beforeExit', () => {
    if (!natural) drilled?.script?.canaries(note);
    natural = true;
  });
  process.on('exit', (code) => {
    note({ ev: 'exit', code, natural, by: natural ? undefined : caller(root), t: now() });
    note({ ev: 'outside', outside: outside(root) });
    drilled?.script?.end(code, note);
  });
}

// checks reports whether a file can be a test by itself, without a runner: one that
// leaves its tests to node:test is none.
function checks(file) {
  const text = readFileSync(file, 'utf8');
  return !/['"]node:test['"]/.test(text) && /\bassert|\bexpect\b|\bshould\b|\bprocess\.exit|['"](?:tape|tap|chai|zora|uvu)\b/.test(text);
}

function described(error) {
  try {
    return thrown(error);
  } catch {
    return { message: 'an error that can not be shown' };
  }
}

// caller returns the file of the project that called process.exit.
function caller(root) {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Object.assign(Error, { stackTraceLimit: 50, prepareStackTrace: undefined });
  const frames = String(new Error('').stack).split('\n');
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  const left = frames.slice(frames.findIndex((frame) => /\bprocess\.exit\b/.test(frame)) + 1);
  const own = left.find((frame) => frame.includes(root + path.sep) && !frame.includes(`${path.sep}node_modules${path.sep}`));
  return /(?:file:\/\/)?(\/[^()]*?):\d+:\d+\)?$/.exec(own ?? '')?.[1];
}

// outside returns a module of the project that was loaded from another copy of
// it: one beside the workspace at whose place the workspace has a file too.
function outside(root) {
  const own = [root, realpathSync(root), __dirname, tmpdir(), homedir()].map((folder) => folder + path.sep);
  return Object.keys(require.cache).find((file) => {
    if (!path.isAbsolute(file) || file.split(path.sep).includes('node_modules')) return false;
    if (own.some((folder) => file.startsWith(folder))) return false;
    const steps = file.split(path.sep);
    return steps.some((_, i) => i > 1 && existsSync(path.join(root, ...steps.slice(i))));
  });
}

main();
