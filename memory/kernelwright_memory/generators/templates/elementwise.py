"""Elementwise chains: one thread computes a few elements, by vector accesses where all operands lie alike."""

from typing import Any

from kernelwright_memory.generators.templates.emit import (
    Blocks,
    KernelText,
    Lines,
    Scope,
    Writer,
    collapse,
    decode,
    linear_index,
)
from kernelwright_memory.generators.templates.graph import ZERO, Load, Position, leaves
from kernelwright_memory.generators.templates.operators import CPP_TYPES
from kernelwright_memory.generators.templates.schedule import Step
from kernelwright_memory.generators.templates.size import Size, contiguous, product

_BYTES = {"double": 8, "float": 4, "__half": 2, "__nv_bfloat16": 2, "bool": 1, "uint8_t": 1, "int8_t": 1, "int16_t": 2,
          "int": 4, "int64_t": 8}  # fmt: skip
_CARRIERS = {1: "unsigned char", 2: "unsigned short", 4: "float", 8: "float2", 16: "float4"}


def variants(step: Step) -> list[dict[str, Any]]:
    """The parameter space: threads a block, elements a vector access, accesses a thread."""
    space = [{"block": 256, "vector": 1, "each": 1}]
    if _lanes(step) > 1:
        lanes = _lanes(step)
        space += [{"block": block, "vector": lanes, "each": 1} for block in (256, 512, 128)]
        space += [{"block": 256, "vector": lanes, "each": 2}, {"block": 256, "vector": lanes, "each": 4}]
        if lanes > 2:
            space.append({"block": 256, "vector": lanes // 2, "each": 1})
    space += [
        {"block": 256, "vector": 1, "each": 4},
        {"block": 512, "vector": 1, "each": 2},
        {"block": 128, "vector": 1, "each": 1},
    ]
    return space


def _lanes(step: Step) -> int:
    """How many elements one access of 16 bytes can hold; 1 where some operand does not lie in order."""
    shape = step.value.shape
    in_order = contiguous(shape)
    largest = _BYTES[CPP_TYPES[step.target.dtype]]
    for leaf in leaves(step.value.expression):
        if isinstance(leaf, Position):
            return 1
        assert isinstance(leaf, Load)
        if leaf.gathered or leaf.offset != ZERO:
            return 1
        if all(s == ZERO for s in leaf.strides):
            continue
        if any(a != b for a, b, e in zip(leaf.strides, in_order, shape, strict=True) if e != Size.of(1)):
            return 1
        largest = max(largest, _BYTES[CPP_TYPES[leaf.buffer.dtype]])
    return 16 // largest


def emit(step: Step, parameters: dict[str, Any], prefix: str, scalars: dict[float, str]) -> KernelText:
    """One element a thread and round, or `vector` of them."""
    scope, lines = Scope(prefix, scalars), Lines()
    block, vector, each = parameters["block"], parameters["vector"], parameters["each"]
    n = product(step.value.shape)
    body = _vectorised if vector > 1 and _lanes(step) >= vector else _scalar
    body(step, scope, lines, n, vector)
    comment = "One element a thread and round."
    if body is _vectorised:
        comment = f"{vector} elements an access; the last few by themselves."
    return KernelText(
        prefix, scope.arguments, str(block), lines.text, scope.functions, (Blocks(n, block * (vector if body is _vectorised else 1) * each),),
        (block,), comment=comment,
    )  # fmt: skip


def _scalar(step: Step, scope: Scope, lines: Lines, n: Size, vector: int) -> None:
    shape = step.value.shape
    all_leaves = leaves(step.value.expression)
    strides = [leaf.strides for leaf in all_leaves if isinstance(leaf, Load | Position)]
    space = collapse(shape, [*strides, contiguous(shape)])
    names = ["i"] if len(space.shape) == 1 else [f"i{a}" for a in range(len(space.shape))]
    total = scope.size(n, "n")
    lines.add("const int64_t stride = int64_t(gridDim.x) * blockDim.x;")
    lines.open(f"for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < {total}; i += stride)")
    if len(names) > 1:
        in_order = contiguous(space.shape)
        needed = [False] * len(names)
        for own in strides:
            merged = space.strides(own)
            if merged != in_order:
                needed = [n or s != ZERO for n, s in zip(needed, merged, strict=True)]
        decode(lines, scope, space.shape, names, "i", needed)
    writer = Writer(scope, lines, linear_index(scope, space, names, "i"))
    result = writer.write(step.value.expression, CPP_TYPES[step.target.dtype])
    lines.add(f"{scope.buffer(step.target, written=True)}[i] = {result};")
    lines.close()


def _vectorised(step: Step, scope: Scope, lines: Lines, n: Size, vector: int) -> None:
    total = scope.size(n, "n")
    carried = [
        x for x in leaves(step.value.expression) if isinstance(x, Load) and any(s != ZERO for s in x.strides)
    ]
    lines.add("const int64_t stride = int64_t(gridDim.x) * blockDim.x;")
    lines.add("const int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;")
    lines.open(f"for (int64_t v = first; v < {total} / {vector}; v += stride)")
    lanes: dict[str, str] = {}
    for load in carried:
        name = scope.buffer(load.buffer)
        if name not in lanes:
            lanes[name] = scope.fresh(f"{name}_lanes")
            _declare_lanes(lines, load.buffer.dtype, lanes[name], vector)
            carrier = _carrier(load.buffer.dtype, vector)
            lines.add(
                f"*reinterpret_cast<{carrier}*>({lanes[name]}) = reinterpret_cast<const {carrier}*>({name})[v];"
            )
    out = scope.buffer(step.target, written=True)
    out_lanes = scope.fresh(f"{out}_lanes")
    _declare_lanes(lines, step.target.dtype, out_lanes, vector)
    lines.add("#pragma unroll")
    lines.open(f"for (int lane = 0; lane < {vector}; ++lane)")
    _element(step, scope, lines, lambda name: f"{lanes[name]}[lane]", f"{out_lanes}[lane]")
    lines.close()
    carrier = _carrier(step.target.dtype, vector)
    lines.add(f"reinterpret_cast<{carrier}*>({out})[v] = *reinterpret_cast<const {carrier}*>({out_lanes});")
    lines.close()
    lines.open(f"for (int64_t i = {total} / {vector} * {vector} + first; i < {total}; i += stride)")
    _element(step, scope, lines, lambda name: f"{name}[i]", f"{out}[i]")
    lines.close()


def _element(step: Step, scope: Scope, lines: Lines, place: Any, out: str) -> None:
    from kernelwright_memory.generators.templates.operators import computation_type, converted

    writer = Writer(scope, lines, lambda strides, offset: "0")
    for load in leaves(step.value.expression):
        if isinstance(load, Load) and any(s != ZERO for s in load.strides):
            text = place(scope.buffer(load.buffer))
            writer.loaded[id(load)] = converted(
                text, CPP_TYPES[load.buffer.dtype], computation_type(load.dtype)
            )
    result = writer.write(step.value.expression, CPP_TYPES[step.target.dtype])
    lines.add(f"{out} = {result};")


def _declare_lanes(lines: Lines, dtype: str, name: str, vector: int) -> None:
    kind = CPP_TYPES[dtype]
    lines.add(f"alignas({_BYTES[kind] * vector}) {kind} {name}[{vector}];")


def _carrier(dtype: str, vector: int) -> str:
    return _CARRIERS[_BYTES[CPP_TYPES[dtype]] * vector]
