// The control: a scenario that fails, and says so.
import { check, scenario } from './editor.mjs';

await scenario({}, async () => check(1 === 2, 'one is two'));
