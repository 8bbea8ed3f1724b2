// Keeps the language's own objects as they are: a candidate that changes one would
// decide about those after it.
'use strict';

const kept = [
  Object, Array, String, Number, Boolean, Function, Symbol, BigInt, Math, JSON, Reflect, Promise, Map, Set, WeakMap, WeakSet, RegExp, Date, Error,
  Object.prototype, Array.prototype, String.prototype, Number.prototype, Boolean.prototype, Function.prototype, Symbol.prototype,
  Promise.prototype, Map.prototype, Set.prototype, WeakMap.prototype, WeakSet.prototype, RegExp.prototype, Date.prototype, Error.prototype,
  Object.getPrototypeOf([][Symbol.iterator]()), Object.getPrototypeOf(function* () {}).prototype, globalThis,
];

let saved;

// keep notes what everything is.
function keep() {
  saved = kept.map((object) => {
    const descriptors = Object.getOwnPropertyDescriptors(object);
    return { object, descriptors, keys: Reflect.ownKeys(descriptors), count: Reflect.ownKeys(object).length };
  });
}

// grown reports whether something has more or fewer properties than it had.
function grown() {
  for (const s of saved) if (Reflect.ownKeys(s.object).length !== s.count) return true;
  return false;
}

// restore puts everything back.
function restore() {
  for (const { object, descriptors, keys } of saved) {
    for (const key of Reflect.ownKeys(object)) {
      if (!Object.hasOwn(descriptors, key)) Reflect.deleteProperty(object, key);
    }
    for (const key of keys) {
      const was = descriptors[key];
      if (!('value' in was)) continue;
      const is = Reflect.getOwnPropertyDescriptor(object, key);
      if (!is || !Object.is(is.value, was.value)) Reflect.defineProperty(object, key, was);
    }
  }
}

module.exports = { keep, grown, restore };
