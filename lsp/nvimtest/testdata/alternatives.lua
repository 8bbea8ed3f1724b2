-- When several patches make the tests pass, the user takes one by its code action.
local T = require('harness')
T.setup()

local door = T.open('door.py')
local tests = T.open('test_door.py')
local text = T.text(door)
vim.cmd('Autocoder fix')
T.ended('gave_up')
local line = T.diagnostic(tests, 'gave_up').lnum + 1
T.equal(T.text(door), text, 'the text before one is taken')

T.choose(line, 'Verify and apply alternative 1')
T.wait('the edit', function()
  return T.text(door) ~= text
end)
T.ended('fixed')
T.check(vim.bo[door].modified, 'the buffer is not saved by itself')
vim.cmd('buffer ' .. door)
vim.cmd('silent write')
