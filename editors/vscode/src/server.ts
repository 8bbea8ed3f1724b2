// How the server is started and what it is given. Nothing here knows of VS Code,
// so that it can be tested without one.

import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";

/** Where programs are looked for. */
export interface Surroundings {
  env: Record<string, string | undefined>;
  platform: string;
  home: string;
  /** The folder of the extension. */
  extension: string;
  isProgram(path: string): boolean;
}

/** The surroundings that the extension runs in. */
export function here(extension: string): Surroundings {
  return { env: process.env, platform: process.platform, home: homedir(), extension, isProgram };
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The program of the server, and who named it. */
export interface Program {
  path: string;
  from: string;
}

/** The variable that names the server before all else, for those who work on it. */
export const debugVariable = "AUTOCODER_SERVER_DEBUG";

/**
 * Finds the server: by the variable, by the setting, in the extension, in PATH.
 * What was named and is no program is an error, not a reason to take another one.
 */
export function findServer(setting: string, at: Surroundings): Program {
  const named: [string, string | undefined][] = [
    [`the variable ${debugVariable}`, at.env[debugVariable]],
    ["the setting autocoder.server.path", setting],
  ];
  for (const [from, value] of named) {
    if (!value) {
      continue;
    }
    const file = expand(value, at.home);
    if (!path.isAbsolute(file) || !at.isProgram(file)) {
      throw new Error(`${from} names ${value}, which is no program on this machine`);
    }
    return { path: file, from };
  }
  const program = at.platform === "win32" ? "autocoder.exe" : "autocoder";
  const bundled = path.join(at.extension, "server", program);
  if (at.isProgram(bundled)) {
    return { path: bundled, from: "the extension" };
  }
  for (const folder of (at.env["PATH"] ?? "").split(path.delimiter)) {
    const file = path.join(folder, program);
    if (path.isAbsolute(folder) && at.isProgram(file)) {
      return { path: file, from: "PATH" };
    }
  }
  throw new Error(
    "the program autocoder is neither in the extension nor in PATH: install it, or name it by the setting autocoder.server.path",
  );
}

function expand(file: string, home: string): string {
  return file === "~" || file.startsWith("~/") ? path.join(home, file.slice(2)) : file;
}

/** A provider of language models that wants a key. */
export interface Provider {
  label: string;
  /** The variable in which the server looks for the key. */
  variable: string;
}

export const providers: readonly Provider[] = [
  { label: "OpenAI", variable: "OPENAI_API_KEY" },
  { label: "Anthropic", variable: "ANTHROPIC_API_KEY" },
];

/** The environment of the server: the editor's, with the keys that are kept. */
export function environment(
  env: Record<string, string | undefined>,
  keys: Record<string, string | undefined>,
): Record<string, string | undefined> {
  const all = { ...env };
  for (const [variable, key] of Object.entries(keys)) {
    if (key) {
      all[variable] = key;
    }
  }
  return all;
}

/** What VS Code knows of one setting; defaults are none of our business. */
export interface Inspected {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/**
 * The settings as the server takes them: those of the user, and those of the
 * workspace apart, because the server trusts them only where the user trusts the
 * workspace. What nobody set is left out: the project's file may set it.
 */
export function settingsFor(
  keys: readonly string[],
  inspect: (key: string) => Inspected | undefined,
  trusted: boolean,
): Record<string, unknown> {
  const user: Record<string, unknown> = {};
  const workspace: Record<string, unknown> = {};
  for (const key of keys) {
    const found = inspect(key);
    if (found?.globalValue !== undefined) {
      user[key] = found.globalValue;
    }
    const nearer = found?.workspaceFolderValue ?? found?.workspaceValue;
    if (nearer !== undefined) {
      workspace[key] = nearer;
    }
  }
  return { ...user, workspace, workspaceTrusted: trusted };
}

/** Bounds how often a server that crashes is started again. */
export class Crashes {
  private times: number[] = [];
  private readonly most: number;
  private readonly withinMs: number;

  constructor(most: number, withinMs: number) {
    this.most = most;
    this.withinMs = withinMs;
  }

  /** Takes note of a crash and says whether the server may be started again. */
  again(now: number): boolean {
    this.times = [...this.times.filter((t) => now - t < this.withinMs), now];
    return this.times.length <= this.most;
  }

  /** The user starts anew. */
  forget(): void {
    this.times = [];
  }
}
