// The server as the extension knows it: what it is started with and asked.

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  ErrorCodes,
  LanguageClient,
  ResponseError,
  RevealOutputChannelOn,
  type CloseHandlerResult,
  type DynamicFeature,
  type Executable,
  type LanguageClientOptions,
  type MessageTransports,
  type StaticFeature,
} from "vscode-languageclient/node";
import { environment, methods, name, providers, settingsFor, type Arguments, type ReportResult, type Status } from "./protocol.ts";
import { Crash, Crashes, findServer, here, Life, textOf, type Process } from "./server.ts";
import type { Health } from "./status.ts";
import type { View } from "./view.ts";

/** How often a server that crashes is started again, and within which time. */
const mostCrashes = 4;
const crashesWithinMs = 3 * 60 * 1000;

/** How long it may take to be heard that a server ended that speaks no more. */
const endingMs = 5000;

/** The client of the protocol, as we use it: for one process of the server. */
class Client extends LanguageClient implements Process {
  /** Resolves when the server ended by itself. */
  readonly ended: Promise<void>;
  private spawned = false;

  constructor(run: Executable, options: LanguageClientOptions, ended: () => void) {
    let tell: () => void = () => undefined;
    const closed = (): CloseHandlerResult => {
      tell();
      ended();
      return { action: CloseAction.DoNotRestart, handled: true, message: "the server ended unexpectedly" };
    };
    super(name, name, run, { ...options, errorHandler: { error: () => ({ action: ErrorAction.Continue, handled: true }), closed } });
    this.ended = new Promise((resolve) => (tell = resolve));
  }

  override async start(): Promise<void> {
    try {
      await super.start();
    } catch (error) {
      // A program that can't be started, or says no, would do so again.
      throw this.spawned && !answered(error) ? new Crash(textOf(error)) : error;
    }
  }

  protected override async createMessageTransports(encoding: string): Promise<MessageTransports> {
    const transports = await super.createMessageTransports(encoding);
    this.spawned = true;
    return transports;
  }

  /** The server's commands are registered by us: they have to say more than "not found" while no server runs. */
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    const method = "registrationType" in feature ? feature.registrationType.method : "";
    if (method !== "workspace/executeCommand") {
      super.registerFeature(feature);
    }
  }

  /** Cancels the job that a progress tells of. */
  cancelProgress(token: string | number): void {
    // A server that ended has no job any more.
    this.sendNotification("window/workDoneProgress/cancel", { token }).catch(() => undefined);
  }

  /** Errors go to the log; what the user has to know we say ourselves. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Whether an error is the server's answer, and not that it ended before it answered. */
function answered(error: unknown): boolean {
  const ended: number[] = [ErrorCodes.PendingResponseRejected, ErrorCodes.ConnectionInactive, ErrorCodes.MessageWriteError];
  return error instanceof ResponseError && !ended.includes(error.code);
}

/** Runs at most one server, and speaks to it. */
export class Server {
  private readonly life: Life<Client>;
  private readonly context: vscode.ExtensionContext;
  private readonly log: vscode.LogOutputChannel;
  private readonly view: View;

  constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, view: View) {
    this.context = context;
    this.log = log;
    this.view = view;
    const told = { health: (now: Health) => this.view.health(now), crashed: () => this.crashed(), failed: (why: string) => this.failed(why) };
    this.life = new Life((ended) => this.make(ended), told, new Crashes(mostCrashes, crashesWithinMs));
  }

  /** Starts the server unless it runs; the user is told when that can't be. */
  async start(): Promise<void> {
    await this.life.running();
  }

  stop(): Promise<void> {
    return this.life.stop();
  }

  /** Starts the server anew, with the settings and keys of now. */
  restart(): Promise<void> {
    return this.life.restart();
  }

  /** Sends a command, and returns its answer; undefined when that can't be. */
  async execute(command: string, args: Arguments): Promise<unknown> {
    const answer = await this.ask("workspace/executeCommand", { command, arguments: [args] });
    const { job } = (answer ?? {}) as { job?: string };
    if (job) {
      this.view.began(job);
    }
    return answer;
  }

  async report(run: string): Promise<ReportResult | undefined> {
    return (await this.ask(methods.report, { run })) as ReportResult | undefined;
  }

  /** Asks the server; when it ends over that, the next one is asked once. */
  private async ask(method: string, params: object): Promise<unknown> {
    for (let last = false; ; last = true) {
      const client = await this.life.running();
      if (!client) {
        return undefined; // the user was told
      }
      try {
        return await client.sendRequest(method, params);
      } catch (error) {
        if (answered(error) || last) {
          void vscode.window.showErrorMessage(`autocoder: ${answered(error) ? textOf(error) : "the server ended before it answered"}`);
          return undefined;
        }
        await Promise.race([client.ended, new Promise((resolve) => setTimeout(resolve, endingMs))]);
      }
    }
  }

  private async make(ended: () => void): Promise<Client> {
    const setting = vscode.workspace.getConfiguration(name).get<string>("server.path", "");
    const at = here(this.context.extensionPath);
    const program = findServer(setting, at);
    this.log.info(`the server is ${program.path}, named by ${program.from}`);
    const keys: Record<string, string | undefined> = {};
    for (const { variable } of providers) {
      keys[variable] = await this.context.secrets.get(variable);
    }
    const run = { command: program.path, args: ["serve"], options: { env: environment(at.env, keys) as NodeJS.ProcessEnv } };
    const client = new Client(run, this.options((token) => client.cancelProgress(token)), ended);
    client.onNotification(methods.status, (status: Status) => this.view.status(status));
    return client;
  }

  private options(cancel: (token: string | number) => void): LanguageClientOptions {
    return {
      // Whatever is open counts: a run sees what is in the editor, saved or not.
      documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => this.settings(undefined),
      initializationFailedHandler: () => false,
      middleware: {
        handleWorkDoneProgress: (token, params, next) => {
          this.view.progress(token, params, () => cancel(token));
          if (params.kind === "end") {
            next(token, params); // frees what the library keeps of it
          }
        },
        workspace: {
          configuration: (params, token, next) => {
            const others = next(params, token);
            const ours = params.items.map((item) =>
              item.section === name ? this.settings(item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri)) : undefined,
            );
            return Array.isArray(others) ? others.map((other: unknown, i) => ours[i] ?? other) : others;
          },
        },
      },
    };
  }

  /** The settings for a folder, as the server takes them. */
  private settings(scope: vscode.Uri | undefined): Record<string, unknown> {
    const config = vscode.workspace.getConfiguration(name, scope ?? null);
    return settingsFor(this.settingKeys(), (key) => config.inspect(key), vscode.workspace.isTrusted);
  }

  /** The settings of the server that the extension declares, without the extension's own. */
  private settingKeys(): string[] {
    const sections = this.context.extension.packageJSON.contributes.configuration as { properties: object }[];
    return sections
      .flatMap((section) => Object.keys(section.properties))
      .map((key) => key.slice(name.length + 1))
      .filter((key) => !key.includes("."));
  }

  /** The server ended and nobody asked for it: another one is started. */
  private crashed(): void {
    void this.offer("warning", `autocoder's server ended unexpectedly and is started again.${this.lost()}`, false);
  }

  private failed(why: string): void {
    const lost = this.lost();
    this.view.health("failed");
    this.log.error(why);
    void this.offer("error", `autocoder's server does not run: ${why}${lost}`, true);
  }

  /** What is lost with the server that ended. */
  private lost(): string {
    const busy = this.view.busy();
    this.view.ended();
    return busy ? " What it was doing is lost, and nothing of it is in your files." : "";
  }

  /** Says something about the server, with what can be done about it. */
  private async offer(kind: "warning" | "error", text: string, down: boolean): Promise<void> {
    const show = kind === "error" ? vscode.window.showErrorMessage : vscode.window.showWarningMessage;
    const buttons = down ? ["Restart the server", "Open Settings", "Show the log"] : ["Show the log"];
    switch (await show(text, ...buttons)) {
      case "Restart the server":
        await this.restart();
        break;
      case "Open Settings":
        await vscode.commands.executeCommand("workbench.action.openSettings", "autocoder.server.path");
        break;
      case "Show the log":
        this.log.show();
        break;
    }
  }
}
