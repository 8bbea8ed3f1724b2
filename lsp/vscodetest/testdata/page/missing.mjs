// A program that is not there is said, with what to do about it.
import assert from "node:assert/strict";

export async function run(w) {
  await w.openFile("lamp.py");
  const notice = await w.noticed("server.path names /nowhere/autocoder, which is no program");
  for (const button of ["Restart the server", "Open Settings", "Show the log"]) {
    assert.ok(notice.includes(button), button);
  }
  await w.shot("missing");
  assert.deepEqual(w.servers(), []);
  await w.notification("/nowhere/autocoder").getByRole("button", { name: "Open Settings" }).click();
  await w.page.locator(".settings-editor").waitFor();
}
