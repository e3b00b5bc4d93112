"""Instructions that end a thread, make it wait, or say how it is to run."""

from kernelwright_backends.cuda.cpu.ptx.instruction import Table, always

# A kernel is executed when the one before it in its stream has ended, and has nobody to tell.
_GRID_DEPENDENCY = {"wait": "kw_wait_for_primary();", "launch_dependents": ";"}

INSTRUCTIONS: Table = {
    "nanosleep": always("kw_fence();"),
    "trap": always("__trap();"),
    "exit": always("kw_end_thread();"),
    "pmevent": always(";"),
    "setmaxnreg": always(";"),
    "brkpt": always(";"),
    "griddepcontrol": lambda i: _GRID_DEPENDENCY.get(" ".join(i.modifiers)),
}
