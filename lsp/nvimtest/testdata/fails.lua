-- The control: a scenario that fails, and says so.
local T = require('harness')
T.setup()
T.open('odd.py')
T.check(1 == 2, 'one is two')
