// What stands in the place of node:assert. The checks are those of node:assert;
// only what they throw is made without the texts that cost most of the time of a
// failing test. A soft one throws nothing: it tells of each assertion, so that one
// failing test becomes many rows of the spectrum.
'use strict';

const real = require('node:assert');
const { isDeepStrictEqual, inspect } = require('node:util');

const { AssertionError } = real;

// state counts assertions, across all modules of this kind.
const state = { count: 0 };

function short(value) {
  try {
    return inspect(value, { depth: 2, breakLength: Infinity, maxArrayLength: 10, maxStringLength: 60 }).slice(0, 120);
  } catch {
    return typeof value;
  }
}

function fail(operator, actual, expected, message, brief) {
  if (message instanceof Error) throw message;
  const error = Object.create(AssertionError.prototype);
  const text = brief ? operator : `${operator} ${short(actual)}`;
  const put = (name, value) => Object.defineProperty(error, name, { value, configurable: true, writable: true });
  put('message', message ?? text);
  put('name', 'AssertionError');
  put('code', 'ERR_ASSERTION');
  put('generatedMessage', message === undefined);
  put('actual', actual);
  put('expected', expected);
  put('operator', operator);
  put('stack', '');
  throw error;
}

function alike(a, b) {
  return a == b || (a !== a && b !== b);
}

const quick = {
  ok(value, message) {
    if (!value) fail('ok', value, true, message);
  },
  equal(a, b, message) {
    if (!alike(a, b)) fail('==', a, b, message);
  },
  notEqual(a, b, message) {
    if (alike(a, b)) fail('!=', a, b, message);
  },
  strictEqual(a, b, message) {
    if (!Object.is(a, b)) fail('strictEqual', a, b, message);
  },
  notStrictEqual(a, b, message) {
    if (Object.is(a, b)) fail('notStrictEqual', a, b, message);
  },
  deepStrictEqual(a, b, message) {
    if (!isDeepStrictEqual(a, b)) fail('deepStrictEqual', a, b, message);
  },
  notDeepStrictEqual(a, b, message) {
    if (isDeepStrictEqual(a, b)) fail('notDeepStrictEqual', a, b, message);
  },
};

const strictly = { equal: 'strictEqual', notEqual: 'notStrictEqual', deepEqual: 'deepStrictEqual', notDeepEqual: 'notDeepStrictEqual' };

// build makes a module of assertions from what each one does.
function build(wrap) {
  const make = (names) => {
    const module = wrap('ok', quick.ok);
    for (const name of Object.keys(real)) {
      const own = names[name] ?? name;
      if (typeof real[name] !== 'function' || name === 'AssertionError' || name === 'Assert') module[name] = real[name];
      else module[name] = wrap(own, quick[own] ?? real[own]);
    }
    module.ok = wrap('ok', quick.ok);
    return module;
  };
  const loose = make({});
  const strict = make(strictly);
  loose.strict = strict;
  strict.strict = strict;
  return { loose, strict };
}

const hard = build((name, check) =>
  function assertion(...args) {
    state.count++;
    return check.apply(real, args);
  },
);

// soft tells tell(passed, error) of each assertion, and lets errors through that
// are none of an assertion.
function soft(tell, through) {
  return build((name, check) =>
    function assertion(...args) {
      state.count++;
      let result;
      try {
        result = check.apply(real, args);
      } catch (error) {
        if (through(error)) throw error;
        tell(false, error);
        return undefined;
      }
      if (result && typeof result.then === 'function') {
        return result.then(
          () => tell(true),
          (error) => {
            if (through(error)) throw error;
            tell(false, error);
          },
        );
      }
      tell(true);
      return result;
    },
  );
}

module.exports = { hard, soft, state, short };
