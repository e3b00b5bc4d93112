"""Rows: reductions, softmax, normalisations and losses that reduce the same axes of one shape.

A row is all elements with the same coordinates along the kept axes. One thread, one warp, one block, or (where neighbouring
rows lie side by side) a column of a block computes it, in as many passes as its reductions need each other.
"""

from typing import Any

from kernelwright_memory.generators.templates.cuda.elementwise import _BYTES
from kernelwright_memory.generators.templates.cuda.emit import (
    Blocks,
    KernelText,
    Lines,
    Scope,
    SharedMemory,
    Writer,
    collapse,
    decode,
    linear_index,
)
from kernelwright_memory.generators.templates.graph.graph import (
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
    nodes,
    replace,
)
from kernelwright_memory.generators.templates.graph.operators import (
    CPP_TYPES,
    FLOATING,
    HALVES,
    computation_type,
    converted,
    literal,
)
from kernelwright_memory.generators.templates.graph.schedule import Schedule, Step
from kernelwright_memory.generators.templates.graph.size import Size, contiguous, product

# What the default limit of 48 KB of shared memory a block holds, less a little for the partial results of warps.
_CACHE_BYTES = 40 * 1024
_COLUMNS = 32
# As many rows as leave most of a chip idle with a block each.
_FEW_ROWS = 64
# Rows that leave most of a block of 256 threads without an element: a warp each.
_SHORT_ROW = 128


def variants(step: Step) -> list[dict[str, Any]]:
    """The parameter space: who computes a row, with how many threads, and whether the row is kept in shared memory."""
    cached = [True, False] if _cacheable(step) else [False]
    blocks: list[dict[str, Any]] = [
        {"row": "block", "threads": threads, "cache": cache}
        for cache in cached
        for threads in (256, 128, 512, 1024)
    ]
    warps: list[dict[str, Any]] = [
        {"row": "warp", "threads": 32, "cache": cache, "rows": count} for cache in cached for count in (4, 8)
    ]
    rows = warps + blocks if _row_length(step).value <= _SHORT_ROW else blocks + warps
    side_by_side: list[dict[str, Any]] = [
        {"row": "column", "threads": lanes, "cache": False} for lanes in (8, 16, 4, 32)
    ]
    side_by_side += [{"row": "thread", "threads": 1, "cache": False, "rows": n} for n in (256, 128, 64)]
    split = _splits(step)
    if _last_is_reduced(step):
        return (
            [*split, *rows, side_by_side[-1]]
            if _row_count(step).constant == 1
            else [*rows, side_by_side[-1], *split]
        )
    return [*side_by_side, blocks[0], *split]


def _row_count(step: Step) -> Size:
    return product(e for a, e in enumerate(step.space) if a not in step.axes)


def _row_length(step: Step) -> Size:
    return product(e for a, e in enumerate(step.space) if a in step.axes)


def _splits(step: Step) -> list[dict[str, Any]]:
    """Several blocks a row, for long rows of which there are few."""
    if (
        _row_count(step).value > _FEW_ROWS
        or step.whole
        or len(_levels(step)) > 1
        or any(n.operation.startswith("arg") for n in step.nodes)
    ):
        return []
    return [{"row": "split", "threads": 256, "cache": False, "parts": parts} for parts in (128, 512, 1024)]


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


def _row_values(step: Step) -> list[Value]:
    """Everything that is computed an element of the space."""
    values = [inputs[0] for inputs in step.inputs]
    return [*values, step.value] if step.whole else values


def _cacheable(step: Step) -> bool:
    return bool(_repeated(step))


def _key(load: Load) -> tuple[Any, ...]:
    return (load.buffer, load.strides, load.offset)


def _repeated(step: Step) -> list[tuple[Any, ...]]:
    """The loads that more than one pass makes and that differ along the row."""
    passes: list[set[tuple[Any, ...]]] = []
    for level in _levels(step):
        passes.append(
            {
                _key(x)
                for node in level
                for x in loads(step.inputs[step.nodes.index(node)][0].expression)
                if _varies(x, step)
            }
        )
    if step.whole:
        passes.append({_key(x) for x in loads(step.value.expression) if _varies(x, step)})
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


def _levels(step: Step) -> list[list[Node]]:
    """The nodes in passes: each needs only the results of passes before it."""
    level: dict[Node, int] = {}
    for node, inputs in zip(step.nodes, step.inputs, strict=True):
        level[node] = 1 + max((level[n] for n in nodes(inputs[0].expression) if n in level), default=-1)
    return [[n for n in step.nodes if level[n] == depth] for depth in range(max(level.values()) + 1)]


