"""The reference process: runs task files in the user's own interpreter and says what they are and compute.

Run by path (`python -I reference_worker/__main__.py JOBS`), Python 3.10 or newer; imports the standard library,
torch and itself, and nothing else of Kernelwright. Requests come in as JSON lines on standard input, replies leave as JSON
lines on descriptor 3, which no task ever sees; the first line out says whether torch is here. Each task is
loaded in a child forked from the warm parent (torch runs on one thread, so a fork is safe), so that no task
can spoil another; a few children are kept for the next request.

Request: {"id", "request": "describe" | "trial" | "screen" | "inputs" | "release", "task": {"path", "text", "small", "requires"},
          "size": "auto" | "full" | {name: value}, "limits": {"time_s", "memory_mb"},
          for a trial also "seed", "family", "output", for inputs "seed", "output"}
Reply:   {"id", "result": {...}} or
         {"id", "error": {"code", "message", "line", "column", "end_line", "end_column"}}

With the word `timing` in place of JOBS it is another program: it has a GPU, answers one request for the eager latency there
({"nonce", "task", "seed"}), and ends.
"""
