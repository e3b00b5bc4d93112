"""The parameter space of rows: who computes one, with how many threads, and whether several blocks share it."""

from typing import Any

from kernelwright_memory.generators.templates.cuda.one_pass import deviations, exponentials
from kernelwright_memory.generators.templates.cuda.row_kernel import CACHE_BYTES
from kernelwright_memory.generators.templates.cuda.row_space import (
    SHORT_ROW,
    VECTOR,
    is_cacheable,
    pass_levels,
    reads_fours,
    row_count,
    row_length,
)
from kernelwright_memory.generators.templates.graph.graph import (
    Buffer,
    Expression,
    Load,
    Node,
    Value,
    replace,
)
from kernelwright_memory.generators.templates.graph.operators import HALVES
from kernelwright_memory.generators.templates.graph.schedule import Schedule, Step
from kernelwright_memory.generators.templates.graph.size import Size, contiguous

# As many rows as leave most of a chip idle with a block each.
_FEW_ROWS = 64
# Lines that keep 32 threads of a column busy.
_MANY_LINES = 1024
# Threads of all processors of a large chip together.
_ALL_THREADS = 132 * 2048
# A row that is so much longer than there are rows is computed by several blocks.
_LONG_ROW = 1024
_LONGEST_CACHED = CACHE_BYTES // 4


def variants(step: Step) -> list[dict[str, Any]]:
    """The parameter space: who computes a row, with how many threads, whether the row is kept in shared memory, and elements an
    access."""
    if step.parts:
        lanes = {"vector": VECTOR} if reads_fours(step) else {}
        return [
            {"row": "part", "threads": threads, "cache": False, "parts": step.parts, **lanes}
            for threads in (256, 512, 128, 1024)
        ]
    length, count = row_length(step).value, row_count(step).value
    cached = [True, False] if is_cacheable(step) else [False]
    if length > _LONGEST_CACHED:
        # A row that is not kept is read in fewer passes without the attempt.
        cached.reverse()
    # So many threads keep all processors busy where there are few rows.
    enough = max((256, 512, 1024), key=lambda n: (_busy(count * n), -n))
    sizes = sorted((256, 128, 512, 1024), key=lambda n: n != enough)
    blocks: list[dict[str, Any]] = [
        {"row": "block", "threads": threads, "cache": cache} for cache in cached for threads in sizes
    ]
    warps: list[dict[str, Any]] = [
        {"row": "warp", "threads": 32, "cache": cache, "rows": rows_} for cache in cached for rows_ in (4, 8)
    ]
    # Of columns too: more threads each where there are few.
    across = next((n for n in (8, 16) if n * count >= _ALL_THREADS), 32 if length >= _MANY_LINES else 8)
    wide = reads_fours(step)
    short = SHORT_ROW * (VECTOR if wide else 1)
    rows = warps + blocks if length <= short else blocks + warps
    if wide:
        rows = [{**own, "vector": VECTOR} for own in rows] + rows
    side_by_side: list[dict[str, Any]] = [
        {"row": "column", "threads": lanes, "cache": False}
        for lanes in sorted((8, 16, 4, 32), key=lambda n: n != across)
    ]
    side_by_side += [{"row": "thread", "threads": 1, "cache": False, "rows": n} for n in (256, 128, 64)]
    split = _splits(step)
    if _last_is_reduced(step):
        few = count * _LONG_ROW <= length
        return [*split, *rows, side_by_side[-1]] if few else [*rows, side_by_side[-1], *split]
    return [*side_by_side, blocks[0], *split]


def _busy(threads: int) -> float:
    """The share of a large chip's threads that so many keep busy, on average over the rounds that they take."""
    rounds = -(-threads // _ALL_THREADS)
    return round(threads / (rounds * _ALL_THREADS), 1)


def _splits(step: Step) -> list[dict[str, Any]]:
    """Several blocks a row, for long rows of which there are few."""
    if (
        row_count(step).value > _FEW_ROWS
        or step.whole
        or len(pass_levels(step)) > 1
        or any(deviations(step, n) or exponentials(step, n) for n in step.nodes)
        or any(n.operation.startswith("arg") for n in step.nodes)
    ):
        return []
    wide = {"vector": VECTOR} if reads_fours(step) else {}
    return [
        {"row": "split", "threads": 256, "cache": False, "parts": parts, **wide} for parts in (1024, 512, 128)
    ]


def split(planned: Schedule, step: Step, parameters: dict[str, Any]) -> Schedule:
    """The schedule with a step's rows computed by several blocks each: partial results first, then these are joined."""
    parts = Size.of(parameters["parts"])
    partial_steps: list[Step] = []
    buffers: list[Buffer] = []
    joined: dict[Node, Node] = {}
    for node, inputs in zip(step.nodes, step.inputs, strict=True):
        dtype = "float32" if node.dtype in HALVES else node.dtype
        shape = (*node.shape, parts)
        buffer = Buffer(f"partial{len(planned.temporaries) + len(buffers)}", dtype, shape)
        partial_steps.append(Step("rows", node.result(), buffer, (node,), (inputs,), step.space, step.axes))
        value = Value(shape, Load(dtype, buffer, contiguous(shape)))
        joined[node] = Node(
            "reduce", node.operation, (value,), node.shape, node.dtype, {"axes": (len(shape) - 1,)}
        )
        buffers.append(buffer)

    def leaf(e: Expression) -> Expression:
        if isinstance(e, Load) and e.buffer.node in joined:
            node = joined[e.buffer.node]
            return Load(e.dtype, Buffer(e.buffer.name, e.buffer.dtype, node.shape, node), e.strides, e.offset)
        return e

    value = Value(step.value.shape, replace(step.value.expression, leaf))
    nodes_ = tuple(joined.values())
    last = Step("rows", value, step.target, nodes_, tuple((n.inputs[0],) for n in nodes_), nodes_[0].inputs[0].shape,
                (len(nodes_[0].shape),))  # fmt: skip
    steps = tuple(s for own in planned.steps for s in ((*partial_steps, last) if own is step else (own,)))
    return Schedule(steps, (*planned.temporaries, *buffers), planned.outputs)


def _last_is_reduced(step: Step) -> bool:
    axes = [a for a, extent in enumerate(step.space) if extent != Size.of(1)]
    return not axes or axes[-1] in step.axes
