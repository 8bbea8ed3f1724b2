// Gives test files, in the place of each module of the project that they import, one
// with the same exports that are watched.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const mark = 'autocoder-watched';
let root = '';
let tests = new Set();

export async function initialize(plan) {
  root = plan.root + path.sep;
  tests = new Set(plan.tests);
}

const fileOf = (url) => {
  try {
    return url.startsWith('file:') ? fileURLToPath(url) : '';
  } catch {
    return '';
  }
};

const own = (file) => file.startsWith(root) && !file.includes(`${path.sep}node_modules${path.sep}`) && !tests.has(file) && !file.endsWith('.json');

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  if (!context.parentURL || !tests.has(fileOf(context.parentURL)) || !own(fileOf(found.url))) return found;
  return { ...found, format: 'module', url: `${found.url}${found.url.includes('?') ? '&' : '?'}${mark}` };
}

export async function load(url, context, next) {
  if (!url.endsWith(mark)) return next(url, context);
  const real = url.slice(0, -mark.length - 1);
  return { format: 'module', source: facade(real, fileOf(real)), shortCircuit: true };
}

const forms = [
  /^\s*export\s+(?:async\s+)?(?:function\s*\*?|class|const|let|var)\s+([\w$]+)/gm,
  /^\s*(?:module\.)?exports\.([\w$]+)\s*=/gm,
];
const lists = [/^\s*export\s*\{([^}]*)\}/gm, /^\s*module\.exports\s*=\s*\{([^}]*)\}/gm];

// facade is a module that exports what another does, functions watched.
function facade(url, file) {
  const text = readFileSync(file, 'utf8');
  const names = new Set();
  for (const form of forms) for (const [, name] of text.matchAll(form)) names.add(name);
  for (const list of lists) {
    for (const [, inner] of text.matchAll(list)) {
      for (const part of inner.split(',')) {
        const name = part.trim().split(/\s+as\s+|\s*:/).pop().trim();
        const shown = part.includes(':') ? part.split(':')[0].trim() : name;
        if (/^[A-Za-z_$][\w$]*$/.test(shown) && !/^(default|type)$/.test(shown)) names.add(shown);
      }
    }
  }
  const from = JSON.stringify(url);
  const at = JSON.stringify(file);
  const plain = !/^\s*export\b/m.test(text);
  const lines = [`import * as all from ${from};`, `export * from ${from};`, `const watched = globalThis[Symbol.for('autocoder.watched')];`];
  let n = 0;
  for (const name of names) {
    lines.push(`const v${++n} = watched(${at}, ${JSON.stringify(name)}, all.${name}${plain ? ` ?? all.default?.${name}` : ''});`, `export { v${n} as ${name} };`);
  }
  if (plain || /^\s*export\s+default\b|\bas\s+default\b/m.test(text)) {
    lines.push(`export default typeof all.default === 'function' ? watched(${at}, 'default', all.default) : ${plain ? shown(names, n) : 'all.default'};`);
  }
  return lines.join('\n');
}

// shown is the object that stands for all exports of a module that has no names.
const shown = (names) => `all.default && typeof all.default === 'object' ? Object.assign(Object.create(Object.getPrototypeOf(all.default)), all.default, { ${[...names].map((name, k) => `${name}: v${k + 1}`).join(', ')} }) : all.default`;
