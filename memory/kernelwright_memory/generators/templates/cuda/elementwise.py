"""Elementwise chains: one thread computes a few elements, by vector accesses where all operands lie alike; what lies transposed
may be read through a tile in shared memory.
"""

import re
from dataclasses import dataclass
from typing import Any

from kernelwright_memory.generators.templates.cuda.emit import (
    Blocks,
    KernelText,
    Lines,
    Scope,
    Space,
    Tiles,
    Writer,
    collapse,
    decode,
    linear_index,
)
from kernelwright_memory.generators.templates.graph.graph import (
    ZERO,
    Apply,
    Expression,
    Load,
    Position,
    leaves,
)
from kernelwright_memory.generators.templates.graph.operators import CPP_TYPES, computation_type, converted
from kernelwright_memory.generators.templates.graph.schedule import Step
from kernelwright_memory.generators.templates.graph.size import Size, contiguous, product

_BYTES = {"double": 8, "float": 4, "__half": 2, "__nv_bfloat16": 2, "bool": 1, "uint8_t": 1, "int8_t": 1, "int16_t": 2,
          "int": 4, "int64_t": 8}  # fmt: skip
_ONE = Size.of(1)
_CARRIERS = {1: "unsigned char", 2: "unsigned short", 4: "float", 8: "float2", 16: "float4"}


_TILE = 32
_VECTOR = 4
# Rows long enough for a block to find where it is once.
_LONG_ROW = 1024
_MOST_TILES = 4


