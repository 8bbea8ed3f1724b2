-- A file of another project than the folder that Neovim is in.
local T = require('harness')
T.setup()

vim.cmd('cd one')
local here = T.open('lamp.py')
local there = T.open('../two/lamp.py')
vim.cmd('Autocoder fix')
local status = T.ended('fixed')
T.equal(status.root, vim.fn.fnamemodify('../two', ':p'):gsub('/$', ''):gsub('/one/%.%./', '/'), 'the project')
T.equal(T.text(there), 'def is_off(watts):\n    return watts == 0', 'the text')
T.equal(T.text(here), 'def is_off(watts):\n    return watts != 0', 'the text of the other project')
vim.cmd('silent undo')
T.check(not vim.bo[there].modified, 'one undo takes it back')
