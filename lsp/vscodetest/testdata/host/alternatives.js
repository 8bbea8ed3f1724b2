// When several patches make the tests pass, the user takes one by its code action.
const { assert, wait, open, active, vscode, diagnostic, choose, undo } = require("./harness.js");

exports.run = async () => {
  const door = await open("door.py");
  const tests = await open("test_door.py");
  await active();
  const text = door.getText();
  await vscode.commands.executeCommand("autocoder.fix");
  const end = await diagnostic(tests, "gave_up");
  assert.equal(door.getText(), text, "the text before one is taken");

  await choose(tests, end.range.start.line, "Verify and apply alternative 1");
  await wait("the edit", () => door.getText() !== text);
  await diagnostic(door, "fixed");
  assert.ok(door.isDirty, "nothing is saved by itself");
  await undo(door);
  assert.equal(door.getText(), text, "the text after one undo");
  await vscode.commands.executeCommand("redo");
  assert.ok(await door.save());
};
