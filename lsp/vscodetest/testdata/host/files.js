// The test at the cursor is repaired by an edit of a file that is not open, of one that
// is, of one that is made and of one that goes.
const { assert, vscode, wait, open, active, type, diagnostic, uriOf } = require("./harness.js");
const fs = require("node:fs");

const fixed = "def is_off(watts):\n    return watts == 0\n";
const made = "made = 1  # é 💡\n";

exports.run = async () => {
  const script = uriOf("").fsPath + "-edits.json";
  const edits = { write: { "lamp.py": fixed, "made.py": made, "rooms.py": "rooms = 3\ndoors = 2\n# typed\n" }, delete: ["old.py"] };
  fs.writeFileSync(script, JSON.stringify(edits));
  fs.writeFileSync(uriOf("old.py").fsPath, "old = 1\n");
  fs.writeFileSync(uriOf("rooms.py").fsPath, "rooms = 1\ndoors = 2\n");
  const rooms = await open("rooms.py");
  await type(rooms, "rooms = 1\ndoors = 2\n# typed\n");
  const tests = await open("test_lamp.py");
  await active();
  await vscode.workspace.getConfiguration("autocoder").update("proposer", `script:${script}`, vscode.ConfigurationTarget.Workspace);
  await vscode.commands.executeCommand("autocoder.runTests");
  const squiggle = await diagnostic(tests, "failing_test");
  vscode.window.activeTextEditor.selection = new vscode.Selection(squiggle.range.start, squiggle.range.start);
  await vscode.commands.executeCommand("autocoder.fixThisTest");
  const shown = (name, text) => wait(`the edit of ${name}`, () =>
    vscode.workspace.textDocuments.find((d) => d.uri.fsPath === uriOf(name).fsPath && d.getText() === text));
  const documents = [await shown("lamp.py", fixed), await shown("made.py", made), await shown("rooms.py", edits.write["rooms.py"])];
  await diagnostic(documents[0], "fixed");
  assert.ok(documents.every((d) => d.isDirty), "nothing is saved by itself");
  assert.equal(fs.readFileSync(uriOf("made.py").fsPath, "utf8"), "", "the new file");
  assert.ok(!fs.existsSync(uriOf("old.py").fsPath), "the file that goes");
  assert.match(fs.readFileSync(uriOf("lamp.py").fsPath, "utf8"), /watts != 0/);
  for (const d of documents) assert.ok(await d.save());
  assert.equal(fs.readFileSync(uriOf("made.py").fsPath, "utf8"), made);
};
