// Where nothing isolates the tests, the user is asked before they run; a no is a no,
// and a yes holds for the folder.
import assert from "node:assert/strict";

const question = "Run tests and edits of";

export async function run(w) {
  await w.openFile("test_lamp.py");
  await w.command("autocoder: Run tests");
  await w.noticed(question);
  await w.shot("question");
  await w.notification(question).getByRole("button", { name: "Not now" }).click();
  await w.noticed("the tests can't be run");
  assert.equal(await w.page.locator(".squiggly-error").count(), 0, "nothing ran");

  await w.forget();
  await w.command("autocoder: Run tests");
  await w.noticed(question);
  await w.notification(question).getByRole("button", { name: "Allow it in this folder" }).click();
  await w.noticed("tests fail: 1 failed");
  await w.page.locator(".squiggly-error").first().waitFor();

  await w.forget();
  await w.command("autocoder: Run tests");
  await w.noticed("tests fail: 1 failed");
  assert.ok(!(await w.notices()).some((n) => n.includes(question)), "it is asked once");
}
