// Two folders in one window: each has its own settings, runs and diagnostics, and one
// that goes takes them along.
const { assert, vscode, wait, active, folders, ours, diagnostic, undo } = require("./harness.js");

const fixed = "def is_off(watts):\n    return watts == 0\n";

exports.run = async () => {
  const [one, two] = await folders(2);
  const open = async (folder, name) => {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder.uri, name));
    await vscode.window.showTextDocument(document);
    return document;
  };
  await active();
  const config = vscode.workspace.getConfiguration("autocoder", two.uri);
  await config.update("proposer", "null", vscode.ConfigurationTarget.WorkspaceFolder);
  const lamps = [await open(one, "lamp.py"), await open(two, "lamp.py")];
  const tests = [await open(one, "test_lamp.py"), await open(two, "test_lamp.py")];

  // Both at once: what runs in one is in nobody's way.
  await vscode.commands.executeCommand("autocoder.fix", { uri: lamps[0].uri.toString() });
  await vscode.commands.executeCommand("autocoder.fix", { uri: lamps[1].uri.toString() });
  await diagnostic(lamps[0], "fixed");
  await diagnostic(tests[1], "no_progress");
  assert.equal(lamps[0].getText(), fixed);
  assert.match(lamps[1].getText(), /watts != 0/);
  assert.equal(ours(tests[0]).length, 0, "diagnostics of the first folder's tests");
  await undo(lamps[0]);
  assert.ok(!lamps[0].isDirty, "one undo takes it back");

  // A folder that goes, and comes again.
  assert.ok(vscode.workspace.updateWorkspaceFolders(1, 1));
  await wait("no diagnostics of the folder that is gone", () => ours(tests[1]).length === 0);
  assert.ok(vscode.workspace.updateWorkspaceFolders(1, 0, { uri: two.uri }));
  await wait("the folder", () => vscode.workspace.workspaceFolders.length === 2);
  await vscode.window.showTextDocument(tests[1]);
  await vscode.commands.executeCommand("autocoder.runTests");
  const squiggle = await diagnostic(tests[1], "failing_test");
  assert.equal(squiggle.range.start.line, 4, "line of the failing assertion, from 0");
  assert.equal(ours(tests[0]).length, 0, "diagnostics of the other folder");
};
