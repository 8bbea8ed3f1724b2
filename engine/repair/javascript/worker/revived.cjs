// Objects of the project's own classes among recorded values: how they are written
// down, shown to people, and made again.
'use strict';

const { inspect } = require('node:util');

// mark is what a written one has beside its parts.
const mark = '\u0000autocoder';

const isWritten = (value) => value !== null && typeof value === 'object' && Object.hasOwn(value, mark);

// mapped is a value with what f makes of each object that is written down.
function mapped(value, f) {
  if (value === null || typeof value !== 'object') return value;
  const inner = (x) => mapped(x, f);
  if (isWritten(value)) return f(value, inner);
  if (Array.isArray(value)) return value.map(inner);
  if (value instanceof Map) return new Map([...value].map(([k, x]) => [inner(k), inner(x)]));
  if (value instanceof Set) return new Set([...value].map(inner));
  const proto = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, x]) => [k, inner(x)]));
}

const nameOf = (call) => call.slice(call.lastIndexOf('#') + 1);
const fileOf = (call) => call.slice(0, call.lastIndexOf('#'));

// shown makes values that inspect shows as code that makes them.
const shown = (value, show) =>
  mapped(value, (o) => {
    const list = (args) => args.map((x) => show(shown(x, show))).join(', ');
    const text = o[mark] === 'made'
      ? `new ${nameOf(o.call)}(${list(o.args)})${o.steps.map((s) => `.${s.method}(${list(s.args)})`).join('')}`
      : `${nameOf(o.call)} ${show(shown(o.fields, show))}`;
    return { [inspect.custom]: () => text };
  });

// revived makes the objects again, of the classes that a module has by name now.
const revived = (value, functions) =>
  mapped(value, (o, inner) => {
    const Class = functions.get(fileOf(o.call))?.[nameOf(o.call)]?.();
    if (o[mark] === 'of') return Object.assign(Object.create(Class.prototype), inner(o.fields));
    const object = new Class(...inner(o.args));
    for (const s of o.steps) object[s.method](...inner(s.args));
    return object;
  });

module.exports = { isWritten, mark, revived, shown };
