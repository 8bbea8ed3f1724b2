-- The configuration of autocoder's server for Neovim 0.11 and later:
--   vim.lsp.enable('autocoder')
-- and vim.lsp.config('autocoder', { … }) to change it.

return require('autocoder.client').config()
