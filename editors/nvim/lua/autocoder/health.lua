-- :checkhealth autocoder

local client = require('autocoder.client')

local M = {}

-- Neovim renamed these functions twice.
local health = vim.health or require('health')
local start = health.start or health.report_start
local ok = health.ok or health.report_ok
local info = health.info or health.report_info
local warn = health.warn or health.report_warn
local err = health.error or health.report_error

local function check_program()
  local cmd = client.cmd()
  if not cmd then
    return err("autocoder is not set up", { "call require('autocoder').setup{}" })
  end
  if vim.fn.executable(cmd[1]) ~= 1 then
    return err(('%s is not a program in the PATH'):format(cmd[1]), {
      'install autocoder (go build -o autocoder ./cmd/autocoder) in a folder of the PATH',
      "or say where it is: require('autocoder').setup{ cmd = { '/path/to/autocoder', 'serve' } }",
    })
  end
  local version = vim.trim(vim.fn.system({ cmd[1], 'version' }))
  if vim.v.shell_error ~= 0 then
    return err(('%s version: %s'):format(cmd[1], version))
  end
  ok(('%s: %s'):format(cmd[1], version))
end

local function check_client()
  local running = client.running()
  if not running then
    return info('the server does not run: it starts with a buffer of one of its filetypes')
  end
  ok('the server runs')
  for root, status in pairs(client.statuses) do
    info(('%s: %s %s'):format(root, status.state, status.outcome))
  end
end

function M.check()
  start('autocoder')
  if vim.fn.has('nvim-0.7') == 1 then
    ok('Neovim ' .. tostring(vim.version().major) .. '.' .. tostring(vim.version().minor))
  else
    warn('Neovim 0.7 or newer is needed')
  end
  check_program()
  check_client()
end

return M
