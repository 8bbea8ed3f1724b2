// The test at the cursor is repaired, in a file that is not open.
const { assert, vscode, wait, open, active, diagnostic, uriOf } = require("./harness.js");

exports.run = async () => {
  const tests = await open("test_lamp.py");
  await active();
  await vscode.commands.executeCommand("autocoder.runTests");
  const squiggle = await diagnostic(tests, "failing_test");
  vscode.window.activeTextEditor.selection = new vscode.Selection(squiggle.range.start, squiggle.range.start);
  await vscode.commands.executeCommand("autocoder.fixThisTest");
  const lamp = await wait("the edit", () =>
    vscode.workspace.textDocuments.find((d) => d.uri.fsPath === uriOf("lamp.py").fsPath && d.getText().includes("watts == 0")));
  await diagnostic(lamp, "fixed");
  assert.ok(lamp.isDirty, "nothing is saved by itself");
  assert.ok(await lamp.save());
};
