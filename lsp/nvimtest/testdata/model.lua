-- A language model is cancelled while it writes, then it asks something, and then it
-- repairs.
local T = require('harness')
T.setup({ proposer = 'model', model = 'openai:gpt-4o', base_url = vim.env.TEST_URL })

local roman = T.open('roman.py')
local tests = T.open('test_roman.py')
local text = T.text(roman)

-- Does what starts a run, and waits for the end of that run.
local function ended(outcome, start)
  local before = T.count('end')
  start()
  T.wait('the end of the run', function()
    return T.count('end') > before
  end)
  return T.ended(outcome)
end

ended('cancelled', function()
  vim.cmd('Autocoder fix')
  T.wait('the model to write', function()
    return vim.fn.filereadable('../asked-0') == 1
  end)
  vim.cmd('Autocoder cancel')
end)
T.equal(T.text(roman), text, 'the text after the run was cancelled')

ended('gave_up', function() vim.cmd('Autocoder fix') end)
local asked = T.diagnostic(tests, 'gave_up')
T.check(asked.message:find('the model asks: Is 4 IV or IIII?', 1, true), 'the question is shown')
T.equal(T.text(roman), text, 'the text after a question')

local status = ended('fixed', function() T.choose(asked.lnum + 1, 'Fix failing tests') end)
T.check(status.spent:find('Turns: 1/30 | Tokens: ', 1, true) == 1, 'what it cost')
T.check(require('autocoder').statusline():find('Turns: 1/30', 1, true), 'the status line says what it cost')
local fixed = T.text(roman)
T.check(fixed:find('divmod(n, value)', 1, true), 'the edit is there')
T.diagnostic(roman, 'fixed')
vim.cmd('buffer ' .. roman)
vim.cmd('silent undo')
T.equal(T.text(roman), text, 'the text after one undo')
vim.cmd('silent redo')
T.equal(T.text(roman), fixed, 'the text after redo')
vim.cmd('silent write')

T.check(not vim.inspect({ T, vim.diagnostic.get() }):find(vim.env.OPENAI_API_KEY, 1, true), 'nobody is shown the key')
