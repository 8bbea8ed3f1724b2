-- The bug is in a file that is not open: it is opened, changed and not saved.
local T = require('harness')
T.setup()

local tests = T.open('test_lamp.py')
vim.cmd('Autocoder fix')
T.ended('fixed')
local lamp = vim.fn.bufnr('lamp.py')
T.check(lamp > 0 and vim.bo[lamp].buflisted and vim.bo[lamp].modified, 'the file is open, and not saved')
T.equal(vim.api.nvim_get_current_buf(), tests, 'the current buffer')
local fixed = 'def is_off(watts):\n    return watts == 0'
T.equal(T.text(lamp), fixed, 'the text')
T.equal(vim.fn.readfile('lamp.py')[2], '    return watts != 0', 'the file')
T.equal(T.diagnostic(lamp, 'fixed').lnum, 1, 'line of the edit, from 0')
T.told(T.messages, 'applied to 1 file')

vim.cmd('buffer ' .. lamp)
vim.cmd('silent undo')
T.check(not vim.bo[lamp].modified, 'one undo takes it back')
vim.cmd('silent redo')
T.equal(T.text(lamp), fixed, 'the text after redo')
vim.cmd('silent wall')
