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

-- A server that is killed while it works takes nothing along that is asked then.
local function server()
  for _, stat in ipairs(vim.fn.glob('/proc/[0-9]*/stat', false, true)) do
    local read, line = pcall(vim.fn.readfile, stat)
    local pid, parent = (read and line[1] or ''):match('^(%d+) %(autocoder%) %a (%d+)')
    if tonumber(parent) == vim.fn.getpid() then
      return tonumber(pid)
    end
  end
end

local tests = T.open('test_slow.py')
vim.cmd('Autocoder test')
T.wait('the run', function()
  local s = require('autocoder').status()
  return s and s.state == 'running'
end)
T.type(tests, 'import slow\n\n\ndef test_slow():\n    assert slow.one() == 1')
local first = T.wait('a server', server)
vim.loop.kill(first, 'sigkill')
vim.cmd('Autocoder fix')
T.ended('fixed')
T.check(server() ~= first, 'another server')
T.equal(T.text(vim.fn.bufnr('slow.py')), 'def one():\n    return 1', 'the text')
vim.cmd('silent wall')
