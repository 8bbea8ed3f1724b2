-- autocoder in Neovim: start the server, send it commands, show what it tells.

local client = require('autocoder.client')
local protocol = require('autocoder.protocol')

local M = {}

---Starts the server for buffers of the given filetypes.
---@param options? autocoder.Options
function M.setup(options)
  client.enable(options)
end

---Sends a command about the project of the current buffer.
---@param command string one of protocol.commands
---@param args? autocoder.Arguments
---@param done? fun(answer: table?) gets what the server answers at once
function M.execute(command, args, done)
  args = vim.tbl_extend('force', client.here(), args or {})
  client.request('workspace/executeCommand', { command = command, arguments = { args } }, done)
end

-- Sends a command that takes a while, and says that it was heard: what goes on is to be
-- seen in a status line only.
---@param command string
local function begin(command)
  M.execute(command, nil, function(answer)
    if answer and answer.job and not answer.running then
      client.tell('the tests run; :Autocoder cancel ends that')
    end
  end)
end

local function cancel()
  M.execute(protocol.commands.cancel, nil, function(answer)
    if answer and answer.cancelled == 0 then
      client.tell('nothing is running here')
    end
  end)
end

---The status of the project of the current buffer, or that heard of last.
---@return autocoder.Status?
function M.status()
  local path = vim.api.nvim_buf_get_name(0)
  local best ---@type autocoder.Status?
  for root, status in pairs(client.statuses) do
    local inside = vim.startswith(path, vim.endswith(root, '/') and root or root .. '/')
    if inside and (not best or #root > #best.root) then
      best = status
    end
  end
  return best or client.statuses[client.latest]
end

---What goes on, for a status line: '' when there is nothing to tell.
---@return string
function M.statusline()
  local status = M.status()
  if not status then
    return ''
  end
  local text = status.ready and 'a fix is ready' or status.outcome
  if status.state == 'running' then
    text = status.message == '' and status.state or status.message
  end
  if text == '' then
    return ''
  end
  if status.spent ~= '' and status.spent ~= text then
    text = text .. ' | ' .. status.spent
  end
  local line = ('autocoder: ' .. text):gsub('%%', '%%%%')
  return (line:gsub('\n.*', ''))
end

---Shows the report of a run in a buffer.
---@param args? autocoder.Arguments the run; that of the current project by default
function M.report(args)
  local status = M.status()
  local run = args and args.run or status and status.run or ''
  client.request(protocol.methods.report, { run = run }, function(result)
    vim.cmd('new')
    local bufnr = vim.api.nvim_get_current_buf()
    vim.bo[bufnr].buftype, vim.bo[bufnr].bufhidden, vim.bo[bufnr].swapfile = 'nofile', 'wipe', false
    vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(result.markdown, '\n'))
    vim.bo[bufnr].modifiable = false
    vim.bo[bufnr].filetype = 'markdown'
  end)
end

---What :Autocoder can do, by name.
---@type table<string, fun()>
M.verbs = {
  fix = function() begin(protocol.commands.fix) end,
  test = function() begin(protocol.commands.run_tests) end,
  apply = function() M.execute(protocol.commands.apply) end,
  cancel = cancel,
  dismiss = function() M.execute(protocol.commands.discard) end,
  doctor = function() M.execute(protocol.commands.doctor) end,
  report = function() M.report() end,
}

---Does what :Autocoder was given.
---@param verb string
function M.run(verb)
  local does = M.verbs[verb]
  if not does then
    local text = verb == '' and 'say what to do' or ('%q is nothing that can be done'):format(verb)
    return client.tell(('%s: %s'):format(text, table.concat(M.complete(''), ', ')), vim.log.levels.ERROR)
  end
  does()
end

---The verbs that begin so.
---@param begin string
---@return string[]
function M.complete(begin)
  local names = vim.tbl_filter(function(name)
    return vim.startswith(name, begin)
  end, vim.tbl_keys(M.verbs))
  table.sort(names)
  return names
end

return M
