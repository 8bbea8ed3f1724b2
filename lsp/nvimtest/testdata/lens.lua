-- Code lenses run the tests and fix what fails.
local T = require('harness')
T.setup()

local lamp = T.open('lamp.py')
local tests = T.open('test_lamp.py')

-- Takes the lens with a title at a line, from 1.
local function run(line, title)
  T.wait('the lens ' .. title, function()
    if vim.lsp.codelens.enable then
      vim.lsp.codelens.enable(true, { bufnr = tests })
    else
      vim.lsp.codelens.refresh()
    end
    vim.wait(200, function() return false end)
    for _, lens in ipairs(vim.lsp.codelens.get(vim.lsp.codelens.enable and { bufnr = tests } or tests)) do
      local l = lens.lens or lens
      if l.command and l.command.title == title and l.range.start.line == line - 1 then
        return true
      end
    end
  end)
  vim.ui.select = function(items, options, choose)
    for i, item in ipairs(items) do
      if options.format_item(item):find(title, 1, true) then
        return choose(item, i)
      end
    end
    choose(items[1], 1)
  end
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  vim.lsp.codelens.run()
end

run(1, 'Run tests')
T.diagnostic(tests, 'failing_test')
run(5, 'Fix this test')
T.ended('fixed')
T.equal(T.text(lamp), 'def is_off(watts):\n    return watts == 0', 'the text')
vim.cmd('silent wall')
