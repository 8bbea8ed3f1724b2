// Watches the targets of a drill in the process of a test file: whether the place
// where each failed before is come to again, and what became of checks that failed.
// That a body ended says nothing when its check was never made, or when the code
// under test kept the failure for itself.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { lifted } = require('./veil.cjs');

// A test may put others in the place of these.
const { readFileSync } = fs;
const { AssertionError } = assert;

// failsAlways is a line that does nothing but fail: it must not be come to.
const failsAlways = /\bfail\s*\(|\bthrow\b|\(\s*false\s*[,)]|unreachable/i;

// expecting are the functions of assert that expect a failure of what they are given.
const expecting = new Set(['throws', 'rejects', 'doesNotThrow', 'doesNotReject']);

// noChecks are the functions of assert that are not wrapped.
const noChecks = new Set(['strict', 'AssertionError', 'CallTracker', 'Assert']);

// match is told apart by Node by what assert has under that name.
const { match } = assert;

exports.watch = (file, root, places) => {
  const text = readFileSync(file, 'utf8');
  const covers = coverage();
  const come = new Map();
  const raised = [];
  let expected = 0;

  // look notes which places have been come to since it looked last.
  function look() {
    const functions = covers?.(file) ?? [];
    for (const [name, place] of Object.entries(places)) {
      if (come.get(name)?.reached) continue;
      const found = at(functions, place);
      if (found) come.set(name, found);
    }
  }

  // at says whether the text at a place has been run: the innermost range that
  // covers it tells. Of a place that other code calls it is the function that
  // begins there.
  function at(functions, { line, called }) {
    const [from, to] = offsets(line);
    const within = functions.filter(({ ranges: [whole] }) => whole.startOffset <= from && to <= whole.endOffset || called && whole.startOffset >= from && whole.startOffset < to);
    if (within.length === 0) return undefined;
    const inner = within.reduce((a, b) => (size(b.ranges[0]) <= size(a.ranges[0]) ? b : a));
    const point = Math.max(from, inner.ranges[0].startOffset);
    const around = inner.ranges.filter((r) => r.startOffset <= point && point < r.endOffset);
    const { count } = around.reduce((a, b) => (size(b) <= size(a) ? b : a), inner.ranges[0]);
    return { reached: count > 0, sure: called && inner.ranges[0].count === 0 };
  }

  // offsets are those of a line, without the space that it begins with.
  function offsets(line) {
    const lines = text.split('\n');
    const before = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0);
    const own = lines[line - 1] ?? '';
    return [before + own.length - own.trimStart().length, before + own.trimEnd().length];
  }

  // kept reports whether a check was made below code under test, by its stack.
  function kept(stack) {
    const frames = String(stack).split('\n').slice(1);
    const own = frames.findIndex((f) => mentions(f, file));
    return own >= 0 && frames.slice(own + 1).some((f) => mentions(f, root) && !mentions(f, file) && !f.includes('/node_modules/'));
  }

  for (const object of [assert, assert.strict]) {
    for (const key of Object.keys(object)) {
      const check = object[key];
      if (typeof check !== 'function' || noChecks.has(key)) continue;
      object[key] = Object.assign(function (...args) {
        return expecting.has(key) ? expect(check, this, args) : note(check, this, args);
      }, check);
    }
  }

  function note(check, self, args) {
    const ours = Object.getOwnPropertyDescriptor(assert, 'match');
    if (check === match) Object.defineProperty(assert, 'match', { ...ours, get: () => match }); // as long as it runs
    try {
      const result = lifted(() => Reflect.apply(check, self, args));
      if (raised.length > 0) passed(site(lifted(() => new Error('').stack)));
      return result;
    } catch (error) {
      if (error instanceof AssertionError && expected === 0 && kept(error.stack)) raised.push(error);
      throw error;
    } finally {
      if (check === match) Object.defineProperty(assert, 'match', ours);
    }
  }

  // passed takes out what failed where a check is now passed: it was tried again.
  function passed(place) {
    for (let k = raised.length; k-- > 0; ) if (site(raised[k].stack) === place) raised.splice(k, 1);
  }

  // site is the place in the test file where a check is.
  function site(stack) {
    const frame = String(stack).split('\n').slice(1).find((f) => mentions(f, file));
    return /:(\d+:\d+)\)?$/.exec(frame ?? '')?.[1];
  }

  function expect(check, self, args) {
    expected++;
    let pending = false;
    try {
      const result = Reflect.apply(check, self, args);
      pending = typeof result?.then === 'function';
      return pending ? result.finally(() => expected--) : result;
    } finally {
      if (!pending) expected--;
    }
  }

  return {
    // forget takes out what a test has reported.
    forget(error) {
      for (const e of [error, error?.cause, error?.cause?.cause]) {
        if (raised.includes(e)) raised.splice(raised.indexOf(e), 1);
      }
    },
    // found says what is wrong with a target that passed, and whether it is sure.
    found(name) {
      if (raised.length > 0 && !/\bcatch\b/.test(text)) {
        return { sure: true, said: 'a check of it failed, and the code under test kept that for itself' };
      }
      look();
      const place = places[name];
      const { reached, sure } = come.get(name) ?? { reached: true };
      if (reached || failsAlways.test(text.split('\n')[place.line - 1] ?? '')) return undefined;
      return { sure, said: `the check that had failed (line ${place.line}) was not come to` };
    },
  };
};

const size = ({ startOffset, endOffset }) => endOffset - startOffset;

function mentions(frame, place) {
  return frame.includes(place) || frame.includes(pathToFileURL(place).href);
}

// coverage begins to count what is run, and returns a function that gives the
// counts of a file since it was asked last; undefined where this Node can't.
function coverage() {
  try {
    const { Session } = require('node:inspector');
    const session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return (file) => {
      let found = [];
      session.post('Profiler.takePreciseCoverage', (error, answer) => {
        const url = pathToFileURL(file).href;
        found = error ? [] : answer.result.filter((s) => s.url === url || path.resolve(s.url) === file).flatMap((s) => s.functions);
      });
      return found;
    };
  } catch {
    return undefined;
  }
}
