// The control of the scenarios: a request to another machine fails.
export async function run(w) {
  await w.page.evaluate(() => new Promise((resolve) => {
    const image = new Image();
    image.onerror = resolve;
    image.src = "https://outside.invalid/image.png"; // which is nowhere
  }));
}
