import assert from "node:assert/strict";
import { test } from "node:test";
import { environment, placeOf, settingsFor } from "../src/protocol.ts";
import { Crash, Crashes, debugVariable, findServer, Life, type Process, type Surroundings } from "../src/server.ts";

function at(programs: string[], more: Partial<Surroundings> = {}): Surroundings {
  return { env: {}, platform: "linux", home: "/home/me", extension: "/ext", isProgram: (p) => programs.includes(p), ...more };
}

const all = ["/debug/autocoder", "/home/me/bin/autocoder", "/ext/server/autocoder", "/usr/bin/autocoder"];
const env = { [debugVariable]: "/debug/autocoder", PATH: "relative:/bin:/usr/bin" };

const found: { what: string; setting: string; at: Surroundings; want: string }[] = [
  { what: "the variable before all", setting: "/home/me/bin/autocoder", at: at(all, { env }), want: "/debug/autocoder" },
  { what: "the setting", setting: "/home/me/bin/autocoder", at: at(all), want: "/home/me/bin/autocoder" },
  { what: "the setting from home", setting: "~/bin/autocoder", at: at(all), want: "/home/me/bin/autocoder" },
  { what: "the one in the extension", setting: "", at: at(all, { env: { PATH: "/usr/bin" } }), want: "/ext/server/autocoder" },
  { what: "the one in PATH", setting: "", at: at(["/usr/bin/autocoder", "relative/autocoder"], { env: { PATH: env.PATH } }), want: "/usr/bin/autocoder" },
  { what: "on Windows", setting: "", at: at(["/ext/server/autocoder.exe"], { platform: "win32" }), want: "/ext/server/autocoder.exe" },
];

for (const c of found) {
  test(`server: ${c.what}`, () => assert.equal(findServer(c.setting, c.at).path, c.want));
}

const missing: { what: string; setting: string; at: Surroundings; want: RegExp }[] = [
  { what: "a variable that names no program", setting: "", at: at(["/ext/server/autocoder"], { env }), want: /AUTOCODER_SERVER_DEBUG names \/debug/ },
  { what: "a setting that names no program", setting: "/no", at: at(all), want: /setting autocoder.server.path names \/no/ },
  { what: "a setting that is no whole path", setting: "autocoder", at: at([...all, "autocoder"]), want: /server.path names autocoder/ },
  { what: "none", setting: "", at: at([]), want: /install it, or name it by the setting autocoder.server.path/ },
];

for (const c of missing) {
  test(`no server: ${c.what}`, () => assert.throws(() => findServer(c.setting, c.at), c.want));
}

test("keys are added to the environment, and empty ones are not", () => {
  const got = environment({ HOME: "/home/me", A_KEY: "old", B_KEY: "old" }, { A_KEY: "new", B_KEY: "", C_KEY: undefined });
  assert.deepEqual(got, { HOME: "/home/me", A_KEY: "new", B_KEY: "old" });
});

test("a document is a file, or is to become one", () => {
  const at = (scheme: string, path: string) => placeOf({ scheme, path, fsPath: path });
  assert.equal(at("file", "/p/a.py"), "/p/a.py");
  assert.equal(at("untitled", "/p/a.py"), "/p/a.py");
  assert.equal(at("untitled", "Untitled-1"), undefined);
  assert.equal(at("git", "/p/a.py"), undefined);
});

test("settings of the workspace go apart, and what nobody set is left out", () => {
  const values: Record<string, object> = {
    patience: { defaultValue: 2, globalValue: 3 },
    maxTime: { defaultValue: "10m" },
    protect: { globalValue: ["a"], workspaceValue: ["b"], workspaceFolderValue: ["c"] },
    allowUnverified: { workspaceValue: false },
  };
  assert.deepEqual(settingsFor([...Object.keys(values), "unknown"], (key) => values[key], true), {
    patience: 3,
    protect: ["a"],
    workspace: { protect: ["c"], allowUnverified: false },
    workspaceTrusted: true,
  });
  assert.equal(settingsFor([], () => undefined, false)["workspaceTrusted"], false);
});

