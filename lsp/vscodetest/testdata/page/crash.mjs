// A server that is killed is started again, and the user is told.
export async function run(w) {
  await w.openFile("test_lamp.py");
  await w.statusBar("autocoder");
  await w.command("autocoder: Run tests");
  await w.page.locator(".squiggly-error").first().waitFor();

  await w.killServer();
  await w.noticed("ended unexpectedly and is started again");
  await w.shot("again");
  await w.until("no squiggle", async () => (await w.page.locator(".squiggly-error").count()) === 0);
  await w.command("autocoder: Run tests");
  await w.page.locator(".squiggly-error").first().waitFor();
}
