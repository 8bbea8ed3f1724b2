// Packs the extension for one platform, with the server for it:
//   node package.mjs [TARGET] [--out FILE]
// TARGET is one of the platforms below, the one of this machine by default.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { createVSIX } from "@vscode/vsce";

const platforms = {
  "linux-x64": ["linux", "amd64"],
  "linux-arm64": ["linux", "arm64"],
  "darwin-x64": ["darwin", "amd64"],
  "darwin-arm64": ["darwin", "arm64"],
  "win32-x64": ["windows", "amd64"],
  "win32-arm64": ["windows", "arm64"],
};

const args = process.argv.slice(2);
const at = args.indexOf("--out");
const out = at >= 0 ? args.splice(at, 2)[1] : undefined;
const target = args[0] ?? `${process.platform}-${process.arch}`;
if (!(target in platforms)) {
  console.error(`${target} is none of ${Object.keys(platforms).join(", ")}`);
  process.exit(2);
}
const [goos, goarch] = platforms[target];

await import("./build.mjs");
rmSync("server", { recursive: true, force: true });
mkdirSync("server");
const program = goos === "windows" ? "autocoder.exe" : "autocoder";
execFileSync("go", ["build", "-ldflags=-s -w", "-o", resolve("server", program), "./cmd/autocoder"], {
  cwd: "../..",
  env: { ...process.env, GOOS: goos, GOARCH: goarch, CGO_ENABLED: "0" },
  stdio: "inherit",
});
await createVSIX({
  cwd: ".",
  target,
  packagePath: out ?? `autocoder-${target}.vsix`,
  dependencies: false,
  allowMissingRepository: true,
});
