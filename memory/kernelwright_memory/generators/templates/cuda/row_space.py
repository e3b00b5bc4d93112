"""The rows of a step: the space that they lie in, what is read four elements at a time or more than once, and in which passes."""

from typing import Any

from kernelwright_memory.generators.templates.cuda.elementwise import _BYTES, _CARRIERS
from kernelwright_memory.generators.templates.cuda.emit import Space, collapse
from kernelwright_memory.generators.templates.cuda.one_pass import deviations, exponentials
from kernelwright_memory.generators.templates.graph.graph import (
    ONE,
    ZERO,
    Expression,
    Load,
    Node,
    Position,
    Value,
    leaves,
    loads,
    nodes,
)
from kernelwright_memory.generators.templates.graph.operators import CPP_TYPES
from kernelwright_memory.generators.templates.graph.schedule import Step
from kernelwright_memory.generators.templates.graph.size import Size, contiguous, product

# Rows that leave most of a block of 256 threads without an element: a warp each.
SHORT_ROW = 128
VECTOR = 4


def row_count(step: Step) -> Size:
    return product(e for a, e in enumerate(step.space) if a not in step.axes)


def row_length(step: Step) -> Size:
    return product(e for a, e in enumerate(step.space) if a in step.axes)


def space_of(step: Step, values: list[Value], *, stored: bool = False) -> Space:
    """The space of a step with as few axes as these values allow."""
    all_strides = [
        leaf.strides
        for value in values
        for leaf in leaves(value.expression)
        if isinstance(leaf, Load | Position)
        and len(leaf.strides) == len(step.space)
        and not (isinstance(leaf, Load) and leaf.buffer.node is not None)
    ]
    if stored:
        all_strides.append(contiguous(step.space))
    return collapse(step.space, all_strides, axis_kinds(step))


def axis_kinds(step: Step) -> list[int]:
    return [int(a in step.axes) for a in range(len(step.space))]


def lies_in_fours(step: Step, space: Space, load: Load) -> bool:
    """The elements of a row lie side by side, and rows begin at multiples of their length."""
    kinds = axis_kinds(step)
    last = space.groups[-1] if space.groups else ()
    if load.gathered or load.offset != ZERO or load.buffer.node is not None or not last or not kinds[last[0]]:
        return False
    if len(load.strides) != len(step.space) or _BYTES[CPP_TYPES[load.buffer.dtype]] * VECTOR not in _CARRIERS:
        return False
    merged = space.strides(load.strides)
    length = space.shape[-1]
    return merged[-1] == ONE and all(s == ZERO or s.over(length) is not None for s in merged[:-1])


def reads_fours(step: Step) -> bool:
    """Whether most of what each pass reads can be read four elements at a time."""
    if any(n.operation.startswith("arg") for n in step.nodes):
        return False
    values = [inputs[0] for inputs in step.inputs]
    space = space_of(step, values)
    reduced = [a for a, g in enumerate(space.groups) if axis_kinds(step)[g[0]]]
    if not reduced or (len(reduced) > 1 and space.shape[-1].value < SHORT_ROW):
        return False
    found = [x for v in values for x in loads(v.expression) if x.buffer.node is None]
    along = [x for x in found if _varies(x, step) or any(x.strides[a] != ZERO for a in step.axes)]
    return bool(along) and all(lies_in_fours(step, space, x) for x in along)


def is_cacheable(step: Step) -> bool:
    return bool(repeated_loads(step))


def key_of(load: Load) -> tuple[Any, ...]:
    return (load.buffer, load.strides, load.offset)


def repeated_loads(step: Step) -> list[tuple[Any, ...]]:
    """The loads that more than one pass makes and that differ along the row."""
    passes: list[set[tuple[Any, ...]]] = []
    for level in pass_levels(step):
        passes.append(
            {
                key_of(x)
                for node in level
                for x in loads(step.inputs[step.nodes.index(node)][0].expression)
                if _varies(x, step)
            }
        )
    if step.whole:
        passes.append({key_of(x) for x in loads(step.value.expression) if _varies(x, step)})
    counted: dict[tuple[Any, ...], int] = {}
    for keys in passes:
        for key in keys:
            counted[key] = counted.get(key, 0) + 1
    return [key for key, times in counted.items() if times > 1]


def _varies(load: Load, step: Step) -> bool:
    if load.buffer.node is not None or load.gathered:
        return False
    return any(load.strides[a] != ZERO for a in step.axes) and any(
        load.strides[a] != ZERO
        for a in range(len(step.space))
        if a not in step.axes and step.space[a] != Size.of(1)
    ) | all(a in step.axes or step.space[a] == Size.of(1) for a in range(len(step.space)))


def pass_levels(step: Step, cached: bool = False) -> list[list[Node]]:
    """The nodes in passes: each needs only the results of passes before it, or follows them within a pass.

    Args:
        cached: the row is at hand for further passes, which are cheaper than exponentials.
    """
    level: dict[Node, int] = {}

    def after(expression: Expression) -> int:
        return 1 + max((level[n] for n in nodes(expression) if n in level), default=-1)

    for node, inputs in zip(step.nodes, step.inputs, strict=True):
        level[node] = after(inputs[0].expression)
        spread, growing = deviations(step, node), exponentials(step, node)
        if spread is not None:
            level[node] = max(after(spread.element), after(spread.centre) - 1)
        elif growing is not None and not cached and after(growing.element) == level[growing.largest]:
            level[node] = level[growing.largest]
    return [[n for n in step.nodes if level[n] == depth] for depth in range(max(level.values()) + 1)]
