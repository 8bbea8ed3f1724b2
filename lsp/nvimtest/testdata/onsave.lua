-- What is saved is repaired in the background, and the fix waits to be taken.
local T = require('harness')
T.setup({ background = 'fix' })

local shop = T.open('shop.py')
local buggy = 'def total(prices):\n    return sum(prices)\n\n\ndef is_free(prices):\n    return total(prices) != 0'
T.type(shop, buggy)
vim.cmd('silent write')

local d = T.diagnostic(shop, 'fix_ready')
T.equal(d.lnum, 5, 'line of the edit, from 0')
T.equal(d.severity, vim.diagnostic.severity.HINT, 'severity')
T.equal(#vim.diagnostic.get(), 1, 'diagnostics')
T.equal(T.text(shop), buggy, 'the text before the fix is taken')
T.equal(T.messages, {}, 'messages about what nobody asked for')

T.wait('word of it in the status line', function()
  return require('autocoder').statusline() == 'autocoder: a fix is ready'
end)

-- It goes with its base, and comes back with it though there is nothing to save.
vim.api.nvim_buf_set_lines(shop, 0, 0, false, { '' })
vim.bo[shop].undolevels = vim.o.undolevels
T.wait('the hint to go', function()
  return #vim.diagnostic.get() == 0
end)
vim.cmd('silent undo')
T.equal(T.diagnostic(shop, 'fix_ready').lnum, 5, 'line of the edit, again')

T.choose(6, 'Apply the prepared fix (1 file, +1 −1)')
T.wait('the edit', function()
  return T.text(shop) == buggy:gsub('!=', '==')
end)
vim.cmd('silent undo')
T.equal(T.text(shop), buggy, 'the text after one undo')
T.diagnostic(shop, 'fix_ready')
vim.cmd('silent redo')
vim.cmd('silent write')
