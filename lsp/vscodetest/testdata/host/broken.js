// A project that can't be run ends in unrunnable, at the syntax error.
const { assert, vscode, open, active, type, diagnostic } = require("./harness.js");

exports.run = async () => {
  await open("test_broken.py");
  const broken = await open("broken.py");
  await active();
  await type(broken, "def one():\n    return 1\n\n\ndef two(:\n    return 2\n");
  await vscode.commands.executeCommand("autocoder.fix");
  const d = await diagnostic(broken, "unrunnable");
  assert.equal(d.range.start.line, 4, "line of the syntax error, from 0");
  assert.equal(d.severity, vscode.DiagnosticSeverity.Error);
};
