"""The operator family of a task, by what its graph does rather than by what its operators are called."""

from typing import Literal

from kernelwright_memory.generators.templates.graph.build import Graph
from kernelwright_memory.generators.templates.graph.counts import Counts
from kernelwright_memory.generators.templates.graph.graph import Unsupported
from kernelwright_memory.generators.templates.graph.schedule import Schedule, Step, schedule
from kernelwright_verifier.task.task import TaskDescription

Family = Literal[
    "elementwise",
    "reduction",
    "softmax",
    "norm",
    "matmul",
    "convolution",
    "pooling",
    "scan",
    "attention",
    "loss",
    "recurrence",
]

# The costlier kernel gives the family its name.
_ORDER = ("recurrence", "convolution", "matmul", "scan", "pool", "rows", "pack", "elementwise")


def plan(description: TaskDescription, other: TaskDescription | None = None) -> tuple[Graph, Schedule]:
    """The graph of a task and the launches that compute it.

    Args:
        other: the same task at other sizes, which tells what numbers are sizes.

    Raises:
        Unsupported: no template covers an operator of it.
    """
    if not description.trace.outputs:
        raise Unsupported("the task has no operator trace")
    graph = Graph(description, Counts(description, other))
    dtypes = tuple(o.dtype for o in description.outputs)
    names = tuple("out" if len(dtypes) == 1 else f"out{i}" for i in range(len(dtypes)))
    return graph, schedule(graph.outputs, names, dtypes)


def main_step(steps: tuple[Step, ...]) -> Step:
    """The step that matters most."""
    return min(steps, key=lambda step: _ORDER.index(step.kind))


def classify(description: TaskDescription) -> Family | None:
    """The family of a task, None where no template covers it."""
    try:
        _, planned = plan(description)
    except Unsupported:
        return None
    names = {o.name for o in description.trace.operators}
    kinds = [step.kind for step in planned.steps]
    if any("attention" in n for n in names) or (kinds.count("matmul") == 2 and "rows" in kinds):
        return "attention"
    main = main_step(planned.steps)
    if main.kind == "rows":
        if any(n.endswith("_loss") or "nll_loss" in n for n in names):
            return "loss"
        if any("softmax" in n for n in names):
            return "softmax"
        return "norm" if any(step.whole for step in planned.steps) or len(planned.steps) > 1 else "reduction"
    families: dict[str, Family] = {
        "pool": "pooling",
        "convolution": "convolution",
        "matmul": "matmul",
        "scan": "scan",
        "recurrence": "recurrence",
    }
    return families.get(main.kind, "elementwise")
