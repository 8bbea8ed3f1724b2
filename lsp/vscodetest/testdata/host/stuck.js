// A project that nothing repairs ends in its stop reason, at the failing test. The
// settings count from the next run on.
const { assert, vscode, wait, open, active, diagnostic, all, choose } = require("./harness.js");

exports.run = async () => {
  const odd = await open("odd.py");
  const tests = await open("test_odd.py");
  await active();
  const text = odd.getText();
  const config = vscode.workspace.getConfiguration("autocoder");
  for (const [proposer, outcome] of [["repair", "gave_up"], ["null", "no_progress"]]) {
    await config.update("proposer", proposer, vscode.ConfigurationTarget.Workspace);
    await vscode.commands.executeCommand("autocoder.fix");
    const d = await diagnostic(tests, outcome);
    assert.equal(d.range.start.line, 4, "line of the failing assertion, from 0");
    assert.equal(d.severity, vscode.DiagnosticSeverity.Warning);
    assert.ok(d.message.startsWith(outcome + ": ") && d.message.length > outcome.length + 2, d.message);
    await diagnostic(tests, "failing_test");
    assert.equal(odd.getText(), text);
    assert.ok(!odd.isDirty && !tests.isDirty, "nothing is touched");
  }
  await choose(tests, 4, "Dismiss");
  await wait("no diagnostics", () => all().length === 0);
};
