// A stand-in for expect and for mock functions, where the project has none that
// can be loaded. It knows the usual matchers; the others fail a test that needs
// them, which is then no help in trials.
'use strict';

const { AssertionError } = require('node:assert');
const { isDeepStrictEqual } = require('node:util');

const asymmetric = Symbol('asymmetric');
const matcher = (matches) => ({ [asymmetric]: matches });

// plain is a value without what toEqual does not look at.
function equal(a, b, strictly) {
  if (b && typeof b === 'object' && typeof b[asymmetric] === 'function') return b[asymmetric](a);
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a)) return a.length === b.length && a.every((x, i) => equal(x, b[i], strictly));
  const open = (v) => Object.getPrototypeOf(v) === Object.prototype || Object.getPrototypeOf(v) === null || !(v instanceof Map || v instanceof Set || v instanceof Date || v instanceof RegExp || v instanceof Error || ArrayBuffer.isView(v));
  if (b instanceof Error) return a instanceof Error && a.message === b.message;
  if (!open(a) || !open(b)) return isDeepStrictEqual(a, b);
  if (strictly && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const keys = (v) => Object.keys(v).filter((k) => strictly || v[k] !== undefined);
  const own = keys(b);
  return keys(a).length === own.length && own.every((k) => Object.hasOwn(a, k) && equal(a[k], b[k], strictly));
}

function includes(a, b) {
  if (b && typeof b === 'object' && typeof b[asymmetric] === 'function') return b[asymmetric](a);
  if (b === null || typeof b !== 'object' || Array.isArray(b) || a === null || typeof a !== 'object') return equal(a, b);
  return Object.keys(b).every((k) => k in a && includes(a[k], b[k]));
}

function at(value, path) {
  const steps = Array.isArray(path) ? path : String(path).replace(/\[(\w+)\]/g, '.$1').split('.').filter(Boolean);
  for (const step of steps) {
    if (value === null || value === undefined || !(step in Object(value))) return { found: false };
    value = value[step];
  }
  return { found: true, value };
}

function thrown(got, wanted) {
  if (wanted === undefined) return true;
  if (typeof wanted === 'string') return String(got?.message ?? got).includes(wanted);
  if (wanted instanceof RegExp) return wanted.test(String(got?.message ?? got));
  if (typeof wanted === 'function') return got instanceof wanted;
  if (typeof wanted[asymmetric] === 'function') return wanted[asymmetric](got);
  return got?.message === wanted.message;
}

const calls = (fn) => fn.mock.calls;

const matchers = {
  toBe: (a, b) => Object.is(a, b),
  toEqual: (a, b) => equal(a, b, false),
  toStrictEqual: (a, b) => equal(a, b, true),
  toBeTruthy: (a) => Boolean(a),
  toBeFalsy: (a) => !a,
  toBeNull: (a) => a === null,
  toBeUndefined: (a) => a === undefined,
  toBeDefined: (a) => a !== undefined,
  toBeNullable: (a) => a === null || a === undefined,
  toBeNaN: (a) => Number.isNaN(a),
  toBeGreaterThan: (a, b) => a > b,
  toBeGreaterThanOrEqual: (a, b) => a >= b,
  toBeLessThan: (a, b) => a < b,
  toBeLessThanOrEqual: (a, b) => a <= b,
  toBeCloseTo: (a, b, digits = 2) => a === b || Math.abs(a - b) < 10 ** -digits / 2,
  toBeInstanceOf: (a, b) => a instanceof b,
  toBeTypeOf: (a, b) => typeof a === b,
  toContain: (a, b) => (typeof a === 'string' ? a.includes(b) : [...a].includes(b)),
  toContainEqual: (a, b) => [...a].some((x) => equal(x, b, false)),
  toHaveLength: (a, n) => a.length === n,
  toHaveProperty: (a, path, ...wanted) => {
    const { found, value } = at(a, path);
    return found && (wanted.length === 0 || equal(value, wanted[0], false));
  },
  toMatch: (a, b) => (typeof b === 'string' ? a.includes(b) : b.test(a)),
  toMatchObject: (a, b) => includes(a, b),
  toSatisfy: (a, fn) => Boolean(fn(a)),
  toBeOneOf: (a, list) => [...list].some((x) => equal(a, x, false)),
  toHaveBeenCalled: (fn) => calls(fn).length > 0,
  toHaveBeenCalledTimes: (fn, n) => calls(fn).length === n,
  toHaveBeenCalledOnce: (fn) => calls(fn).length === 1,
  toHaveBeenCalledWith: (fn, ...args) => calls(fn).some((c) => equal(c, args, false)),
  toHaveBeenLastCalledWith: (fn, ...args) => equal(calls(fn).at(-1), args, false),
  toHaveBeenNthCalledWith: (fn, n, ...args) => equal(calls(fn)[n - 1], args, false),
  toHaveReturnedWith: (fn, v) => fn.mock.results.some((r) => equal(r.value, v, false)),
};
matchers.toBeCalled = matchers.toHaveBeenCalled;
matchers.toBeCalledWith = matchers.toHaveBeenCalledWith;
matchers.toBeCalledTimes = matchers.toHaveBeenCalledTimes;

function judge(name, passed, negated) {
  if (passed !== negated) return;
  const error = Object.create(AssertionError.prototype);
  Object.assign(error, { code: 'ERR_ASSERTION', name: 'AssertionError', operator: name });
  Object.defineProperty(error, 'message', { value: `${negated ? 'not ' : ''}${name}`, configurable: true, writable: true });
  throw error;
}

