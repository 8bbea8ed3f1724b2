// An editor on npm's client of the protocol, which shares no code with the server:
// buffers, a disk, undo, and a user who waits for what is to be seen.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const require = createRequire(process.env.TEST_MODULES + '/');
export const P = require('vscode-languageserver-protocol/node');
const { TextDocument } = require('vscode-languageserver-textdocument');

const late = 40_000;

const capabilities = {
  general: { positionEncodings: ['utf-16'] },
  window: { workDoneProgress: true },
  workspace: {
    applyEdit: true,
    configuration: true,
    workspaceFolders: true,
    didChangeWatchedFiles: { dynamicRegistration: true },
    codeLens: { refreshSupport: true },
    workspaceEdit: {
      documentChanges: true,
      resourceOperations: ['create', 'delete', 'rename'],
      changeAnnotationSupport: { groupsOnLabel: true },
    },
  },
  textDocument: {
    codeAction: {
      codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'source'] } },
      dataSupport: true,
      resolveSupport: { properties: ['edit'] },
      tagSupport: { valueSet: [1] },
    },
    publishDiagnostics: { relatedInformation: true, versionSupport: true, tagSupport: { valueSet: [1, 2] } },
  },
};

class Editor {
  constructor(settings) {
    this.settings = settings;
    this.buffers = new Map(); // TextDocuments by URI
    this.saved = new Map();
    this.undoable = [];
    this.diagnostics = new Map();
    this.progress = [];
    this.tokens = [];
    this.messages = [];
    this.statuses = [];
    this.watched = [];
    this.edits = [];
    this.wake = () => {};
    this.process = spawn(process.env.TEST_AUTOCODER, ['serve', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.ended = new Promise((resolve) => this.process.on('exit', (code) => resolve(code)));
    const c = P.createProtocolConnection(
      new P.StreamMessageReader(this.process.stdout), new P.StreamMessageWriter(this.process.stdin));
    this.connection = c;
    const on = (type, f) => c.onNotification(type, (p) => { f(p); this.wake(); });
    const answer = (type, f) => c.onRequest(type, (p) => { const a = f(p); this.wake(); return a; });
    on(P.PublishDiagnosticsNotification.type, (p) => this.diagnostics.set(p.uri, p.diagnostics));
    on(P.ShowMessageNotification.type, (p) => this.messages.push(p.message));
    on(P.LogMessageNotification.type, () => {});
    on('autocoder/status', (p) => this.statuses.push(p));
    on('$/progress', (p) => this.progress.push(p.value));
    answer(P.WorkDoneProgressCreateRequest.type, (p) => { this.tokens.push(p.token); });
    answer(P.ConfigurationRequest.type, (p) => p.items.map(() => this.settings));
    answer(P.RegistrationRequest.type, (p) => { this.watched.push(...p.registrations); });
    answer(P.CodeLensRefreshRequest.type, () => {});
    answer(P.ApplyWorkspaceEditRequest.type, (p) => { this.edits.push(p); return this.make(p.edit); });
    c.listen();
  }

  uri(name) { return pathToFileURL(join(process.cwd(), name)).href; }
  text(name) { return this.buffers.get(this.uri(name)).getText(); }
  disk(name) { return readFileSync(name, 'utf8'); }
  at(name) { return this.diagnostics.get(this.uri(name)) ?? []; }

  open(name) {
    const uri = this.uri(name);
    const text = this.disk(name);
    this.buffers.set(uri, TextDocument.create(uri, 'python', 1, text));
    this.connection.sendNotification(P.DidOpenTextDocumentNotification.type,
      { textDocument: { uri, languageId: 'python', version: 1, text } });
  }

  // Makes changes of a buffer, each of which is for the text that the others left.
  change(uri, contentChanges) {
    const doc = this.buffers.get(uri);
    TextDocument.update(doc, contentChanges, doc.version + 1);
    this.connection.sendNotification(P.DidChangeTextDocumentNotification.type,
      { textDocument: { uri, version: doc.version }, contentChanges });
  }

  // Puts a text in the place of the first occurrence of another.
  type(name, old, text) {
    const doc = this.buffers.get(this.uri(name));
    const start = doc.getText().indexOf(old);
    if (start < 0) throw new Error(`${name} has no ${old}`);
    this.undoable.push(new Map([[doc.uri, doc.getText()]]));
    const range = { start: doc.positionAt(start), end: doc.positionAt(start + old.length) };
    this.change(doc.uri, [{ range, text }]);
  }

  save(name) {
    writeFileSync(name, this.text(name));
    this.connection.sendNotification(P.DidSaveTextDocumentNotification.type,
      { textDocument: { uri: this.uri(name) }, text: this.text(name) });
  }

  // Makes an edit of the server's: all of it, or nothing.
  make(edit) {
    const before = new Map();
    const after = [];
    for (const c of edit.documentChanges ?? []) {
      const doc = this.buffers.get(c.textDocument?.uri);
      if (!doc) return { applied: false, failureReason: 'a file that is not open' };
      if (c.textDocument.version !== doc.version) return { applied: false, failureReason: 'another version' };
      before.set(doc.uri, doc.getText());
      after.push([doc.uri, TextDocument.applyEdits(doc, c.edits)]);
    }
    if (after.length === 0) return { applied: false, failureReason: 'nothing to do' };
    for (const [uri, text] of after) this.change(uri, [{ text }]);
    this.undoable.push(before);
    return { applied: true };
  }

  undo() {
    for (const [uri, text] of this.undoable.pop()) this.change(uri, [{ text }]);
  }

  async wait(what, is) {
    const end = Date.now() + late;
    for (;;) {
      const value = is();
      if (value) return value;
      const left = end - Date.now();
      if (left <= 0) throw new Error(`waited for ${what} in vain\n${this.situation()}`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, left);
        this.wake = () => { clearTimeout(timer); resolve(); };
      });
    }
  }

