"""The server as LSP sees it: methods, client, documents."""
