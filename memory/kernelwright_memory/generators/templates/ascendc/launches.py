"""What one pass over tiles cannot do is taken apart into passes that can, which hand tensors on through the workspace."""

from collections.abc import Callable

from kernelwright_memory.generators.templates.graph.graph import (
    ONE,
    ZERO,
    Buffer,
    Expression,
    Load,
    Node,
    Unsupported,
    Value,
    is_in_order,
    replace,
    reshape,
)
from kernelwright_memory.generators.templates.graph.operators import HALVES
from kernelwright_memory.generators.templates.graph.schedule import Schedule, Step
from kernelwright_memory.generators.templates.graph.size import Size, contiguous

Store = Callable[[str, tuple[Size, ...]], Buffer]
"""A new tensor in the workspace, by element type and shape."""


def passes(planned: Schedule, check: Callable[[Step], None]) -> Schedule:
    """The schedule in steps that are written as they stand.

    Args:
        check: raises Unsupported where a step is not.

    Raises:
        Unsupported: nor are the parts of a step.
    """
    for step in planned.steps:
        if step.kind == "recurrence":
            raise Unsupported("a recurrent layer in Ascend C")
        if step.kind == "pool" and step.nodes[0].attributes.get("over"):
            raise Unsupported("pooling with ceil_mode in Ascend C")
    temporaries = list(planned.temporaries)

    def store(dtype: str, shape: tuple[Size, ...]) -> Buffer:
        buffer = Buffer(f"temporary{len(temporaries)}", "float32" if dtype in HALVES else dtype, shape)
        temporaries.append(buffer)
        return buffer

    def written(step: Step) -> list[Step]:
        try:
            check(step)
            return [step]
        except Unsupported as reason:
            refused = reason
        for apart in (_operands_first, _ordered_first, _axis_by_axis, _results_first):
            before = len(temporaries)
            try:
                parts = apart(step, store)
                if parts:
                    return [own for part in parts for own in written(part)]
            except Unsupported as reason:
                refused = reason
            del temporaries[before:]
        raise refused

    steps = tuple(own for step in planned.steps for own in written(step))
    return Schedule(steps, tuple(temporaries), planned.outputs)


def _read(buffer: Buffer, dtype: str) -> Value:
    return Value(buffer.shape, Load(dtype, buffer, contiguous(buffer.shape)))


def _operands_first(step: Step, store: Store) -> list[Step]:
    """Products, windows and scans read tensors as they lie in memory: what is computed or lies otherwise is stored first."""
    if step.kind not in ("matmul", "convolution", "pool", "scan"):
        return []
    before: list[Step] = []
    operands: list[Value] = []
    for value in step.inputs[0]:
        if isinstance(value.expression, Load) and is_in_order(value.expression, value.shape):
            operands.append(value)
            continue
        buffer = store(value.dtype, value.shape)
        before.append(Step("elementwise", value, buffer))
        operands.append(_read(buffer, value.dtype))
    return (
        [*before, Step(step.kind, step.value, step.target, step.nodes, (tuple(operands),))] if before else []
    )


def _ordered_first(step: Step, store: Store) -> list[Step]:
    """Tensors that are read across the order in which they lie are brought into it before anything is computed."""
    if isinstance(step.value.expression, Load) and not step.nodes:
        return []
    before: list[Step] = []
    made: dict[tuple[Buffer, tuple[Size, ...], Size], Buffer] = {}

    def in_order(value: Value) -> Value:
        def leaf(e: Expression) -> Expression:
            if (
                not isinstance(e, Load)
                or e.buffer.node is not None
                or e.gathered
                or not _crosses(e, value.shape)
            ):
                return e
            key = e.buffer, e.strides, e.offset
            if key not in made:
                made[key] = store(e.buffer.dtype, value.shape)
                before.append(Step("elementwise", Value(value.shape, e), made[key]))
            return Load(e.dtype, made[key], contiguous(value.shape))

        return Value(value.shape, replace(value.expression, leaf))

    value = in_order(step.value)
    inputs = tuple(tuple(in_order(own) for own in group) for group in step.inputs)
    whole = Step(step.kind, value, step.target, step.nodes, inputs, step.space, step.axes, step.whole)
    return [*before, whole] if before else []


def _crosses(load: Load, shape: tuple[Size, ...]) -> bool:
    """Neighbours along the innermost axis do not lie side by side."""
    inner = next((s for s, e in zip(reversed(load.strides), reversed(shape), strict=True) if e != ONE), ZERO)
    return inner not in (ZERO, ONE)


def _axis_by_axis(step: Step, store: Store) -> list[Step]:
    """A reduction over axes that are not walked over as one takes the last of them first."""
    if step.kind != "rows" or len(step.nodes) != 1 or step.nodes[0].operation not in ("sum", "max", "min"):
        return []
    (node,), (inputs,) = step.nodes, step.inputs
    reduced = [a for a in step.axes if step.space[a] != ONE]
    if len(reduced) < 2:
        return []
    last = [reduced[-1]]
    while last[0] - 1 in reduced:
        last.insert(0, last[0] - 1)
    if last == reduced:
        last = last[-1:]
    shape = tuple(ONE if a in last else e for a, e in enumerate(step.space))
    partial = Node("reduce", node.operation, inputs, shape, node.dtype, {"axes": tuple(last)})
    buffer = store(node.dtype, shape)
    first = Step(
        "rows", _row(partial, step.space, last), buffer, (partial,), (inputs,), step.space, tuple(last)
    )
    rest = (_read(buffer, node.dtype),)
    return [first, Step("rows", step.value, step.target, step.nodes, (rest,), shape, step.axes, step.whole)]


def _row(node: Node, space: tuple[Size, ...], axes: list[int]) -> Value:
    """The result of a reduction, in the shape of what it keeps."""
    value = reshape(node.result(), tuple(e for a, e in enumerate(space) if a not in axes))
    assert value is not None
    return value


def _results_first(step: Step, store: Store) -> list[Step]:
    """The results of a step's operators are stored, and what is made of them is computed from there."""
    alone = isinstance(step.value.expression, Load) and step.value.expression.buffer.node is not None
    if not step.nodes or (alone and len(step.nodes) == 1):
        return []
    stored: dict[Node, Buffer] = {}

    def leaf(e: Expression) -> Expression:
        if isinstance(e, Load) and e.buffer.node in stored:
            return Load(e.dtype, stored[e.buffer.node], e.strides, e.offset, e.gathered)
        return e

    steps: list[Step] = []
    for node, inputs in zip(step.nodes, step.inputs, strict=True):
        buffer = store(node.dtype, node.shape)
        own = tuple(Value(i.shape, replace(i.expression, leaf)) for i in inputs)
        value = _row(node, step.space, list(step.axes)) if step.kind == "rows" else node.result()
        steps.append(Step(step.kind, value, buffer, (node,), (own,), step.space, step.axes))
        stored[node] = buffer
    rest = Value(step.value.shape, replace(step.value.expression, leaf))
    return [*steps, Step("elementwise", rest, step.target)]
