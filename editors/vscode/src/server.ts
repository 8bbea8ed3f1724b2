// Where the server is found, and how it is kept running. Nothing here knows of VS
// Code, so that it can be tested without one.

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

/** Bounds how often a server that crashes is started again. */
export class Crashes {
  private times: number[] = [];
  private readonly withinMs: number;
  readonly most: number;

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

/** One server process, which is started once. */
export interface Process {
  /** Resolves when it can be asked. A Crash is what starting another one may mend. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The server ended, or speaks no more, before it could be asked. */
export class Crash extends Error {}

/** Who is told how the server is. */
export interface Told {
  health(now: "starting" | "running" | "stopped"): void;
  /** It ended by itself and is started again. */
  crashed(): void;
  /** None runs, and none is started until the user asks for something. */
  failed(why: string): void;
}

/**
 * Keeps at most one server running. Whenever one ends by itself, be it before it
 * answers for the first time, that is told and counted, and another one is started.
 */
export class Life<P extends Process> {
  private current: P | undefined;
  /** What was asked of the server's life last; the next waits for it. */
  private turn: Promise<unknown> = Promise.resolve();
  private readonly make: (ended: () => void) => Promise<P>;
  private readonly told: Told;
  private readonly crashes: Crashes;

  /** make makes a server that calls ended when it ended by itself. */
  constructor(make: (ended: () => void) => Promise<P>, told: Told, crashes: Crashes) {
    this.make = make;
    this.told = told;
    this.crashes = crashes;
  }

  /** The server, started when none runs; undefined when none can be had, which was told. */
  async running(): Promise<P | undefined> {
    await this.inTurn(() => this.start());
    return this.current;
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.end());
  }

  restart(): Promise<void> {
    return this.inTurn(async () => {
      this.crashes.forget();
      await this.end();
      await this.start();
    });
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined); // who asked is told
    return done;
  }

  private async start(): Promise<void> {
    for (let again = this.current === undefined; again; ) {
      this.told.health("starting");
      again = await this.startOne();
    }
  }

  /** Starts a server, and reports whether it crashed and another one is to be started. */
  private async startOne(): Promise<boolean> {
    const life = { up: false, over: false, tell: (): void => undefined };
    const over = new Promise<void>((resolve) => (life.tell = resolve));
    let one: P | undefined;
    try {
      one = await this.make(() => {
        life.over = true;
        life.tell();
        if (life.up) {
          this.ended(one);
        }
      });
      await Promise.race([one.start(), over]);
    } catch (error) {
      if (!(error instanceof Crash)) {
        this.told.failed(textOf(error));
        return false;
      }
      life.over = true;
    }
    if (life.over) {
      return this.again();
    }
    life.up = true;
    this.current = one;
    this.told.health("running");
    return false;
  }

  /** A server that ran ended by itself. */
  private ended(one: P | undefined): void {
    if (this.current !== one) {
      return; // it was to end
    }
    this.current = undefined;
    if (this.again()) {
      void this.inTurn(() => this.start());
    }
  }

  private again(): boolean {
    const again = this.crashes.again(Date.now());
    if (again) {
      this.told.crashed();
    } else {
      this.told.failed(`it ended unexpectedly ${this.crashes.most + 1} times in a short time.`);
    }
    return again;
  }

  private async end(): Promise<void> {
    const one = this.current;
    this.current = undefined;
    this.told.health("stopped");
    await one?.stop();
  }
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
