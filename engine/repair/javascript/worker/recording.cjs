// Notes what the tests call: functions with their arguments, and objects with what
// they were made of and what was then asked of them.
'use strict';

const v8 = require('node:v8');

const mostCalls = 400;
const mostObjects = 60;
const mostSteps = 30;

const isClass = (value) => typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));

class Recorder {
  constructor() {
    this.calls = [];
    this.objects = [];
    this.byObject = new WeakMap();
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
      copy = structuredClone(args);
    } catch {
      return;
    }
    if (object === undefined) {
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
      made.steps.push({ method, args: structuredClone(args) });
    } catch {
      // What can't be copied can't be done again.
    }
  }

  // lines are what was noted, as it is sent.
  lines() {
    const pack = (value) => v8.serialize(value).toString('base64');
    const objects = this.objects.filter((o) => o.steps.length > 0);
    return [...this.calls.map((c) => ({ call: c.call, args: pack(c.args) })), ...objects.map((o) => ({ call: o.call, args: pack(o.args), steps: pack(o.steps) }))];
  }
}

module.exports = { Recorder };
