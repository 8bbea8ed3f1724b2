// One window of VS Code, as its user sees it: what page scenarios use.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));

// How long an effect may take to come, on a machine that does much else.
const patience = 180_000;

// How often a window is loaded that has no folders, and what its scenario says of that.
const loads = 10;
const noFolders = "waited for the folders of the window in vain";

export class Page {
  constructor(page, { base, scenario, config, outside }) {
    Object.assign(this, { page, base, scenario, config, outside, log: [], shots: 0 });
    page.setDefaultTimeout(patience);
    page.setDefaultNavigationTimeout(patience);
  }

  /** Plays the scenario and says what became of it. */
  async play() {
    const { kind, file } = this.scenario;
    const seen = this.outside.length;
    try {
      // VS Code takes its time to end what ran for the window before.
      await this.until("the end of earlier servers", () => this.servers().length === 0);
      await (kind === "host" ? this.inExtensionHost(file) : this.inWindow(file));
      assert.deepEqual(this.outside.slice(seen), [], "requests to other machines");
      return { ok: true, log: this.log };
    } catch (error) {
      await this.shot("failed").catch(() => {});
      return { ok: false, error: error.stack ?? String(error), log: this.log, notices: await this.notices().catch(() => []) };
    } finally {
      await this.page.close({ runBeforeUnload: false });
    }
  }

  /** Runs a scenario where extensions run, with VS Code's own interface. */
  async inExtensionHost(file) {
    let ended;
    await this.page.exposeFunction("codeAutomationLog", (type, args) => this.log.push(`[${type}] ${args.join(" ")}`));
    await this.page.exposeFunction("codeAutomationExit", (code) => ended(code));
    const remote = (p) => `vscode-remote://${new URL(this.base).host}${p}`;
    const run = async () => {
      const end = new Promise((resolve) => (ended = resolve));
      await this.open([
        ["extensionDevelopmentPath", remote(path.join(here, "probe"))],
        ["extensionTestsPath", remote(path.join(here, "host", file + ".js"))],
      ]);
      let timer;
      const late = new Promise((resolve) => (timer = setTimeout(() => resolve("none: it took too long"), 2 * patience)));
      const code = await Promise.race([end, late]);
      clearTimeout(timer);
      return code;
    };
    let code = await run();
    // A window that starts faster than it can read its workspace file has no folders for good.
    for (let n = 1; n < loads && this.log.some((line) => line.includes(noFolders)); n++) {
      this.log.length = 0;
      code = await run();
    }
    assert.equal(code, 0, "code of the extension host");
  }

  async inWindow(file) {
    // The driver of VS Code's own tests is what host scenarios are started by. It
    // keeps notifications from being shown.
    await this.page.addInitScript(() => {
      new MutationObserver((_, observer) => {
        const config = document.getElementById("vscode-workbench-web-configuration");
        if (!config) return;
        observer.disconnect();
        config.dataset.settings = config.dataset.settings.replace('"enableSmokeTestDriver":true', '"enableSmokeTestDriver":false');
      }).observe(document, { childList: true, subtree: true });
    });
    await this.open([]);
    await this.page.locator(".monaco-workbench .explorer-folders-view .monaco-list-row").first().waitFor();
    const scenario = await import(pathToFileURL(path.join(here, "page", file + ".mjs")));
    await scenario.run(this);
  }

  async open(payload) {
    const { folder, workspace } = this.scenario;
    const query = new URLSearchParams({ ...(workspace ? { workspace } : { folder }), payload: JSON.stringify(payload) });
    await this.page.goto(`${this.base}/?${query}`, { waitUntil: "domcontentloaded" });
  }

