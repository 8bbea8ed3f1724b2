-- The client of autocoder's server: its configuration, starting it, and sending
-- it what the user asks for. What differs between versions of Neovim is here.

local protocol = require('autocoder.protocol')

local M = {}

---@class autocoder.Options
---@field cmd? string[] how the server is started
---@field filetypes? string[] the buffers that the server sees
---@field settings? table<string, any> autocoder's settings, as `autocoder config` names them
---@field on_attach? fun(client: table, bufnr: integer)
---@field capabilities? table

---The statuses of projects by their folder, as the server tells them.
---@type table<string, autocoder.Status>
M.statuses = {}

---The project that was heard of last.
---@type string?
M.latest = nil

---Neovim 0.11 and later know configurations of servers by name.
M.has_config = vim.fn.has('nvim-0.11') == 1

---@type table the configuration for Neovim before 0.11
local old_config
---@type integer? the client before Neovim 0.11
local old_id

---What was asked and not answered: how to ask it again, by its number.
---@type table<integer, fun()>
local unanswered = {}
local asked = 0

-- A server that is killed takes along what it was asked: the next one is asked that.
local function on_exit(code, signal, id)
  local again = unanswered
  M.statuses, M.latest, unanswered = {}, nil, {}
  if old_id == id then
    old_id = nil
  end
  if code ~= 0 or signal ~= 0 then
    vim.schedule(function()
      for _, ask in pairs(again) do
        ask()
      end
    end)
  end
end

---@return lsp.Handler
local function on_status()
  return function(_, status)
    M.statuses[status.root] = status
    M.latest = status.root
    vim.cmd('redrawstatus!')
    vim.api.nvim_exec_autocmds('User', { pattern = 'AutocoderStatus', modeline = false })
  end
end

---The configuration of the server. There is no root_dir: the server finds the
---project of a file by itself, and one server serves all projects.
---@param options? autocoder.Options
---@return table
function M.config(options)
  options = options or {}
  return {
    name = protocol.name,
    cmd = options.cmd or { 'autocoder', 'serve' },
    filetypes = options.filetypes or {
      'python', 'go', 'gomod', 'javascript', 'javascriptreact', 'typescript', 'typescriptreact',
      'json', 'jsonc', 'toml', 'yaml', 'text',
    },
    settings = { [protocol.name] = options.settings or vim.empty_dict() },
    capabilities = options.capabilities,
    on_attach = options.on_attach,
    handlers = { [protocol.methods.status] = on_status() },
    -- A report is shown in a buffer, also when a code action asks for it.
    commands = {
      [protocol.commands.report] = function(command)
        require('autocoder').report((command.arguments or {})[1])
      end,
    },
    on_exit = on_exit,
  }
end

---How the server is started, nil before it is set up.
---@return string[]?
function M.cmd()
  local config = old_config
  if M.has_config then
    config = vim.lsp.config[protocol.name]
  end
  return config and config.cmd
end

---@param bufnr integer
local function attach_old(bufnr)
  if vim.bo[bufnr].buftype ~= '' or vim.api.nvim_buf_get_name(bufnr) == '' then
    return
  end
  old_id = old_id or vim.lsp.start_client(vim.deepcopy(old_config))
  if old_id then
    vim.lsp.buf_attach_client(bufnr, old_id)
  end
end

local function attach_all_old()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.tbl_contains(old_config.filetypes, vim.bo[bufnr].filetype) then
      attach_old(bufnr)
    end
  end
end

---Serves buffers from now on.
---@param options? autocoder.Options
function M.enable(options)
  local config = M.config(options)
  if M.has_config then
    vim.lsp.config(protocol.name, config)
    vim.lsp.enable(protocol.name)
    return
  end
  -- The oldest versions don't answer a server that asks for settings.
  config.init_options = config.settings
  old_config = config
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('autocoder', { clear = true }),
    pattern = config.filetypes,
    callback = function(args)
      attach_old(args.buf)
    end,
  })
  attach_all_old()
end

---The client that runs, if one does: that of the current buffer before others.
---@return table?
function M.running()
  local any
  for _, client in ipairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
    if client.name == protocol.name and not client.is_stopped(client) then
      if vim.lsp.buf_is_attached(0, client.id) then
        return client
      end
      any = any or client
    end
  end
  return any
end

-- Starts the server for all buffers that are open: it has to see what is unsaved
-- in any of them. In a buffer that is no file it is started without one.
local function start()
  if M.has_config then
    vim.lsp.enable(protocol.name)
    if not M.running() then
      vim.lsp.start(vim.lsp.config[protocol.name], { attach = false })
    end
  elseif old_config then
    local client = old_id and vim.lsp.get_client_by_id(old_id)
    if client and client.is_stopped() then
      old_id = nil -- its on_exit is to come
    end
    attach_all_old()
    old_id = old_id or vim.lsp.start_client(vim.deepcopy(old_config))
  end
end

---The client, started when none runs.
---@return table?
local function started()
  local cmd = M.cmd()
  if not M.running() then
    if not cmd or vim.fn.executable(cmd[1]) ~= 1 then
      return
    end
    start()
  end
  vim.wait(5000, function()
    local client = M.running()
    return client ~= nil and next(client.server_capabilities or {}) ~= nil
  end, 10)
  return M.running()
end

---@param text string
---@param level? integer
function M.tell(text, level)
  vim.notify('autocoder: ' .. text, level or vim.log.levels.INFO)
end

---Sends a request about a buffer's project.
---@param method string
---@param params table
---@param done? fun(result: any)
---@param last? boolean it is not asked again when the server ends over it
function M.request(method, params, done, last)
  local client = started()
  if not client then
    return M.tell('the server does not run: see :checkhealth autocoder', vim.log.levels.ERROR)
  end
  local function again()
    M.request(method, params, done, true)
  end
  asked = asked + 1
  local number = asked
  unanswered[number] = not last and again or nil
  local function answered(err, result)
    unanswered[number] = nil
    if err then
      return M.tell(err.message or vim.inspect(err), vim.log.levels.ERROR)
    end
    if done then
      done(result)
    end
  end
  local sent
  if M.has_config then
    sent = client:request(method, params, answered)
  else
    sent = client.request(method, params, answered)
  end
  if not sent and unanswered[number] then -- it has ended, and on_exit is to come or was
    unanswered[number] = nil
    again()
  end
end

---Where the user is: the file in the current buffer, or else the project that was heard
---of last, or the folder.
---@return autocoder.Arguments
function M.here()
  local bufnr = vim.api.nvim_get_current_buf()
  if vim.bo[bufnr].buftype == '' and vim.api.nvim_buf_get_name(bufnr) ~= '' then
    return { uri = vim.uri_from_bufnr(bufnr) }
  end
  if M.latest then
    return { root = M.latest }
  end
  return { uri = vim.uri_from_fname(vim.fn.getcwd()) }
end

return M
