// A server that is killed is started again, a few times, and the user is told.
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

  for (let n = 0; n < 4; n++) {
    await w.forget();
    await w.killServer(); // in the middle of its start, or later
    await w.noticed(n < 3 ? "ended unexpectedly and is started again" : "does not run: it ended unexpectedly 5 times");
  }
  await w.shot("down");
  await w.notification("does not run").getByRole("button", { name: "Restart the server" }).click();
  await w.until("a server", () => w.servers().length === 1);
  await w.command("autocoder: Run tests");
  await w.page.locator(".squiggly-error").first().waitFor();
}
