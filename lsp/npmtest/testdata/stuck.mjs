// A project that nothing repairs ends in its stop reason, at the failing test.
import { check, equal, scenario } from './editor.mjs';

await scenario({ proposer: process.env.TEST_PROPOSER }, async (e) => {
  for (const name of ['test_odd.py', 'odd.py']) e.open(name);
  const text = e.text('odd.py');
  const outcome = process.env.TEST_OUTCOME;
  await e.choose('odd.py', 0, 'Fix failing tests');
  const end = await e.ended1(1);
  equal(end.outcome, outcome, 'outcome');
  const d = await e.diagnostic('test_odd.py', outcome);
  equal([d.range.start.line, d.severity], [4, 2], 'line and severity of the end');
  check(d.message.startsWith(outcome + ': '), 'the reason');
  equal(d.data.run, end.run, 'the run');
  await e.diagnostic('test_odd.py', 'failing_test');
  equal(e.text('odd.py'), text, 'the text');
  equal(e.edits.length, 0, 'edits');
  await e.choose('test_odd.py', 4, 'Dismiss');
  await e.wait('no diagnostics', () => e.at('test_odd.py').length === 0);
});