test("a server that crashes is started again a few times", () => {
  const crashes = new Crashes(2, 1000);
  assert.deepEqual([0, 10, 20].map((t) => crashes.again(t)), [true, true, false]);
  assert.equal(crashes.again(5000), true, "long after");
  crashes.again(5001);
  crashes.forget();
  assert.equal(crashes.again(5002), true, "when the user starts anew");
});

/** Servers of a test: how each start ends, in order, and what is told of them. */
function lives(starts: ("ok" | "ends" | "ends before it is made" | "speaks no more" | "says no")[]) {
  const said: string[] = [];
  const made: { end: () => void; stopped: boolean }[] = [];
  const life = new Life<Process>(
    async (ended) => {
      const how = starts[made.length] ?? "ok";
      const one = { end: ended, stopped: false };
      made.push(one);
      if (how === "ends before it is made") ended();
      return {
        start: async () => {
          if (how === "ends") ended();
          if (how === "speaks no more") throw new Crash("broken pipe");
          if (how === "says no") throw new Error("no such program");
          if (how !== "ok") await new Promise(() => undefined);
        },
        stop: async () => {
          one.stopped = true;
          ended(); // as a server does that is asked to
        },
      };
    },
    { health: (now) => said.push(now), crashed: () => said.push("crashed"), failed: (why) => said.push(`failed: ${why}`) },
    new Crashes(2, 60_000),
  );
  return { life, said, made };
}

const failed = "failed: it ended unexpectedly 3 times in a short time.";

test("one server runs, however often it is asked for", async () => {
  const { life, said, made } = lives([]);
  const [a, b] = await Promise.all([life.running(), life.running()]);
  assert.ok(a !== undefined && a === b && a === (await life.running()));
  await life.stop();
  assert.deepEqual(said, ["starting", "running", "stopped"], "what is to end is no crash");
  assert.ok(made[0]?.stopped);
});

for (const how of ["ends", "ends before it is made", "speaks no more"] as const) {
  test(`a server that ${how} while it starts is told, counted and started again`, async () => {
    const once = lives([how]);
    assert.ok(await once.life.running());
    assert.deepEqual(once.said, ["starting", "crashed", "starting", "running"]);
    const always = lives([how, how, how, how]);
    assert.equal(await always.life.running(), undefined);
    assert.deepEqual(always.said, ["starting", "crashed", "starting", "crashed", "starting", failed]);
  });
}

test("a server that ends while it runs is told, counted and started again", async () => {
  const { life, said, made } = lives([]);
  for (let n = 0; n < 2; n++) {
    const before = await life.running();
    made[n]?.end();
    made[n]?.end(); // heard twice
    const now = await life.running(); // at once
    assert.ok(now !== undefined && now !== before);
  }
  made[2]?.end();
  made[0]?.end(); // long gone
  const up = ["starting", "running"];
  assert.deepEqual(said, [...up, "crashed", ...up, "crashed", ...up, failed]);
  await life.restart();
  made[3]?.end();
  assert.ok(await life.running());
  assert.deepEqual(said.slice(9), ["stopped", ...up, "crashed", ...up], "who starts anew counts anew");
});

test("crashes of a start and of a run count together", async () => {
  const { life, said, made } = lives(["ok", "ends", "ends", "ends"]);
  await life.running();
  made[0]?.end();
  assert.equal(await life.running(), undefined);
  assert.equal(said.filter((s) => s === "crashed").length, 2);
  assert.equal(said.at(-1), failed);
});

test("what can't be started is told once, and tried again when the user asks", async () => {
  const { life, said } = lives(["says no", "says no"]);
  assert.equal(await life.running(), undefined);
  assert.deepEqual(said, ["starting", "failed: no such program"]);
  assert.equal(await life.running(), undefined);
  assert.ok(await life.running());
});
