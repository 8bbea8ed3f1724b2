-- A buffer of 6 MB that is typed into, of which the tests see every letter.
local T = require('harness')
T.setup()

local lines = { 'first é' }
for _ = 1, 100000 do
  table.insert(lines, 'a line of a file that is much larger than any that people write')
end
vim.fn.writefile(lines, 'large.txt')
local large = T.open('large.txt')
vim.api.nvim_buf_set_lines(large, 50000, 50000, false, { 'typed 💡 there' })
vim.api.nvim_buf_set_lines(large, -1, -1, false, { 'last' })
local at = #'typed 💡 '
for _ = 1, 10 do
  vim.api.nvim_buf_set_text(large, 50000, at, 50000, at, { 'x' }) -- and taken back
  vim.cmd('sleep 1m')
end
vim.api.nvim_buf_set_text(large, 50000, at, 50000, at + 10 + #'there', { 'here' })
T.equal(vim.api.nvim_buf_get_lines(large, 50000, 50001, false)[1], 'typed 💡 here', 'the line')

local lamp = T.open('lamp.py')
vim.cmd('Autocoder fix')
T.ended('fixed')
T.equal(T.text(lamp), 'def is_off(watts):\n    return watts == 0', 'the text')
vim.cmd('silent wall')
