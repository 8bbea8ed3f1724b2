// Takes away what says that tests run, where the code under test could read it while
// it is drilled: variables, arguments, the runner's own listeners, and the frames of
// the runner and of test files in stacks.
'use strict';

const fs = require('node:fs');
const { basename, join } = require('node:path');
const { pathToFileURL } = require('node:url');
const util = require('node:util');
const Module = require('node:module');

const runner = /node:internal\/(test_runner|process\/task_queues)|node:async_hooks/;

// asksForStacks is what a test looks like that wants to see where it was called from.
const asksForStacks = /\bstack\b|getCallSites|captureStackTrace|__filename|import\.meta/;

// lifted runs what is to see stacks as they are.
let open = 0;
exports.lifted = (look) => {
  open++;
  try {
    return look();
  } finally {
    open--;
  }
};

exports.veil = (root, files) => {
  const neutral = join(root, 'main.js');
  const shown = files.some((file) => {
    const text = fs.readFileSync(file, 'utf8');
    return asksForStacks.test(text) || text.includes(basename(file));
  });
  if (!shown) {
    clearStacks(files, neutral);
    clearSites(files, neutral);
  }
  clearListeners();
  clearReports(neutral);
  clearModules();
  return () => {
    for (const name of Object.keys(process.env)) if (name.startsWith('NODE_TEST_')) delete process.env[name];
    process.execArgv.length = 0;
    process.argv[1] = neutral;
  };
};

// ours reports whether a frame is the runner's or the drill's.
const ours = (file) => typeof file === 'string' && (runner.test(file) || file.startsWith(__dirname));

// clearStacks leaves the runner's frames out of stacks, and has those of test files be
// of another file.
function clearStacks(files, neutral) {
  const places = files.flatMap((file) => [[pathToFileURL(file).href, pathToFileURL(neutral).href], [file, neutral]]);
  const plain = (text) => places.reduce((t, [from, to]) => t.replaceAll(from, to), text.replace(/\b(Async)?(Test|Suite|TestContext|SuiteContext|TestHook)\./, ''));
  const clear = (frame) =>
    new Proxy(frame, {
      get(target, key) {
        const value = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        return (...args) => {
          const answer = Reflect.apply(value, target, args);
          return typeof answer === 'string' ? plain(answer) : key === 'getThis' || key === 'getFunction' ? undefined : answer;
        };
      },
    });
  let own;
  const prepare = (error, frames) => {
    const left = open > 0 ? frames : frames.filter((f) => !ours(f.getFileName())).map(clear);
    if (typeof own === 'function') return own.call(Error, error, left);
    let head;
    try {
      head = Error.prototype.toString.call(error);
    } catch {
      head = '<error>';
    }
    return [head, ...left.map((f) => `    at ${f}`)].join('\n');
  };
  Object.defineProperty(Error, 'prepareStackTrace', {
    configurable: true,
    enumerable: false,
    get: () => prepare,
    set: (value) => {
      own = value === prepare ? undefined : value;
    },
  });
}

// clearSites does the same for util.getCallSites.
function clearSites(files, neutral) {
  const sites = util.getCallSites;
  if (typeof sites !== 'function') return;
  const urls = new Set(files.flatMap((file) => [file, pathToFileURL(file).href]));
  util.getCallSites = (count, options) => {
    const all = sites(200, typeof count === 'object' ? count : options).filter((s) => !ours(s.scriptName));
    const most = typeof count === 'number' ? count : 8;
    return all.slice(0, most).map((s) => (urls.has(s.scriptName) ? { ...s, scriptName: neutral } : s));
  };
}

// clearListeners hides who listens already to what the process tells.
function clearListeners() {
  const hidden = new Map(process.eventNames().map((name) => [name, new Set(process.rawListeners(name))]));
  for (const name of ['listeners', 'rawListeners']) {
    const all = process[name];
    process[name] = function (event) {
      return Reflect.apply(all, this, [event]).filter((f) => !hidden.get(event)?.has(f));
    };
  }
  process.listenerCount = (event, listener) => process.rawListeners(event).filter((f) => listener === undefined || f === listener || f.listener === listener).length;
  const names = process.eventNames;
  process.eventNames = function () {
    return Reflect.apply(names, this, []).filter((event) => process.rawListeners(event).length > 0);
  };
}

// clearModules leaves the runner out of what the process has loaded.
function clearModules() {
  const loaded = process.moduleLoadList;
  if (!Array.isArray(loaded)) return;
  Object.defineProperty(process, 'moduleLoadList', {
    configurable: true,
    enumerable: true,
    get: () => loaded.filter((name) => !/test/.test(name)),
  });
}

// clearReports takes the command and the stack out of what the process says of itself.
function clearReports(neutral) {
  const get = process.report?.getReport;
  if (!get) return;
  process.report.getReport = function (...args) {
    const report = Reflect.apply(get, this, args);
    const plain = (r) => ({ ...r, header: { ...r.header, commandLine: [process.execPath, neutral] }, javascriptStack: { message: '', stack: [] }, environmentVariables: { ...process.env } });
    return typeof report === 'string' ? JSON.stringify(plain(JSON.parse(report))) : plain(report);
  };
  Module.syncBuiltinESMExports();
}
