// A user who types, saves, cancels, applies, undoes and redoes in any order. What is
// typed are marks, by which nothing can be lost unseen.
const { assert, vscode, wait, open, active, actionsAt } = require("./harness.js");
const fs = require("node:fs");

const seed = Number(process.env.TEST_SEED ?? 1);
const steps = Number(process.env.TEST_STEPS ?? 25);

/** Numbers below n that look like any, and are the same for the same seed. */
function dice(seed) {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

const marks = (text) => [...new Set(text.match(/‹\d+›/g) ?? [])].sort().join(" ");
const bare = (text) => text.split("\n").filter((line) => !line.includes("‹")).join("\n");

exports.run = async () => {
  const any = dice(seed);
  const lamp = await open("lamp.py");
  await active();
  const red = lamp.getText();
  const green = red.replace("!=", "==");
  const order = [];
  let typed = 0;
  let saved = red;
  // What the user did must show at once, and what the server did be whole: the text
  // before and after each step is held against what the step may make of it.
  const check = () => {
    const text = lamp.getText();
    assert.ok([red, green].includes(bare(text)), `a whole fix after ${order.join(", ")}:\n${text}`);
    assert.equal(fs.readFileSync(lamp.uri.fsPath, "utf8"), saved, `the file after ${order.join(", ")}`);
    return text;
  };
  let present = "";
  const same = () => assert.equal(marks(check()), present, `marks after ${order.join(", ")}`);
  const command = (name) => async () => {
    await vscode.commands.executeCommand(name, { uri: lamp.uri.toString() });
  };
  const takeBack = (name) => async () => {
    same();
    await vscode.commands.executeCommand(name);
    present = marks(check());
  };
  const does = {
    typing: async () => {
      const mark = `‹${++typed}›`;
      const edit = new vscode.WorkspaceEdit();
      edit.insert(lamp.uri, new vscode.Position(any(lamp.lineCount), 0), `# ${mark} 💡\n`);
      // It is refused when the server's edit comes at the same moment.
      if (await vscode.workspace.applyEdit(edit)) {
        present = [...present.split(" ").filter(Boolean), mark].sort().join(" ");
      }
    },
    saving: async () => {
      assert.ok(await lamp.save());
      saved = fs.readFileSync(lamp.uri.fsPath, "utf8");
      assert.equal(marks(saved), present, "marks in what is saved");
    },
    undo: takeBack("undo"),
    redo: takeBack("redo"),
    fix: command("autocoder.fix"),
    "fix again": command("autocoder.fix"),
    test: command("autocoder.runTests"),
    cancel: command("autocoder.cancel"),
    apply: command("autocoder.apply"),
    dismiss: command("autocoder.discard"),
    waiting: () => new Promise((resolve) => setTimeout(resolve, any(2000))),
    "a code action": async () => {
      const list = await actionsAt(lamp, any(lamp.lineCount), 30);
      const action = list.filter((a) => /^(Fix|Apply|Dismiss)/.test(a.title))[any(3)];
      if (action?.edit) await vscode.workspace.applyEdit(action.edit);
      if (action?.command) await vscode.commands.executeCommand(action.command.command, ...(action.command.arguments ?? []));
    },
  };
  const names = Object.keys(does);
  for (let n = 0; n < steps; n++) {
    const name = names[any(names.length)];
    order.push(name);
    await does[name]();
    same();
  }

  // In the end everything is as ever: a fix comes, and one undo takes it back.
  await vscode.commands.executeCommand("autocoder.cancel", {});
  for (let n = 0; n < 100 && bare(lamp.getText()) === green; n++) await does.undo();
  await wait("the last fix", async () => {
    if (bare(lamp.getText()) === green) return true;
    await does.fix();
    await new Promise((resolve) => setTimeout(resolve, 500));
    return bare(lamp.getText()) === green;
  });
  same();
  const text = lamp.getText();
  await does.undo();
  assert.equal(lamp.getText(), text.replace("==", "!="), "the text after one undo");
  await does.redo();
  assert.ok(await lamp.save());
};
