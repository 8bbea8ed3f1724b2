// What is saved is repaired in the background, and the fix waits to be taken.
const { assert, vscode, wait, open, active, type, ours, all, diagnostic, choose, undo } = require("./harness.js");

const buggy = "def total(prices):\n    return sum(prices)\n\n\ndef is_free(prices):\n    return total(prices) != 0\n";

exports.run = async () => {
  const shop = await open("shop.py");
  await active();
  await type(shop, buggy);
  assert.ok(await shop.save());

  const hint = await diagnostic(shop, "fix_ready");
  assert.equal(hint.range.start.line, 5, "line of the edit, from 0");
  assert.equal(hint.severity, vscode.DiagnosticSeverity.Hint);
  assert.equal(all().length, 1, "diagnostics of ours");
  assert.equal(shop.getText(), buggy, "the text before the fix is taken");
  assert.ok(!shop.isDirty);

  // It goes with its base, and comes back with it though there is nothing to save.
  await type(shop, `\n${buggy}`);
  await wait("the hint to go", () => all().length === 0);
  await undo(shop);
  assert.equal((await diagnostic(shop, "fix_ready")).range.start.line, 5, "line of the edit, again");
  assert.ok(!shop.isDirty);

  await choose(shop, 5, "Apply the prepared fix (1 file, +1 −1)");
  await wait("the edit", () => shop.getText() === buggy.replace("!=", "=="));
  await wait("the hint to go", () => ours(shop).length === 0);
  await undo(shop);
  assert.equal(shop.getText(), buggy, "the text after one undo");
  await diagnostic(shop, "fix_ready");
  await vscode.commands.executeCommand("redo");
  assert.ok(await shop.save());
};
