"""The reference process: runs task files in the user's own interpreter and says what they are and compute.

Run by path (`python -I reference_worker/__main__.py`), Python 3.10 or newer; imports the standard library,
torch and itself, and nothing else of Kernelwright. The first lines out, on descriptor 3, say whether torch is here. For each
task a worker is forked from the warm parent (torch runs on one thread, so a fork is safe), which confines itself before it
reads the task (`confining`): it sees no other process, and of what can be written its own folder alone. The parent carries
lines between the server and its workers (`parent`), and never looks at what a worker says.

To a worker, first: {"task": {"path", "text", "small", "requires"}}
Request: {"request": "describe" | "trial" | "screen" | "inputs", "size": "auto" | "full" | {name: value},
          for a trial also "seed", "family", "output", for inputs "seed", "output"}
Reply:   {"result": {...}} or {"error": {"code", "message", "line", "column", "end_line", "end_column"}}

With the word `timing` as its argument it is another program: it has a GPU, answers one request for the eager latency there
({"nonce", "task", "seed"}), and ends.
"""
