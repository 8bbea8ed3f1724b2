-- Runs one scenario in a Neovim that has nothing but the plugin.
vim.o.swapfile = false
vim.opt.runtimepath:prepend(vim.env.TEST_PLUGIN)
vim.cmd('filetype on')

vim.api.nvim_create_autocmd('VimEnter', {
  callback = function()
    -- Out of the autocommand: others don't run within one.
    vim.schedule(function()
      local here = vim.env.TEST_SCENARIOS
      package.path = here .. '/?.lua;' .. package.path
      local ok, err = xpcall(dofile, debug.traceback, here .. '/' .. vim.env.TEST_SCENARIO .. '.lua')
      if not ok then
        io.stderr:write(err .. '\n')
        vim.cmd('cquit')
      end
      vim.cmd('qall!')
    end)
  end,
})
