-- What autocoder's server adds to the Language Server Protocol: a mirror of the
-- names in the server. A Go test (lsp/nvimtest) fails when the two differ.

local M = {}

---The name of the server, of its settings and of its diagnostics' source.
M.name = 'autocoder'

---Commands of workspace/executeCommand. Each takes one autocoder.Arguments and
---returns at once; what takes time goes on as a job.
M.commands = {
  fix = 'autocoder.fix',
  run_tests = 'autocoder.runTests',
  apply = 'autocoder.apply',
  discard = 'autocoder.discard',
  cancel = 'autocoder.cancel',
  report = 'autocoder.report',
  doctor = 'autocoder.doctor',
}

---Methods beside those of the protocol.
M.methods = {
  ---Notification to the editor, with autocoder.Status.
  status = 'autocoder/status',
  ---Request to the server: autocoder.ReportParams to autocoder.ReportResult.
  report = 'autocoder/report',
}

---@class autocoder.Arguments
---@field uri? string a document or folder of the project
---@field root? string the project's folder as a path
---@field only? string[] the failing tests to repair
---@field larger? boolean with a larger budget than the settings give
---@field run? string the run that the command is about
---@field partial? boolean apply the partial fix of the run
---@field alternative? string the alternative to verify and apply
---@field job? string the job to cancel

---@class autocoder.Status
---@field root string the project's folder
---@field state 'running'|'idle'
---@field outcome string that of the last run, '' when there was none
---@field message string
---@field run string the last run
---@field job string the job that runs, '' when none does
---@field attempts integer
---@field spent string
---@field ready boolean nothing runs, and a fix that nobody asked for waits to be taken

---@class autocoder.ReportParams
---@field run string '' for the last run

---@class autocoder.ReportResult
---@field markdown string
---@field report table

return M
