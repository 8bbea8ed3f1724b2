// The user's main job, with keys and clicks.
import assert from "node:assert/strict";

const buggy = "def total(prices):\n    return sum(prices)\n\n\ndef is_free(prices):\n    return total(prices) != 0\n";
const fixed = buggy.replace("!=", "==");

export async function run(w) {
  await w.openFile("shop.py");
  await w.paste(buggy);
  await w.openFile("test_shop.py");
  await w.command("autocoder: Run tests");
  await w.page.locator(".squiggly-error").first().waitFor();
  await w.noticed("tests fail: 1 failed, 2 passed");
  await w.shot("squiggle");

  await w.codeAction("Fix failing tests", async () => (await w.notices()).some((n) => n.includes("autocoder: Fix failing tests")));
  await w.shot("progress");
  await w.statusBar("autocoder: fixed");
  await w.noticed("fixed: ");
  await w.openFile("shop.py");
  await w.until("the edit", async () => (await w.text()).includes("== 0"));
  await w.shot("fixed");
  assert.ok(!w.read("shop.py").includes("is_free"), "nothing is saved by itself");

  await w.focus();
  await w.page.keyboard.press("Control+Z");
  await w.until("one undo", async () => (await w.text()).includes("!= 0"));
  await w.page.keyboard.press("Control+Y");
  await w.page.keyboard.press("Control+S");
  await w.until("the file", () => w.read("shop.py") === fixed);

  await w.page.locator(".statusbar-item", { hasText: "autocoder: fixed" }).click();
  await w.page.locator(".quick-input-list .monaco-list-row", { hasText: "Show the report" }).click();
  await w.page.locator(".tab", { hasText: /Preview .*\.md/ }).first().waitFor();
  await w.shot("report");
}
