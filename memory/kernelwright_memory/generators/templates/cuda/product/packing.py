"""Before a product: the largest magnitude of every line of a factor, and the line as scaled float16 numbers.

A line is what one row or column of the product multiplies: a row of a matrix, the weights of an output channel, or (with one
scale an image) the channels at a place. It is stored as chunks of eight elements: the large parts, then the small parts. As
scales are powers of two and every element is the sum of two numbers of 11 bits, a product loses no more than in float32; only
what is 2^-26 times smaller than its line's largest element keeps fewer bits.
"""

from typing import Any

from kernelwright_memory.generators.templates.cuda.emit import (
    Blocks,
    KernelText,
    Lines,
    Scope,
    decode,
    joined,
    term,
)
from kernelwright_memory.generators.templates.cuda.product.instructions import packing_functions
from kernelwright_memory.generators.templates.cuda.product.tile import CHUNK, Tile
from kernelwright_memory.generators.templates.graph.graph import (
    ONE,
    ZERO,
    Apply,
    Buffer,
    Load,
    Node,
    Value,
)
from kernelwright_memory.generators.templates.graph.operators import CPP_TYPES, converted
from kernelwright_memory.generators.templates.graph.schedule import Step
from kernelwright_memory.generators.templates.graph.size import Size, contiguous, product

_BLOCK = 256
_LANES = 32


def load_of(value: Value) -> Load:
    """Factors lie in memory."""
    assert isinstance(value.expression, Load)
    return value.expression


def largest_steps(
    source: Value, kept: tuple[int, ...], name: str, joined_later: tuple[int, ...] = ()
) -> tuple[list[Step], Buffer]:
    """The launches that find the largest magnitude of `source` for all coordinates along the axes `kept`.

    Args:
        joined_later: axes that a second launch reduces, which leaves more rows to the first.
    """
    first = tuple(sorted((*kept, *joined_later)))
    magnitude = Value(source.shape, Apply("float32", "abs", (source.expression,)))
    buffer, step = _reduced(magnitude, first, f"{name}_parts" if joined_later else name)
    if not joined_later:
        return [step], buffer
    read = Value(buffer.shape, Load("float32", buffer, contiguous(buffer.shape)))
    last, joining = _reduced(read, tuple(a for a, axis in enumerate(first) if axis in kept), name)
    return [step, joining], last


def _reduced(value: Value, kept: tuple[int, ...], name: str) -> tuple[Buffer, Step]:
    axes = tuple(a for a in range(len(value.shape)) if a not in kept)
    shape = tuple(value.shape[a] for a in kept)
    node = Node("reduce", "max", (value,), shape, "float32", {"axes": axes})
    buffer = Buffer(name, "float32", shape)
    return buffer, Step("rows", node.result(), buffer, (node,), ((value,),), value.shape, axes)


def packed_step(
    source: Value, largest: Load, borders: tuple[tuple[Size, Size], ...], tile: Tile, name: str
) -> Step:
    """The launch that packs `source`, whose last axis is the depth.

    Args:
        largest: at coordinates of `source`.
        borders: zeros before and behind each axis but the last.
    """
    lines = tuple(e + before + behind for e, (before, behind) in zip(source.shape, borders, strict=False))
    chunks = (source.shape[-1] + (CHUNK - 1)).floor_divided(CHUNK)
    shape = (*lines, chunks * (CHUNK * tile.parts))
    buffer = Buffer(name, "float16", shape)
    node = Node("pack", "pack", (source, Value(source.shape, largest)), shape, "float16",
                {"before": tuple(b for b, _ in borders), "parts": tile.parts, "chunks": chunks})  # fmt: skip
    return Step("pack", node.result(), buffer, (node,), (node.inputs,))


def variants(step: Step) -> list[dict[str, Any]]:
    return [{"block": _BLOCK}]


