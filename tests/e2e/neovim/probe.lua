-- Drives one language server from a real neovim and prints, as one JSON object, what the user would have seen.
--
--   KERNELWRIGHT_PROBE=scenario.json nvim --headless -u NONE -i NONE -n -c 'luafile probe.lua'
--
-- The scenario: {command: [...], root, file, result, timeout_s, initializationOptions, settings, steps: [...]}.
-- A step is one of
--   {"do": "save"}                       write the buffer, as :w does
--   {"do": "wait", "for": WHAT}          idle: a job ran and ended; diagnostics: at least one is shown;
--                                        change: the server changed the buffer; message: it showed a message
--   {"do": "replace", "old", "new"}      edit the buffer, the first occurrence of a text within a line
--   {"do": "request", "method", "params"}  the answer stands in `answers`, in order; URI stands for the document's
-- Each wait starts where the step before it began, so a job that ends at once is not missed.

local scenario = vim.json.decode(table.concat(vim.fn.readfile(vim.env.KERNELWRIGHT_PROBE), '\n'))
local timeout_ms = (scenario.timeout_s or 60) * 1000
local seen = { diagnostics = {}, statuses = {}, messages = {}, answers = {}, edits = 0 }
local mark = { statuses = 0, messages = 0, edits = 0 }

local function finish(problem)
  seen.problem = problem
  seen.text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n'
  vim.lsp.stop_client(vim.lsp.get_active_clients())
  vim.wait(10000, function() return seen.exit ~= nil end, 20)
  vim.fn.writefile({ vim.json.encode(seen) }, scenario.result)
  vim.cmd('qall!')
end

local shown = vim.lsp.handlers['textDocument/publishDiagnostics']
local apply = vim.lsp.handlers['workspace/applyEdit']
local handlers = {
  ['textDocument/publishDiagnostics'] = function(err, result, context, config)
    if result.uri == vim.uri_from_bufnr(0) then
      seen.published = result.diagnostics
      seen.version = result.version
    end
    return shown(err, result, context, config)
  end,
  ['kernelwright/status'] = function(_, result) table.insert(seen.statuses, result) end,
  ['window/showMessage'] = function(_, result) table.insert(seen.messages, result) end,
  ['window/logMessage'] = function() end,
  ['workspace/codeLens/refresh'] = function() return vim.NIL end,
  ['workspace/configuration'] = function(_, result)
    local answers = {}
    for _, item in ipairs(result.items) do
      table.insert(answers, item.section == 'kernelwright' and scenario.settings or vim.NIL)
    end
    return answers
  end,
  ['workspace/applyEdit'] = function(err, result, context, config)
    local answer = apply(err, result, context, config)
    seen.edits = seen.edits + 1
    seen.edit = result
    return answer
  end,
}

local function ended()
  local busy = false
  for i = mark.statuses + 1, #seen.statuses do
    local state = seen.statuses[i].state
    if state == 'busy' then busy = true end
    if busy and state ~= 'busy' then return true end
  end
  return false
end

local conditions = {
  idle = ended,
  diagnostics = function() return seen.published and #seen.published > 0 end,
  change = function() return seen.edits > mark.edits end,
  message = function() return #seen.messages > mark.messages end,
}

local function with_uri(value)
  if value == 'URI' then return vim.uri_from_bufnr(0) end
  if type(value) ~= 'table' then return value end
  local copy = vim.tbl_isempty(value) and value or {}
  for key, inner in pairs(value) do copy[key] = with_uri(inner) end
  return copy
end

local function set_mark() mark = { statuses = #seen.statuses, messages = #seen.messages, edits = seen.edits } end

local actions = {
  save = function() set_mark() vim.cmd('silent write') end,
  wait = function(step)
    local condition = conditions[step['for']]
    vim.wait(timeout_ms, function() return condition() or seen.exit end, 20)
    if not condition() then error('waited in vain for: ' .. step['for'], 0) end
  end,
  replace = function(step)
    set_mark()
    for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
      local first, last = line:find(step.old, 1, true)
      if first then
        return vim.api.nvim_buf_set_text(0, number - 1, first - 1, number - 1, last, { step.new })
      end
    end
    error('the buffer does not hold: ' .. step.old, 0)
  end,
  request = function(step, client)
    set_mark()
    local answer, problem = client.request_sync(step.method, with_uri(step.params), timeout_ms, 0)
    if not answer then error(step.method .. ': ' .. tostring(problem), 0) end
    if answer.err then error(step.method .. ': ' .. vim.inspect(answer.err), 0) end
    table.insert(seen.answers, answer.result == nil and vim.NIL or answer.result)
  end,
}

local function run()
  vim.cmd('edit ' .. vim.fn.fnameescape(scenario.file))
  local id = vim.lsp.start_client({
    name = 'kernelwright',
    cmd = scenario.command,
    root_dir = scenario.root,
    init_options = scenario.initializationOptions,
    settings = scenario.settings,
    handlers = handlers,
    flags = { debounce_text_changes = 20 },
    on_exit = function(code) seen.exit = code end,
  })
  if not id then error('the server could not be started: ' .. table.concat(scenario.command, ' '), 0) end
  local client = vim.lsp.get_client_by_id(id)
  vim.wait(timeout_ms, function() return client.initialized or seen.exit end, 10)
  if not client.initialized then
    error(seen.exit and 'the server ended with status ' .. seen.exit or 'no answer to initialize', 0)
  end
  vim.lsp.buf_attach_client(0, id)
  seen.capabilities = client.server_capabilities
  for _, step in ipairs(scenario.steps) do actions[step['do']](step, client) end
  seen.diagnostics = vim.diagnostic.get(0)
end

local ok, problem = pcall(run)
finish(not ok and problem or nil)
