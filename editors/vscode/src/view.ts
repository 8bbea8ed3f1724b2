// What the user sees: the item in the status bar, the progress of what was asked
// for, and reports as documents.

import * as vscode from "vscode";
import type { WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport } from "vscode-languageclient";
import { placeOf, type Status } from "./protocol.ts";
import { describe, Statuses, type Health } from "./status.ts";

/** The scheme of reports as documents. */
const reportScheme = "autocoder-report";

/** A notification that shows how a job goes. */
interface Running {
  report(message: string): void;
  end(): void;
}

type Progress = WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd;

export class View implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly statuses = new Statuses();
  private readonly shown = new Map<string | number, Running>();
  private readonly reports = new Map<string, string>();
  private readonly owned: vscode.Disposable[];
  private now: Health = "stopped";
  /** A job that the server has begun and not told of yet, and the last that it told of. */
  private asked = "";
  private told = "";

  constructor(menu: string) {
    this.item = vscode.window.createStatusBarItem("autocoder.status", vscode.StatusBarAlignment.Left);
    this.item.name = "autocoder";
    this.item.command = menu;
    this.owned = [
      this.item,
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
      vscode.workspace.registerTextDocumentContentProvider(reportScheme, {
        provideTextDocumentContent: (uri) => this.reports.get(uri.path) ?? "This report is no longer at hand: ask for it again.",
      }),
    ];
    this.refresh();
    this.item.show();
  }

  dispose(): void {
    this.endAll();
    vscode.Disposable.from(...this.owned).dispose();
  }

  health(now: Health): void {
    this.now = now;
    if (now !== "running") {
      this.ended();
    }
    this.refresh();
  }

  status(status: Status): void {
    this.asked = "";
    this.told = status.job || this.told;
    this.statuses.take(status);
    this.refresh();
  }

  /** The status of the project that the user is in. */
  current(): Status | undefined {
    const uri = vscode.window.activeTextEditor?.document.uri;
    return this.statuses.at(uri && placeOf(uri));
  }

  /** The server says that it has begun a job. */
  began(job: string): void {
    this.asked = job === this.told ? "" : job;
  }

  busy(): boolean {
    return this.asked !== "" || this.statuses.running().length > 0;
  }

  /** The server ended: nothing of what it told is so any more. */
  ended(): void {
    this.asked = this.told = "";
    this.statuses.clear();
    this.endAll();
    this.refresh();
  }

  /** Shows the progress of a job as a notification that can cancel it. */
  progress(token: string | number, value: Progress, cancel: () => void): void {
    switch (value.kind) {
      case "begin":
        this.begin(token, value, cancel);
        break;
      case "report":
        this.shown.get(token)?.report(value.message ?? "");
        break;
      case "end":
        this.shown.get(token)?.end();
        this.shown.delete(token);
        break;
    }
  }

  /** Shows a report as a document, the way that Markdown is read. */
  async report(run: string, markdown: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: reportScheme, path: `/${run}.md` });
    this.reports.set(uri.path, markdown);
    const document = await vscode.workspace.openTextDocument(uri);
    try {
      await vscode.commands.executeCommand("markdown.showPreview", uri);
    } catch {
      await vscode.window.showTextDocument(document, { preview: true }); // an editor without the preview
    }
  }

  private begin(token: string | number, value: WorkDoneProgressBegin, cancel: () => void): void {
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: `autocoder: ${value.title}`,
      cancellable: value.cancellable === true,
    };
    void vscode.window.withProgress(options, (progress, cancelled) => {
      cancelled.onCancellationRequested(cancel);
      return new Promise<void>((resolve) => {
        this.shown.set(token, { report: (message) => progress.report({ message }), end: resolve });
      });
    });
  }

  private endAll(): void {
    for (const running of this.shown.values()) {
      running.end();
    }
    this.shown.clear();
  }

  private refresh(): void {
    const { text, tooltip, severity } = describe(this.now, this.current());
    this.item.text = text;
    this.item.tooltip = new vscode.MarkdownString(tooltip);
    this.item.backgroundColor = severity === "none" ? undefined : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
  }
}