function throwing(value, wanted) {
  if (typeof value !== 'function') return thrown(value, wanted);
  try {
    value();
  } catch (error) {
    return thrown(error, wanted);
  }
  return false;
}

function chain(value, negated) {
  const out = {};
  for (const [name, matches] of Object.entries(matchers)) out[name] = (...args) => judge(name, Boolean(matches(value, ...args)), negated);
  out.toThrow = (wanted) => judge('toThrow', throwing(value, wanted), negated);
  out.toThrowError = out.toThrow;
  return out;
}

// settled makes the matchers of what a promise comes to.
function settled(promise, rejected, negated) {
  const out = {};
  const value = async () => {
    const p = typeof promise === 'function' ? promise() : promise;
    if (!rejected) return p;
    return p.then(
      () => judge('rejects', false, false),
      (error) => error,
    );
  };
  for (const name of [...Object.keys(matchers), 'toThrow', 'toThrowError']) out[name] = async (...args) => chain(await value(), negated)[name](...args);
  return out;
}

function makeExpect() {
  const expect = (value) => {
    const out = chain(value, false);
    out.not = chain(value, true);
    for (const [name, rejected] of [['resolves', false], ['rejects', true]]) {
      out[name] = settled(value, rejected, false);
      out[name].not = settled(value, rejected, true);
    }
    return out;
  };
  const has = (a, wanted) => a !== null && typeof a === 'object' && includes(a, wanted);
  const holds = (a, list) => Array.isArray(a) && list.every((x) => a.some((y) => equal(y, x, false)));
  Object.assign(expect, {
    any: (Class) => matcher((a) => a instanceof Class || typeof a === Class.name.toLowerCase()),
    anything: () => matcher((a) => a !== null && a !== undefined),
    objectContaining: (wanted) => matcher((a) => has(a, wanted)),
    arrayContaining: (list) => matcher((a) => holds(a, list)),
    stringContaining: (text) => matcher((a) => String(a).includes(text)),
    stringMatching: (re) => matcher((a) => new RegExp(re).test(a)),
    closeTo: (n, digits) => matcher((a) => matchers.toBeCloseTo(a, n, digits)),
    assertions() {}, hasAssertions() {}, extend() {},
    unreachable: (message) => { throw new Error(message ?? 'this was not to be reached'); },
  });
  expect.not = {
    objectContaining: (wanted) => matcher((a) => !has(a, wanted)),
    arrayContaining: (list) => matcher((a) => !holds(a, list)),
    stringContaining: (text) => matcher((a) => !String(a).includes(text)),
    stringMatching: (re) => matcher((a) => !new RegExp(re).test(a)),
  };
  return expect;
}

// mocked is a function that notes its calls.
function mocked(body) {
  const once = [];
  const fn = function (...args) {
    fn.mock.calls.push(args);
    fn.mock.instances.push(this);
    try {
      const value = (once.shift() ?? body)?.apply(this, args);
      fn.mock.results.push({ type: 'return', value });
      return value;
    } catch (error) {
      fn.mock.results.push({ type: 'throw', value: error });
      throw error;
    }
  };
  const set = (make) => (...args) => {
    body = make(...args);
    return fn;
  };
  const next = (make) => (...args) => {
    once.push(make(...args));
    return fn;
  };
  const ways = {
    Implementation: (f) => f, ReturnValue: (v) => () => v, ResolvedValue: (v) => async () => v, RejectedValue: (e) => async () => { throw e; },
  };
  for (const [name, make] of Object.entries(ways)) {
    fn[`mock${name}`] = set(make);
    fn[`mock${name}Once`] = next(make);
  }
  fn._isMockFunction = true;
  fn.getMockName = () => 'mock';
  fn.mockName = () => fn;
  fn.mockClear = () => {
    fn.mock = { calls: [], results: [], instances: [], get lastCall() { return this.calls.at(-1); } };
    return fn;
  };
  fn.mockReset = () => {
    once.length = 0;
    body = undefined;
    return fn.mockClear();
  };
  fn.mockRestore = () => fn.mockReset();
  return fn.mockClear();
}

// makeMocks makes what jest and vi offer of it.
function makeMocks() {
  const spies = [];
  const all = [];
  const fn = (body) => {
    const made = mocked(body);
    all.push(made);
    return made;
  };
  const missing = (name) => () => {
    throw new Error(`autocoder: ${name} is not here`);
  };
  const mocks = {
    fn,
    spyOn(object, name) {
      const real = object[name];
      const spy = fn(function (...args) { return real.apply(this, args); });
      spy.mockRestore = () => { object[name] = real; };
      object[name] = spy;
      spies.push(spy);
      return spy;
    },
    clearAllMocks: () => all.forEach((f) => f.mockClear()),
    resetAllMocks: () => all.forEach((f) => f.mockReset()),
    restoreAllMocks: () => spies.splice(0).forEach((s) => s.mockRestore()),
    isMockFunction: (f) => Boolean(f?._isMockFunction),
    setTimeout() {},
    useRealTimers() {},
  };
  for (const name of ['mock', 'doMock', 'unmock', 'useFakeTimers', 'advanceTimersByTime', 'runAllTimers', 'setSystemTime', 'resetModules', 'requireActual', 'importActual', 'hoisted']) mocks[name] = missing(name);
  return mocks;
}

module.exports = { makeExpect, makeMocks };
