// Nothing runs in a workspace that is not trusted; once it is, everything does.
import assert from "node:assert/strict";

export async function run(w) {
  await w.statusBar("Restricted Mode");
  await w.openFile("test_lamp.py");
  await w.page.keyboard.press("F1");
  const input = w.page.locator(".quick-input-widget input").first();
  await input.fill(">autocoder");
  await w.page.locator(".quick-input-list").getByText("No matching commands").waitFor();
  await w.shot("restricted");
  await w.page.keyboard.press("Escape");
  assert.deepEqual(w.servers(), [], "servers");
  assert.equal(await w.page.locator(".statusbar-item", { hasText: "autocoder" }).count(), 0);

  await w.page.locator(".statusbar-item", { hasText: "Restricted Mode" }).click();
  await w.page.locator(".workspace-trust-editor").waitFor();
  await w.shot("trust");
  await w.page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true }).click();
  await w.statusBar("autocoder");
  await w.openFile("test_lamp.py");
  await w.command("autocoder: Run tests");
  await w.page.locator(".squiggly-error").first().waitFor();
  await w.shot("trusted");
}
