-- A user who types, saves, cancels, applies, undoes and redoes in any order. What is
-- typed are marks, by which nothing can be lost unseen.
local T = require('harness')
T.setup({ background = ({ 'off', 'test', 'fix' })[1 + vim.env.TEST_SEED % 3] })
math.randomseed(tonumber(vim.env.TEST_SEED))

local lamp = T.open('lamp.py')
local red = T.text(lamp)
local green = red:gsub('!=', '==')
local saved, typed, present = red, 0, {}

local function marks(text)
  local found = {}
  for mark in text:gmatch('‹%d+›') do
    found[mark] = true
  end
  return found
end

-- What stands in the buffer without marks: the fix is whole, or not there.
local function bare(text)
  local kept = {}
  for _, line in ipairs(vim.split(text, '\n')) do
    if not line:find('‹', 1, true) then
      table.insert(kept, line)
    end
  end
  return table.concat(kept, '\n')
end

local function check(what)
  local text = T.text(lamp)
  T.equal(marks(text), present, 'marks after ' .. what)
  T.check(bare(text) == red or bare(text) == green, 'a whole fix after ' .. what)
  T.equal(table.concat(vim.fn.readfile('lamp.py'), '\n'), saved, 'the file after ' .. what)
end

local function go(command)
  vim.cmd('silent ' .. command)
  present = marks(T.text(lamp))
end

local does = {
  function()
    typed = typed + 1
    local mark = ('‹%d›'):format(typed)
    present[mark] = true
    local line = math.random(0, vim.api.nvim_buf_line_count(lamp))
    vim.api.nvim_buf_set_lines(lamp, line, line, false, { '# ' .. mark .. ' 💡' })
    vim.bo[lamp].undolevels = vim.o.undolevels
    return 'typing'
  end,
  function()
    saved = T.text(lamp)
    vim.cmd('silent write')
    return 'saving'
  end,
  function() go('undo') return 'undo' end,
  function() go('redo') return 'redo' end,
  function() vim.cmd('Autocoder fix') return 'fix' end,
  function() vim.cmd('Autocoder fix') return 'fix' end,
  function() vim.cmd('Autocoder test') return 'test' end,
  function() vim.cmd('Autocoder cancel') return 'cancel' end,
  function() vim.cmd('Autocoder apply') return 'apply' end,
  function() vim.cmd('Autocoder dismiss') return 'dismiss' end,
  function()
    T.wait('the end of what runs', function()
      local status = require('autocoder').status()
      return not status or status.state == 'idle'
    end)
    return 'waiting'
  end,
  function()
    T.wanted = ({ 'Fix failing', 'Apply the prepared', 'Fix this test', 'Dismiss' })[math.random(4)]
    vim.api.nvim_win_set_cursor(0, { math.random(vim.api.nvim_buf_line_count(lamp)), 0 })
    vim.lsp.buf.code_action()
    return 'a code action'
  end,
}

local order = {}
for _ = 1, tonumber(vim.env.TEST_STEPS) do
  local what = does[math.random(#does)]()
  table.insert(order, what)
  check(table.concat(order, ', '))
  vim.wait(math.random(0, 3) * 50, function() return false end)
  check(table.concat(order, ', ') .. ', and a while')
end

-- In the end everything is as ever: a fix comes, and all can be undone, step by step.
vim.cmd('Autocoder cancel')
T.wait('nothing to run', function()
  local status = require('autocoder').status()
  return not status or status.state == 'idle'
end)
if bare(T.text(lamp)) == green then
  go('undo 0')
end
vim.cmd('Autocoder fix')
T.wait('the fix', function() return bare(T.text(lamp)) == green end)
check('the last fix')
local text = T.text(lamp)
go('undo')
T.equal(T.text(lamp), text:gsub('==', '!='), 'the text after one undo')
go('redo')
for _ = 1, 200 do
  go('undo')
  check('undoing everything')
end
T.equal(T.text(lamp), red, 'the text when everything is undone')
