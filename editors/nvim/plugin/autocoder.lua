-- :Autocoder, which any Neovim with this plugin has; nothing starts by it.

if vim.g.loaded_autocoder then
  return
end
vim.g.loaded_autocoder = true

vim.api.nvim_create_user_command('Autocoder', function(args)
  require('autocoder').run(args.args)
end, {
  nargs = '?',
  desc = 'Run tests and fix what fails',
  complete = function(begin)
    return require('autocoder').complete(begin)
  end,
})
