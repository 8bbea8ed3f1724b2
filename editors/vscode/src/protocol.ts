// What autocoder's server adds to the Language Server Protocol: a mirror of the
// names in the server. A Go test (lsp/vscodetest) fails when the two differ.

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
