// What is asked in the instant in which the server dies is not lost.
const { assert, vscode, wait, open, active, ours, diagnostic } = require("./harness.js");
const fs = require("node:fs");

/** The server of this window, by /proc. */
function server() {
  return fs.readdirSync("/proc").find((pid) => {
    try {
      const status = fs.readFileSync(`/proc/${pid}/status`, "utf8");
      const command = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return status.includes(`\nPPid:\t${process.pid}\n`) && command.endsWith("\0serve\0");
    } catch {
      return false; // it is no process, or gone
    }
  });
}

// When the command is given, seen from the kill.
const moments = [
  async (kill, ask) => (kill(), ask()),
  async (kill, ask) => (kill(), await new Promise(setImmediate), ask()),
  async (kill, ask) => (kill(), await wait("the end of the server", () => server() === undefined), ask()),
];

exports.run = async () => {
  const tests = await open("test_lamp.py");
  await active();
  for (const at of moments) {
    const pid = await wait("a server", server);
    const answer = await at(() => process.kill(Number(pid), "SIGKILL"), () => vscode.commands.executeCommand("autocoder.runTests"));
    assert.ok(answer?.job, "the command is carried out");
    await diagnostic(tests, "failing_test");
    assert.notEqual(server(), pid);
    await vscode.commands.executeCommand("autocoder.discard");
    await wait("no diagnostics", () => ours(tests).length === 0);
  }
};
