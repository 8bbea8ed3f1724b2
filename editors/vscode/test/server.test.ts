import assert from "node:assert/strict";
import { test } from "node:test";
import { Crashes, debugVariable, environment, findServer, settingsFor, type Surroundings } from "../src/server.ts";

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
