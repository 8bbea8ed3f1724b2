import assert from "node:assert/strict";
import { test } from "node:test";
import type { Status } from "../src/protocol.ts";
import { describe, Statuses } from "../src/status.ts";

const idle: Status = { root: "/p", state: "idle", outcome: "", message: "", run: "", job: "", attempts: 0, spent: "", ready: false };

test("the item tells how the server is", () => {
  assert.match(describe("starting", undefined).text, /spin/);
  assert.equal(describe("failed", undefined).severity, "error");
  assert.match(describe("stopped", idle).tooltip, /does not run/);
  assert.match(describe("running", undefined).tooltip, /nothing was run yet/);
});

test("a run that goes on is told with what it does", () => {
  const long = "looking for a fix: ".padEnd(60, "x") + "\nmore";
  const got = describe("running", { ...idle, state: "running", message: long });
  assert.match(got.text, /^\$\(sync~spin\) autocoder: looking for a fix: x+…$/);
  assert.ok(got.tooltip.includes("x".repeat(41)) && !got.tooltip.includes("more"));
  assert.match(describe("running", { ...idle, state: "running" }).text, /: running$/);
  const spent = "Turns: 1/30 | Tokens: 345/200,000";
  assert.equal(describe("running", { ...idle, state: "running", message: spent, spent }).tooltip, `/p\n\n${spent}`, "what it cost is told once");
});

test("the end of a run is told with what it cost", () => {
  const spent = "Turns: 3/30 | Tokens: 12,345/200,000 | Cost: $0.123/$5.00";
  for (const [outcome, icon] of Object.entries({ fixed: "check", cancelled: "circle-slash", unrunnable: "error", gave_up: "warning", "": "beaker" })) {
    const got = describe("running", { ...idle, outcome, spent });
    assert.equal(got.text, `$(${icon}) autocoder${outcome && ": " + outcome}`);
    assert.ok(got.tooltip.endsWith(spent));
  }
});

test("a fix that waits is told before how the last run ended", () => {
  const ready = { ...idle, outcome: "gave_up", message: "a fix is ready", ready: true };
  assert.equal(describe("running", ready).text, "$(lightbulb) autocoder: a fix is ready");
  assert.match(describe("running", { ...ready, state: "running" }).text, /^\$\(sync~spin\)/);
});

test("the status of the innermost project around a file counts", () => {
  const s = new Statuses();
  assert.equal(s.at("/p/a.py"), undefined);
  for (const root of ["/p/sub", "/p", "/other"]) {
    s.take({ ...idle, root, state: root === "/p" ? "running" : "idle" });
  }
  assert.equal(s.at("/p/sub/a.py")?.root, "/p/sub");
  assert.equal(s.at("/p/subway.py")?.root, "/p");
  assert.equal(s.at("/p")?.root, "/p");
  assert.equal(s.at("/elsewhere/a.py")?.root, "/other", "what was heard of last");
  assert.equal(s.at(undefined)?.root, "/other");
  assert.deepEqual(s.running().map((x) => x.root), ["/p"]);
  s.clear();
  assert.equal(s.at("/p/a.py"), undefined);
});