def variants(step: Step) -> list[dict[str, Any]]:
    """The parameter space: threads a block, elements a vector access, accesses a thread, side of a transposed tile. Accesses of
    16 bytes come first where operands lie alike: they are what reaches the memory's limit."""
    space: list[dict[str, Any]] = []
    along = _along(step)
    if along is not None:
        space += [
            {"block": block, "vector": _VECTOR, "each": each, "row": "block"}
            for block, each in sorted(
                ((256, 4), (256, 2), (128, 4), (256, 1)),
                key=lambda own: own[0] * own[1] * _VECTOR > along.shape[-1].value,
            )
        ]
    if _lanes(step) > 1:
        lanes = _lanes(step)
        space += [{"block": block, "vector": lanes, "each": 1} for block in (256, 512, 128)]
        space += [{"block": 256, "vector": lanes, "each": 2}, {"block": 256, "vector": lanes, "each": 4}]
        if lanes > 2:
            space.append({"block": 256, "vector": lanes // 2, "each": 1})
    space += [
        {"block": 256, "vector": 1, "each": 1},
        {"block": 256, "vector": 1, "each": 4},
        {"block": 512, "vector": 1, "each": 2},
        {"block": 128, "vector": 1, "each": 1},
    ]
    if _transposed(step) is not None:
        space += [
            {"block": 256, "vector": 1, "each": 1, "tile": _TILE},
            {"block": 512, "vector": 1, "each": 1, "tile": _TILE},
        ]
    return space


def _along(step: Step) -> Space | None:
    """The space of a step that is computed row by row of its innermost axis, which operands lie along or are the same for; None
    where vectors need no rows, or rows are short."""
    shape = step.value.shape
    if _lanes(step) > 1 or _is_guarded(step.value.expression):
        return None
    found = [x for x in leaves(step.value.expression) if isinstance(x, Load | Position)]
    space = collapse(shape, [*(x.strides for x in found), contiguous(shape)])
    if len(space.shape) < 2 or space.shape[-1].value < _LONG_ROW:
        return None
    if _BYTES[CPP_TYPES[step.target.dtype]] * _VECTOR not in _CARRIERS:
        return None
    return space if any(isinstance(x, Load) and _in_fours(space, x) for x in found) else None


def _in_fours(space: Space, load: Load) -> bool:
    """The elements of a row lie side by side, and rows begin at multiples of their length."""
    merged, length = space.strides(load.strides), space.shape[-1]
    if (
        load.gathered
        or load.offset != ZERO
        or _BYTES[CPP_TYPES[load.buffer.dtype]] * _VECTOR not in _CARRIERS
    ):
        return False
    return merged[-1] == _ONE and all(s == ZERO or s.over(length) is not None for s in merged[:-1])


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
    along = _along(step) if parameters.get("row") else None
    if along is not None:
        return _Along(step, along, parameters, prefix, scope, lines).emit()
    turned = _transposed(step) if parameters.get("tile") else None
    if turned is not None:
        return _Turned(step, turned, block, prefix, scope, lines).emit()
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


# ---- transposed operands -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Transposed:
    """Operands whose neighbours lie along another axis of the space than the last."""

    space: Space
    axis: int
    loads: tuple[Load, ...]


def _transposed(step: Step) -> _Transposed | None:
    """The operands that a tile would turn, all along one axis; None where there are none."""
    shape = step.value.shape
    if _is_guarded(step.value.expression):
        return None  # what a branch keeps from being read would be read into the tile
    found = [leaf for leaf in leaves(step.value.expression) if isinstance(leaf, Load | Position)]
    space = collapse(shape, [*(leaf.strides for leaf in found), contiguous(shape)])
    last = len(space.shape) - 1
    along: dict[int, list[Load]] = {}
    for leaf in found:
        merged = space.strides(leaf.strides)
        if not isinstance(leaf, Load) or leaf.gathered or not merged or merged[last] in (ZERO, _ONE):
            continue
        for axis in range(last):
            if merged[axis] == _ONE:
                along.setdefault(axis, []).append(leaf)
    if not along:
        return None
    axis = max(along, key=lambda a: len(along[a]))
    distinct = {(x.buffer, x.strides, x.offset) for x in along[axis]}
    return _Transposed(space, axis, tuple(along[axis])) if len(distinct) <= _MOST_TILES else None


def _is_guarded(expression: Expression) -> bool:
    if not isinstance(expression, Apply):
        return False
    return expression.guarded or any(_is_guarded(a) for a in expression.arguments)


class _Turned:
    """Tiles of the operands are read along their own lines and used across them."""

    def __init__(
        self, step: Step, turned: _Transposed, block: int, prefix: str, scope: Scope, lines: Lines
    ) -> None:
        self.step, self.turned, self.prefix = step, turned, prefix
        self.scope, self.lines = scope, lines
        self.rows = block // _TILE
        self.space, self.axis = turned.space, turned.axis
        self.last = len(self.space.shape) - 1
        self.rest = [a for a in range(self.last) if a != self.axis]

    def emit(self) -> KernelText:
        scope, lines, space = self.scope, self.lines, self.space
        for name in ("along", "across", "line", "rest", "first_along", "first_across"):
            scope.fresh(name)
        names = {a: scope.fresh(f"i{a}") for a in self.rest}
        coordinates = [names.get(a, "across" if a == self.axis else "along") for a in range(self.last + 1)]
        self.index = linear_index(scope, space, coordinates, None)
        self.along = scope.size(space.shape[self.last], "extent_along")
        self.across = scope.size(space.shape[self.axis], "extent_across")
        grid = [Blocks(space.shape[self.last], _TILE), Blocks(space.shape[self.axis], _TILE, 65535)]
        tiles = self._declare_tiles()
        lines.add(f"const int64_t first_along = int64_t(blockIdx.x) * {_TILE};")
        if self.rest:
            count = product(space.shape[a] for a in self.rest)
            grid.append(Blocks(count, 1, 65535))
            total = scope.size(count, "rests")
            lines.open(f"for (int64_t rest = blockIdx.z; rest < {total}; rest += gridDim.z)")
            extents = [space.shape[a] for a in self.rest]
            decode(lines, scope, extents, [names[a] for a in self.rest], "rest", [True] * len(extents))
        lines.open(
            f"for (int64_t first_across = int64_t(blockIdx.y) * {_TILE}; first_across < {self.across};"
            f" first_across += int64_t(gridDim.y) * {_TILE})"
        )
        self._fill(tiles)
        lines.add("__syncthreads();")
        self._use(tiles)
        lines.add("__syncthreads();  // the tiles are stored again in the next round")
        lines.close()
        if self.rest:
            lines.close()
        threads = _TILE * self.rows
        return KernelText(
            self.prefix, scope.arguments, str(threads), lines.text, scope.functions, tuple(grid), (_TILE, self.rows),
            comment=f"Tiles of {_TILE} x {_TILE}: what lies transposed is read along its own lines.",
        )  # fmt: skip

    def _declare_tiles(self) -> dict[tuple[Any, ...], str]:
        tiles: dict[tuple[Any, ...], str] = {}
        for load in self.turned.loads:
            key = (load.buffer, load.strides, load.offset)
            if key not in tiles:
                tiles[key] = self.scope.fresh("tile")
                kind = CPP_TYPES[load.buffer.dtype]
                self.lines.add(f"__shared__ {kind} {tiles[key]}[{_TILE}][{_TILE + 1}];")
        return tiles

    def _open_pass(self, along: str, across: str) -> None:
        lines = self.lines
        lines.open(f"for (int line = threadIdx.y; line < {_TILE}; line += {self.rows})")
        lines.add(f"const int64_t along = first_along + {along}, across = first_across + {across};")
        lines.open(f"if (along < {self.along} && across < {self.across})")

    def _close_pass(self) -> None:
        self.lines.close()
        self.lines.close()

    def _fill(self, tiles: dict[tuple[Any, ...], str]) -> None:
        self._open_pass("line", "threadIdx.x")
        for (buffer, strides, offset), tile in tiles.items():
            place = self.index(strides, offset)
            self.lines.add(f"{tile}[line][threadIdx.x] = {self.scope.buffer(buffer)}[{place}];")
        self._close_pass()

    def _use(self, tiles: dict[tuple[Any, ...], str]) -> None:
        self._open_pass("threadIdx.x", "line")
        writer = Writer(self.scope, self.lines, self.index)
        for load in self.turned.loads:
            text = f"{tiles[(load.buffer, load.strides, load.offset)]}[threadIdx.x][line]"
            kind = CPP_TYPES[load.buffer.dtype]
            writer.loaded[id(load)] = converted(text, kind, computation_type(load.dtype))
        result = writer.write(self.step.value.expression, CPP_TYPES[self.step.target.dtype])
        place = self.index(contiguous(self.step.value.shape), ZERO)
        self.lines.add(f"{self.scope.buffer(self.step.target, written=True)}[{place}] = {result};")
        self._close_pass()


# ---- rows ----------------------------------------------------------------------------------------------------------------


class _Along:
    """A block computes a stretch of one row: where the row lies is found out once a block, not for every element."""

    def __init__(
        self, step: Step, space: Space, parameters: dict[str, Any], prefix: str, scope: Scope, lines: Lines
    ) -> None:
        self.step, self.space, self.prefix, self.scope, self.lines = step, space, prefix, scope, lines
        self.block, self.each = parameters["block"], parameters["each"]

    def emit(self) -> KernelText:
        scope, lines, space = self.scope, self.lines, self.space
        for name in ("r", "l", "begin", "stretch", "end"):
            scope.fresh(name)
        stretch = self.block * _VECTOR * self.each
        length = scope.size(space.shape[-1], "length")
        lines.add(
            f"const unsigned stretches = static_cast<unsigned>(({length} + {stretch - 1}) / {stretch});"
        )
        lines.add(f"const int64_t begin = int64_t(blockIdx.x % stretches) * {stretch};")
        lines.add(f"const int64_t end = {length} - begin < {stretch} ? {length} : begin + {stretch};")
        names = [scope.fresh(f"i{a}") for a in range(len(space.shape) - 1)]
        rest = "blockIdx.x / stretches"
        for axis in range(len(names) - 1, -1, -1):
            extent = f" % static_cast<unsigned>({scope.size(space.shape[axis], 'extent')})" if axis else ""
            lines.add(f"const int64_t {names[axis]} = {rest}{extent};")
            rest = f"{rest} / static_cast<unsigned>({scope.size(space.shape[axis], 'extent')})"
        self.index = linear_index(scope, space, [*names, "r"], None)
        found = leaves(self.step.value.expression)
        carried = {(x.buffer, x.strides): x for x in found if isinstance(x, Load) and _in_fours(space, x)}
        out = scope.buffer(self.step.target, written=True)
        kind = CPP_TYPES[self.step.target.dtype]
        pointers = {scope.buffer(x.buffer): x.buffer.dtype for x in carried.values()}
        pointers[out] = self.step.target.dtype
        conditions = [f"{length} % {_VECTOR} == 0"] + [
            f"reinterpret_cast<uintptr_t>({name}) % {_BYTES[CPP_TYPES[dtype]] * _VECTOR} == 0"
            for name, dtype in pointers.items()
        ]
        lines.open(f"if ({' && '.join(conditions)})")
        if self.each > 1:
            lines.add("#pragma unroll")
        lines.open(f"for (int64_t v = begin + threadIdx.x * {_VECTOR}; v < end; v += {self.block * _VECTOR})")
        named: dict[tuple[Any, ...], str] = {}
        for key, load in carried.items():
            pointer = scope.buffer(load.buffer)
            named[key] = scope.fresh(f"{pointer}_lanes")
            _declare_lanes(lines, load.buffer.dtype, named[key], _VECTOR)
            carrier = _carrier(load.buffer.dtype, _VECTOR)
            place = self._at("v", load.strides, load.offset)
            lines.add(
                f"*reinterpret_cast<{carrier}*>({named[key]}) = *reinterpret_cast<const {carrier}*>({pointer} + {place});"
            )
        out_lanes = scope.fresh(f"{out}_lanes")
        _declare_lanes(lines, self.step.target.dtype, out_lanes, _VECTOR)
        lines.add("#pragma unroll")
        lines.open(f"for (int l = 0; l < {_VECTOR}; ++l)")
        writer = Writer(scope, lines, lambda strides, offset: self._at("(v + l)", strides, offset))
        for own in found:
            if isinstance(own, Load) and (own.buffer, own.strides) in named and own.offset == ZERO:
                text = f"{named[(own.buffer, own.strides)]}[l]"
                writer.loaded[id(own)] = converted(
                    text, CPP_TYPES[own.buffer.dtype], computation_type(own.dtype)
                )
        lines.add(f"{out_lanes}[l] = {writer.write(self.step.value.expression, kind)};")
        lines.close()
        carrier = _carrier(self.step.target.dtype, _VECTOR)
        in_order = contiguous(self.step.value.shape)
        lines.add(
            f"*reinterpret_cast<{carrier}*>({out} + {self._at('v', in_order, ZERO)}) = *reinterpret_cast<const {carrier}*>({out_lanes});"
        )
        lines.close()
        lines.close("} else {")
        lines.depth += 1
        lines.open(f"for (int64_t r = begin + threadIdx.x; r < end; r += {self.block})")
        writer = Writer(scope, lines, self.index)
        result = writer.write(self.step.value.expression, kind)
        lines.add(f"{out}[{self.index(in_order, ZERO)}] = {result};")
        lines.close()
        lines.close()
        rows = product(space.shape[:-1])
        return KernelText(
            self.prefix, scope.arguments, str(self.block), lines.text, scope.functions,
            (Tiles([Blocks(rows), Blocks(space.shape[-1], stretch)]),), (self.block,),
            comment=f"A stretch of {stretch} elements of a row a block, {_VECTOR} an access.",
        )  # fmt: skip

    def _at(self, place: str, strides: tuple[Size, ...], offset: Size) -> str:
        return re.sub(r"\br\b", place, self.index(strides, offset))
