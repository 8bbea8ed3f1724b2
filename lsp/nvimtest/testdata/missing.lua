-- Without the program, health says what to do.
local T = require('harness')
vim.env.TEST_AUTOCODER = 'autocoder-is-nowhere'
T.setup()
vim.cmd('checkhealth autocoder')
T.wait('the health', function()
  return T.text(0):find('autocoder-is-nowhere is not a program in the PATH', 1, true)
end)
T.check(T.text(0):find('go build', 1, true), 'the advice')
T.check(T.text(0):find('the server does not run', 1, true), 'the server')
vim.cmd('Autocoder fix')
T.check(#T.notified > 0, 'a word on it')
