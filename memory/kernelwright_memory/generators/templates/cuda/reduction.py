"""Rows: reductions, softmax, normalisations and losses that reduce the same axes of one shape.

A row is all elements with the same coordinates along the kept axes. One thread, one warp, one block, or (where neighbouring
rows lie side by side) a column of a block computes it, in as many passes as its reductions need each other.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kernelwright_memory.generators.templates.cuda.elementwise import _BYTES, _CARRIERS, _carrier
from kernelwright_memory.generators.templates.cuda.emit import (
    Blocks,
    KernelText,
    Lines,
    Scope,
    SharedMemory,
    Space,
    Writer,
    collapse,
    decode,
    linear_index,
)
from kernelwright_memory.generators.templates.cuda.one_pass import (
    Deviations,
    Exponentials,
    deviations,
    exponentials,
)
from kernelwright_memory.generators.templates.cuda.row_joining import (
    NAMES,
    arg_joiner,
    as_operand,
    identity,
    plain_joiner,
    take_better,
)
from kernelwright_memory.generators.templates.cuda.row_space import (
    SHORT_ROW,
    VECTOR,
    axis_kinds,
    is_cacheable,
    key_of,
    lies_in_fours,
    pass_levels,
    reads_fours,
    repeated_loads,
    row_count,
    row_length,
    space_of,
)
from kernelwright_memory.generators.templates.graph.graph import (
    ONE,
    ZERO,
    Apply,
    Buffer,
    Expression,
    Load,
    Node,
    Position,
    Value,
    leaves,
    loads,
    replace,
)
from kernelwright_memory.generators.templates.graph.operators import (
    CPP_TYPES,
    FLOATING,
    HALVES,
    computation_type,
    converted,
    literal,
    typed,
)
from kernelwright_memory.generators.templates.graph.schedule import Schedule, Step
from kernelwright_memory.generators.templates.graph.size import Size, contiguous, product

# What the default limit of 48 KB of shared memory a block holds, less a little for the partial results of warps.
_CACHE_BYTES = 40 * 1024
_COLUMNS = 32
# As many rows as leave most of a chip idle with a block each.
_FEW_ROWS = 64
# Lines that keep 32 threads of a column busy.
_MANY_LINES = 1024
# Threads of all processors of a large chip together.
_ALL_THREADS = 132 * 2048
# A row that is so much longer than there are rows is computed by several blocks.
_LONG_ROW = 1024
_LONGEST_CACHED = _CACHE_BYTES // 4


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


def emit(step: Step, parameters: dict[str, Any], prefix: str, scalars: dict[float, str]) -> KernelText:
    return _Rows(step, parameters, prefix, scalars).emit()


class _Rows:
    def __init__(
        self, step: Step, parameters: dict[str, Any], prefix: str, scalars: dict[float, str]
    ) -> None:
        self.step = step
        self.parameters = parameters
        self.who: str = parameters["row"]
        self.threads: int = parameters["threads"]
        self.prefix = prefix
        self.scope = Scope(prefix, scalars)
        self.lines = Lines()
        self.functions: dict[str, str] = {}
        self.given: dict[Node, tuple[str, str]] = {}
        self.shared: list[tuple[str, str]] = []
        self.vector: int = parameters.get("vector", 1)
        inputs = [inputs[0] for inputs in step.inputs]
        self.space = space_of(step, inputs)
        if not step.whole:
            self.stored = self.space
        elif self._along_rows and len(inputs) == len(step.inputs):
            self.stored = space_of(step, [*inputs, step.value], stored=True)
            if not self._nested(self.stored):
                self.space = self.stored
        else:
            self.space = self.stored = space_of(step, [*inputs, step.value], stored=True)
        self.rows = product(self.space.shape[a] for a in self._axes(self.space, False))
        self.length = product(self.space.shape[a] for a in self._axes(self.space, True))
        for name in ("r", "lane", "length", "inside", "warp", "v", "l", "part"):
            self.scope.fresh(name)

    # ---- the whole kernel ------------------------------------------------------------------------------------------

    def emit(self) -> KernelText:
        step, lines = self.step, self.lines
        self.length_name = self.scope.size(self.length, "columns")
        cache = self._open_cache() if self.parameters.get("cache") else None
        block, grid = self._who_does_it()
        self.place = self._row_coordinates(self.space)
        self.stored_place = (
            self._row_coordinates(self.stored) if self.stored is not self.space else self.place
        )
        if cache:
            self._fill_cache(cache)
        for level in pass_levels(step, cache is not None):
            self._pass(level, cache)
        self._store(cache)
        shared = "".join(f"    __shared__ {kind} {name};\n" for kind, name in self.shared)
        memory = None
        if cache:
            count = self._cached_rows()
            memory = SharedMemory(
                self.length, _BYTES[cache.kind] * count, _CACHE_BYTES // _BYTES[cache.kind] // count
            )
        return KernelText(
            self.prefix, self.scope.arguments, str(block[0] * (block[1] if len(block) > 1 else 1)), shared + lines.text,
            (*self.scope.functions, *self.functions.values()), grid, block, memory, self._comment(),
        )  # fmt: skip

    def _comment(self) -> str:
        who = {
            "block": f"One block of {self.threads} threads a row",
            "warp": f"One warp a row, {self.parameters.get('rows')} rows a block",
            "part": f"Several blocks of {self.threads} threads a row, each for a part of it",
            "thread": "One thread a row; neighbouring threads read neighbouring elements",
            "column": f"{_COLUMNS} rows a block, {self.threads} threads each; neighbouring threads read neighbouring elements",
        }[self.who]
        kept = ", which is kept in shared memory where it fits" if self.parameters.get("cache") else ""
        wide = f"; {self.vector} elements an access" if self.vector > 1 else ""
        return f"{who}{kept}{wide}."

    def _who_does_it(self) -> tuple[tuple[int, ...], tuple[Blocks, ...]]:
        lines = self.lines
        if self.who == "block":
            lines.add("const int64_t row = blockIdx.x;")
            lines.add("const int lane = threadIdx.x;")
            return (self.threads,), (Blocks(self.rows),)
        if self.who == "part":
            parts = self.parameters["parts"]
            lines.add(f"const int64_t row = blockIdx.x / {parts};")
            lines.add("const int lane = threadIdx.x;")
            lines.add(f"const int part = blockIdx.x % {parts};")
            lines.add(f"const int64_t first = int64_t(part) * {self.threads} + lane;")
            return (self.threads,), (Blocks(self.rows * parts),)
        if self.who == "warp":
            count = self.parameters["rows"]
            lines.add("const int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;")
            lines.add("const int lane = threadIdx.x;")
            lines.open(f"if (row >= {self._rows_name()})")
            lines.add("return;")
            lines.close()
            return (32, count), (Blocks(self.rows, count),)
        if self.who == "thread":
            count = self.parameters["rows"]
            lines.add("const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;")
            lines.open(f"if (row >= {self._rows_name()})")
            lines.add("return;")
            lines.close()
            return (count,), (Blocks(self.rows, count),)
        lines.add(f"const int64_t row = int64_t(blockIdx.x) * {_COLUMNS} + threadIdx.x;")
        lines.add("const int lane = threadIdx.y;")
        lines.add(f"const bool inside = row < {self._rows_name()};")
        return (_COLUMNS, self.threads), (Blocks(self.rows, _COLUMNS),)

    def _rows_name(self) -> str:
        return self.scope.size(self.rows, "rows")

    # ---- places ------------------------------------------------------------------------------------------------------

    def _axes(self, space: Space, reduced: bool) -> list[int]:
        kinds = axis_kinds(self.step)
        return [a for a, g in enumerate(space.groups) if (kinds[g[0]] == 1) == reduced]

    @property
    def _along_rows(self) -> bool:
        return self.who in ("block", "warp", "part")

    def _nested(self, space: Space) -> bool:
        """Whether several axes are reduced, the last of them by neighbouring threads and the others one by one."""
        reduced = self._axes(space, True)
        if len(reduced) < 2 or not self._along_rows or reduced[-1] != len(space.shape) - 1:
            return False
        return space.shape[-1].value >= SHORT_ROW and not any(
            n.operation.startswith("arg") for n in self.step.nodes
        )

    def _row_coordinates(self, space: Space) -> "_Place":
        """Declares where the row is; how its elements are called."""
        kept, reduced = self._axes(space, False), self._axes(space, True)
        coordinates = [""] * len(space.shape)
        if len(kept) == 1:
            coordinates[kept[0]] = "row"
        elif kept:
            names = [self.scope.fresh(f"row{n}") for n in range(len(kept))]
            decode(self.lines, self.scope, [space.shape[a] for a in kept], names, "row", [True] * len(kept))
            for axis, name in zip(kept, names, strict=True):
                coordinates[axis] = name
        inner = ["r"] if len(reduced) == 1 else [f"r{n}" for n in range(len(reduced))]
        for axis, name in zip(reduced, inner, strict=True):
            coordinates[axis] = name
        return _Place(space, coordinates, reduced)

    def _index(self, place: "_Place") -> Any:
        return linear_index(self.scope, place.space, place.coordinates, None)

    def _begin_of_row(self, place: "_Place", strides: tuple[Size, ...], offset: Size) -> str:
        """The index of the first element along the innermost axis."""
        last = place.space.groups[-1]
        text: str = self._index(place)(tuple(ZERO if a in last else x for a, x in enumerate(strides)), offset)
        return text

    def _writer(self, lines: Lines, place: "_Place") -> Writer:
        return Writer(self.scope, lines, self._index(place), self.given)

    def _row_writer(self) -> Writer:
        """For values that have one element a row: their shape is that of the kept axes."""
        step = self.step
        strides = [leaf.strides for leaf in leaves(step.value.expression) if isinstance(leaf, Load | Position)
                   and not (isinstance(leaf, Load) and leaf.buffer.node is not None)]  # fmt: skip
        space = collapse(step.value.shape, [*strides, contiguous(step.value.shape)])
        names = (
            ["row"] if len(space.shape) == 1 else [self.scope.fresh(f"k{a}") for a in range(len(space.shape))]
        )
        if len(names) > 1:
            decode(self.lines, self.scope, space.shape, names, "row", [True] * len(names))
        return Writer(self.scope, self.lines, linear_index(self.scope, space, names, "row"), self.given)

    # ---- the elements of a row ------------------------------------------------------------------------------------------

    def _walk(
        self, place: "_Place", expressions: list[Expression], hoisted: dict[int, str], cache: "_Cache | None", body: "_Body",
        out: str | None = None,
    ) -> None:  # fmt: skip
        """Loops over the row's elements: four at a time where they lie so, and one by one.

        Args:
            expressions: what `body` writes.
            out: the buffer into which `body` stores, where it stores an element for each.
        """
        lines, reduced = self.lines, place.reduced
        nested = self._nested(place.space)
        if nested:
            for axis in reduced[:-1]:
                name = place.coordinates[axis]
                extent = self.scope.size(place.space.shape[axis], "outer")
                start, step = "0", f"++{name}"
                if self.who == "part" and axis == reduced[0]:
                    start, step = "part", f"{name} += {self.parameters['parts']}"
                lines.open(f"for (int64_t {name} = {start}; {name} < {extent}; {step})")
        inner = place.coordinates[reduced[-1]] if nested else "r"
        length = self.scope.size(place.space.shape[-1], "inner") if nested else self.length_name
        start, step = "lane", str(self.threads)
        if self.who == "part" and not nested:
            start, step = "first", str(self.parameters["parts"] * self.threads)
        carried = self._carried(place, expressions)
        if carried:
            vectors = self._fours_of(place, length, carried, out)
            lines.open(f"for (int64_t v = {start}; v < {vectors}; v += {step})")
            body.begin(place)
            named = self._load_lanes(place, carried, cache, inner)
            lines.add("#pragma unroll")
            lines.open(f"for (int l = 0; l < {self.vector}; ++l)")
            begin = len(lines.lines)
            writer = self._writer(lines, place)
            writer.know(hoisted)
            for load in (x for e in expressions for x in loads(e)):
                if key_of(load) in named:
                    writer.loaded[id(load)] = converted(
                        f"{named[key_of(load)]}[l]",
                        CPP_TYPES[load.buffer.dtype],
                        computation_type(load.dtype),
                    )
            body.element(writer, True)
            if any(re.search(rf"\b{inner}\b", line) for line in lines.lines[begin:]):
                declared = f"const int64_t {inner} = v * {self.vector} + l;"
                lines.lines.insert(begin, "    " * lines.depth + declared)
            lines.close()
            body.end(place, True)
            lines.close()
            start = f"{vectors} * {self.vector} + {start}"
        if self.who == "thread":
            lines.open(f"for (int64_t r = 0; r < {length}; ++r)")
        elif self.who == "column":
            lines.open(f"for (int64_t r = inside ? lane : {length}; r < {length}; r += {self.threads})")
        else:
            lines.open(f"for (int64_t {inner} = {start}; {inner} < {length}; {inner} += {step})")
        if not nested and len(reduced) > 1:
            names = [place.coordinates[a] for a in reduced]
            decode(
                lines, self.scope, [place.space.shape[a] for a in reduced], names, "r", [True] * len(reduced)
            )
        writer = self._writer(lines, place)
        writer.know(hoisted)
        self._use_cache(place, writer, expressions, cache)
        body.element(writer, False)
        body.end(place, False)
        for _ in reduced[:-1] if nested else ():
            lines.close()
        lines.close()

    def _carried(self, place: "_Place", expressions: list[Expression]) -> dict[tuple[Any, ...], Load]:
        """The loads of four elements."""
        if self.vector == 1 or not self._along_rows:
            return {}
        if len(place.reduced) > 1 and not self._nested(place.space):
            return {}
        found = [x for e in expressions for x in loads(e)]
        return {key_of(x): x for x in found if lies_in_fours(self.step, place.space, x)}

    def _fours_of(
        self, place: "_Place", length: str, carried: dict[tuple[Any, ...], Load], out: str | None
    ) -> str:
        """Declares how many times four elements a row has, none where some row does not begin at a multiple."""
        conditions = (
            [] if self.rows == ONE and len(place.reduced) == 1 else [f"{length} % {self.vector} == 0"]
        )
        buffers = {self.scope.buffer(x.buffer): x.buffer.dtype for x in carried.values()}
        if out is not None:
            buffers[out] = self.step.target.dtype
        for name, dtype in buffers.items():
            conditions.append(
                f"reinterpret_cast<uintptr_t>({name}) % {_BYTES[CPP_TYPES[dtype]] * self.vector} == 0"
            )
        name = self.scope.fresh("vectors")
        self.lines.add(f"const int64_t {name} = {' && '.join(conditions)} ? {length} / {self.vector} : 0;")
        return name

    def _load_lanes(
        self, place: "_Place", carried: dict[tuple[Any, ...], Load], cache: "_Cache | None", inner: str
    ) -> dict[tuple[Any, ...], str]:
        named = {}
        for key, load in carried.items():
            pointer = self.scope.buffer(load.buffer)
            name = self.scope.fresh(f"{pointer}_lanes")
            kind, carrier = CPP_TYPES[load.buffer.dtype], _carrier(load.buffer.dtype, self.vector)
            begin = self._begin_of_row(place, load.strides, load.offset)
            source = (
                f"reinterpret_cast<const {carrier}*>({pointer}{'' if begin == '0' else f' + {begin}'})[v]"
            )
            if cache is not None and cache.key == key:
                kept = f"reinterpret_cast<const {carrier}*>({cache.name}{self._outer(place, ' + ')})[v]"
                source = f"is_cached ? {kept} : {source}"
            self.lines.add(f"alignas({_BYTES[kind] * self.vector}) {kind} {name}[{self.vector}];")
            self.lines.add(f"*reinterpret_cast<{carrier}*>({name}) = {source};")
            named[key] = name
        return named

    def _outer(self, place: "_Place", sign: str) -> str:
        """Where a stretch along the innermost axis begins within its row."""
        if not self._nested(place.space):
            return ""
        text, *others = [place.coordinates[a] for a in place.reduced[:-1]]
        for axis, name in zip(place.reduced[1:-1], others, strict=True):
            text = f"({text} * {self.scope.size(place.space.shape[axis], 'outer')} + {name})"
        return f"{sign}{text} * {self.scope.size(place.space.shape[-1], 'inner')}"

    # ---- the row in shared memory ---------------------------------------------------------------------------------------

    def _cached_rows(self) -> int:
        return int(self.parameters["rows"]) if self.who == "warp" else 1

    def _open_cache(self) -> "_Cache | None":
        keys = repeated_loads(self.step)
        if not keys:
            return None
        key = keys[0]
        kind = CPP_TYPES[key[0].dtype]
        name = self.scope.fresh("cached_row")
        rows = self._cached_rows()
        self.scope.fresh("is_cached")
        self.lines.add(f"extern __shared__ __align__(16) unsigned char {self.prefix}_memory[];")
        offset = f" + threadIdx.y * {self.length_name}" if rows > 1 else ""
        self.lines.add(f"{kind}* {name} = reinterpret_cast<{kind}*>({self.prefix}_memory){offset};")
        limit = _CACHE_BYTES // _BYTES[kind] // rows
        self.lines.add(f"const bool is_cached = {self.length_name} <= {limit};")
        return _Cache(key, name, kind)

    def _fill_cache(self, cache: "_Cache") -> None:
        """Every thread keeps what it reads."""
        lines, (buffer, strides, offset) = self.lines, cache.key
        load = Load(buffer.dtype, buffer, strides, offset)
        kind, carrier = cache.kind, _CARRIERS.get(_BYTES[cache.kind] * self.vector)

        def element(writer: Writer, wide: bool) -> None:
            if not wide:
                flat = f"{self._outer(self.place, '').lstrip()}{' + ' if self._nested(self.space) else ''}"
                inner = self.place.coordinates[self.place.reduced[-1]] if self._nested(self.space) else "r"
                lines.add(f"{cache.name}[{flat}{inner}] = {writer.write(load, kind)};")

        lines.open("if (is_cached)")
        if self._carried(self.place, [load]):
            # A copy needs no lanes.
            body = _Body(lambda place: None, element, lambda p, w: None)
            carried = {cache.key: load}
            nested = self._nested(self.space)
            if nested:
                for axis in self.place.reduced[:-1]:
                    name = self.place.coordinates[axis]
                    extent = self.scope.size(self.space.shape[axis], "outer")
                    lines.open(f"for (int64_t {name} = 0; {name} < {extent}; ++{name})")
            length = self.scope.size(self.space.shape[-1], "inner") if nested else self.length_name
            vectors = self._fours_of(self.place, length, carried, None)
            begin = self._begin_of_row(self.place, strides, offset)
            pointer = self.scope.buffer(buffer)
            to = f"reinterpret_cast<{carrier}*>({cache.name}{self._outer(self.place, ' + ')})[v]"
            source = (
                f"reinterpret_cast<const {carrier}*>({pointer}{'' if begin == '0' else f' + {begin}'})[v]"
            )
            lines.open(f"for (int64_t v = lane; v < {vectors}; v += {self.threads})")
            lines.add(f"{to} = {source};")
            lines.close()
            inner = self.place.coordinates[self.place.reduced[-1]] if nested else "r"
            lines.open(
                f"for (int64_t {inner} = {vectors} * {self.vector} + lane; {inner} < {length}; {inner} += {self.threads})"
            )
            body.element(self._writer(lines, self.place), False)
            lines.close()
            for _ in self.place.reduced[:-1] if nested else ():
                lines.close()
        else:
            self._walk(self.place, [load], {}, None, _Body(lambda place: None, element, lambda p, w: None))
        lines.close()
        lines.add("__syncwarp();" if self.who == "warp" else "__syncthreads();")

    def _use_cache(
        self, place: "_Place", writer: Writer, expressions: list[Expression], cache: "_Cache | None"
    ) -> None:
        if cache is None:
            return
        buffer, strides, offset = cache.key
        flat = self._outer(place, "")
        inner = place.coordinates[place.reduced[-1]] if flat else "r"
        variable = ""
        for load in (x for e in expressions for x in loads(e)):
            if key_of(load) == cache.key:
                if not variable:
                    variable = self.scope.fresh("element")
                    kept = f"{cache.name}[{flat}{' + ' if flat else ''}{inner}]"
                    source = f"is_cached ? {kept} : {self.scope.buffer(buffer)}[{self._index(place)(strides, offset)}]"
                    self.lines.add(f"const {cache.kind} {variable} = {source};")
                writer.loaded[id(load)] = converted(variable, cache.kind, computation_type(load.dtype))

    # ---- passes ----------------------------------------------------------------------------------------------------------

    def _hoist(self, expressions: list[Expression], place: "_Place") -> dict[int, str]:
        """What is the same all along the row is computed before the loop over it."""
        writer = self._writer(self.lines, place)
        known: dict[int, bool] = {}
        named: dict[int, str] = {}

        def constant(e: Expression) -> bool:
            if id(e) not in known:
                if isinstance(e, Apply):
                    known[id(e)] = all(constant(a) for a in e.arguments)
                elif isinstance(e, Load):
                    own = e.buffer.node in self.given
                    # The rows of a column that lie outside must not be read.
                    known[id(e)] = own or (
                        self.who != "column"
                        and not e.gathered
                        and all(e.strides[a] == ZERO for a in self.step.axes)
                    )
                else:
                    known[id(e)] = not isinstance(e, Position)
            return known[id(e)]

        def visit(e: Expression) -> None:
            if id(e) in named or not isinstance(e, Apply | Load):
                return
            if constant(e):
                if isinstance(e, Apply) or e.buffer.node not in self.given:
                    named[id(e)] = writer.named(e, "of_row")
            elif isinstance(e, Apply):
                for argument in e.arguments:
                    visit(argument)

        for expression in expressions:
            visit(expression)
        return named

    def _pass(self, level: list[Node], cache: "_Cache | None") -> None:
        lines = self.lines
        states = [self._state(node, cache is not None) for node in level]
        followed = {state.follows for state in states if state.follows is not None}
        states = [state for state in states if state.node not in followed]
        largest: dict[Node, str] = {}
        for state in states:
            self._declare(state, largest)
        hoisted = self._hoist([state.expression for state in states], self.place)
        together = {
            state.name: self.scope.fresh("element")
            for state in states
            if state.follows is not None or state.centre is not None
        }

        def begin(place: "_Place") -> None:
            for state in states:
                if state.name in together:
                    lines.add(f"{state.kind} {together[state.name]}[{self.vector}];")

        def element(writer: Writer, wide: bool) -> None:
            for state in states:
                text = writer.write(state.expression, state.kind)
                if state.name in together:
                    own = together[state.name]
                    lines.add(f"{own}[l] = {text};" if wide else f"const {state.kind} {own} = {text};")
                else:
                    self._add(state, text)

        def end(place: "_Place", wide: bool) -> None:
            for state in states:
                if state.name not in together:
                    continue
                own = together[state.name]
                elements = [f"{own}[{n}]" for n in range(self.vector)] if wide else [own]
                if state.follows is not None:
                    self._grow(state, largest[state.follows], elements)
                else:
                    self._spread(state, elements)

        self._walk(
            self.place, [state.expression for state in states], hoisted, cache, _Body(begin, element, end)
        )
        for state in states:
            if state.follows is not None:
                self._join_growing(state, largest[state.follows])
                self.given[state.follows] = (largest[state.follows], state.kind)
            elif state.centre is not None:
                self._move_to_centre(state)
            self._join(state.operation, state.kind, state.name)
            is_place = state.operation.startswith("arg")
            self.given[state.node] = (
                f"{state.name}_at" if is_place else state.name,
                "int64_t" if is_place else state.kind,
            )

    def _state(self, node: Node, cached: bool) -> "_State":
        value = self.step.inputs[self.step.nodes.index(node)][0]
        kind = computation_type(value.dtype)
        if node.operation == "sum" and node.dtype not in (*FLOATING, "bool"):
            kind = "int64_t"
        name = self.scope.fresh(NAMES[node.operation])
        spread: Deviations | None = deviations(self.step, node)
        growing: Exponentials | None = exponentials(self.step, node)
        if spread is not None:
            return _State(node, spread.element, node.operation, kind, name, centre=spread.centre)
        level = next(own for own in pass_levels(self.step, cached) if node in own)
        if growing is not None and growing.largest in level:
            return _State(node, growing.element, node.operation, kind, name, follows=growing.largest)
        return _State(node, value.expression, node.operation, kind, name)

    def _declare(self, state: "_State", largest: dict[Node, str]) -> None:
        add, kind, name = self.lines.add, state.kind, state.name
        add(f"{kind} {name} = {identity(state.operation, kind)};")
        if state.operation.startswith("arg"):
            add(f"int64_t {name}_at = INT64_MAX;")
        if state.follows is not None:
            own = self.scope.fresh(NAMES["max"])
            largest[state.follows] = own
            # Finite, so that a row that begins with -infinity has a difference to it.
            lowest = -3.4028234663852886e38 if kind == "float" else -1.7976931348623157e308
            add(f"{kind} {own} = {literal(lowest, kind)};")
        if state.centre is not None:
            add(
                "// Squares of deviations from the mean so far, seen from the thread's first element; moved to the row's mean below."
            )
            add(
                f"{kind} {name}_first = {literal(0, kind)}, {name}_mean = {literal(0, kind)}, {name}_count = {literal(0, kind)};"
            )

    def _add(self, state: "_State", text: str) -> None:
        lines, kind, name = self.lines, state.kind, state.name
        if state.operation.startswith("arg"):
            element = self.scope.fresh("candidate")
            lines.add(f"const {kind} {element} = {text};")
            better = ">" if state.operation == "argmax" else "<"
            lines.open(f"if ({name}_at == INT64_MAX || {element} {better} {name})")
            lines.add(f"{name} = {element};")
            lines.add(f"{name}_at = r;")
            lines.close()
        elif state.operation == "sum":
            lines.add(f"{name} += {text};")
        else:
            lines.add(f"{name} = {self._combined(state.operation, kind, name, text)};")

    def _grow(self, state: "_State", largest: str, elements: list[str]) -> None:
        """The sum of exponentials below the largest so far, and then below the largest of these elements too."""
        lines, kind, name = self.lines, state.kind, state.name
        exp = typed("exp@({0})", kind)
        top = self.scope.fresh("top")
        text = largest
        for element in elements:
            text = self._combined("max", kind, text, element)
        lines.add(f"const {kind} {top} = {text};")
        terms = " + ".join(exp.format(f"{element} - {top}") for element in elements)
        lines.add(f"{name} = {name} * {exp.format(f'{largest} - {top}')} + {terms};")
        lines.add(f"{largest} = {top};")

    def _spread(self, state: "_State", elements: list[str]) -> None:
        """The mean of the elements so far, and the squares of deviations from it, with these elements too."""
        add, kind, name = self.lines.add, state.kind, state.name
        count = literal(len(elements), kind)
        add(f"{name}_first = {name}_count == {literal(0, kind)} ? {elements[0]} : {name}_first;")
        for n, element in enumerate(elements):
            elements[n] = self.scope.fresh("shifted")
            add(f"const {kind} {elements[n]} = {element} - {name}_first;")
        away = self.scope.fresh("away")
        if len(elements) == 1:
            add(f"const {kind} {away} = {elements[0]} - {name}_mean;")
            add(f"{name}_count += {count};")
            quotient = f"__fdividef({away}, {name}_count)" if kind == "float" else f"{away} / {name}_count"
            add(f"{name}_mean += {quotient};")
            add(f"{name} += {away} * ({elements[0]} - {name}_mean);")
            return
        centre, share = self.scope.fresh("mean_here"), self.scope.fresh("share")
        add(f"const {kind} {centre} = ({' + '.join(elements)}) / {count};")
        add(f"const {kind} {away} = {centre} - {name}_mean;")
        squares = " + ".join(f"({e} - {centre}) * ({e} - {centre})" for e in elements)
        add(f"{name} += {squares};")
        total = f"{name}_count + {count}"
        # A mean that is a little off is made up for when it is moved; an exact quotient would branch in the loop.
        quotient = f"__fdividef({count}, {total})" if kind == "float" else f"{count} / ({total})"
        add(f"const {kind} {share} = {quotient};")
        add(f"{name}_mean += {away} * {share};")
        add(f"{name} += {away} * {away} * {share} * {name}_count;")
        add(f"{name}_count += {count};")

    def _join_growing(self, state: "_State", largest: str) -> None:
        own = self.scope.fresh("largest_seen")
        self.lines.add(f"const {state.kind} {own} = {largest};")
        self._join("max", state.kind, largest)
        self.lines.add(f"{state.name} *= {typed('exp@({0})', state.kind).format(f'{own} - {largest}')};")

    def _move_to_centre(self, state: "_State") -> None:
        """sum (x - c)^2 = sum (x - m)^2 + n (m - c)^2 for the mean m of the thread's own n elements."""
        lines, kind, name = self.lines, state.kind, state.name
        assert state.centre is not None
        # Rows that lie outside of a column must not be read; they have no elements either.
        writer = self._writer(lines, self.place)
        centre = writer.write(state.centre, kind)
        away = self.scope.fresh("away")
        lines.add(f"const {kind} {away} = {name}_mean + ({name}_first - {as_operand(centre)});")
        lines.add(f"{name} += {name}_count * {away} * {away};")

    def _combined(self, operation: str, kind: str, a: str, b: str) -> str:
        if operation == "sum":
            return f"{a} + {b}"
        if operation == "prod":
            return f"{a} * {as_operand(b)}"
        if kind == "bool":
            return f"{a} || {as_operand(b)}" if operation == "max" else f"{a} && {as_operand(b)}"
        if kind in ("float", "double"):
            return f"{self.scope.function('maximum' if operation == 'max' else 'minimum', kind)}({a}, {b})"
        return f"{a} {'>' if operation == 'max' else '<'} {as_operand(b)} ? {a} : {as_operand(b)}"

    def _join(self, operation: str, kind: str, name: str) -> None:
        """Join the threads' partial results; every thread of the row gets the whole."""
        if self.who == "thread":
            return
        if self.who in ("warp", "block", "part"):
            function = self._joiner(operation, kind)
            arguments = [name, *([f"{name}_at"] if operation.startswith("arg") else [])]
            if self.who != "warp":
                arguments += self._scratch(operation, kind)
            text = f"{function}({', '.join(arguments)});"
            self.lines.add(text if operation.startswith("arg") else f"{name} = {text}")
            return
        self._join_columns(operation, kind, name)

    def _scratch(self, operation: str, kind: str) -> list[str]:
        names = [(kind, f"{kind.replace('_t', '')}_of_warp")]
        if operation.startswith("arg"):
            names.append(("int64_t", "place_of_warp"))
        for type_text, name in names:
            declared = (type_text, f"{name}[{self.threads // 32}]")
            if declared not in self.shared:
                self.shared.append(declared)
        return [name for _, name in names]

    def _joiner(self, operation: str, kind: str) -> str:
        """The device function that joins a warp or a block."""
        what = operation if operation.startswith("arg") else NAMES[operation]
        name = self.scope.function_name(
            f"{'warp' if self.who == 'warp' else 'block'}_{what}" + ("" if kind == "float" else f"_{kind}")
        )
        if name not in self.functions:
            make = arg_joiner if operation.startswith("arg") else plain_joiner
            self.functions[name] = make(name, operation, kind, self._combined, warps=self.who != "warp")
        return name

    def _join_columns(self, operation: str, kind: str, name: str) -> None:
        lines, arg = self.lines, operation.startswith("arg")
        shared = self.scope.fresh(f"{name}_parts")
        self.shared.append((kind, f"{shared}[{self.threads}][{_COLUMNS}]"))
        lines.add(f"{shared}[lane][threadIdx.x] = {name};")
        if arg:
            self.shared.append(("int64_t", f"{shared}_at[{self.threads}][{_COLUMNS}]"))
            lines.add(f"{shared}_at[lane][threadIdx.x] = {name}_at;")
        lines.add("__syncthreads();")
        lines.add(f"{name} = {shared}[0][threadIdx.x];")
        if arg:
            lines.add(f"{name}_at = {shared}_at[0][threadIdx.x];")
        lines.open(f"for (int part = 1; part < {self.threads}; ++part)")
        if arg:
            take_better(
                lines, operation, name, f"{shared}[part][threadIdx.x]", f"{shared}_at[part][threadIdx.x]"
            )
        else:
            lines.add(f"{name} = {self._combined(operation, kind, name, f'{shared}[part][threadIdx.x]')};")
        lines.close()

    # ---- the result --------------------------------------------------------------------------------------------------------

    def _store(self, cache: "_Cache | None") -> None:
        step, lines = self.step, self.lines
        kind = CPP_TYPES[step.target.dtype]
        if step.whole:
            self._store_elements(cache)
            return
        if step.parts:
            out = self.scope.buffer(step.target, written=True)
            stretch = self.scope.size(product(step.target.shape[1:]), "results")
            lines.open("if (lane == 0)")
            for number, node in enumerate(step.nodes):
                place = "blockIdx.x" + (f" + {number} * {stretch}" if number else "")
                lines.add(f"{out}[{place}] = {converted(self.given[node][0], self.given[node][1], kind)};")
            lines.close()
            return
        guard = {"thread": None, "column": "inside && lane == 0"}.get(self.who, "lane == 0")
        if guard:
            lines.open(f"if ({guard})")
        writer = self._row_writer()
        result = writer.write(step.value.expression, kind)
        place = "blockIdx.x" if self.who == "part" else "row"
        lines.add(f"{self.scope.buffer(step.target, written=True)}[{place}] = {result};")
        if guard:
            lines.close()

    def _store_elements(self, cache: "_Cache | None") -> None:
        step, lines, place = self.step, self.lines, self.stored_place
        kind = CPP_TYPES[step.target.dtype]
        out = self.scope.buffer(step.target, written=True)
        hoisted = self._hoist([step.value.expression], place)
        own = self.scope.fresh(f"{out}_lanes")
        in_order = contiguous(step.space)
        wide_store = _BYTES[kind] * self.vector in _CARRIERS

        def begin(_: "_Place") -> None:
            if wide_store:
                lines.add(f"alignas({_BYTES[kind] * self.vector}) {kind} {own}[{self.vector}];")

        def element(writer: Writer, wide: bool) -> None:
            result = writer.write(step.value.expression, kind)
            to = f"{own}[l]" if wide and wide_store else f"{out}[{self._index(place)(in_order, ZERO)}]"
            lines.add(f"{to} = {result};")

        def end(_: "_Place", wide: bool) -> None:
            if wide and wide_store:
                carrier = _carrier(step.target.dtype, self.vector)
                begin_ = self._begin_of_row(place, in_order, ZERO)
                to = f"{out}{'' if begin_ == '0' else f' + {begin_}'}"
                lines.add(
                    f"reinterpret_cast<{carrier}*>({to})[v] = *reinterpret_cast<const {carrier}*>({own});"
                )

        self._walk(
            place, [step.value.expression], hoisted, cache, _Body(begin, element, end),
            out if wide_store else None,
        )  # fmt: skip


@dataclass(frozen=True)
class _Place:
    """A space with the names of its coordinates, those of the row declared."""

    space: Space
    coordinates: list[str]
    reduced: list[int]


@dataclass(frozen=True)
class _Cache:
    """The load that is kept, and where."""

    key: tuple[Any, ...]
    name: str
    kind: str


@dataclass(frozen=True)
class _Body:
    """What is done for a few neighbouring elements: before them, for each, after them."""

    begin: Callable[[_Place], None]
    element: Callable[[Writer, bool], None]
    end: Callable[[_Place, bool], None]


@dataclass(frozen=True)
class _State:
    """A reduction while it walks along the row: its sum, largest element and so on is `name`."""

    node: Node
    expression: Expression
    operation: str
    kind: str
    name: str
    centre: Expression | None = None
    follows: Node | None = None
