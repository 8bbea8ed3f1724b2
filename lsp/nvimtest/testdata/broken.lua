-- A project that can't be run ends in unrunnable, at the syntax error.
local T = require('harness')
T.setup()

T.open('test_broken.py')
local broken = T.open('broken.py')
T.type(broken, 'def one():\n    return 1\n\n\ndef two(:\n    return 2')
vim.cmd('Autocoder fix')
T.ended('unrunnable')
local d = T.diagnostic(broken, 'unrunnable')
T.equal(d.lnum, 4, 'line of the syntax error, from 0')
T.equal(d.severity, vim.diagnostic.severity.ERROR, 'severity')
