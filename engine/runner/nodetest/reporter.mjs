// The reporter of node --test. It runs in the runner's own process, writes an
// event a line, and ends test files that hang: a file has a process of its own,
// so that the others go on.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { failure } from './thrown.cjs';

const folder = path.dirname(fileURLToPath(import.meta.url));
const config = JSON.parse(fs.readFileSync(path.join(folder, 'config.json'), 'utf8'));

export default async function* report(source) {
  const watch = new Watch();
  yield line({ ev: 'start', node: process.version });
  const printed = new Map();
  for await (const { type, data } of source) {
    if (type === 'test:pass' || type === 'test:fail') {
      yield line(result(type, data));
    } else if (type === 'test:stdout' || type === 'test:stderr' || isWarning(type, data)) {
      const size = (printed.get(data.file) ?? 0) + data.message.length;
      printed.set(data.file, size);
      if (size <= config.output) yield line({ ev: 'out', file: data.file, err: type !== 'test:stdout', text: data.message });
    }
  }
  watch.stop();
  yield line({ ev: 'end' });
}

// isWarning tells what the runner says about an error that belongs to no test
// from its counts. Node 20 does not say of which file it speaks.
function isWarning(type, data) {
  return type === 'test:diagnostic' && /^(?:Error|Warning): /.test(data.message);
}

function line(event) {
  return `${JSON.stringify(event)}\n`;
}

function result(type, data) {
  const error = data.details?.error;
  return {
    ev: type.slice('test:'.length),
    name: data.name,
    nesting: data.nesting,
    file: data.file,
    line: data.line,
    kind: data.details?.type,
    ms: data.details?.duration_ms,
    skip: data.skip,
    todo: data.todo,
    error: error && failure(error),
  };
}

function lives(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

// Watch follows the lines that the preload writes in each test file's process.
class Watch {
  #processes = new Map();
  #limit = config.limit;
  #slowest = 0;
  #timer;

  constructor() {
    if (config.limit > 0) {
      this.#timer = setInterval(() => this.#look(), Math.min(Math.max(config.limit / 10, 10), 200));
      this.#timer.unref();
    }
  }

  stop() {
    clearInterval(this.#timer);
  }

  #look() {
    for (const name of fs.readdirSync(folder)) {
      if (/^run-\d+\.jsonl$/.test(name)) this.#read(name);
    }
    for (const p of this.#processes.values()) {
      if (!p.ended) this.#judge(p);
    }
  }

  #read(name) {
    let p = this.#processes.get(name);
    if (p === undefined) {
      p = { text: '', size: 0, open: new Map(), idle: Date.now(), ended: false };
      this.#processes.set(name, p);
    }
    const file = path.join(folder, name);
    const { size } = fs.statSync(file);
    if (size === p.size) return;
    const fd = fs.openSync(file, 'r');
    const buffer = Buffer.alloc(size - p.size);
    fs.readSync(fd, buffer, 0, buffer.length, p.size);
    fs.closeSync(fd);
    p.size = size;
    const lines = (p.text + buffer.toString('latin1')).split('\n');
    p.text = lines.pop();
    for (const one of lines) this.#note(p, JSON.parse(Buffer.from(one, 'latin1').toString('utf8')));
  }

  #note(p, { ev, file, pid, name, n, t }) {
    const key = `${name}\0${n}`;
    if (ev === 'file') {
      Object.assign(p, { file, pid });
    } else if (ev === 'run') {
      p.open.set(key, { name, n, since: t, began: t });
    } else if (ev === 'done') {
      this.#slowest = Math.max(this.#slowest, t - (p.open.get(key)?.began ?? t));
      p.open.delete(key);
      // A test whose subtest has ended is at work itself again.
      for (const test of p.open.values()) {
        if (name.startsWith(`${test.name} > `)) test.since = t;
      }
    } else if (ev === 'exit') {
      p.ended = true;
    }
    p.idle = t ?? p.idle;
  }

  #judge(p) {
    const open = [...p.open.values()];
    const leaves = open.filter((a) => !open.some((b) => b.name.startsWith(`${a.name} > `)));
    const stuck = leaves.sort((a, b) => a.since - b.since)[0];
    // Between tests there are hooks and the loading of modules, which may be slow.
    const since = stuck?.since ?? p.idle;
    const limit = stuck ? this.#limit : config.load;
    if (Date.now() - since <= limit) return;
    p.ended = true;
    if (!lives(p.pid)) return; // it died without a word
    const told = { file: p.file, name: stuck?.name, n: stuck?.n, ms: limit };
    fs.appendFileSync(path.join(folder, 'stuck.jsonl'), line(told));
    process.kill(p.pid, 'SIGKILL');
    // A broken edit can hang every test; each would cost the whole limit.
    this.#limit = Math.min(Math.max(10 * this.#slowest, 500), config.limit);
  }
}
