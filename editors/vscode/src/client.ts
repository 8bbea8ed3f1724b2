// The life of the server: starting, stopping, and starting again what crashed.

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type DynamicFeature,
  type LanguageClientOptions,
  type StaticFeature,
} from "vscode-languageclient/node";
import { methods, name, type Arguments, type ReportResult, type Status } from "./protocol.ts";
import { Crashes, environment, findServer, here, providers, settingsFor } from "./server.ts";
import type { View } from "./view.ts";

/** How often a server that crashes is started again, and within which time. */
const mostCrashes = 4;
const crashesWithinMs = 3 * 60 * 1000;

/** The client of the protocol, as we use it. */
class Client extends LanguageClient {
  /** The server's commands are registered by us: they have to say more than "not found" while no server runs. */
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    const method = "registrationType" in feature ? feature.registrationType.method : "";
    if (method !== "workspace/executeCommand") {
      super.registerFeature(feature);
    }
  }

  /** Errors go to the log; what the user has to know we say ourselves. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Runs at most one server, and speaks to it. */
export class Server {
  private client: Client | undefined;
  /** What was asked of the server's life last; the next waits for it. */
  private turn: Promise<unknown> = Promise.resolve();
  private readonly crashes = new Crashes(mostCrashes, crashesWithinMs);
  /** Whether a start goes on that says itself how it ends. */
  private starting = false;
  private readonly context: vscode.ExtensionContext;
  private readonly log: vscode.LogOutputChannel;
  private readonly view: View;

  constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, view: View) {
    this.context = context;
    this.log = log;
    this.view = view;
  }

  /** Starts the server unless it runs; the user is told when that can't be. */
  start(): Promise<void> {
    return this.inTurn(() => this.startNow());
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.stopNow());
  }

  /** Starts the server anew, with the settings and keys of now. */
  restart(): Promise<void> {
    this.crashes.forget();
    return this.inTurn(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  /** Sends a command, and returns its answer; undefined when that can't be. */
  async execute(command: string, args: Arguments): Promise<unknown> {
    return this.ask("workspace/executeCommand", { command, arguments: [args] });
  }

  async report(run: string): Promise<ReportResult | undefined> {
    return (await this.ask(methods.report, { run })) as ReportResult | undefined;
  }

  /** Cancels the job that a progress tells of. */
  cancelProgress(token: string | number): void {
    void this.client?.sendNotification("window/workDoneProgress/cancel", { token });
  }

  private async ask(method: string, params: object): Promise<unknown> {
    await this.start();
    if (!this.client?.isRunning()) {
      return undefined; // the user was told
    }
    try {
      return await this.client.sendRequest(method, params);
    } catch (error) {
      // When the server ended meanwhile, that is what the user is told.
      if (this.client?.isRunning()) {
        void vscode.window.showErrorMessage(`autocoder: ${textOf(error)}`);
      }
      return undefined;
    }
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.turn.then(work);
    this.turn = done.catch((error: unknown) => this.log.error(textOf(error)));
    return done;
  }

  private async startNow(): Promise<void> {
    if (this.client?.needsStop()) {
      // It runs, or is started again after a crash.
      return this.client.start().catch((error: unknown) => this.log.error(textOf(error)));
    }
    this.view.health("starting");
    this.starting = true;
    try {
      const client = await this.make();
      this.client = client;
      await client.start();
      this.view.health("running");
    } catch (error) {
      this.client = undefined;
      this.failed(textOf(error));
    } finally {
      this.starting = false;
    }
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.view.health("stopped");
    if (client?.needsStop()) {
      await client.start().catch(() => undefined); // what is just starting can't be stopped
      await client.dispose().catch((error: unknown) => this.log.warn(textOf(error)));
    }
  }

  private async make(): Promise<Client> {
    const setting = vscode.workspace.getConfiguration(name).get<string>("server.path", "");
    const at = here(this.context.extensionPath);
    const program = findServer(setting, at);
    this.log.info(`the server is ${program.path}, named by ${program.from}`);
    const keys: Record<string, string | undefined> = {};
    for (const { variable } of providers) {
      keys[variable] = await this.context.secrets.get(variable);
    }
    const run = { command: program.path, args: ["serve"], options: { env: environment(at.env, keys) as NodeJS.ProcessEnv } };
    const client = new Client(name, name, run, this.options());
    client.onNotification(methods.status, (status: Status) => this.view.status(status));
    client.onDidChangeState(({ newState }) => {
      if (newState === State.StartFailed && !this.starting) {
        this.failed("it ended unexpectedly and could not be started again.");
      }
    });
    return client;
  }

  private options(): LanguageClientOptions {
    return {
      // Whatever is open counts: a run sees what is in the editor, saved or not.
      documentSelector: [{ scheme: "file" }],
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => this.settings(undefined),
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.ended(),
      },
      middleware: {
        handleWorkDoneProgress: (token, params, next) => {
          this.view.progress(token, params, () => this.cancelProgress(token));
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

  /** The server ended and nobody asked for it. */
  private ended(): { action: CloseAction; handled: true; message: string } {
    const wasUp = this.client?.isRunning() === true;
    const lost = this.view.busy() ? " What it was doing is lost, and nothing of it is in your files." : "";
    this.view.ended();
    if (wasUp && this.crashes.again(Date.now())) {
      void this.offer("warning", `autocoder's server ended unexpectedly and is started again.${lost}`, false);
      return { action: CloseAction.Restart, handled: true, message: "the server ended unexpectedly: it is started again" };
    }
    if (wasUp) {
      this.failed(`it ended unexpectedly ${mostCrashes + 1} times in a short time.${lost}`);
    }
    return { action: CloseAction.DoNotRestart, handled: true, message: "the server ended unexpectedly: it stays ended" };
  }

  private failed(why: string): void {
    this.view.health("failed");
    this.log.error(why);
    void this.offer("error", `autocoder's server does not run: ${why}`, true);
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

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
