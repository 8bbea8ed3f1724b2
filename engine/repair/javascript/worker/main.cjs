// Speaks with the engine by lines of JSON, and watches the thread that runs the
// project's code. Fuel ends most of what computes for ever; this ends the rest, as
// a regular expression or a call of the engine that takes all day, by ending the
// thread and starting another.
'use strict';

const path = require('node:path');
const readline = require('node:readline');
const { Worker } = require('node:worker_threads');

const mostCandidates = 4096;
const first = 4;
const letters = ['', 'R', 'F', 'O', 'D', 'G'];

// Limits without a beat, in milliseconds: of processor time and of time.
const limits = { evaluate: [500, 15000], patient: [4000, 30000], other: [8000, 60000] };

let root = '';
let worker = null;
let shared;
let view;
const files = new Map();
let opening = null;
// skip is how many answers of the thread are to what it was only told again.
let skip = 0;
let job = null;

function say(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

function start() {
  shared = new SharedArrayBuffer(4 * (first + mostCandidates));
  view = new Int32Array(shared);
  view[0] = -1;
  const own = new Worker(path.join(__dirname, 'evaluator.cjs'), {
    workerData: { root, shared },
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 700 },
  });
  own.stdout.resume();
  own.stderr.resume();
  own.on('message', (m) => own === worker && hear(m));
  own.on('error', () => {});
  own.on('exit', () => own === worker && died('died'));
  worker = own;
  for (const f of files.values()) own.postMessage(f);
  skip = opening ? 1 : 0;
  if (opening) own.postMessage(opening);
}

function hear(m) {
  beat();
  if (m.need) {
    say({ need: m.need });
  } else if (m.at) {
    if (job) job.at = m.at;
  } else if (m.line) {
    if (job?.request.do === 'ready' || job?.request.do === 'trace') {
      if (m.line.known) opening = { ...opening, known: m.line.known, deps: m.line.deps ?? opening.deps };
    }
    say(m.line);
  } else if (m.failed) {
    finish({ error: m.failed });
  } else if (m.end) {
    if (skip > 0) {
      skip--;
      return;
    }
    if (job?.request.do === 'evaluate') tell();
    finish({ end: true });
  }
}

function finish(answer) {
  if (job) clearInterval(job.timer);
  job = null;
  say(answer);
  next();
}

function beat() {
  if (!job) return;
  job.cpu = process.cpuUsage();
  job.time = Date.now();
}

// tell writes the verdicts that are new.
function tell() {
  const list = [];
  const { candidates } = job.request;
  for (; job.told < candidates.length; job.told++) {
    const v = Atomics.load(view, first + job.told);
    if (v === 0) break;
    list.push([candidates[job.told].id, letters[v & 7], v >> 6, (v & 8) !== 0, (v & 16) !== 0, (v & 32) !== 0]);
  }
  if (list.length > 0) say({ verdicts: list });
}

function watch() {
  if (!job) return;
  const beats = Atomics.load(view, 1);
  if (job.request.do === 'evaluate') tell();
  if (beats !== job.beats) {
    job.beats = beats;
    beat();
    return;
  }
  const used = process.cpuUsage(job.cpu);
  let [cpu, time] = limits.other;
  if (job.request.do === 'evaluate') {
    const c = job.request.candidates[Math.max(0, Atomics.load(view, 0))];
    [cpu, time] = c?.patient ? limits.patient : limits.evaluate;
    cpu += 10 * (job.request.usual ?? 0);
  }
  if ((used.user + used.system) / 1000 > cpu || Date.now() - job.time > time) {
    const old = worker;
    worker = null;
    old.terminate();
    died('hung');
  }
}

// died goes on after the thread has ended.
function died(how) {
  worker = null;
  if (!job) {
    start();
    return;
  }
  const { request } = job;
  if (request.do === 'evaluate') {
    tell();
    if (job.told < request.candidates.length) {
      say({ verdicts: [[request.candidates[job.told].id, how === 'hung' ? 'O' : 'D', 0, true, false, false]] });
      job.told++;
    }
    start();
    beat();
    if (job.told >= request.candidates.length) {
      finish({ end: true });
      return;
    }
    // What was told is done for the thread that takes over.
    job.request = { ...request, candidates: request.candidates.slice(job.told), from: 0 };
    job.told = 0;
    worker.postMessage(job.request);
    return;
  }
  if (request.do === 'learn' && job.at) {
    const at = job.at;
    say({ test: at, status: 'hung', ms: 0, fuel: 0 });
    job.at = null;
    for (const p of opening.parts) {
      if (at.startsWith(`${p.part} > `)) p.hung = [...(p.hung ?? []), at.slice(p.part.length + 3)];
    }
    start();
    beat();
    worker.postMessage(request);
    return;
  }
  start();
  clearInterval(job.timer);
  job = null;
  say({ end: true, lost: true });
  next();
}

const waiting = [];

function next() {
  if (job || waiting.length === 0) return;
  const request = waiting.shift();
  if (request.do === 'open' || request.do === 'ready') opening = { ...opening, ...request, do: 'open' };
  if (request.do === 'open' && !worker) {
    root = request.root;
    const own = opening;
    opening = null;
    start();
    opening = own;
  }
  if (request.do === 'evaluate') {
    request.from = 0;
    view.fill(0, first);
  }
  job = { request, told: 0, at: null, beats: 0, cpu: process.cpuUsage(), time: Date.now() };
  job.timer = setInterval(watch, 10);
  worker.postMessage(request);
}

readline.createInterface({ input: process.stdin }).on('line', (text) => {
  const request = JSON.parse(text);
  if (request.do === 'file') {
    if (!request.passing) files.set(request.path, request);
    worker?.postMessage(request);
    beat();
    return;
  }
  waiting.push(request);
  next();
}).on('close', () => process.exit(0));
