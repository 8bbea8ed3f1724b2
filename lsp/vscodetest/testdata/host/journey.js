// The user's main job: the bug is in an unsaved buffer, and goes away.
const { assert, vscode, wait, open, active, type, ours, diagnostic, actionsAt, choose, undo } = require("./harness.js");
const fs = require("node:fs");

const buggy = "def total(prices):\n    return sum(prices)\n\n\ndef is_free(prices):\n    return total(prices) != 0\n";

exports.run = async () => {
  const tests = await open("test_shop.py");
  const shop = await open("shop.py");
  const { packageJSON } = await active();
  const known = new Set(await vscode.commands.getCommands());
  for (const { command } of packageJSON.contributes.commands) {
    assert.ok(known.has(command), `a command ${command}`);
  }
  const disk = shop.getText();
  await type(shop, buggy);

  await vscode.commands.executeCommand("autocoder.runTests");
  const squiggle = await diagnostic(tests, "failing_test");
  assert.equal(squiggle.range.start.line, 8, "line of the failing assertion, from 0");
  assert.equal(squiggle.severity, vscode.DiagnosticSeverity.Error);
  assert.ok(squiggle.message.includes("test_free"), squiggle.message);
  assert.equal(ours(tests).length, 1, "diagnostics in the test file");

  const titles = (await actionsAt(tests, 8)).map((a) => a.title);
  assert.ok(titles.some((t) => t.startsWith("Fix this test: ") && t.includes("test_free")), titles.join(", "));
  const lenses = await vscode.commands.executeCommand("vscode.executeCodeLensProvider", tests.uri, 10);
  for (const title of ["Run tests", "Fix failing tests", "Fix this test"]) {
    assert.ok(lenses.some((l) => l.command?.title === title), `a lens ${title}`);
  }

  await choose(tests, 8, "Fix failing tests");
  const done = await diagnostic(shop, "fixed");
  assert.equal(done.range.start.line, 5, "line of the edit, from 0");
  assert.equal(done.severity, vscode.DiagnosticSeverity.Information);
  assert.equal(shop.getText(), buggy.replace("!=", "=="));
  assert.ok(shop.isDirty, "nothing is saved by itself");
  assert.equal(fs.readFileSync(shop.uri.fsPath, "utf8"), disk, "the file before it is saved");
  assert.equal(ours(tests).length, 0, "diagnostics in the test file");

  await choose(shop, 5, "Show the report");
  await wait("the report", () =>
    vscode.window.tabGroups.all.flatMap((g) => g.tabs).some((t) => /markdown/.test(t.input?.viewType ?? "")));
  const report = vscode.workspace.textDocuments.find((d) => d.uri.scheme === "autocoder-report");
  assert.match(report.getText(), /# fixed[^]*```diff/);

  await undo(shop);
  assert.equal(shop.getText(), buggy, "the text after one undo");
  await vscode.commands.executeCommand("redo");
  assert.equal(shop.getText(), buggy.replace("!=", "=="), "the text after redo");
  assert.ok(await shop.save());
};
