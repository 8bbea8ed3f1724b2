-- Two projects in one Neovim: each has its own runs, statuses and diagnostics.
local T = require('harness')
T.setup()

local one = T.open('one/lamp.py')
local two = T.open('two/lamp.py')
local client = require('autocoder.client').running()
T.equal(#(vim.lsp.get_clients or vim.lsp.get_active_clients)(), 1, 'servers')

local function status(name)
  return require('autocoder.client').statuses[vim.fn.getcwd() .. '/' .. name]
end
local function ended(name, outcome)
  T.wait(outcome .. ' in ' .. name, function()
    local s = status(name)
    return s and s.state == 'idle' and s.outcome == outcome
  end)
end

vim.cmd('buffer ' .. one)
vim.cmd('Autocoder fix')
vim.cmd('buffer ' .. two)
vim.cmd('Autocoder fix')
ended('one', 'fixed')
ended('two', 'fixed')
local fixed = 'def is_off(watts):\n    return watts == 0'
T.equal(T.text(one), fixed, 'the text of one')
T.equal(T.text(two), fixed, 'the text of two')
T.check(require('autocoder').statusline():find('fixed', 1, true), 'the status line')

-- Folders that come and go, by Neovim's own commands.
vim.cmd('buffer ' .. one)
vim.lsp.buf.add_workspace_folder(vim.fn.getcwd() .. '/one')
vim.lsp.buf.add_workspace_folder(vim.fn.getcwd() .. '/two')
vim.cmd('Autocoder test')
T.told(T.messages, 'tests pass: 1 passed')
vim.lsp.buf.remove_workspace_folder(vim.fn.getcwd() .. '/two')
T.wait('no diagnostics in two', function()
  return #vim.diagnostic.get(two) == 0
end)
T.check(not client.is_stopped or not client:is_stopped(), 'the server runs')
vim.cmd('silent wall')
