// A buffer of 6 MB that is typed into, of which the tests see every letter.
const { assert, vscode, open, active, diagnostic, uriOf } = require("./harness.js");
const fs = require("node:fs");

exports.run = async () => {
  const line = "a line of a file that is much larger than any that people write\n";
  fs.writeFileSync(uriOf("large.txt").fsPath, "first é\n" + line.repeat(100_000));
  const large = await open("large.txt");
  const lamp = await open("lamp.py");
  await active();
  const insert = async (at, text) => {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(large.uri, large.positionAt(at), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
  };
  await insert(large.offsetAt(new vscode.Position(50_000, 0)), "typed 💡 there\n");
  await insert(large.getText().length, "last");
  for (let n = 0; n < 50; n++) {
    await insert(large.offsetAt(new vscode.Position(50_000, 9)), "x"); // and taken back
  }
  const edit = new vscode.WorkspaceEdit();
  edit.replace(large.uri, new vscode.Range(50_000, 9, 50_000, 64), "here");
  assert.ok(await vscode.workspace.applyEdit(edit));
  assert.equal(large.lineAt(50_000).text, "typed 💡 here");

  await vscode.commands.executeCommand("autocoder.fix");
  await diagnostic(lamp, "fixed");
  assert.match(lamp.getText(), /watts == 0/);
  assert.ok((await lamp.save()) && (await large.save()));
};
