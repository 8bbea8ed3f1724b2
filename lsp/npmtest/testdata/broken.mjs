// A project that can't be run ends in unrunnable, at the syntax error.
import { equal, scenario } from './editor.mjs';

await scenario({}, async (e) => {
  for (const name of ['test_broken.py', 'broken.py']) e.open(name);
  e.type('broken.py', e.text('broken.py'), 'def one():\n    return 1\n\n\ndef two(:\n    return 2\n');
  await e.choose('test_broken.py', 0, 'Fix failing tests');
  equal((await e.ended1(1)).outcome, 'unrunnable', 'outcome');
  const d = await e.diagnostic('broken.py', 'unrunnable');
  equal([d.range.start.line, d.severity], [4, 1], 'line and severity of the end');
});
