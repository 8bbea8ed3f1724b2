// Plays calls on the project's code as it is on the disk, and writes a line for each as
// soon as it is known what it gives.
'use strict';

const fs = require('node:fs');
const v8 = require('node:v8');
const { pathToFileURL } = require('node:url');
const { Worker } = require('node:worker_threads');
const { lived, settled, show } = require('./behaving.cjs');
const { revived } = require('./revived.cjs');

const [, , orderFile, answerFile] = process.argv;
const order = v8.deserialize(fs.readFileSync(orderFile));
const write = fs.writeSync.bind(fs);
const out = fs.openSync(answerFile, 'a');
const split = (call) => [call.slice(0, call.lastIndexOf('#')), call.slice(call.lastIndexOf('#') + 1)];
const loaded = new Map();
const quiet = () => true;
process.stdout.write = process.stderr.write = quiet;

// functions has what each module exports, as the makers of objects look for it.
const functions = { get: (file) => new Proxy({}, { get: (_, name) => () => exported(loaded.get(file), name) }) };

function exported(all, name) {
  if (name === '') return all?.default;
  return all?.[name] ?? all?.default?.[name];
}

async function gives({ call, args, steps }) {
  const [file, name] = split(call);
  const fn = exported(loaded.get(file), name);
  if (typeof fn !== 'function') return null;
  let made;
  try {
    made = revived(v8.deserialize(v8.serialize({ args, steps })), functions);
  } catch {
    return null;
  }
  const before = show(made.args);
  let text;
  try {
    text = made.steps ? await lived(fn, made.args, made.steps) : show(await settled(fn(...made.args)));
  } catch (error) {
    text = `raises ${error?.name ?? show(error)}`;
  }
  const after = show(made.args);
  return after === before ? text : `${text}, leaving ${after}`;
}

// watch ends this process when a call uses so much processor time and does not end.
const most = 400; // milliseconds
const count = new Int32Array(new SharedArrayBuffer(4));
const watch = `
  const { workerData } = require('node:worker_threads');
  let [seen, from] = [-1, 0];
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    const used = (user + system) / 1000;
    if (workerData[0] !== seen) [seen, from] = [workerData[0], used];
    else if (used - from > ${most}) process.kill(process.pid, 'SIGKILL');
  }, 50);`;

async function main() {
  for (const { call } of order.calls) {
    const [file] = split(call);
    if (!loaded.has(file)) {
      try {
        loaded.set(file, await import(pathToFileURL(file)));
      } catch {
        loaded.set(file, undefined);
      }
    }
  }
  new Worker(watch, { eval: true, workerData: count }).unref();
  for (const call of order.calls) {
    write(out, `${JSON.stringify(await gives(call))}\n`);
    count[0]++;
  }
}

main().finally(() => process.exit(0));
