-- A folder and files with spaces and more, ends of lines as on Windows, no git, and
-- a root that is reached by a link.
local T = require('harness')
T.setup()

local name = 'a b é 💡'
local link = vim.fn.getcwd() .. '/the link #1'
T.equal(vim.fn.system({ 'ln', '-s', vim.fn.getcwd() .. '/' .. name, link }), '', 'ln')
vim.cmd('cd ' .. vim.fn.fnameescape(link))
local lamp = T.open(vim.fn.fnameescape('lampé 1.py'))
local tests = T.open('test_lamp.py')
T.equal(vim.bo[lamp].fileformat, 'dos', 'ends of lines')

vim.cmd('Autocoder test')
local d = T.diagnostic(tests, 'failing_test')
T.choose(d.lnum + 1, 'Fix failing tests')
T.ended('fixed')
local line = vim.api.nvim_buf_get_lines(lamp, 2, 3, false)[1]
T.equal(line, '    return watts == 0  # 💡 é', 'the line')
T.equal(#vim.diagnostic.get(tests), 0, 'diagnostics in the test file')
T.equal(T.diagnostic(lamp, 'fixed').lnum, 2, 'line of the edit, from 0')
vim.cmd('buffer ' .. lamp)
vim.cmd('silent undo')
T.check(not vim.bo[lamp].modified, 'one undo takes it back')
vim.cmd('silent redo')
vim.cmd('silent wall')
local text = table.concat(vim.fn.readfile('lampé 1.py', 'b'), '\n')
T.equal(text, '# Lamps\r\ndef is_off(watts):\r\n    return watts == 0  # 💡 é\r\n', 'the file')
