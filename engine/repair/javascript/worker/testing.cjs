// What stands in the place of node:test: it collects the tests of a file, and
// runs those that are asked for in this process, one after the other.
'use strict';

const { setTimeout: later, clearTimeout: never } = globalThis;

// how long a test may wait without computing.
const patience = 1500;

// how often it is looked whether something is under way, and how often nothing may be.
const glance = 10;
const idle = 4;

class Suite {
  constructor(name, outer, options) {
    this.name = name;
    this.outer = outer;
    this.skip = Boolean(options.skip) || Boolean(outer?.skip);
    this.hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
    this.state = 'new';
  }

  get names() {
    return this.outer ? [...this.outer.names, this.name] : [];
  }
}

function parse(args) {
  let [name, options, fn] = args;
  if (typeof name === 'function') [name, options, fn] = [undefined, {}, name];
  else if (name !== null && typeof name === 'object') [name, options, fn] = [undefined, name, options];
  if (typeof options === 'function') [options, fn] = [{}, options];
  options ??= {};
  return { name: String(name ?? (fn?.name || '<anonymous>')), options, fn };
}

// collect makes the module for one load of a test file.
function collect(assert, mocks) {
  always ??= under();
  const root = new Suite('', null, {});
  const tests = [];
  const pending = [];
  let current = root;

  const test = (extra) => (...args) => {
    const { name, options, fn } = parse(args);
    const merged = { ...options, ...extra };
    tests.push({ names: [...current.names, name], suite: current, fn, skip: current.skip || Boolean(merged.skip) || !fn, todo: Boolean(merged.todo) });
    return Promise.resolve();
  };
  const suite = (extra) => (...args) => {
    const { name, options, fn } = parse(args);
    const outer = current;
    current = new Suite(name, outer, { ...options, ...extra });
    try {
      const result = fn?.({ name, signal: new AbortController().signal });
      if (result && typeof result.then === 'function') pending.push(result);
    } finally {
      current = outer;
    }
    return Promise.resolve();
  };
  const both = (make) => {
    const f = make({});
    f.skip = make({ skip: true });
    f.todo = make({ todo: true });
    f.only = make({});
    return f;
  };
  const api = both(test);
  api.test = api;
  api.it = both(test);
  api.describe = both(suite);
  api.suite = api.describe;
  for (const kind of Object.keys(root.hooks)) api[kind] = (fn) => current.hooks[kind].push(fn);
  api.assert = assert;
  api.run = () => {
    throw new Error('not here');
  };
  api.snapshot = { setDefaultSnapshotSerializers() {}, setResolveSnapshotPath() {} };
  Object.defineProperty(api, 'mock', { get: () => mocks.shared(), enumerable: true });
  api.default = api;
  return { api, tests, pending, assert, mocks };
}

// under counts what is under way in this thread: timers, requests, handles. Those of
// limited are not among them, since nothing waits for them.
const under = () => process.getActiveResourcesInfo?.().length ?? NaN;
let always = null;

// limited waits for a promise, but not for ever, and not for long where nothing is
// under way that could still settle it.
function limited(promise) {
  const end = performance.now() + patience;
  let timer;
  let quiet = 0;
  const limit = new Promise((_, reject) => {
    const look = () => {
      quiet = under() <= always ? quiet + 1 : 0;
      if (quiet === idle || performance.now() > end) reject(new Error('waits for too long'));
      else next();
    };
    const next = () => {
      timer = later(look, glance);
      timer.unref?.();
    };
    next();
  });
  return Promise.race([promise, limit]).finally(() => never(timer));
}

