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
  const counted = (check) => (...args) => {
    try {
      check(...args);
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
    t[name] = counted(check);
    for (const other of others[name] ?? []) t[other] = t[name];
  }
  Object.assign(t, {
    plan(n) { planned = n; },
    end(error) { end(error); },
    comment() {}, skip() { seen++; }, timeoutAfter() {},
    teardown(fn) { left.push(fn); },
    test(name, ...rest) {
      const fn = rest.find((x) => typeof x === 'function') ?? name;
      if (rest[0]?.skip !== true) t.subtests.push(fn);
    },
    get planned() { return planned; },
    get over() { return over; },
  });
  t.test.skip = () => {};
  return t;
}

// run runs a function of a test, and those inside it.
async function run(fn, assert) {
  let t;
  try {
    await new Promise((resolve, reject) => {
      t = context(assert, (error) => (error ? reject(error) : resolve()));
      const result = fn(t);
      if (result && typeof result.then === 'function') result.then(() => resolve(), reject);
      if (t.subtests.length > 0) resolve();
    });
    for (const sub of t.subtests) await run(sub, assert);
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
    return register(name, () => run(fn, assert));
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
