-- What the scenarios use: waiting for effects, choosing code actions, and keeping
-- what the server tells. A scenario that fails ends Neovim with a code.

local T = { progress = {}, messages = {}, titles = {}, notified = {} }

local function keep(method, into)
  local before = vim.lsp.handlers[method]
  vim.lsp.handlers[method] = function(err, result, ...)
    into(result)
    return before(err, result, ...)
  end
end

keep('$/progress', function(result)
  table.insert(T.progress, result.value.kind)
end)
keep('window/showMessage', function(result)
  table.insert(T.messages, result.message)
end)

vim.notify = function(text)
  table.insert(T.notified, text)
end

vim.ui.select = function(items, _, choose)
  T.titles = {}
  local chosen, at
  for i, item in ipairs(items) do
    local title = (item.action or item[2]).title
    table.insert(T.titles, title)
    if not chosen and vim.startswith(title, T.wanted) then
      chosen, at = item, i
    end
  end
  T.chosen = chosen ~= nil
  vim.schedule(function()
    choose(chosen, at)
  end)
end

-- What can be seen, for the message of a failure.
local function situation()
  local seen = { progress = T.progress, messages = T.messages, titles = T.titles, notified = T.notified }
  seen.status = require('autocoder').status()
  seen.diagnostics = {}
  for _, d in ipairs(vim.diagnostic.get()) do
    table.insert(seen.diagnostics, ('%s:%d %s %s'):format(vim.api.nvim_buf_get_name(d.bufnr), d.lnum + 1, tostring(d.code), d.message))
  end
  seen.buffers = {}
  for _, b in ipairs(vim.api.nvim_list_bufs()) do
    table.insert(seen.buffers, vim.api.nvim_buf_get_name(b) .. '\n' .. T.text(b):sub(1, 2000))
  end
  return vim.inspect(seen)
end

function T.check(so, what)
  if not so then
    error('not so: ' .. what .. '\n' .. situation(), 2)
  end
end

function T.equal(got, want, what)
  if not vim.deep_equal(got, want) then
    error(('%s: got %s, want %s\n%s'):format(what, vim.inspect(got), vim.inspect(want), situation()), 2)
  end
end

-- Waits until is() is true, and returns what it is.
function T.wait(what, is)
  local value
  local came = vim.wait(120000, function()
    value = is()
    return value
  end, 20)
  if not came then
    error('waited for ' .. what .. ' in vain\n' .. situation(), 2)
  end
  return value
end

-- Opens a file of the project and returns its buffer, with the server on it.
function T.open(name)
  vim.cmd('edit ' .. name)
  local bufnr = vim.api.nvim_get_current_buf()
  T.wait('the server', function()
    for _, client in pairs((vim.lsp.get_clients or vim.lsp.buf_get_clients)(vim.lsp.get_clients and { bufnr = bufnr } or bufnr)) do
      if client.name == 'autocoder' and client.initialized ~= false and next(client.server_capabilities or {}) then
        return client
      end
    end
  end)
  return bufnr
end

function T.text(bufnr)
  return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n')
end

-- Writes a text into a buffer as its user would: unsaved, and one step to undo.
function T.type(bufnr, text)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(text, '\n'))
  -- Ends the step, as leaving insert mode does.
  vim.bo[bufnr].undolevels = vim.o.undolevels
end

-- Waits until someone was told a text.
function T.told(list, text)
  return T.wait('word of ' .. text, function()
    return table.concat(list, '\n'):find(text, 1, true)
  end)
end

-- Waits for a diagnostic of ours with a code.
function T.diagnostic(bufnr, code)
  return T.wait('the diagnostic ' .. code, function()
    for _, d in ipairs(vim.diagnostic.get(bufnr)) do
      if d.source == 'autocoder' and d.code == code then
        return d
      end
    end
  end)
end

-- Chooses the code action whose title begins so, at a line, from 1, of the current
-- buffer.
function T.choose(line, title)
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  T.wanted = title
  T.titles, T.chosen = {}, nil
  -- Neovim asks all servers and takes a menu of one without asking.
  vim.lsp.buf.code_action()
  T.wait('a menu', function()
    return #T.titles > 0
  end)
  T.check(T.chosen, 'the menu has ' .. title)
end

-- Waits until nothing runs, and the last run ended so.
function T.ended(outcome)
  local status = T.wait('the end ' .. outcome, function()
    local s = require('autocoder').status()
    return s and s.state == 'idle' and s.outcome ~= '' and s
  end)
  T.equal(status.outcome, outcome, 'outcome')
  return status
end

function T.count(kind)
  return #vim.tbl_filter(function(k)
    return k == kind
  end, T.progress)
end

-- Sets the plugin up as this version of Neovim has it.
function T.setup(settings)
  settings = vim.tbl_extend('force', { interpreter = { pytest = vim.env.TEST_PYTHON } }, settings or {})
  local cmd = { vim.env.TEST_AUTOCODER, 'serve' }
  if vim.lsp.config and vim.env.TEST_SETUP ~= 'setup' then
    vim.lsp.config('autocoder', { cmd = cmd, settings = { autocoder = settings } })
    vim.lsp.enable('autocoder')
  else
    require('autocoder').setup({ cmd = cmd, settings = settings })
  end
end

return T