// quiet waits until nothing is under way, but not for long.
async function quiet() {
  always ??= under();
  const end = performance.now() + patience;
  for (let calm = 0; calm < 2 && performance.now() < end; calm = under() <= always ? calm + 1 : 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

// call runs a function of a test as the runner does: with a callback when it
// takes one.
function call(fn, context) {
  if (fn.length < 2) return fn.call(context, context);
  return new Promise((resolve, reject) => {
    const result = fn.call(context, context, (error) => (error ? reject(error) : resolve()));
    if (result && typeof result.then === 'function') result.then(undefined, reject);
  });
}

// each runs hooks one after the other.
async function each(hooks, context) {
  for (const hook of hooks) {
    const result = call(hook, context);
    if (result && typeof result.then === 'function') await limited(result);
  }
}

class Context {
  constructor(run, names) {
    this.run = run;
    this.names = names;
    this.name = names[names.length - 1];
    this.fullName = names.join(' > ');
    this.hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
    this.failed = false;
    this.skipped = false;
    this.assert = run.file.assert;
    this.subtests = [];
    this.test = (...args) => {
      const promise = this.sub(parse(args));
      this.subtests.push(promise);
      return promise;
    };
    this.it = this.test;
    this.describe = this.test;
  }

  get mock() {
    this.tracker ??= this.run.file.mocks.fresh();
    return this.tracker;
  }

  get signal() {
    this.aborter ??= new AbortController();
    return this.aborter.signal;
  }

  before(fn) {
    return fn.call(this, this);
  }

  after(fn) {
    this.hooks.after.push(fn);
  }

  beforeEach(fn) {
    this.hooks.beforeEach.push(fn);
  }

  afterEach(fn) {
    this.hooks.afterEach.push(fn);
  }

  async sub({ name, options, fn }) {
    const inner = new Context(this.run, [...this.names, name]);
    if (options.skip || !fn) {
      this.run.note(inner.names, 'skip');
      return;
    }
    let error;
    try {
      for (const hook of this.hooks.beforeEach) await call(hook, inner);
      const result = call(fn, inner);
      if (result && typeof result.then === 'function') await limited(result);
      await Promise.all(inner.subtests);
      for (const hook of [...inner.hooks.after, ...this.hooks.afterEach]) await call(hook, inner);
    } catch (thrown) {
      error = thrown ?? new Error('nothing was thrown');
    }
    inner.tracker?.restoreAll();
    if (inner.failed || error) this.failed = true;
    this.run.note(inner.names, inner.skipped ? 'skip' : error ? 'fail' : inner.failed ? 'sub' : options.todo ? 'skip' : 'pass', error);
  }

  diagnostic() {}

  plan() {}

  runOnly() {}

  skip() {
    this.skipped = true;
  }

  todo() {
    this.skipped = true;
  }
}

// Run is one pass over some tests of a file.
class Run {
  // each is called before a test with its names and after it with nothing, and
  // returns then whether the fuel was enough.
  constructor(file, { begin, end }) {
    this.file = file;
    this.begin = begin;
    this.end = end;
    this.seen = new Map();
    this.results = new Map();
    this.stray = undefined;
    // wanted says which tests inside others are, where that can be chosen.
    this.wanted = () => true;
  }

  // wants reports whether a test inside another is to be run.
  wants(names) {
    const wanted = this.wanted(names);
    if (!wanted) this.id(names);
    return wanted;
  }

  id(names) {
    const name = names.join(' > ');
    const n = (this.seen.get(name) ?? 0) + 1;
    this.seen.set(name, n);
    return n > 1 ? `${name} #${n}` : name;
  }

  note(names, status, error) {
    this.results.set(this.id(names), { status, error });
  }

  async enter(suite) {
    if (suite.outer) await this.enter(suite.outer);
    if (suite.state !== 'new') {
      if (suite.error) throw suite.error;
      return;
    }
    suite.state = 'open';
    try {
      await each(suite.hooks.before, {});
    } catch (error) {
      suite.error = error ?? new Error('nothing was thrown');
      throw suite.error;
    }
  }

  async leave(suite, next) {
    for (let s = suite; s && !within(next, s); s = s.outer) {
      if (s.state !== 'open') continue;
      s.state = 'closed';
      await each(s.hooks.after, {});
    }
  }

  // one runs a test and returns its result; what it says of subtests is noted.
  async one(test) {
    const context = new Context(this, test.names);
    this.begin(test);
    let error;
    this.stray = undefined;
    const chain = [];
    for (let s = test.suite; s; s = s.outer) chain.unshift(s);
    // Hooks behind a test run however it ends; the first error is the test's.
    const guarded = async (body) => {
      try {
        const result = body();
        if (result && typeof result.then === 'function') await result;
      } catch (thrown) {
        error ??= thrown ?? new Error('nothing was thrown');
      }
    };
    await guarded(async () => {
      if (test.suite.state !== 'open' || test.suite.outer?.state === 'new') await this.enter(test.suite);
      else if (test.suite.error) throw test.suite.error;
      for (const s of chain) await each(s.hooks.beforeEach, context);
      const result = call(test.fn, context);
      if (result && typeof result.then === 'function') await limited(result);
      if (context.subtests.length > 0) await limited(Promise.all(context.subtests));
    });
    if (context.hooks.after.length > 0) await guarded(() => each(context.hooks.after, context));
    for (const s of chain.reverse()) if (s.hooks.afterEach.length > 0) await guarded(() => each(s.hooks.afterEach, context));
    if (this.stray) error ??= this.stray.error;
    context.tracker?.restoreAll();
    const enough = this.end(error);
    let status = 'pass';
    if (!enough) status = 'fuel';
    else if (context.skipped) status = 'skip';
    else if (error) status = test.todo ? 'skip' : 'fail';
    else if (context.failed) status = 'sub';
    this.note(test.names, status, error);
    return status;
  }

  // all runs the tests that are chosen; stop says after each status whether that is
  // enough. What runs behind a suite counts only when the file is run whole.
  async all(chosen, stop, whole) {
    const { tests } = this.file;
    for (let i = 0; i < tests.length; i++) {
      const test = tests[i];
      if (!chosen(test)) {
        this.id(test.names);
        continue;
      }
      if (test.skip) {
        this.note(test.names, 'skip');
        continue;
      }
      const status = await this.one(test);
      let next = i + 1;
      while (next < tests.length && (tests[next].skip || !chosen(tests[next]))) next++;
      const following = tests[next]?.suite ?? null;
      if (test.suite !== following) {
        try {
          await this.leave(test.suite, following);
        } catch (error) {
          const names = test.names.join(' > ');
          const last = this.results.get(names);
          if (whole && last?.status === 'pass') {
            this.results.set(names, { status: 'fail', error: error ?? new Error('a hook failed') });
            if (stop('fail', test)) return false;
          }
        }
      }
      if (stop(status, test)) return false;
    }
    return true;
  }
}

function within(suite, outer) {
  for (let s = suite; s; s = s.outer) if (s === outer) return true;
  return false;
}

module.exports = { collect, quiet, Run };
