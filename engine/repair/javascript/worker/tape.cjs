// What stands in the place of tape and tap: a test gets an object with the
// assertions, and ends when it says so or its plan is kept.
'use strict';

const checks = {
  ok: 'ok', notOk: '', equal: 'strictEqual', notEqual: 'notStrictEqual', deepEqual: 'deepStrictEqual', notDeepEqual: 'notDeepStrictEqual',
  looseEqual: 'equal', notLooseEqual: 'notEqual', deepLooseEqual: 'deepEqual', notDeepLooseEqual: 'notDeepEqual',
  throws: '', doesNotThrow: 'doesNotThrow', ifError: 'ifError', fail: 'fail', match: 'match', doesNotMatch: 'doesNotMatch', pass: '', rejects: 'rejects',
};

const others = {
  ok: ['true', 'assert'], notOk: ['false', 'notok'], equal: ['equals', 'is', 'isEqual', 'strictEqual', 'strictEquals'], notEqual: ['notEquals', 'not', 'isNot', 'isNotEqual', 'doesNotEqual', 'notStrictEqual'],
  deepEqual: ['deepEquals', 'same', 'isEquivalent', 'strictSame'], notDeepEqual: ['notDeepEquals', 'notSame', 'notEquivalent', 'notDeeply', 'isNotDeepEqual', 'isNotEquivalent'],
  looseEqual: ['looseEquals'], notLooseEqual: ['notLooseEquals'], ifError: ['error', 'ifErr', 'iferror'],
};

// takes is how many values a check takes before its message, where that is not two.
const takes = { ok: 1, notOk: 1, ifError: 1, fail: 0, pass: 0, throws: 2, doesNotThrow: 2 };

// leftOut reports whether a check says of itself that it does not count.
const leftOut = (name, args) => args.slice((takes[name] ?? 2) + (name === 'fail' || name === 'pass' ? 0 : 1)).some((x) => x && typeof x === 'object' && (x.skip || x.todo));

// calling makes a function that notes its calls.
function calling(own) {
  let calls = [];
  const wrapped = function (...args) {
    const call = { args, receiver: this };
    calls.push(call);
    call.returned = own?.apply(this, args);
    return call.returned;
  };
  wrapped.calls = calls;
  return { wrapped, results: () => calls.splice(0) };
}

// mocked puts a property in the place of another until restore is called.
function mocked(object, name, descriptor) {
  const was = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { configurable: true, ...descriptor });
  return () => (was ? Object.defineProperty(object, name, was) : delete object[name]);
}

// context makes the object of one test. settled is called once it has ended.
function context(assert, settled) {
  const left = [];
  let planned = null;
  let seen = 0;
  let over = false;
  const t = { subtests: [], left };
  const end = (error) => {
    if (over) return;
    over = true;
    settled(error);
  };
  const counted = (name, check) => (...args) => {
    try {
      if (!leftOut(name, args)) check(...args);
    } catch (error) {
      end(error);
      throw error;
    }
    seen++;
    if (planned !== null && seen >= planned && t.subtests.length === 0) queueMicrotask(() => end());
  };
  for (const [name, own] of Object.entries(checks)) {
    let check = own && ((...args) => assert[own](...args));
    if (name === 'notOk') check = (v, m) => assert.ok(!v, m);
    if (name === 'pass') check = () => assert.ok(true);
    if (name === 'throws') check = (fn, wanted) => (typeof wanted === 'function' || wanted instanceof RegExp ? assert.throws(fn, wanted) : assert.throws(fn));
    t[name] = counted(name, check);
    for (const other of others[name] ?? []) t[other] = t[name];
  }
  Object.assign(t, {
    plan(n) { planned = n; },
    end(error) { end(error); },
    comment() {}, skip() { seen++; }, timeoutAfter() {},
    teardown(fn) { left.push(fn); },
    capture(object, name, own) {
      const { wrapped, results } = calling(own);
      left.push(mocked(object, name, { value: wrapped, writable: true, enumerable: true }));
      return results;
    },
    captureFn(own) { return calling(own).wrapped; },
    intercept(object, name, { value, get, set } = {}) {
      const calls = [];
      const noted = (type, seen, receiver, ...args) => {
        calls.push({ type, success: true, value: seen, args, receiver });
        return seen;
      };
      const descriptor = {
        enumerable: true,
        get() { return noted('get', get ? get.call(this) : value, this); },
        set(next) {
          if (set) set.call(this, next);
          else value = next;
          noted('set', next, this, next);
        },
      };
      left.push(mocked(object, name, descriptor));
      return () => calls.splice(0);
    },
    test(...args) {
      const fn = args.find((x) => typeof x === 'function');
      const skip = !fn || args.some((x) => x && typeof x === 'object' && (x.skip || x.todo));
      t.subtests.push({ name: typeof args[0] === 'string' ? args[0] : '(anonymous)', fn: skip ? undefined : fn });
    },
    get planned() { return planned; },
    get over() { return over; },
  });
  t.test.skip = () => {};
  t.test.only = t.test;
  return t;
}

// run runs a function of a test, and those inside it, as far as they are wanted.
async function run(fn, assert, outer) {
  let t;
  try {
    await new Promise((resolve, reject) => {
      t = context(assert, (error) => (error ? reject(error) : resolve()));
      const result = fn(t);
      if (result && typeof result.then === 'function') result.then(() => resolve(), reject);
      if (t.subtests.length > 0) resolve();
    });
    for (const { name, fn: body } of t.subtests) {
      if (outer.run.wants([...outer.names, name])) await outer.test(name, body && ((inner) => run(body, assert, inner)));
    }
  } finally {
    for (const f of t?.left ?? []) await f();
  }
}

function tape(api, assert) {
  const make = (register) => (...args) => {
    const name = typeof args[0] === 'string' ? args[0] : '(anonymous)';
    const options = args.find((x) => x && typeof x === 'object');
    const fn = args.find((x) => typeof x === 'function');
    if (!fn || options?.skip) return api.test.skip(name, () => {});
    return register(name, (outer) => run(fn, assert, outer));
  };
  const test = make(api.test);
  test.skip = make(api.test.skip);
  test.only = test;
  test.test = test;
  test.default = test;
  test.onFinish = () => {};
  test.onFailure = () => {};
  return test;
}

module.exports = { tape };
