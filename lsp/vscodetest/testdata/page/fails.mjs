// The control of the scenarios: a request to another machine fails.
export async function run(page) {
  await page.page.evaluate(() => fetch("http://192.0.2.1/").catch(() => undefined));
}
