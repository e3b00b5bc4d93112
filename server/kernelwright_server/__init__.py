"""The language server and the command line: the only part that knows LSP."""