  diagnostic(name, code) {
    return this.wait(`${code} in ${name}`, () => this.at(name).find((d) => d.source === 'autocoder' && d.code === code));
  }

  // Waits until nothing runs any more, for the nth time.
  ended1(n) {
    return this.wait(`the end of ${n} jobs`, () => this.statuses.filter((s) => s.state === 'idle')[n - 1]);
  }

  async menu(name, line) {
    const position = { line, character: 0 };
    return this.connection.sendRequest(P.CodeActionRequest.type, {
      textDocument: { uri: this.uri(name) },
      range: { start: position, end: position },
      context: { diagnostics: this.at(name).filter((d) => d.range.start.line === line), triggerKind: 1 },
    });
  }

  // Chooses the code action whose title begins so.
  async choose(name, line, title) {
    const actions = await this.menu(name, line);
    let action = actions.find((a) => a.title.startsWith(title));
    if (!action) throw new Error(`no action ${title}, only ${actions.map((a) => a.title)}`);
    if (!action.edit && action.data) {
      action = await this.connection.sendRequest(P.CodeActionResolveRequest.type, action);
    }
    if (action.edit) equal(this.make(action.edit), { applied: true }, 'the edit of ' + title);
    if (action.command) await this.execute(action.command.command, action.command.arguments[0]);
    return action;
  }

  execute(command, args) {
    return this.connection.sendRequest(P.ExecuteCommandRequest.type, { command, arguments: [args] });
  }

  async quit() {
    await this.connection.sendRequest(P.ShutdownRequest.type);
    await this.connection.sendNotification(P.ExitNotification.type);
    equal(await this.ended, 0, 'exit code of the server');
  }

  situation() {
    return JSON.stringify({
      diagnostics: [...this.diagnostics], progress: this.progress, messages: this.messages,
      statuses: this.statuses.slice(-3), buffers: [...this.buffers.values()].map((d) => [d.uri, d.version, d.getText()]),
    }, null, 1);
  }
}

export function check(so, what) {
  if (!so) throw new Error('not so: ' + what);
}

export function equal(got, want, what) {
  if (!isDeepStrictEqual(got, want)) {
    throw new Error(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
  }
}

// Runs a scenario in an editor on the current folder.
export async function scenario(settings, play) {
  const e = new Editor({ interpreter: { pytest: process.env.TEST_PYTHON }, ...settings });
  try {
    await e.connection.sendRequest(P.InitializeRequest.type, {
      processId: process.pid, rootUri: null, capabilities,
      workspaceFolders: [{ uri: pathToFileURL(process.cwd()).href, name: 'project' }],
    });
    await e.connection.sendNotification(P.InitializedNotification.type, {});
    await play(e);
    await e.quit();
  } catch (err) {
    console.error(err.stack + '\n' + e.situation());
    e.process.kill('SIGKILL');
    process.exitCode = 1;
  }
}
