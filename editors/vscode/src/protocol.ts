// What autocoder's server adds to the Language Server Protocol, a mirror of the
// names in the server, and what it is given. A Go test (lsp/vscodetest) fails when
// the names differ.

/** The name of the server, of its settings and of its diagnostics' source. */
export const name = "autocoder";

/**
 * Commands of workspace/executeCommand. Each takes one Arguments and returns at
 * once; what takes time goes on as a job.
 */
export const commands = {
  fix: "autocoder.fix",
  runTests: "autocoder.runTests",
  apply: "autocoder.apply",
  discard: "autocoder.discard",
  cancel: "autocoder.cancel",
  report: "autocoder.report",
  doctor: "autocoder.doctor",
} as const;

/** Methods beside those of the protocol. */
export const methods = {
  /** Notification to the editor, with Status. */
  status: "autocoder/status",
  /** Request to the server: ReportParams to ReportResult. */
  report: "autocoder/report",
} as const;

/** What a command is about. */
export interface Arguments {
  /** A document or folder of the project. */
  uri?: string;
  /** The project's folder as a path. */
  root?: string;
  /** The failing tests to repair. */
  only?: string[];
  /** With a larger budget than the settings give. */
  larger?: boolean;
  /** The run that the command is about. */
  run?: string;
  /** Apply the partial fix of the run. */
  partial?: boolean;
  /** The alternative to verify and apply. */
  alternative?: string;
  /** The job to cancel. */
  job?: string;
}

/** What goes on in a project. */
export interface Status {
  root: string;
  state: "running" | "idle";
  /** That of the last run, "" when there was none. */
  outcome: string;
  message: string;
  /** The last run. */
  run: string;
  /** The job that runs, "" when none does. */
  job: string;
  attempts: number;
  spent: string;
  /** Nothing runs, and a fix that nobody asked for waits to be taken. */
  ready: boolean;
}

export interface ReportParams {
  /** "" for the last run. */
  run: string;
}

export interface ReportResult {
  markdown: string;
  report: unknown;
}

/** The data of a diagnostic. */
export interface Data {
  root: string;
  run?: string;
  /** The failing test. */
  test?: string;
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

/** The file that a document is, or is to become; undefined when there is none. */
export function placeOf(uri: { scheme: string; path: string; fsPath: string }): string | undefined {
  return uri.scheme === "file" || (uri.scheme === "untitled" && uri.path.startsWith("/")) ? uri.fsPath : undefined;
}
