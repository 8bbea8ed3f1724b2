// A fix is cancelled by the button of its progress, once, and nothing is left of it.
import { P, equal, scenario } from './editor.mjs';

await scenario({ test_timeout: '60s' }, async (e) => {
  e.open('slow.py');
  const text = e.text('slow.py');
  await e.choose('slow.py', 0, 'Fix failing tests');
  await e.wait('the tests to run', () => e.progress.some((v) => v.message === 'running the tests'));
  await e.connection.sendNotification(P.WorkDoneProgressCancelNotification.type, { token: e.tokens[0] });
  equal((await e.ended1(1)).outcome, 'cancelled', 'outcome');
  await e.diagnostic('slow.py', 'cancelled');
  equal(e.progress.filter((v) => v.kind === 'end').length, 1, 'ends of progress');
  equal(e.text('slow.py'), text, 'the text');
  equal(e.edits.length, 0, 'edits');
});
