// The doctor speaks; a key is kept as a secret, the server gets it, shows it to nobody,
// and asks a server of models with it, which the test looks at.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

export async function run(w) {
  await w.openFile("lamp.py");
  await w.command("autocoder: Doctor");
  await w.noticed("pytest");
  await w.shot("doctor");

  const [before] = await w.until("a server", () => w.servers().length === 1 && w.servers());
  await w.command("autocoder: Set API key");
  await w.page.locator(".quick-input-list .monaco-list-row", { hasText: "OpenAI" }).click();
  const input = w.page.locator(".quick-input-widget input[type=password]");
  await input.fill("a-secret-key");
  await w.shot("key");
  await input.press("Enter");
  const [now] = await w.until("another server", () => {
    const found = w.servers();
    return found.length === 1 && found[0] !== before && found;
  });
  await w.forget();
  await w.openFile("lamp.py"); // in front of the doctor's report
  await w.command("autocoder: Doctor");
  await w.noticed("pytest");
  assert.ok(!readFileSync(`/proc/${now}/environ`, "utf8").includes("a-secret-key"));
  for (const settings of ["User", "Machine"]) {
    assert.ok(!w.settings(settings).includes("a-secret-key"));
  }
}
