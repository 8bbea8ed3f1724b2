// Who wants to see each edit before it is made sees it, may decline it, and finds it
// again.
import assert from "node:assert/strict";

const fixed = "def is_off(watts):\n    return watts == 0\n";

export async function run(w) {
  const text = w.read("lamp.py");
  await w.openFile("lamp.py");
  await w.command("autocoder: Fix failing tests");
  const preview = w.page.locator(".bulk-edit-panel");
  await preview.waitFor();
  await w.shot("preview");
  assert.ok((await w.text()).includes("!= 0"), "the text before it is confirmed");
  await preview.getByRole("button", { name: "Discard" }).click();
  await w.noticed("the editor did not apply it");
  assert.equal(w.read("lamp.py"), text);
  assert.equal(await w.page.locator(".tab.dirty").count(), 0, "the buffer is untouched");

  await w.forget();
  await w.command("autocoder: Apply the prepared fix");
  await preview.waitFor();
  const box = preview.locator(".monaco-list-row").getByRole("checkbox").first();
  if ((await box.getAttribute("aria-checked")) !== "true") await box.click();
  await preview.getByRole("button", { name: "Apply" }).click();
  await w.statusBar("autocoder: fixed");
  await w.noticed("applied to 1 file");
  await w.openFile("lamp.py");
  await w.focus();
  await w.page.keyboard.press("Control+S");
  await w.until("the file", () => w.read("lamp.py") === fixed);
}
