// Notes what the tests call: functions with their arguments, and objects with what
// they were made of and what was then asked of them.
'use strict';

const v8 = require('node:v8');
const { mark } = require('./revived.cjs');

const mostCalls = 400;
const mostObjects = 60;
const mostSteps = 30;
// fewSteps are those of an object that is only an argument.
const fewSteps = 8;

const isClass = (value) =>
  typeof value === 'function' && (/^class\b/.test(Function.prototype.toString.call(value)) || Object.getOwnPropertyNames(value.prototype ?? {}).length > 1);

// Packed values keep what structuredClone takes from objects of the project's own
// classes: how they were made, or of which class they are.
const deepest = 12;

function pack(value, recorder, depth = 0) {
  if (value === null || typeof value !== 'object') {
    if (typeof value === 'function' || typeof value === 'symbol') throw new Error('not to be copied');
    return value;
  }
  if (depth > deepest) throw new Error('too deep');
  const inner = (x) => pack(x, recorder, depth + 1);
  if (Array.isArray(value)) return value.map(inner);
  const made = recorder.byObject.get(value);
  if (made) return { [mark]: 'made', call: made.call, args: made.args, steps: made.steps.slice(0, fewSteps) };
  const proto = Object.getPrototypeOf(value);
  const fields = () => Object.fromEntries(Object.entries(value).map(([k, x]) => [k, inner(x)]));
  if (recorder.classes.has(proto)) return { [mark]: 'of', call: recorder.classes.get(proto), fields: fields() };
  if (proto === Object.prototype || proto === null) return fields();
  if (value instanceof Map) return new Map([...value].map(([k, x]) => [inner(k), inner(x)]));
  if (value instanceof Set) return new Set([...value].map(inner));
  return structuredClone(value);
}

class Recorder {
  constructor() {
    this.calls = [];
    this.objects = [];
    this.byObject = new WeakMap();
    this.classes = new Map();  // calls that make them, by prototype
    this.depth = 0;
    this.on = false;
    // asked counts what was asked of objects: what an assertion sees may be due to all
    // that ran before it.
    this.asked = 0;
  }

  // called notes a call, or the making of an object.
  called(name, args, object) {
    if (!this.on || this.calls.length + this.objects.length >= mostCalls) return;
    let copy;
    try {
      copy = pack(args, this);
    } catch {
      return;
    }
    if (!object) {
      this.calls.push({ call: name, args: copy });
      return;
    }
    if (this.objects.length >= mostObjects) return;
    const made = { call: name, args: copy, steps: [] };
    this.byObject.set(object, made);
    this.objects.push(made);
  }

  // watch puts itself before the methods of a module's classes. What a method or a
  // constructor calls by itself is no step.
  watch(file, functions) {
    for (const [name, get] of Object.entries(functions)) {
      let value;
      try {
        value = get();
      } catch {
        continue;
      }
      if (isClass(value)) this.wrap(`${file}#${name}`, name, value);
    }
  }

  wrap(call, name, value) {
    const recorder = this;
    this.classes.set(value.prototype, call);
    const making = new RegExp(`^ *at new ${name.replaceAll('$', '\\$')}\\b`, 'm');
    for (const method of Object.getOwnPropertyNames(value.prototype)) {
      const own = Object.getOwnPropertyDescriptor(value.prototype, method);
      if (method === 'constructor' || typeof own.value !== 'function') continue;
      const watched = function (...args) {
        const outer = recorder.depth === 0 && recorder.on && !making.test(new Error().stack);
        if (outer && Object.getPrototypeOf(this) === value.prototype) recorder.step(call, this, method, args);
        recorder.depth++;
        try {
          return own.value.apply(this, args);
        } finally {
          recorder.depth--;
        }
      };
      Object.defineProperty(value.prototype, method, { ...own, value: watched });
    }
  }

  step(call, object, method, args) {
    this.asked++;
    let made = this.byObject.get(object);
    if (!made) {
      if (this.objects.length >= mostObjects) return;
      made = { call, args: [], steps: [] };
      this.byObject.set(object, made);
      this.objects.push(made);
    }
    if (made.steps.length >= mostSteps) return;
    try {
      made.steps.push({ method, args: pack(args, this) });
    } catch {
      // What can't be copied can't be done again.
    }
  }

  // lines are what was noted, as it is sent.
  lines() {
    const text = (value) => v8.serialize(value).toString('base64');
    const objects = this.objects.filter((o) => o.steps.length > 0);
    return [...this.calls.map((c) => ({ call: c.call, args: text(c.args) })), ...objects.map((o) => ({ call: o.call, args: text(o.args), steps: text(o.steps) }))];
  }
}

module.exports = { Recorder, isClass };
