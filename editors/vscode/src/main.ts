// The extension: what it offers, and what becomes of it.

import * as vscode from "vscode";
import { Server } from "./client.ts";
import { commands, name, placeOf, providers, type Arguments, type Data } from "./protocol.ts";
import { View } from "./view.ts";

let server: Server | undefined;

/** VS Code calls this in a workspace that the user trusts, and in no other. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel(name, { log: true });
  const view = new View("autocoder.menu");
  server = new Server(context, log, view);
  context.subscriptions.push(log, view);
  for (const [id, run] of Object.entries(offered(context, server, view, log))) {
    context.subscriptions.push(vscode.commands.registerCommand(id, run));
  }
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration("autocoder.server.path")) {
        void server?.restart();
      }
    }),
  );
  await server.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

type Command = (given?: Arguments) => Promise<unknown> | void;

/** The commands: those of the server, completed by where the user is, and our own. */
function offered(context: vscode.ExtensionContext, server: Server, view: View, log: vscode.LogOutputChannel): Record<string, Command> {
  const execute = async (command: string, given?: Arguments) => {
    const args = await placed(given);
    return args && server.execute(command, args);
  };
  const all: Record<string, Command> = {};
  for (const id of [commands.fix, commands.runTests, commands.apply, commands.discard]) {
    all[id] = (given) => execute(id, given);
  }
  return {
    ...all,
    [commands.cancel]: (given) => cancel(server, given),
    [commands.report]: (given) => showReport(server, view, given),
    [commands.doctor]: async (given) => {
      log.show(true); // where the whole answer goes
      return execute(commands.doctor, given);
    },
    "autocoder.fixThisTest": async () => {
      const only = await testHere();
      return only && execute(commands.fix, { ...hereInEditor(), only: [only] });
    },
    "autocoder.restart": () => server.restart(),
    "autocoder.showLog": () => log.show(),
    "autocoder.setApiKey": () => setApiKey(context, server),
    "autocoder.menu": () => menu(view),
  };
}

/** Says which project a command is about, unless it says so itself. */
async function placed(given: Arguments | undefined): Promise<Arguments | undefined> {
  if (given?.uri || given?.root || given?.run || given?.alternative) {
    return given;
  }
  const here = hereInEditor();
  if (here.uri) {
    return { ...given, ...here };
  }
  const folders = vscode.workspace.workspaceFolders ?? [];
  const folder = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick() : folders[0];
  if (folder) {
    return { ...given, root: folder.uri.fsPath };
  }
  if (folders.length === 0) {
    void vscode.window.showWarningMessage("autocoder: open a file or a folder of the project first.");
  }
  return undefined;
}

function hereInEditor(): Arguments {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return uri && placeOf(uri) !== undefined ? { uri: uri.toString() } : {};
}

/** The failing test at the cursor, or one that the user picks of those in the file. */
async function testHere(): Promise<string | undefined> {
  const editor = vscode.window.activeTextEditor;
  const failing = (editor ? vscode.languages.getDiagnostics(editor.document.uri) : [])
    .map((diagnostic) => ({ diagnostic, test: (diagnostic as { data?: Data }).data?.test }))
    .filter((f): f is { diagnostic: vscode.Diagnostic; test: string } => f.diagnostic.source === name && f.test !== undefined);
  const line = editor?.selection.active.line;
  const at = failing.find((f) => f.diagnostic.range.start.line === line);
  if (at) {
    return at.test;
  }
  if (failing.length === 0) {
    void vscode.window.showInformationMessage("autocoder: no failing test is known in this file. Run the tests first.");
    return undefined;
  }
  return vscode.window.showQuickPick(failing.map((f) => f.test), { placeHolder: "The test to fix" });
}

async function cancel(server: Server, given: Arguments | undefined): Promise<unknown> {
  const answer = (await server.execute(commands.cancel, given ?? {})) as { cancelled: number } | undefined;
  if (answer?.cancelled === 0) {
    void vscode.window.showInformationMessage("autocoder: nothing is running.");
  }
  return answer;
}

async function showReport(server: Server, view: View, given: Arguments | undefined): Promise<void> {
  const run = given?.run ?? view.current()?.run ?? "";
  const result = await server.report(run);
  if (result) {
    await view.report(run || "last", result.markdown);
  }
}

/** Keeps a key where VS Code keeps secrets. The server gets it by its environment. */
async function setApiKey(context: vscode.ExtensionContext, server: Server): Promise<void> {
  const picks = providers.map((p) => ({ label: p.label, description: p.variable, variable: p.variable }));
  const provider = await vscode.window.showQuickPick(picks, { placeHolder: "The provider that the key is for" });
  if (!provider) {
    return;
  }
  const key = await vscode.window.showInputBox({
    title: `API key for ${provider.label}`,
    prompt: "Leave it empty to forget the key that is kept",
    password: true,
    ignoreFocusOut: true,
  });
  if (key === undefined) {
    return;
  }
  if (key === "") {
    await context.secrets.delete(provider.variable);
  } else {
    await context.secrets.store(provider.variable, key);
  }
  await server.restart();
}

/** What can be done, for a click on the status bar. */
async function menu(view: View): Promise<void> {
  const status = view.current();
  const items: (vscode.QuickPickItem & { command: string })[] = [];
  const add = (label: string, command: string, description = "") => items.push({ label, command, description });
  if (view.busy()) {
    add("$(debug-stop) Cancel", commands.cancel, status?.message);
  }
  if (status?.ready) {
    add("$(lightbulb) Apply the prepared fix", commands.apply);
  }
  add("$(beaker) Run tests", commands.runTests);
  add("$(wand) Fix failing tests", commands.fix);
  if (status?.run) {
    add("$(book) Show the report", commands.report, status.spent);
  }
  add("$(pulse) Doctor", commands.doctor);
  add("$(output) Show the log", "autocoder.showLog");
  add("$(refresh) Restart the server", "autocoder.restart");
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: status?.spent || "autocoder" });
  if (chosen) {
    await vscode.commands.executeCommand(chosen.command);
  }
}