_NAMES = {
    "sum": "sum",
    "prod": "product",
    "max": "largest",
    "min": "smallest",
    "argmax": "best",
    "argmin": "best",
}


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
        rank = len(step.space)
        kinds = [int(a in step.axes) for a in range(rank)]
        all_strides = [
            leaf.strides
            for value in _row_values(step)
            for leaf in leaves(value.expression)
            if isinstance(leaf, Load | Position) and len(leaf.strides) == rank
            and not (isinstance(leaf, Load) and leaf.buffer.node is not None)
        ]  # fmt: skip
        if step.whole:
            all_strides.append(contiguous(step.space))
        self.space = collapse(step.space, all_strides, kinds)
        self.is_reduced = [kinds[g[0]] == 1 for g in self.space.groups]
        self.rows = product(e for e, r in zip(self.space.shape, self.is_reduced, strict=True) if not r)
        self.length = product(e for e, r in zip(self.space.shape, self.is_reduced, strict=True) if r)
        for name in ("r", "lane", "length", "inside", "warp"):
            self.scope.fresh(name)

    # ---- the whole kernel ------------------------------------------------------------------------------------------

    def emit(self) -> KernelText:
        step, lines = self.step, self.lines
        self.length_name = self.scope.size(self.length, "columns")
        cache = self._open_cache() if self.parameters.get("cache") else None
        block, grid = self._who_does_it()
        self._row_coordinates()
        if cache:
            self._fill_cache(cache)
        for level in _levels(step):
            self._pass(level, cache)
        self._store(cache)
        shared = "".join(f"    __shared__ {kind} {name};\n" for kind, name in self.shared)
        memory = None
        if cache:
            count = self._cached_rows()
            memory = SharedMemory(
                self.length, _BYTES[cache[2]] * count, _CACHE_BYTES // _BYTES[cache[2]] // count
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
        return f"{who}{kept}."

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
            lines.add(f"const int64_t first = blockIdx.x % {parts} * {self.threads} + lane;")
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

    def _axes(self, reduced: bool) -> list[int]:
        return [a for a, r in enumerate(self.is_reduced) if r == reduced]

    def _row_coordinates(self) -> None:
        kept = self._axes(False)
        self.coordinates = [""] * len(self.space.shape)
        if len(kept) == 1:
            self.coordinates[kept[0]] = "row"
        elif kept:
            names = [self.scope.fresh(f"row{n}") for n in range(len(kept))]
            decode(
                self.lines, self.scope, [self.space.shape[a] for a in kept], names, "row", [True] * len(kept)
            )
            for axis, name in zip(kept, names, strict=True):
                self.coordinates[axis] = name
        reduced = self._axes(True)
        self.inner_names = ["r"] if len(reduced) == 1 else [f"r{n}" for n in range(len(reduced))]
        for axis, name in zip(reduced, self.inner_names, strict=True):
            self.coordinates[axis] = name

    def _writer(self, lines: Lines) -> Writer:
        return Writer(
            self.scope, lines, linear_index(self.scope, self.space, self.coordinates, None), self.given
        )

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

    def _open_loop(self) -> None:
        lines, length = self.lines, self.length_name
        if self.who == "thread":
            lines.open(f"for (int64_t r = 0; r < {length}; ++r)")
        elif self.who == "part":
            step = self.parameters["parts"] * self.threads
            lines.open(f"for (int64_t r = first; r < {length}; r += {step})")
        elif self.who == "column":
            lines.open(f"for (int64_t r = inside ? lane : {length}; r < {length}; r += {self.threads})")
        else:
            lines.open(f"for (int64_t r = lane; r < {length}; r += {self.threads})")
        reduced = self._axes(True)
        if len(reduced) > 1:
            decode(
                lines,
                self.scope,
                [self.space.shape[a] for a in reduced],
                self.inner_names,
                "r",
                [True] * len(reduced),
            )

    # ---- the row in shared memory ---------------------------------------------------------------------------------------

    def _cached_rows(self) -> int:
        return int(self.parameters["rows"]) if self.who == "warp" else 1

    def _open_cache(self) -> tuple[tuple[Any, ...], str, str] | None:
        keys = _repeated(self.step)
        if not keys:
            return None
        key = keys[0]
        kind = CPP_TYPES[key[0].dtype]
        name = self.scope.fresh("cached_row")
        rows = self._cached_rows()
        self.scope.fresh("is_cached")
        self.lines.add(f"extern __shared__ unsigned char {self.prefix}_memory[];")
        offset = f" + threadIdx.y * {self.length_name}" if rows > 1 else ""
        self.lines.add(f"{kind}* {name} = reinterpret_cast<{kind}*>({self.prefix}_memory){offset};")
        limit = _CACHE_BYTES // _BYTES[kind] // rows
        self.lines.add(f"const bool is_cached = {self.length_name} <= {limit};")
        return key, name, kind

    def _fill_cache(self, cache: tuple[tuple[Any, ...], str, str]) -> None:
        key, name, _ = cache
        self.lines.add("// Each thread reads back only what it stored itself, so no barrier is needed.")
        self.lines.open("if (is_cached)")
        self._open_loop()
        index = linear_index(self.scope, self.space, self.coordinates, None)
        self.lines.add(f"{name}[r] = {self.scope.buffer(key[0])}[{index(key[1], key[2])}];")
        self.lines.close()
        self.lines.close()

    def _use_cache(
        self, writer: Writer, expression: Expression, cache: tuple[tuple[Any, ...], str, str] | None
    ) -> None:
        if cache is None:
            return
        key, name, kind = cache
        index = linear_index(self.scope, self.space, self.coordinates, None)
        variable = ""
        for load in loads(expression):
            if _key(load) == key:
                if not variable:
                    variable = self.scope.fresh("element")
                    source = f"is_cached ? {name}[r] : {self.scope.buffer(key[0])}[{index(key[1], key[2])}]"
                    self.lines.add(f"const {kind} {variable} = {source};")
                writer.loaded[id(load)] = converted(variable, kind, computation_type(load.dtype))

    # ---- passes ----------------------------------------------------------------------------------------------------------

    def _hoist(self, expressions: list[Expression]) -> dict[int, str]:
        """What is the same all along the row is computed before the loop over it."""
        writer = self._writer(self.lines)
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

    def _pass(self, level: list[Node], cache: tuple[tuple[Any, ...], str, str] | None) -> None:
        states = []
        for node in level:
            value = self.step.inputs[self.step.nodes.index(node)][0]
            operation = node.operation
            kind = computation_type(value.dtype)
            if operation == "sum" and node.dtype not in (*FLOATING, "bool"):
                kind = "int64_t"
            name = self.scope.fresh(_NAMES[operation])
            self.lines.add(f"{kind} {name} = {_identity(operation, kind)};")
            if operation.startswith("arg"):
                self.lines.add(f"int64_t {name}_at = INT64_MAX;")
            states.append((node, value, operation, kind, name))
        hoisted = self._hoist([value.expression for _, value, *_ in states])
        self._open_loop()
        writer = self._writer(self.lines)
        writer.know(hoisted)
        for _, value, operation, kind, name in states:
            self._use_cache(writer, value.expression, cache)
            text = writer.write(value.expression, kind)
            if operation.startswith("arg"):
                element = self.scope.fresh("candidate")
                self.lines.add(f"const {kind} {element} = {text};")
                better = ">" if operation == "argmax" else "<"
                self.lines.open(f"if ({name}_at == INT64_MAX || {element} {better} {name})")
                self.lines.add(f"{name} = {element};")
                self.lines.add(f"{name}_at = r;")
                self.lines.close()
            elif operation == "sum":
                self.lines.add(f"{name} += {text};")
            else:
                self.lines.add(f"{name} = {self._combined(operation, kind, name, text)};")
        self.lines.close()
        for node, _, operation, kind, name in states:
            self._join(operation, kind, name)
            result = f"{name}_at" if operation.startswith("arg") else name
            self.given[node] = (result, "int64_t" if operation.startswith("arg") else kind)

    def _combined(self, operation: str, kind: str, a: str, b: str) -> str:
        if operation == "sum":
            return f"{a} + {b}"
        if operation == "prod":
            return f"{a} * {_inner(b)}"
        if kind == "bool":
            return f"{a} || {_inner(b)}" if operation == "max" else f"{a} && {_inner(b)}"
        if kind in ("float", "double"):
            return f"{self.scope.function('maximum' if operation == 'max' else 'minimum', kind)}({a}, {b})"
        return f"{a} {'>' if operation == 'max' else '<'} {_inner(b)} ? {a} : {_inner(b)}"

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
        what = operation if operation.startswith("arg") else _NAMES[operation]
        name = self.scope.function_name(
            f"{'warp' if self.who == 'warp' else 'block'}_{what}" + ("" if kind == "float" else f"_{kind}")
        )
        if name not in self.functions:
            make = _arg_joiner if operation.startswith("arg") else _plain_joiner
            self.functions[name] = make(self, name, operation, kind)
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
            _take_better(
                lines, operation, name, f"{shared}[part][threadIdx.x]", f"{shared}_at[part][threadIdx.x]"
            )
        else:
            lines.add(f"{name} = {self._combined(operation, kind, name, f'{shared}[part][threadIdx.x]')};")
        lines.close()

    # ---- the result --------------------------------------------------------------------------------------------------------

    def _store(self, cache: tuple[tuple[Any, ...], str, str] | None) -> None:
        step, lines = self.step, self.lines
        kind = CPP_TYPES[step.target.dtype]
        if step.whole:
            hoisted = self._hoist([step.value.expression])
            self._open_loop()
            writer = self._writer(lines)
            writer.know(hoisted)
            self._use_cache(writer, step.value.expression, cache)
            result = writer.write(step.value.expression, kind)
            index = linear_index(self.scope, self.space, self.coordinates, None)(contiguous(step.space), ZERO)
            lines.add(f"{self.scope.buffer(step.target, written=True)}[{index}] = {result};")
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


def _inner(text: str) -> str:
    """As an operand."""
    return f"({text})" if " " in text else text


def _identity(operation: str, kind: str) -> str:
    if operation == "sum":
        return literal(0, kind)
    if operation == "prod":
        return literal(1, kind)
    largest = operation in ("max", "argmax")
    if kind == "bool":
        return "false" if largest else "true"
    if kind in ("float", "double"):
        return "-INFINITY" if largest else "INFINITY"
    limits = {"int64_t": "INT64", "int": "INT32", "int16_t": "INT16", "int8_t": "INT8", "uint8_t": "UINT8"}[
        kind
    ]
    if limits == "UINT8":
        return "0" if largest else "UINT8_MAX"
    return f"{limits}_{'MIN' if largest else 'MAX'}"


def _take_better(lines: Lines, operation: str, name: str, other: str, other_at: str) -> None:
    """The better of two candidates; of equal ones the first."""
    better = ">" if operation == "argmax" else "<"
    lines.open(f"if ({other} {better} {name} || ({other} == {name} && {other_at} < {name}_at))")
    lines.add(f"{name} = {other};")
    lines.add(f"{name}_at = {other_at};")
    lines.close()


def _shuffle_loop(lines: Lines) -> None:
    lines.add("#pragma unroll")
    lines.open("for (int offset = 16; offset > 0; offset /= 2)")


def _plain_joiner(rows: _Rows, name: str, operation: str, kind: str) -> str:
    lines = Lines(0)
    scratch = f", {kind}* of_warp" if rows.who != "warp" else ""
    lines.open(f"__device__ __forceinline__ {kind} {name}({kind} value{scratch})")
    _shuffle_loop(lines)
    shuffled = "__shfl_xor_sync(0xffffffffu, value, offset)"
    if kind == "bool":
        shuffled = "(__shfl_xor_sync(0xffffffffu, int(value), offset) != 0)"
    lines.add(f"value = {rows._combined(operation, kind, 'value', shuffled)};")
    lines.close()
    if rows.who != "warp":
        lines.add("__syncthreads();  // the previous use of of_warp is over")
        lines.open("if (threadIdx.x % 32 == 0)")
        lines.add("of_warp[threadIdx.x / 32] = value;")
        lines.close()
        lines.add("__syncthreads();")
        lines.add("value = of_warp[0];")
        lines.open("for (int warp = 1; warp < blockDim.x / 32; ++warp)")
        lines.add(f"value = {rows._combined(operation, kind, 'value', 'of_warp[warp]')};")
        lines.close()
    lines.add("return value;")
    lines.close()
    return lines.text + "\n"


def _arg_joiner(rows: _Rows, name: str, operation: str, kind: str) -> str:
    lines = Lines(0)
    scratch = f", {kind}* of_warp, int64_t* place_of_warp" if rows.who != "warp" else ""
    lines.open(f"__device__ __forceinline__ void {name}({kind}& best, int64_t& best_at{scratch})")
    _shuffle_loop(lines)
    lines.add(f"const {kind} other = __shfl_xor_sync(0xffffffffu, best, offset);")
    lines.add("const int64_t other_at = __shfl_xor_sync(0xffffffffu, (long long)best_at, offset);")
    _take_better(lines, operation, "best", "other", "other_at")
    lines.close()
    if rows.who != "warp":
        lines.add("__syncthreads();  // the previous use of of_warp is over")
        lines.open("if (threadIdx.x % 32 == 0)")
        lines.add("of_warp[threadIdx.x / 32] = best;")
        lines.add("place_of_warp[threadIdx.x / 32] = best_at;")
        lines.close()
        lines.add("__syncthreads();")
        lines.add("best = of_warp[0];")
        lines.add("best_at = place_of_warp[0];")
        lines.open("for (int warp = 1; warp < blockDim.x / 32; ++warp)")
        _take_better(lines, operation, "best", "of_warp[warp]", "place_of_warp[warp]")
        lines.close()
    lines.close()
    return lines.text + "\n"
