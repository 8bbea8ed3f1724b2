// The user's main job: the bug is in an unsaved buffer, and goes away.
import { check, equal, scenario } from './editor.mjs';

await scenario({}, async (e) => {
  for (const name of ['test_shop.py', 'shop.py']) e.open(name);
  const disk = e.disk('shop.py');
  e.type('shop.py', 'def total', '# Prices – 💶 –\ndef total');
  e.type('shop.py', '    return sum(prices)\n', '    return sum(prices)\n\n\ndef is_free(prices):\n    return total(prices) != 0  # 💶\n');
  const buggy = e.text('shop.py');

  await e.execute('autocoder.runTests', { uri: e.uri('test_shop.py') });
  const squiggle = await e.diagnostic('test_shop.py', 'failing_test');
  equal(squiggle.range.start, { line: 8, character: 4 }, 'the failing assertion');
  equal(squiggle.severity, 1, 'severity');
  check(squiggle.message.includes('test_free'), 'the message names the test');
  await e.ended1(1);

  await e.choose('test_shop.py', 8, 'Fix failing tests');
  await e.wait('the edit', () => e.edits.length);
  const end = await e.ended1(2);
  equal(end.outcome, 'fixed', 'outcome');
  const count = (kind) => e.progress.filter((v) => v.kind === kind).length;
  equal([count('begin'), count('end')], [2, 2], 'begins and ends of progress');
  check(count('report') > 0, 'progress is reported');
  check(e.progress.filter((v) => v.kind === 'begin').every((v) => v.cancellable), 'progress has a button to cancel');

  const fixed = buggy.replace('!=', '==');
  equal(e.text('shop.py'), fixed, 'the text with the edit');
  equal(e.disk('shop.py'), disk, 'the file before it is saved');
  const done = await e.diagnostic('shop.py', 'fixed');
  equal([done.range.start.line, done.severity], [6, 3], 'line and severity of the end');
  equal(e.at('test_shop.py'), [], 'diagnostics of the test file');
  await e.wait('word of it', () => e.messages.some((m) => m.startsWith('fixed: ')));
  equal(e.edits.length, 1, 'edits');

  const { markdown, report } = await e.connection.sendRequest('autocoder/report', { run: end.run });
  check(markdown.startsWith('# fixed') && report.run === end.run, 'the report');

  e.undo();
  equal(e.text('shop.py'), buggy, 'the text after one undo');
  await e.wait('the end to go with its edit', () => e.at('shop.py').length === 0);
  e.type('shop.py', '!=', '==');
  e.save('shop.py');
});
