-- An edit of a file that is not open, of one that is, of one that is made and of one
-- that goes: nothing but the last two is on disk before it is saved.
local T = require('harness')
local script = vim.fn.getcwd() .. '/../edits.json'
T.setup({ proposer = 'script:' .. script })

local fixed = 'def is_off(watts):\n    return watts == 0'
vim.fn.writefile({ 'old = 1' }, 'old.py')
vim.fn.writefile({ 'rooms = 1', 'doors = 2' }, 'rooms.py')
vim.fn.writefile({ vim.fn.json_encode({
  write = { ['lamp.py'] = fixed .. '\n', ['made.py'] = 'made = 1  # é 💡\n', ['rooms.py'] = 'rooms = 3\ndoors = 2\n# typed\n' },
  delete = { 'old.py' },
}) }, script)
local rooms = T.open('rooms.py')
T.type(rooms, 'rooms = 1\ndoors = 2\n# typed')
local tests = T.open('test_lamp.py')
vim.cmd('Autocoder fix')
T.ended('fixed')
T.told(T.messages, 'applied to 4 files')
T.equal(vim.api.nvim_get_current_buf(), tests, 'the current buffer')

local lamp, made = vim.fn.bufnr('lamp.py'), vim.fn.bufnr('made.py')
T.check(lamp > 0 and vim.bo[lamp].buflisted and vim.bo[lamp].modified, 'the file is open, and not saved')
T.equal(T.text(lamp), fixed, 'the text')
T.equal(vim.fn.readfile('lamp.py')[2], '    return watts != 0', 'the file')
T.equal(T.diagnostic(lamp, 'fixed').lnum, 1, 'line of the edit, from 0')
T.check(made > 0 and vim.bo[made].modified, 'the new file is open, and not saved')
T.equal(T.text(made), 'made = 1  # é 💡', 'the text of the new file')
T.equal(vim.fn.getfsize('made.py'), 0, 'size of the new file')
T.equal(T.text(rooms), 'rooms = 3\ndoors = 2\n# typed', 'the text of the file that was open')
T.equal(vim.fn.filereadable('old.py'), 0, 'the file that goes')

vim.cmd('buffer ' .. rooms)
vim.cmd('silent undo')
T.equal(T.text(rooms), 'rooms = 1\ndoors = 2\n# typed', 'the text after one undo')
vim.cmd('silent redo')
vim.cmd('buffer ' .. lamp)
vim.cmd('silent undo')
T.check(not vim.bo[lamp].modified, 'one undo takes it back')
vim.cmd('silent redo')
T.equal(T.text(lamp), fixed, 'the text after redo')
vim.cmd('silent wall')
T.equal(vim.fn.readfile('made.py'), { 'made = 1  # é 💡' }, 'the new file')
