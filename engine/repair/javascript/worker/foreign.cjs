// The words of other runners than node:test, in which a project's own command runs
// the tests: those of mocha, jest, vitest and tape. What they say is collected as
// tests of node:test are; the command itself has the last word on what is found.
'use strict';

const Module = require('node:module');
const path = require('node:path');
const { format } = require('node:util');
const { makeExpect, makeMocks } = require('./expecting.cjs');
const { tape } = require('./tape.cjs');

const skipped = new Error('autocoder: skipped by itself');
skipped.stack = '';

const expects = new Map();
// ownExpect is the project's own expect, where it has one.
function ownExpect(root) {
  if (!expects.has(root)) {
    let found = null;
    try {
      found = Module.createRequire(path.join(root, 'package.json'))('expect');
      found = found.expect ?? found.default ?? found;
    } catch {
      // The project has none.
    }
    expects.set(root, typeof found === 'function' ? found : makeExpect());
  }
  return expects.get(root);
}

// around is what functions of tests have as this, one for all of a file.
function around() {
  return {
    timeout() { return this; },
    slow() { return this; },
    retries() { return this; },
    skip() { throw skipped; },
  };
}

// adapted makes a function that takes a callback, or nothing, one of node:test's.
function adapted(fn, self) {
  if (typeof fn !== 'function') return fn;
  return (context) => {
    const caught = (error) => {
      if (error !== skipped) throw error;
      context?.skip?.();
    };
    try {
      const result = fn.length === 0 ? fn.call(self) : called(fn, self);
      return result && typeof result.then === 'function' ? result.then(undefined, caught) : undefined;
    } catch (error) {
      return caught(error);
    }
  };
}

// called gives a function its callback, and waits for that.
function called(fn, self) {
  return new Promise((resolve, reject) => {
    const done = (error) => (error ? reject(error) : resolve());
    done.fail = (error) => reject(error ?? new Error('failed'));
    const result = fn.call(self, done);
    if (result && typeof result.then === 'function') result.then(resolve, reject);
  });
}

// rows are those of a table, given as a list or as a template.
function rows(table, values) {
  if (!table.raw) return [...table].map((row) => (Array.isArray(row) ? row : [row]));
  const names = table[0].split('|').map((name) => name.trim());
  const out = [];
  for (let i = 0; i + names.length <= values.length; i += names.length) {
    out.push([Object.fromEntries(names.map((name, k) => [name, values[i + k]]))]);
  }
  return out;
}

// titled is a name with what it says of a row.
function titled(name, row) {
  const asked = String(name).match(/%[sdifjoOp]/g) ?? [];
  return format(String(name).replaceAll('%p', '%j'), ...row.slice(0, asked.length));
}

// words are the functions and modules of the other runners, for one load of a file.
function words({ api, assert }, root) {
  const self = around();
  const test = (make) => (name, ...rest) => {
    const fn = rest.find((x) => typeof x === 'function');
    return make(String(typeof name === 'function' ? name.name : name), adapted(fn, self));
  };
  const suite = (make) => (name, ...rest) => {
    const fn = rest.find((x) => typeof x === 'function');
    return make(String(typeof name === 'function' ? name.name : name), fn && (() => fn.call(self)));
  };
  const each = (register) => (table, ...values) => (name, fn) => {
    for (const row of rows(table, values)) register(titled(name, row), () => fn.apply(self, row));
  };
  const both = (kind, make) => {
    const f = kind(make);
    f.only = f;
    f.skip = kind(make.skip);
    f.todo = kind(make.todo);
    f.concurrent = f;
    f.sequential = f;
    f.each = each(f);
    f.skip.each = each(f.skip);
    f.only.each = f.each;
    f.skipIf = (no) => (no ? f.skip : f);
    f.runIf = (yes) => (yes ? f : f.skip);
    return f;
  };
  const it = both(test, api.test);
  const describe = both(suite, api.describe);
  const hook = (kind) => (...args) => api[kind](adapted(args.find((x) => typeof x === 'function'), self));
  const hooks = { before: hook('before'), after: hook('after'), beforeEach: hook('beforeEach'), afterEach: hook('afterEach') };
  const expect = ownExpect(root);
  const mocks = makeMocks();
  const all = {
    ...hooks, it, test: it, specify: it, describe, context: describe, suite: describe, xit: it.skip, xtest: it.skip, xdescribe: describe.skip, fit: it, fdescribe: describe,
    beforeAll: hooks.before, afterAll: hooks.after, suiteSetup: hooks.before, suiteTeardown: hooks.after, setup: hooks.beforeEach, teardown: hooks.afterEach,
    expect, jest: mocks, vi: mocks,
  };
  const t = tape(api, assert);
  return { globals: all, modules: { mocha: all, vitest: all, '@jest/globals': all, tape: t, tap: t } };
}

// given are the words that are global names.
const given = ['it', 'test', 'specify', 'describe', 'context', 'xit', 'xtest', 'xdescribe', 'fit', 'fdescribe', 'before', 'after', 'beforeEach', 'afterEach',
  'beforeAll', 'afterAll', 'suiteSetup', 'suiteTeardown', 'suite', 'setup', 'teardown', 'expect', 'jest', 'vi'];

// install makes them so; what they mean changes with each load.
function install(current) {
  for (const name of given) {
    Object.defineProperty(globalThis, name, { configurable: true, enumerable: false, get: () => current()?.[name], set() {} });
  }
}

module.exports = { install, words };
