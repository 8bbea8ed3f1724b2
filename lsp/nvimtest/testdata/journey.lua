-- The user's main job: the bug is in an unsaved buffer, and goes away.
local T = require('harness')
T.setup()

local tests = T.open('test_shop.py')
local shop = T.open('shop.py')
local disk = T.text(shop)
local buggy = 'def total(prices):\n    return sum(prices)\n\n\ndef is_free(prices):\n    return total(prices) != 0'
T.type(shop, buggy)

vim.cmd('Autocoder test')
local squiggle = T.diagnostic(tests, 'failing_test')
T.equal(squiggle.lnum, 8, 'line of the failing assertion, from 0')
T.equal(squiggle.severity, vim.diagnostic.severity.ERROR, 'severity')
T.check(squiggle.message:find('test_free', 1, true), 'the message names the test')
T.equal(#vim.diagnostic.get(tests), 1, 'diagnostics in the test file')
T.wait('the end of the first progress', function()
  return T.count('end') == 1
end)

vim.cmd('buffer ' .. tests)
T.choose(9, 'Fix failing tests')
local status = T.ended('fixed')
T.check(T.count('report') > 0, 'progress was reported')
T.wait('the end of the progress', function()
  return T.count('end') == 2
end)
T.equal(T.count('begin'), T.count('end'), 'each progress ends once')

local got = T.text(shop)
T.equal(got, buggy:gsub('!=', '=='), 'the text with the edit')
T.check(vim.bo[shop].modified, 'the buffer is not saved by itself')
T.equal(table.concat(vim.fn.readfile('shop.py'), '\n'), disk, 'the file before :w')
local done = T.diagnostic(shop, 'fixed')
T.equal(done.lnum, 5, 'line of the edit, from 0')
T.equal(done.severity, vim.diagnostic.severity.INFO, 'severity')
T.equal(#vim.diagnostic.get(tests), 0, 'diagnostics in the test file')
T.check(require('autocoder').statusline():find('autocoder: fixed', 1, true), 'the status line says so')
T.told(T.messages, 'fixed: ')

vim.cmd('Autocoder report')
T.wait('the report', function()
  return T.text(0):find('# fixed', 1, true) and T.text(0):find(status.run, 1, true)
end)
vim.cmd('bwipeout')

vim.cmd('buffer ' .. shop)
T.choose(6, 'Show the report')
T.wait('the report', function()
  return T.text(0):find('# fixed', 1, true) and vim.bo.filetype == 'markdown'
end)
vim.cmd('bwipeout')

vim.cmd('buffer ' .. shop)
vim.cmd('silent undo')
T.equal(T.text(shop), buggy, 'the text after one undo')
vim.cmd('silent redo')
T.equal(T.text(shop), got, 'the text after redo')
vim.cmd('silent write')
T.equal(T.text(shop), table.concat(vim.fn.readfile('shop.py'), '\n'), 'the file after :w')
