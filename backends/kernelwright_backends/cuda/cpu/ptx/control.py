"""Instructions that end a thread, make it wait, or say how it is to run."""

from kernelwright_backends.cuda.cpu.ptx.instruction import Table, always

INSTRUCTIONS: Table = {
    "nanosleep": always("kw_fence();"),
    "trap": always("__trap();"),
    "exit": always("kw_end_thread();"),
    "pmevent": always(";"),
    "setmaxnreg": always(";"),
    "brkpt": always(";"),
    # A kernel starts when the one before it in its stream has ended.
    "griddepcontrol": lambda i: ";" if i.modifiers in (["wait"], ["launch_dependents"]) else None,
}
