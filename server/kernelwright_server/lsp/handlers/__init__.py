"""One module for each method of LSP: each has `async def handle(session, params)` and little else."""
