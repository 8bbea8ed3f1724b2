// What scenarios in the extension host use: waiting for effects, and what the user
// would do by VS Code's own interface.
const assert = require("node:assert/strict");
const vscode = require("vscode");

const patience = 120_000;

/** Waits until is() is true, and returns what it is. */
async function wait(what, is, long = patience) {
  const began = Date.now();
  for (;;) {
    const value = await is();
    if (value) return value;
    if (Date.now() - began > long) throw new Error(`waited for ${what} in vain\n${situation()}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** What can be seen, for the message of a failure. */
function situation() {
  const lines = [];
  for (const [uri, list] of vscode.languages.getDiagnostics()) {
    for (const d of list) lines.push(`${uri.fsPath}:${d.range.start.line + 1} ${d.source} ${codeOf(d)} ${d.message}`);
  }
  for (const d of vscode.workspace.textDocuments) lines.push(`${d.uri.toString()} dirty=${d.isDirty}\n${d.getText().slice(0, 2000)}`);
  return lines.join("\n");
}

const folder = () => vscode.workspace.workspaceFolders[0].uri;
const uriOf = (name) => vscode.Uri.joinPath(folder(), name);
const codeOf = (d) => (typeof d.code === "object" ? d.code.value : d.code);

/** Opens a file of the project and shows it. */
async function open(name) {
  const document = await vscode.workspace.openTextDocument(uriOf(name));
  await vscode.window.showTextDocument(document);
  return document;
}

/** The folders of a workspace file. Without them after a while, the window is loaded again. */
async function folders(n) {
  await wait("the folders of the window", () => vscode.workspace.workspaceFolders?.length === n, 10_000);
  return vscode.workspace.workspaceFolders;
}

/** The extension, when it is active. */
async function active() {
  const extension = vscode.extensions.getExtension("autocoder.autocoder");
  assert.ok(extension, "the extension is installed");
  await extension.activate();
  return extension;
}

/** Writes a text into a document as its user would: unsaved, and one step to undo. */
async function type(document, text) {
  const all = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, all, text);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

/** Our diagnostics of a file. */
const ours = (document) => vscode.languages.getDiagnostics(document.uri).filter((d) => d.source === "autocoder");

const all = () => vscode.languages.getDiagnostics().flatMap(([, list]) => list.filter((d) => d.source === "autocoder"));

/** Waits for a diagnostic of ours with a code. */
const diagnostic = (document, code) => wait(`the diagnostic ${code}`, () => ours(document).find((d) => codeOf(d) === code));

/** The code actions at a line, from 0. */
async function actionsAt(document, line, resolve = 0) {
  const range = document.lineAt(line).range;
  return vscode.commands.executeCommand("vscode.executeCodeActionProvider", document.uri, range, undefined, resolve);
}

/** Chooses the code action whose title begins so, as the menu would. */
async function choose(document, line, title) {
  await vscode.window.showTextDocument(document);
  const find = (list) => list.find((a) => a.title.startsWith(title));
  const action = await wait(`the code action ${title}`, async () => find(await actionsAt(document, line, 30)));
  if (action.edit) assert.ok(await vscode.workspace.applyEdit(action.edit), "the edit of the action");
  if (action.command) await vscode.commands.executeCommand(action.command.command, ...(action.command.arguments ?? []));
  return action;
}

/** Undoes one step in a document. */
async function undo(document) {
  await vscode.window.showTextDocument(document);
  await vscode.commands.executeCommand("undo");
}

module.exports = { assert, vscode, wait, folders, open, active, type, ours, all, diagnostic, actionsAt, choose, undo, codeOf, uriOf };
