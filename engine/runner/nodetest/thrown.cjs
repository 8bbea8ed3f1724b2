// Describes what was thrown, for the reporter and for the preload.
'use strict';

const { inspect } = require('node:util');

function failure(error) {
  const cause = error.cause ?? error;
  const thrown = typeof cause === 'object' && cause !== null;
  return {
    type: error.failureType,
    exit: error.exitCode,
    signal: error.signal,
    name: thrown ? cause.name : undefined,
    code: thrown ? cause.code : undefined,
    message: thrown ? String(cause.message) : show(cause),
    stack: thrown && typeof cause.stack === 'string' ? cause.stack : undefined,
    expected: thrown && 'expected' in cause ? show(cause.expected) : undefined,
    actual: thrown && 'actual' in cause ? show(cause.actual) : undefined,
  };
}

function show(value) {
  return typeof value === 'string' ? value : inspect(value, { depth: 6, maxStringLength: 2000, maxArrayLength: 100 });
}

exports.failure = failure;
