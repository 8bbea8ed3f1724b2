-- A progress is shown, and its token cancels the job, as plugins for progress do it.
local T = require('harness')
T.setup({ test_timeout = '60s' })

local token
local before = vim.lsp.handlers['$/progress']
vim.lsp.handlers['$/progress'] = function(err, result, ...)
  token = result.token
  return before(err, result, ...)
end

T.open('slow.py')
vim.cmd('Autocoder fix')
T.wait('the progress', function()
  return token and T.count('report') > 0
end)
if vim.lsp.status then
  T.check(vim.lsp.status():find('Fix failing tests', 1, true), 'Neovim shows it')
end
local client = require('autocoder.client').running()
if vim.fn.has('nvim-0.11') == 1 then
  client:notify('window/workDoneProgress/cancel', { token = token })
else
  client.notify('window/workDoneProgress/cancel', { token = token })
end
T.ended('cancelled')
T.wait('the end of the progress', function()
  return T.count('end') == 1
end)
