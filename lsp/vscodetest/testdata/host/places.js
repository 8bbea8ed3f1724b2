// A folder with an odd name, a module that was never saved, and a project beside
// the folder that is open.
const { assert, vscode, wait, open, active, type, ours, diagnostic, choose, undo, uriOf } = require("./harness.js");
const fs = require("node:fs");
const path = require("node:path");

const buggy = "def is_off(watts):\n    return watts != 0  # 💡 é\n";
const fixed = buggy.replace("!=", "==");

exports.run = async () => {
  const tests = await open("test_lamp.py");
  const lamp = await vscode.workspace.openTextDocument(uriOf("lamp.py").with({ scheme: "untitled" }));
  await vscode.window.showTextDocument(lamp);
  await active();
  await type(lamp, buggy);

  await vscode.commands.executeCommand("autocoder.runTests");
  const squiggle = await diagnostic(tests, "failing_test");
  await choose(tests, squiggle.range.start.line, "Fix failing tests");
  await diagnostic(lamp, "fixed");
  assert.equal(lamp.getText(), fixed);
  assert.ok(!fs.existsSync(uriOf("lamp.py").fsPath), "nothing is saved by itself");
  await undo(lamp);
  assert.equal(lamp.getText(), buggy, "the text after one undo");
  await vscode.commands.executeCommand("redo");
  assert.ok(await lamp.save());
  await wait("the file", () => fs.existsSync(uriOf("lamp.py").fsPath));
  assert.equal(fs.readFileSync(uriOf("lamp.py").fsPath, "utf8"), fixed);

  // The file stands in the place of what was never saved, and changes of it count.
  const saved = await open("lamp.py");
  assert.equal(saved.uri.scheme, uriOf("lamp.py").scheme);
  await type(saved, buggy);
  await vscode.commands.executeCommand("autocoder.runTests");
  await diagnostic(tests, "failing_test");
  await type(saved, fixed);
  await vscode.commands.executeCommand("autocoder.runTests");
  await wait("no diagnostics", () => ours(tests).length === 0);
  assert.ok(await saved.save());

  const beside = path.join(path.dirname(uriOf("").fsPath), "beside " + path.basename(uriOf("").fsPath));
  fs.mkdirSync(beside);
  fs.writeFileSync(path.join(beside, "lamp.py"), buggy);
  fs.copyFileSync(uriOf("test_lamp.py").fsPath, path.join(beside, "test_lamp.py"));
  const other = await vscode.workspace.openTextDocument(uriOf("").with({ path: path.join(beside, "lamp.py") }));
  await vscode.window.showTextDocument(other);
  await vscode.commands.executeCommand("autocoder.fix");
  await diagnostic(other, "fixed");
  assert.equal(other.getText(), fixed);
  assert.ok(await other.save());
};
