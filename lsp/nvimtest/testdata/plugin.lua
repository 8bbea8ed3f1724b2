-- What the plugin does by itself.
local T = require('harness')

vim.cmd('Autocoder nonsense')
T.told(T.notified, 'nonsense')
vim.cmd('Autocoder')
T.told(T.notified, 'say what to do: apply, cancel,')
T.equal(require('autocoder').statusline(), '', 'the status line before anything runs')

T.setup()
T.equal(vim.fn.getcompletion('Autocoder ', 'cmdline'),
  { 'apply', 'cancel', 'dismiss', 'doctor', 'fix', 'report', 'test' }, 'completion')
T.equal(vim.fn.getcompletion('Autocoder do', 'cmdline'), { 'doctor' }, 'completion of do')

-- Help has its tags.
vim.cmd('helptags ' .. vim.env.TEST_PLUGIN .. '/doc')
T.check(vim.tbl_contains(vim.fn.getcompletion('autocoder', 'help'), 'autocoder.txt'), 'the help file')
T.equal(vim.fn.getcompletion(':Autocoder', 'help'), { ':Autocoder' }, 'help on the command')

-- From a buffer that is no file.
vim.cmd('Autocoder doctor')
T.told(T.messages, 'pytest')

vim.cmd('Autocoder report')
T.told(T.notified, 'no run yet')

vim.cmd('Autocoder cancel')
T.told(T.notified, 'nothing is running here')

vim.cmd('checkhealth autocoder')
T.wait('the health', function()
  return T.text(0):find('the server runs', 1, true)
end)
T.check(T.text(0):find(vim.env.TEST_AUTOCODER .. ': autocoder', 1, true), 'the program and its version')
T.check(not T.text(0):find('ERROR', 1, true), 'no error')

-- Who asks for what takes a while hears that it began.
vim.cmd('bwipeout!')
T.open('shop.py')
vim.cmd('Autocoder test')
T.told(T.notified, ':Autocoder cancel ends that')
T.wait('the end', function()
  return #T.messages >= 2 and require('autocoder').status().state == 'idle'
end)
