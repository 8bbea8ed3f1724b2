// A run that repairs some of the tests offers what it has.
const { assert, wait, open, active, vscode, diagnostic, ours, choose } = require("./harness.js");

exports.run = async () => {
  const lamp = await open("lamp.py");
  const tests = await open("test_lamp.py");
  await active();
  const text = lamp.getText();
  await vscode.commands.executeCommand("autocoder.fix");
  const end = await diagnostic(tests, "gave_up");
  assert.equal(lamp.getText(), text, "the text before it is taken");

  await choose(tests, end.range.start.line, "Apply the partial fix (1 of 2)");
  await wait("the edit", () => lamp.getText() === text.replace("!=", "=="));
  assert.ok(lamp.isDirty, "nothing is saved by itself");
  await wait("one test that still fails", () => ours(tests).filter((d) => d.code === "failing_test").length === 1);
};
