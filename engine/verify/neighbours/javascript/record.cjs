// Notes with what the test files call the project's functions. It is loaded before a
// test file, and puts itself between that file and what it imports from the project.
'use strict';

const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { Recorder, isClass } = require('./recording.cjs');

const plan = JSON.parse(fs.readFileSync(path.join(__dirname, 'plan.json'), 'utf8'));
const tests = new Set(plan.tests);
const recorder = new Recorder();
recorder.on = true;

const own = (file) =>
  path.isAbsolute(file) && file.startsWith(plan.root + path.sep) && !file.includes(`${path.sep}node_modules${path.sep}`) && !tests.has(file);

// watched is a function, or a class, that notes what it is called with.
const known = new WeakMap();
function watched(file, name, value) {
  if (typeof value !== 'function') return value;
  if (known.has(value)) return known.get(value);
  const call = `${file}#${name}`;
  let proxy;
  if (isClass(value)) {
    recorder.wrap(call, value.name, value);
    proxy = new Proxy(value, {
      construct(target, args, newTarget) {
        const object = Reflect.construct(target, args, newTarget === proxy ? target : newTarget);
        if (newTarget === proxy) recorder.called(call, args, object);
        return object;
      },
    });
  } else {
    proxy = new Proxy(value, {
      apply(target, self, args) {
        recorder.called(call, args);
        return Reflect.apply(target, self, args);
      },
    });
  }
  known.set(value, proxy);
  return proxy;
}

// all is what a module exports, watched.
function all(file, exported) {
  if (typeof exported === 'function') return watched(file, '', exported);
  if (exported === null || typeof exported !== 'object' || Object.isFrozen(exported)) return exported;
  if (known.has(exported)) return known.get(exported);
  const copy = Object.create(Object.getPrototypeOf(exported));
  for (const [name, d] of Object.entries(Object.getOwnPropertyDescriptors(exported))) {
    Object.defineProperty(copy, name, 'value' in d ? { ...d, value: watched(file, name, d.value) } : d);
  }
  known.set(exported, copy);
  return copy;
}

const load = Module._load;
Module._load = function (request, parent, isMain) {
  const exported = load.apply(this, arguments);
  if (!parent || !tests.has(parent.filename)) return exported;
  try {
    const file = Module._resolveFilename(request, parent, isMain);
    return own(file) ? all(file, exported) : exported;
  } catch {
    return exported;
  }
};

Object.defineProperty(globalThis, Symbol.for('autocoder.watched'), { value: watched });
if (Module.register) Module.register(pathToFileURL(path.join(__dirname, 'hooks.mjs')), { data: plan });

process.on('exit', () => {
  recorder.on = false;
  fs.appendFileSync(plan.calls, recorder.lines().map((l) => `${JSON.stringify(l)}\n`).join(''));
});
