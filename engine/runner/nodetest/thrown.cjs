// Describes what was thrown, for the reporter and for the preload.
'use strict';

const { inspect } = require('node:util');

// failure describes the error of a test: the runner wraps what was thrown.
function failure(error) {
  return { type: error.failureType, exit: error.exitCode, signal: error.signal, ...thrown(error.cause ?? error) };
}

// thrown describes what was thrown itself, which may have a cause of its own.
function thrown(what) {
  const held = typeof what === 'object' && what !== null;
  return {
    name: held ? what.name : undefined,
    code: held ? what.code : undefined,
    message: held ? String(what.message) : show(what),
    stack: held && typeof what.stack === 'string' ? what.stack : undefined,
    expected: held && 'expected' in what ? show(what.expected) : undefined,
    actual: held && 'actual' in what ? show(what.actual) : undefined,
  };
}

function show(value) {
  return typeof value === 'string' ? value : inspect(value, { depth: 6, maxStringLength: 2000, maxArrayLength: 100 });
}

exports.failure = failure;
exports.thrown = thrown;
