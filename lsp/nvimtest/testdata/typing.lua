-- What is typed while a fix is looked for stays, and the fix is laid over it.
local T = require('harness')
T.setup()

local lamp = T.open('lamp.py')
vim.cmd('Autocoder fix')
T.wait('the run', function()
  local s = require('autocoder').status()
  return s and s.state == 'running'
end)
vim.api.nvim_buf_set_lines(lamp, 0, 0, false, { '# Lamps – 💡.', '' })
vim.bo[lamp].undolevels = vim.o.undolevels
local typed = T.text(lamp)
T.ended('fixed')
T.equal(T.text(lamp), '# Lamps – 💡.\n\ndef is_off(watts):\n    return watts == 0', 'the text')
T.equal(T.diagnostic(lamp, 'fixed').lnum, 3, 'line of the edit, from 0')
vim.cmd('silent undo')
T.equal(T.text(lamp), typed, 'the text after one undo')
vim.cmd('silent redo')
vim.cmd('silent write')
