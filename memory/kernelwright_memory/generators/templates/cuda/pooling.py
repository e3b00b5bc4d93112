"""Largest and mean of windows in one to three dimensions, with pointwise work before and after."""

from typing import Any

from kernelwright_memory.generators.templates.cuda.emit import (
    Blocks,
    KernelText,
    Lines,
    Scope,
    Writer,
    index_text,
)
from kernelwright_memory.generators.templates.graph.graph import ZERO
from kernelwright_memory.generators.templates.graph.operators import CPP_TYPES, computation_type, literal
from kernelwright_memory.generators.templates.graph.schedule import Step
from kernelwright_memory.generators.templates.graph.size import Size, contiguous, product


def variants(step: Step) -> list[dict[str, Any]]:
    """The parameter space: threads a block and places a thread."""
    return [
        {"block": block, "each": each}
        for block, each in ((256, 1), (128, 1), (512, 1), (256, 2), (256, 4), (64, 1))
    ]


def emit(step: Step, parameters: dict[str, Any], prefix: str, scalars: dict[float, str]) -> KernelText:
    """One window a thread and round."""
    scope, lines, node = Scope(prefix, scalars), Lines(), step.nodes[0]
    value = step.inputs[0][0]
    attributes = node.attributes
    rank = len(attributes["window"])
    lead = len(node.shape) - rank
    names = [f"i{a}" for a in range(len(node.shape))]
    n = product(node.shape)
    for name in (*names, "sum", "best", "count"):
        scope.fresh(name)
    total = scope.size(n, "n")
    lines.add("const int64_t stride = int64_t(gridDim.x) * blockDim.x;")
    lines.open(f"for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < {total}; i += stride)")
    rest = "i"
    for axis in range(len(node.shape) - 1, 0, -1):
        extent = scope.size(node.shape[axis], "out_extent" if axis >= lead else "channels")
        lines.add(f"const int64_t {names[axis]} = {rest} % {extent};")
        rest = f"{rest} / {extent}"
    lines.add(f"const int64_t {names[0]} = {rest};")

    kind = computation_type(node.dtype)
    largest = node.operation == "max"
    state = "best" if largest else "sum"
    lines.add(f"{kind} {state} = {'-INFINITY' if largest else literal(0, kind)};")
    over = bool(attributes.get("over"))
    # With windows over the end, what they hold of the padding behind it is counted by none.
    counts = not largest and (over or not attributes["counts_padding"]) and not attributes["divisor"]
    if counts:
        lines.add("int count = 0;")
    coordinates = names[:lead]
    for d in range(rank):
        window, stride, padding, dilation = (
            attributes[k][d] for k in ("window", "stride", "padding", "dilation")
        )
        place = f"in{d}"
        lines.open(f"for (int k{d} = 0; k{d} < {window}; ++k{d})")
        start = names[lead + d] if stride == 1 else f"{names[lead + d]} * {stride}"
        tap = f"k{d}" if dilation == 1 else f"k{d} * {dilation}"
        lines.add(f"const int64_t {place} = {start} + {tap}{f' - {padding}' if padding else ''};")
        if padding or over:
            extent = scope.size(value.shape[lead + d], "extent")
            before = f"{place} < 0 || " if padding else ""
            lines.open(f"if ({before}{place} >= {extent})")
            lines.add("continue;")
            lines.close()
        coordinates.append(place)

    labels = ["extent"] * len(names)

    def index(strides: tuple[Size, ...], offset: Size) -> str:
        return index_text(scope, coordinates, value.shape, labels, strides, offset)

    def place_of_result(strides: tuple[Size, ...], offset: Size) -> str:
        if strides == contiguous(node.shape) and offset == ZERO:
            return "i"
        return index_text(scope, names, node.shape, labels, strides, offset)

    element = Writer(scope, lines, index).write(value.expression, kind)
    if largest:
        lines.add(f"best = {scope.function('maximum', kind)}(best, {element});")
    else:
        lines.add(f"sum += {element};")
        if counts:
            lines.add("++count;")
    for _ in range(rank):
        lines.close()
    if not largest:
        taps = 1
        for extent_ in attributes["window"]:
            taps *= extent_
        divisor = "count" if counts else literal(attributes["divisor"] or taps, kind)
        lines.add(f"sum /= {divisor};")
    writer = Writer(scope, lines, place_of_result, {node: (state, kind)})
    result = writer.write(step.value.expression, CPP_TYPES[step.target.dtype])
    lines.add(f"{scope.buffer(step.target, written=True)}[i] = {result};")
    lines.close()
    block = parameters["block"]
    return KernelText(
        prefix, scope.arguments, str(block), lines.text, scope.functions, (Blocks(n, block * parameters["each"]),), (block,),
        comment="One window a thread and round.",
    )  # fmt: skip
