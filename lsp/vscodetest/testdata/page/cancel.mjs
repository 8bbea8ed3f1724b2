// A run is cancelled by the button of its notification, once.
import assert from "node:assert/strict";

export async function run(w) {
  const text = w.read("slow.py");
  await w.openFile("slow.py");
  await w.command("autocoder: Fix failing tests");
  await w.noticed("running the tests");
  await w.statusBar("autocoder: running the tests");
  await w.shot("running");
  await w.notification("running the tests").getByRole("button", { name: "Cancel" }).click();
  await w.statusBar("autocoder: cancelled");
  await w.until("the notification to go", async () => !(await w.notices()).some((n) => n.includes("running the tests")));
  await w.shot("cancelled");
  assert.equal(w.read("slow.py"), text);
  assert.equal(await w.page.locator(".tab.dirty").count(), 0, "the buffer is untouched");
}