  /** Waits until is() is true, and returns what it is. */
  async until(what, is) {
    const began = Date.now();
    for (;;) {
      const value = await is();
      if (value) return value;
      if (Date.now() - began > patience) throw new Error(`waited for ${what} in vain`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Opens a file by the explorer, which needs nothing but the tree. */
  async openFile(name) {
    await this.page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first().dblclick();
    await this.page.locator(`.tabs-container .tab.active[data-resource-name="${name}"]`).waitFor();
    await this.editor().waitFor();
  }

  editor() {
    return this.page.locator(".editor-instance .view-lines").first();
  }

  async text() {
    return (await this.editor().innerText()).replaceAll("\u00a0", " ");
  }

  async focus() {
    await this.editor().click();
    await this.page.keyboard.press("Escape");
  }

  /** Replaces all of the text in the editor, as one step to undo. */
  async paste(text) {
    await this.focus();
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.insertText(text);
  }

  /** Runs a command by its title. */
  async command(title) {
    await this.page.keyboard.press("F1");
    const input = this.page.locator(".quick-input-widget input").first();
    await input.waitFor();
    await input.fill(">" + title);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().click();
  }

  /**
   * Chooses a code action at the next problem in the editor, until its effect comes.
   * The menu closes by itself when something moves, and VS Code then no longer knows
   * the command of what was clicked: it takes more than one try at times.
   */
  async codeAction(title, effect) {
    for (let tries = 0; tries < 8; tries++) {
      await this.focus();
      await this.page.keyboard.press("Control+Home");
      await this.page.keyboard.press("F8");
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("Control+.");
      const row = this.page.locator(".action-widget .monaco-list-row.action", { hasText: title }).first();
      try {
        await row.waitFor({ timeout: 15_000 });
        await this.shot("menu");
        await row.click({ timeout: 15_000 });
      } catch (error) {
        this.log.push(`no menu: ${error.message.split("\n")[0]}`);
        continue;
      }
      const lost = async () => (await this.notices()).some((n) => n.includes("Actual command not found"));
      const came = await this.until(`the effect of ${title}`, async () => ((await effect()) ? "yes" : (await lost()) && "no"));
      if (came === "yes") return;
      await this.forget();
    }
    throw new Error(`no code action ${title}`);
  }

  /** The notifications with a text in them. */
  notification(text = "") {
    const shown = ".notifications-toasts .notification-list-item, .notifications-center .notification-list-item";
    return this.page.locator(shown, { hasText: text });
  }

  /** The texts of the notifications, of which VS Code shows some for a while. */
  async notices() {
    const texts = await this.notification().allInnerTexts();
    const plain = texts.map((t) => t.replaceAll("\u00a0", " "));
    for (const t of plain) {
      if (!this.log.includes(t)) this.log.push(t);
    }
    return plain;
  }

  /**
   * Waits for a notification. Of more than three within 800 ms VS Code shows the first
   * three only, and the others when its user opens the list of all.
   */
  async noticed(text) {
    const began = Date.now();
    let opened = false;
    return this.until(`a notification of ${text}`, async () => {
      const found = (await this.notices()).find((n) => n.includes(text));
      if (!found && !opened && Date.now() - began > 5_000) {
        opened = true;
        this.log.push(`the list of all is opened for ${text}`);
        await this.command("Notifications: Show Notifications");
      }
      return found;
    });
  }

  /** Forgets all notifications. */
  async forget() {
    await this.command("Notifications: Clear All Notifications");
    await this.until("no notification", async () => (await this.notices()).length === 0);
  }

  async statusBar(text) {
    return this.until(`${text} in the status bar`, async () =>
      (await this.page.locator(".statusbar-item").allInnerTexts()).find((t) => t.replaceAll("\u00a0", " ").includes(text)));
  }

  read(name) {
    return readFileSync(path.join(this.scenario.folder, name), "utf8");
  }

  /** The text of VS Code's settings, of a user or of a machine. */
  settings(whose) {
    return readFileSync(path.join(this.config.top, "vscode", "data", whose, "settings.json"), "utf8");
  }

  /** The processes of the server that is installed here, by /proc. */
  servers() {
    return readdirSync("/proc").filter((pid) => {
      try {
        const [program, verb] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return program.startsWith(this.config.top) && program.endsWith("/server/autocoder") && verb === "serve";
      } catch {
        return false; // it is no process, or gone
      }
    });
  }

  /** Kills the server: the one that is there, or the next one after it was killed. */
  async killServer() {
    const [pid] = await this.until("a server", async () => {
      const found = this.servers();
      return found.length === 1 && !this.killed?.includes(found[0]) && found;
    });
    this.killed = [...(this.killed ?? []), pid];
    process.kill(Number(pid), "SIGKILL");
  }

  /** Keeps a picture where the caller wants some. */
  async shot(name) {
    if (!this.config.shots) return;
    mkdirSync(this.config.shots, { recursive: true });
    const file = `${this.scenario.name.replaceAll(/\W+/g, "-")}-${++this.shots}-${name}.png`;
    await this.page.screenshot({ path: path.join(this.config.shots, file) });
  }
}