def emit(step: Step, parameters: dict[str, Any], prefix: str, scalars: dict[float, str]) -> KernelText:
    """A thread packs eight elements of one line."""
    scope, lines = Scope(prefix, scalars), Lines()
    function = scope.function_name("x")[:-2]
    node = step.nodes[0]
    source, largest = step.inputs[0]
    load, factor = load_of(source), load_of(largest)
    for name in (
        "chunk",
        "line",
        "inner",
        "e",
        "value",
        "scale",
        "large",
        "small",
        "to",
        "tile",
        "i",
        "lane",
        "piece",
        "stretch",
        "own",
        "number",
        "depth",
        "from",
    ):
        scope.fresh(name)
    pointer, magnitudes = scope.buffer(load.buffer), scope.buffer(factor.buffer)
    packed = scope.buffer(step.target, written=True)
    chunks_size, parts = node.attributes["chunks"], node.attributes["parts"]
    extents = node.shape[:-1]
    depth, chunks, count = (
        scope.size(source.shape[-1], "depth"),
        scope.size(chunks_size, "chunks"),
        product(extents),
    )
    total = scope.size(count, "lines")
    deep = load.strides[-1] == ONE
    lines.add("const int64_t number = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;")
    if deep:
        lines.add(f"const int64_t chunk = number % {chunks}, line = number / {chunks};")
    else:
        lines.add("// Neighbouring threads read neighbouring lines.")
        lines.add(f"const int64_t chunk = number / {_LANES} % {chunks};")
        lines.add(f"const int64_t line = number / ({_LANES} * {chunks}) * {_LANES} + number % {_LANES};")
    if deep:
        lines.open(f"if (line >= {total})")
        lines.add("return;")
        lines.close()
    else:
        lines.add(
            f"__shared__ uint4 tile[{_LANES}][{_BLOCK // _LANES * parts + 1}];  // padded: lanes store to banks of their own"
        )
        lines.open(f"if (line < {total})")
    names = [scope.fresh(f"at{a}") for a in range(len(extents))]
    decode(lines, scope, extents, names, "line", [True] * len(extents))
    inside, places = _places(scope, source, names, node.attributes["before"])
    index = joined([term(scope, p, s) for p, s in zip(places, load.strides[:-1], strict=True) if s != ZERO]
                   + ([scope.size(load.offset, "offset")] if load.offset != ZERO else []))  # fmt: skip
    where = joined([term(scope, p, s) for p, s in zip(places, factor.strides[:-1], strict=True) if s != ZERO])
    lines.add(f"const float scale = {function}_scale({magnitudes}[{where}]);")
    kind = CPP_TYPES[load.buffer.dtype]
    lines.add("float value[8] = {};")
    if inside:
        lines.open(f"if ({' && '.join(inside)})")
    lines.add(f"const {kind}* from = {pointer} + {index};")
    lines.add("#pragma unroll")
    lines.open("for (int e = 0; e < 8; ++e)")
    lines.add("const int64_t inner = chunk * 8 + e;")
    element = f"from[{term(scope, 'inner', load.strides[-1])}]"
    lines.add(f"value[e] = inner < {depth} ? {converted(element, kind, 'float')} * scale : 0.0f;")
    lines.close()
    if inside:
        lines.close()
    lines.add("alignas(16) __half2 large[4], small[4];")
    lines.add("#pragma unroll")
    lines.open("for (int e = 0; e < 4; ++e)")
    lines.add(f"{function}_pack(value[2 * e], value[2 * e + 1], large[e], small[e]);")
    lines.close()
    if deep:
        lines.add(f"uint4* to = reinterpret_cast<uint4*>({packed}) + (line * {chunks} + chunk) * {parts};")
    else:
        lines.add(f"uint4* to = &tile[threadIdx.x % {_LANES}][threadIdx.x / {_LANES} * {parts}];")
    lines.add("to[0] = *reinterpret_cast<const uint4*>(large);")
    if parts == 2:
        lines.add("to[1] = *reinterpret_cast<const uint4*>(small);")
    if not deep:
        lines.close()
        _store_tile(lines, packed, chunks, total, parts)
    rounded = count if deep else (count + (_LANES - 1)).floor_divided(_LANES) * _LANES
    return KernelText(
        prefix, scope.arguments, str(_BLOCK), lines.text, (*packing_functions(function), *scope.functions),
        (Blocks(rounded * chunks_size, _BLOCK),), (_BLOCK,),
        comment=f"Packs lines as scaled float16 numbers, {'large and small parts, ' if parts == 2 else ''}eight elements a thread.",
    )  # fmt: skip


def _store_tile(lines: Lines, packed: str, chunks: str, total: str, parts: int) -> None:
    """By way of shared memory, so that neighbouring threads store neighbouring chunks of a line."""
    warps = _BLOCK // _LANES
    lines.add("__syncthreads();")
    lines.add("#pragma unroll")
    lines.open(f"for (int i = threadIdx.x; i < {_BLOCK * parts}; i += {_BLOCK})")
    lines.add(f"const int lane = i / {warps * parts}, piece = i % {warps * parts};")
    lines.add(f"const int64_t stretch = int64_t(blockIdx.x) * {warps} + piece / {parts};")
    lines.add(f"const int64_t own = stretch / {chunks} * {_LANES} + lane;")
    lines.open(f"if (own < {total})")
    place = (
        f"(own * {chunks} + stretch % {chunks}) * {parts} + piece % {parts}"
        if parts > 1
        else f"own * {chunks} + stretch % {chunks}"
    )
    lines.add(f"reinterpret_cast<uint4*>({packed})[{place}] = tile[lane][piece];")
    lines.close()
    lines.close()


def _places(
    scope: Scope, source: Value, names: list[str], before: tuple[Size, ...]
) -> tuple[list[str], list[str]]:
    """When a place lies inside of its borders, and its coordinates in the source."""
    inside, places = [], []
    for name, border, extent in zip(names, before, source.shape, strict=False):
        if border == ZERO:
            places.append(name)
            continue
        shift = scope.size(border, "border")
        inside += [f"{name} >= {shift}", f"{name} - {shift} < {scope.size(extent, 'extent')}"]
        places.append(f"({name} - {shift})")
    return inside, places
