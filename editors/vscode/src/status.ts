// What is told of the server and of runs, in words. Nothing here knows of VS Code.

import type { Status } from "./protocol.ts";

/** How the server is. */
export type Health = "starting" | "running" | "stopped" | "failed";

/** What an item of the status bar shows. */
export interface Shown {
  text: string;
  tooltip: string;
  severity: "none" | "warning" | "error";
}

/** Describes the server and the project that the user is in. */
export function describe(health: Health, status: Status | undefined): Shown {
  switch (health) {
    case "starting":
      return { text: "$(sync~spin) autocoder", tooltip: "autocoder is starting", severity: "none" };
    case "stopped":
      return { text: "$(circle-slash) autocoder", tooltip: "autocoder does not run", severity: "none" };
    case "failed":
      return { text: "$(error) autocoder", tooltip: "autocoder's server does not run", severity: "error" };
    case "running":
      return described(status);
  }
}

function described(status: Status | undefined): Shown {
  if (!status) {
    return { text: "$(beaker) autocoder", tooltip: "autocoder: nothing was run yet", severity: "none" };
  }
  const lines = new Set([status.root, firstLine(status.message), status.spent]);
  lines.delete("");
  const tooltip = [...lines].join("\n\n");
  if (status.state === "running") {
    return { text: `$(sync~spin) autocoder: ${shortened(firstLine(status.message) || "running")}`, tooltip, severity: "none" };
  }
  if (status.ready) {
    return { text: "$(lightbulb) autocoder: a fix is ready", tooltip, severity: "none" };
  }
  const ended = status.outcome === "" ? "" : `: ${status.outcome}`;
  return { text: `$(${iconOf(status.outcome)}) autocoder${ended}`, tooltip, severity: severityOf(status.outcome) };
}

function iconOf(outcome: string): string {
  switch (outcome) {
    case "fixed":
    case "already_green":
      return "check";
    case "cancelled":
      return "circle-slash";
    case "unrunnable":
      return "error";
    case "":
      return "beaker";
    default:
      return "warning";
  }
}

function severityOf(outcome: string): Shown["severity"] {
  return outcome === "unrunnable" ? "warning" : "none";
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** The most characters of a message in the status bar. */
const width = 40;

function shortened(text: string): string {
  const letters = [...text];
  return letters.length <= width ? text : letters.slice(0, width - 1).join("") + "…";
}

/**
 * The statuses of all projects. Roots are paths; that of the innermost project
 * around a file counts there.
 */
export class Statuses {
  private readonly byRoot = new Map<string, Status>();
  private latest: Status | undefined;

  take(status: Status): void {
    this.byRoot.set(status.root, status);
    this.latest = status;
  }

  clear(): void {
    this.byRoot.clear();
    this.latest = undefined;
  }

  /** What runs now. */
  running(): Status[] {
    return [...this.byRoot.values()].filter((s) => s.state === "running");
  }

  /** The status of the project of a file, or what was heard of last. */
  at(file: string | undefined): Status | undefined {
    let best: Status | undefined;
    for (const status of this.byRoot.values()) {
      if (file !== undefined && inside(status.root, file) && status.root.length > (best?.root.length ?? -1)) {
        best = status;
      }
    }
    return best ?? this.latest;
  }
}

function inside(root: string, file: string): boolean {
  if (!file.startsWith(root)) {
    return false;
  }
  return file.length === root.length || /[\\/]$/.test(root) || /^[\\/]/.test(file.slice(root.length));
}
