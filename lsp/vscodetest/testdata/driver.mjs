// Serves VS Code to a Chromium and runs scenarios in it, one after the other.
//
//   node driver.mjs CONFIG
//
// CONFIG is a file with JSON, as the Go test has it. Each line of standard input is
// a scenario, each line of standard output what became of it. The end of standard
// input ends the browser and VS Code.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { createInterface } from "node:readline";
import { Page } from "./page.mjs";

const config = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { chromium } = createRequire(path.join(config.extension, "package.json"))("playwright-core");

const state = path.join(config.top, "vscode");
const where = ["--config", path.join(state, "config.yaml"), "--user-data-dir", path.join(state, "data"), "--extensions-dir", path.join(state, "extensions")];

// What is started here is the leader of a group, so that all of it can be ended.
const groups = new Set();

function start(args) {
  const child = spawn(process.execPath, [path.join(config.codeServer, "out/node/entry.js"), ...where, ...args], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, EXTENSIONS_GALLERY: '{"serviceUrl":""}' },
  });
  groups.add(child.pid);
  return child;
}

function end(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // it is gone
  }
  groups.delete(pid);
}

function install() {
  return new Promise((resolve, reject) => {
    const child = start(["--install-extension", config.vsix]);
    let text = "";
    child.stdout.on("data", (d) => (text += d));
    child.stderr.on("data", (d) => (text += d));
    child.on("close", (code) => {
      end(child.pid);
      code === 0 ? resolve() : reject(new Error(`install the extension: code ${code}\n${text}`));
    });
  });
}

function serve() {
  return new Promise((resolve, reject) => {
    const child = start([
      "--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check",
      "--disable-getting-started-override", "--disable-proxy", "--ignore-last-opened", "--vscode-option", "enable-smoke-test-driver",
    ]);
    let text = "";
    const read = (d) => {
      text += d;
      const found = /HTTP server listening on (http:\/\/\S+?)\/?\s/.exec(text);
      if (found) resolve(found[1]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("close", (code) => reject(new Error(`code-server ended: code ${code}\n${text}`)));
  });
}

async function browse() {
  const profile = path.join(config.top, "chromium");
  mkdirSync(profile, { recursive: true });
  return chromium.launchPersistentContext(profile, {
    executablePath: config.chromium,
    headless: true,
    viewport: { width: 1280, height: 800 },
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

// Nothing but this machine is to be asked for anything.
async function watchRequests(context) {
  const outside = [];
  await context.route("**/*", (route) => {
    const url = new URL(route.request().url());
    if (["127.0.0.1", "localhost"].includes(url.hostname) || ["data:", "blob:"].includes(url.protocol)) {
      return route.continue();
    }
    outside.push(url.href);
    return route.abort();
  });
  return outside;
}

async function main() {
  await install();
  const [base, context] = await Promise.all([serve(), browse()]);
  const outside = await watchRequests(context);
  process.stdout.write(JSON.stringify({ ready: base }) + "\n");
  for await (const line of createInterface({ input: process.stdin })) {
    const scenario = JSON.parse(line);
    const page = new Page(await context.newPage(), { base, scenario, config, outside });
    const result = await page.play();
    process.stdout.write(JSON.stringify(result) + "\n");
  }
  await context.close();
}

function finish(code) {
  for (const pid of groups) end(pid);
  rmSync(state, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code);
}

// Who asks is gone, in the middle of a scenario too.
process.stdin.on("close", () => setTimeout(() => finish(1), 10_000).unref());

try {
  await main();
} catch (error) {
  console.error(error.stack);
  finish(1);
}
finish(0);
