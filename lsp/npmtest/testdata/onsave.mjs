// What is saved is repaired in the background, at a lower priority, and the fix
// waits to be taken: its edit comes when it is resolved.
import { check, equal, scenario } from './editor.mjs';

await scenario({ background: 'fix' }, async (e) => {
  e.open('polite.py');
  e.save('polite.py');
  const ready = await e.diagnostic('polite.py', 'fix_ready');
  equal([ready.range.start.line, ready.severity], [1, 4], 'line and severity of the hint');
  equal(e.edits.length, 0, 'edits that nobody asked for');
  equal(e.messages, [], 'messages that nobody asked for');
  await e.wait('an idle status', () => e.statuses.at(-1)?.state !== 'running');
  const before = e.text('polite.py');
  const [action] = (await e.menu('polite.py', 1)).filter((a) => a.title.startsWith('Apply the prepared fix'));
  check(action && !action.edit && !action.command && action.data, 'the action has to be resolved');

  // It goes with its base, and comes back for another one.
  e.type('polite.py', 'def', '# hello\ndef');
  await e.wait('the hint to go', () => e.at('polite.py').length === 0);
  check(!(await e.menu('polite.py', 2)).some((a) => a.title.startsWith('Apply')), 'the action has gone');
  const gone = await e.connection.sendRequest('codeAction/resolve', action).then(() => 0, (err) => err.code);
  check(gone !== 0, 'the old action is refused');
  e.save('polite.py');
  await e.diagnostic('polite.py', 'fix_ready');

  await e.choose('polite.py', 2, 'Apply the prepared fix (1 file, +1 −1)');
  equal(e.text('polite.py'), '# hello\n' + before.replace('!=', '=='), 'the text with the edit');
  await e.wait('the hint to go', () => e.at('polite.py').length === 0);
  e.undo();
  equal(e.text('polite.py'), '# hello\n' + before, 'the text after one undo');
  e.type('polite.py', '!=', '==');
  e.save('polite.py');
});
