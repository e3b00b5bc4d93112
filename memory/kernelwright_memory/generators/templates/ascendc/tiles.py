"""Kernels over tiles: what is copied in, computed in float, and copied out, row by row or straight through."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from kernelwright_memory.generators.templates.ascendc.loading import Loader, Piece, read_leaves
from kernelwright_memory.generators.templates.ascendc.primitives import primitive
from kernelwright_memory.generators.templates.ascendc.working_tensors import SHARED
from kernelwright_memory.generators.templates.ascendc.writer import (
    BYTES,
    TYPES,
    UNIFIED_BUFFER_BYTES,
    Lines,
    Operand,
    Scope,
    Writer,
)
from kernelwright_memory.generators.templates.cuda.emit import collapse
from kernelwright_memory.generators.templates.graph.graph import (
    ONE,
    ZERO,
    Apply,
    Buffer,
    Expression,
    Load,
    Node,
    Position,
    Unsupported,
    Value,
    leaves,
    replace,
)
from kernelwright_memory.generators.templates.graph.schedule import Step
from kernelwright_memory.generators.templates.graph.size import Size, contiguous, product

_REDUCE = {
    "sum": ("ReduceSum", "Add", "0.0f"),
    "max": ("ReduceMax", "Max", "-INFINITY"),
    "min": ("ReduceMin", "Min", "INFINITY"),
}
# Buffers of queues of one position: each holds an event of the chip.
_EVENTS = 8
# Whole numbers are exact in float up to here.
_EXACT = 1 << 24


class DoesNotFit(Exception):
    """The working tensors of this variant are larger than the unified buffer, or its queues have too many buffers."""


@dataclass
class KernelText:
    """A kernel: what its parameters stand for, its body, and over how many pieces of work its cores share."""

    scope: Scope
    body: str
    work: Size
    each: int
    """Elements of `work` in one piece."""
    comment: str
    needs_read: bool = False


class TileKernel(Loader):
    """Writes one step."""

    reductions: ClassVar[frozenset[str]] = frozenset(_REDUCE)
    """Those that the class writes."""

    def __init__(self, step: Step, parameters: dict[str, int]) -> None:
        super().__init__()
        self.step = step
        self.tile, self.buffers = parameters["tile"], parameters["buffers"]
        self.spreads = bool(parameters.get("spread"))
        """Results of rows stay on the vector unit."""
        self.out_queue = ""
        self.uses_read = self.reduces = False
        self.setup: list[str] = []
        """Lines before the work begins, for working tensors of a family's own, and their bytes."""
        self.setup_bytes = 0
        self.operations: list[str] = []
        self.value = primitive(step.value.expression)
        self.inputs = [primitive(value.expression) for group in step.inputs for value in group[:1]]
        for value in (step.value, *(value for group in step.inputs for value in group)):
            _check_coordinates(value)

    # ---- forms

    def emit(self) -> KernelText:
        """
        Raises:
            Unsupported: the step has a form or an order of accesses that is not written.
            DoesNotFit: the tile is too large.
        """
        if self.step.kind == "elementwise":
            return self._elementwise()
        if self.step.kind == "rows":
            kinds = [int(axis in self.step.axes) for axis in range(len(self.step.space))]
            return self._reduction(
                self.step.space, kinds, self.inputs, list(self.step.nodes), self.step.whole
            )
        if self.step.kind == "matmul":
            return self._product()
        raise Unsupported(f"'{self.step.kind}' is not written in Ascend C")

    def _elementwise(self) -> KernelText:
        shape = self.step.value.shape
        space = collapse(shape, [*strides_of(self.value), contiguous(shape)])
        self._regroup(lambda s: space.strides(s))
        if len(space.shape) <= 1:
            return self._flat(product(shape))
        if self._inner_strides() - {ZERO, ONE}:
            return self._gathered_copy(space.shape)
        return self._rows(space.shape, [], [], whole=True)

    def _product(self) -> KernelText:
        """C = A B as sums of rows of B, or, where B lies transposed, as sums along its rows."""
        left, right = (primitive(value.expression) for value in self.step.inputs[0])
        node = self.step.nodes[0]
        if not (isinstance(left, Load) and isinstance(right, Load)):
            raise Unsupported("a product of computed matrices is not written in Ascend C")
        (*batch, m, k), (*_, n) = self.step.inputs[0][0].shape, self.step.inputs[0][1].shape
        by_rows = right.strides[-1] == ONE
        if not by_rows and right.strides[-2] != ONE:
            raise Unsupported("a matrix in that order is not written in Ascend C")

        def at(load: Load, *last: Size) -> Load:
            return Load(load.dtype, load.buffer, (*load.strides[:-2], *last), load.offset)

        a, b = left.strides, right.strides
        outer = [0] * len(batch)
        if by_rows:  # (m, k, n)
            factors = (at(left, a[-2], a[-1], ZERO), at(right, ZERO, b[-2], b[-1]))
            space, kinds = (*batch, m, k, n), [*outer, 0, 1, 0]
        else:  # (m, n, k)
            factors = (at(left, a[-2], ZERO, a[-1]), at(right, ZERO, b[-1], b[-2]))
            space, kinds = (*batch, m, n, k), [*outer, 0, 0, 1]
        expression = Apply("float32", "mul", factors)
        return self._reduction(space, kinds, [expression], [node], whole=False, operation="sum")

    def _reduction(
        self, space: tuple[Size, ...], kinds: list[int], inputs: list[Expression], nodes: list[Node], whole: bool,
        operation: str | None = None,
    ) -> KernelText:  # fmt: skip
        self.operations = [operation or node.operation for node in nodes]
        if any(name not in self.reductions for name in self.operations):
            raise Unsupported(f"the reduction '{', '.join(self.operations)}' is not written in Ascend C")
        kept = [axis for axis, kind in enumerate(kinds) if not kind]

        def widened(strides: tuple[Size, ...]) -> tuple[Size, ...]:
            """Strides over the kept axes as strides over all."""
            if whole or len(strides) == len(space) != len(kept):
                return strides
            full = [ZERO] * len(space)
            for axis, stride in zip(kept, strides, strict=True):
                full[axis] = stride
            return tuple(full)

        out = contiguous(space) if whole else widened(contiguous(tuple(space[a] for a in kept)))
        strides = [widened(own) for own in strides_of(self.value, nodes)]
        strides += [own for e in inputs for own in strides_of(e, nodes)]
        grouped = collapse(space, [*strides, out], kinds)
        merged_kinds = [kinds[group[0]] for group in grouped.groups]
        self.inputs = inputs
        self._regroup(lambda s: grouped.strides(s if len(s) == len(space) else widened(s)), nodes)
        if not whole and len(kept) == len(space):
            raise Unsupported("a reduction over no axis")
        if merged_kinds and merged_kinds[-1] == 1 and sum(merged_kinds) == 1:
            return self._rows(grouped.shape, self.inputs, nodes, whole=whole)
        if (
            len(merged_kinds) >= 2
            and merged_kinds[-2:] == [1, 0]
            and sum(merged_kinds) == 1
            and len(nodes) == 1
            and not whole
        ):
            return self._columns(grouped.shape, nodes[0])
        raise Unsupported("a reduction over those axes is not written in Ascend C")

    # ---- flat

    def _flat(self, count: Size) -> KernelText:
        n, lines = self.scope.size(count, "n"), self.lines
        out = self.scope.buffer(self.step.target, written=True)
        lines.add(f"const uint32_t tiles = ({n} + TILE - 1) / TILE;")
        lines.open("for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum())")
        lines.add("const uint32_t begin = tile * TILE;")
        lines.add(f"const uint32_t length = {n} - begin < TILE ? {n} - begin : TILE;")
        self._compute_and_store(Piece([], "begin"), "length", out, "begin", {})
        lines.close()
        return self._finish(count, self.tile, "Tiles of consecutive elements.")

    # ---- rows

    def _rows(
        self, shape: tuple[Size, ...], inputs: list[Expression], nodes: list[Node], *, whole: bool
    ) -> KernelText:
        scope, lines = self.scope, self.lines
        rows, columns = product(shape[:-1]), shape[-1]
        row_count, column_count = scope.size(rows, "rows"), scope.size(columns, "columns")
        out = scope.buffer(self.step.target, written=True)
        lines.open(f"for (uint32_t row = GetBlockIdx(); row < {row_count}; row += GetBlockNum())")
        outer = self._coordinates("row", shape[:-1])

        def pass_over(resident: bool) -> None:
            if resident:
                lines.add("const uint32_t begin = 0;")
                lines.add(f"const uint32_t length = {column_count};")
            given: dict[Node, Operand] = {}
            piece = Piece(outer, "begin")
            held = (
                self._load(piece, [*inputs, *([self.value] if whole else [])], "length", nodes)
                if resident
                else None
            )
            for node, expression, operation in zip(nodes, inputs, self.operations, strict=True):
                given[node] = self._reduce_row(piece, expression, operation, column_count, given, held)
            if not whole:
                self._let_go(held or {})
                self._store_number(piece, out, "row", given)
            elif held is not None:
                self._compute_and_store(
                    piece, "length", out, self._offset(["row"], [columns], "begin"), given, held
                )
            else:
                self._open_chunks(column_count)
                self._compute_and_store(
                    piece, "length", out, self._offset(["row"], [columns], "begin"), given
                )
                lines.close()

        if nodes:
            lines.open(f"if ({column_count} <= TILE)")
            pass_over(True)
            lines.close()
            lines.open("else")
            pass_over(False)
            lines.close()
        else:
            pass_over(False)
        lines.close()
        comment = "A row a core and round; rows that fit the tile are read once." if nodes else "Row by row."
        return self._finish(rows, 1, comment)

    def _open_chunks(self, columns: str) -> None:
        self.lines.open(f"for (uint32_t begin = 0; begin < {columns}; begin += TILE)")
        self.lines.add(f"const uint32_t length = {columns} - begin < TILE ? {columns} - begin : TILE;")

    def _reduce_row(
        self, piece: Piece, expression: Expression, operation: str, columns: str, given: dict[Node, Operand],
        held: dict[int, str] | None,
    ) -> Operand:  # fmt: skip
        reduce, join, identity = _REDUCE[operation]
        lines, scope = self.lines, self.scope
        self.reduces = True

        def reduced(tensors: dict[int, str]) -> None:
            value = self._write(expression, "length", given, tensors)
            if not value.vector:
                raise Unsupported("the sum of a number is not written in Ascend C")
            lines.add(f"{reduce}(reduced, {value.text}, scratch, static_cast<int32_t>(length));")

        if self.spreads:
            whole = self._small()
            if held is not None:
                reduced(held)
                lines.add(f"Brcb({whole}, reduced, 1, {{1, 8}});")
                return Operand(whole, False, spread=True)
            part = self._small()
            lines.add(f"Duplicate({whole}, {identity}, 8);")
            self._open_chunks(columns)
            chunk = self._load(piece, [expression], "length", list(given))
            reduced(chunk)
            self._let_go(chunk)
            lines.add(f"Brcb({part}, reduced, 1, {{1, 8}});")
            lines.add(f"{join}({whole}, {whole}, {part}, 8);")
            lines.close()
            return Operand(whole, False, spread=True)
        self.uses_read = True
        name = scope.fresh(f"row_{operation}")
        if held is not None:
            reduced(held)
            lines.add(f"const float {name} = kw_read_first(reduced);")
            return Operand(name, False)
        lines.add(f"float {name} = {identity};")
        self._open_chunks(columns)
        chunk = self._load(piece, [expression], "length", list(given))
        reduced(chunk)
        self._let_go(chunk)
        number = scope.fresh("part")
        lines.add(f"const float {number} = kw_read_first(reduced);")
        sign = ">" if operation == "max" else "<"
        joined = f"{name} + {number}" if operation == "sum" else f"{number} {sign} {name} ? {number} : {name}"
        lines.add(f"{name} = {joined};")
        lines.close()
        return Operand(name, False)

    def _small(self) -> str:
        name = f"small{self.scope.small}"
        self.scope.small += 1
        return name

    def _store_number(self, piece: Piece, out: str, index: str, given: dict[Node, Operand]) -> None:
        """One element for each row."""
        kind = TYPES[self.step.target.dtype]
        value = self._write(self.value, "8", given, self._numbers_only(piece))
        queue = self._queue_for(self.step.target, out)
        self.lines.add(f"LocalTensor<{kind}> {out}_tile = {queue}.AllocTensor<{kind}>();")
        if value.spread and kind == "float":
            self.lines.add(f"Adds({out}_tile, {value.text}, 0.0f, 8);")
        elif value.spread:
            self._from_float(f"{out}_tile", value.text, self.step.target.dtype, "8")
        elif kind == "float":
            self.lines.add(f"Duplicate({out}_tile, {value.text}, 8);")
        else:
            self.reduces = True
            self.lines.add(f"Duplicate(reduced, {value.text}, 16);")
            self._from_float(f"{out}_tile", "reduced", self.step.target.dtype, "16")
        self._copy_out(out, kind, queue, index, "1")

    # ---- columns

    def _columns(self, shape: tuple[Size, ...], node: Node) -> KernelText:
        """A sum over an axis that is not the last: tensors are added row by row."""
        outer_shape, inner = shape[:-2], shape[-1]
        out = self.scope.buffer(self.step.target, written=True)
        _, join, identity = _REDUCE[self.operations[0]]
        outer, total = self._open_rows(shape, node, join, identity)
        self.lines.close()
        given = {node: Operand(total, True)}
        piece = Piece([*outer, "0"], "begin")
        self._compute_and_store(piece, "length", out, self._offset(["row"], [inner], "begin"), given)
        self.lines.close()
        return self._finish(
            product(outer_shape) * inner,
            self.tile,
            "Rows are added into a tile that stays in the unified buffer.",
        )

    def _open_rows(
        self, shape: tuple[Size, ...], node: Node, join: str, identity: str
    ) -> tuple[list[str], str]:
        """Open the loop over tiles of columns and in it the one over rows, which are joined to a tile that stays.

        Returns:
            the coordinates of the outer dimensions, and the name of that tile.
        """
        scope, lines = self.scope, self.lines
        columns, depth = scope.size(shape[-1], "columns"), scope.size(shape[-2], "depth")
        outers = scope.size(product(shape[:-2]), "outers")
        lines.add(f"const uint32_t across = ({columns} + TILE - 1) / TILE;")
        lines.open(f"for (uint32_t tile = GetBlockIdx(); tile < {outers} * across; tile += GetBlockNum())")
        lines.add("const uint32_t row = tile / across;")
        lines.add("const uint32_t begin = tile % across * TILE;")
        lines.add(f"const uint32_t length = {columns} - begin < TILE ? {columns} - begin : TILE;")
        outer = self._coordinates("row", shape[:-2])
        total = self._reserve()
        lines.add(f"Duplicate({total}, {identity}, length);")
        lines.open(f"for (uint32_t step = 0; step < {depth}; ++step)")
        held = self._load(Piece([*outer, "step"], "begin"), self.inputs, "length", [node])
        value = self._write(self.inputs[0], "length", {}, held)
        if not value.vector:
            raise Unsupported("what is the same in each row is not joined row by row in Ascend C")
        lines.add(f"{join}({total}, {total}, {value.text}, length);")
        self._let_go(held)
        return outer, total

    # ---- copies in another order

    def _gathered_copy(self, shape: tuple[Size, ...]) -> KernelText:
        """A transposition: each element is copied in as a block of its own and out again in order."""
        if not isinstance(self.value, Load):
            raise Unsupported("arithmetic on a transposed tensor is not written in Ascend C")
        load, scope, lines = self.value, self.scope, self.lines
        source, out = scope.buffer(load.buffer), scope.buffer(self.step.target, written=True)
        kind = TYPES[load.buffer.dtype]
        if load.buffer.dtype != self.step.target.dtype:
            raise Unsupported("a transposition that converts is not written in Ascend C")
        rows, columns = product(shape[:-1]), shape[-1]
        row_count, column_count = scope.size(rows, "rows"), scope.size(columns, "columns")
        pitch = scope.size(load.strides[-1], "pitch")
        # An element takes 32 bytes in the unified buffer.
        lines.add(
            "constexpr uint32_t CHUNK = TILE * sizeof(float) / 32 < 2048 ? TILE * sizeof(float) / 32 : 2048;"
        )
        lines.add(f"const uint32_t across = ({column_count} + CHUNK - 1) / CHUNK;")
        lines.open(f"for (uint32_t tile = GetBlockIdx(); tile < {row_count} * across; tile += GetBlockNum())")
        lines.add("const uint32_t row = tile / across;")
        lines.add("const uint32_t begin = tile % across * CHUNK;")
        lines.add(f"const uint32_t length = {column_count} - begin < CHUNK ? {column_count} - begin : CHUNK;")
        outer = self._coordinates("row", shape[:-1])
        offset = self._offset(
            [*outer, "begin"], [*load.strides[:-1], load.strides[-1]], self._constant(load.offset)
        )
        queue = "through"
        lines.add(f"LocalTensor<{kind}> {source}_tile = {queue}.AllocTensor<{kind}>();")
        lines.add(
            f"DataCopyPad({source}_tile, {source}_global[{offset}], DataCopyExtParams{{static_cast<uint16_t>(length), sizeof({kind}), "
            f"static_cast<uint32_t>(({pitch} - 1) * sizeof({kind})), 0, 0}}, DataCopyPadExtParams<{kind}>{{false, 0, 0, 0}});"
        )
        lines.add(f"{queue}.EnQue({source}_tile);")
        lines.add(f"LocalTensor<{kind}> {out}_tile = {queue}.DeQue<{kind}>();")
        target = self._offset(["row"], [columns], "begin")
        lines.add(
            f"DataCopyPad({out}_global[{target}], {out}_tile, "
            f"DataCopyExtParams{{static_cast<uint16_t>(length), sizeof({kind}), 0, 0, 0}});"
        )
        lines.add(f"{queue}.FreeTensor({out}_tile);")
        lines.close()
        self.bound_queue = True
        return self._finish(rows * columns, 1, "Elements are gathered into blocks and written in order.")

    bound_queue = False

    # ---- pieces

    def _regroup(
        self, merged: Callable[[tuple[Size, ...]], tuple[Size, ...]], nodes: Sequence[Node] = ()
    ) -> None:
        """Give every leaf its strides over the merged axes."""

        def leaf(e: Expression) -> Expression:
            if isinstance(e, Load) and e.buffer.node not in nodes:
                return Load(e.dtype, e.buffer, merged(e.strides), e.offset, e.gathered)
            return Position(e.dtype, merged(e.strides), e.offset) if isinstance(e, Position) else e

        self.value = replace(self.value, leaf)
        self.inputs = [replace(e, leaf) for e in self.inputs]

    def _inner_strides(self) -> set[Size]:
        return {leaf.strides[-1] for leaf in leaves(self.value) if isinstance(leaf, Load) and leaf.strides}

    def _numbers_only(self, piece: Piece) -> dict[int, str]:
        """Loads of a row's result: each is one number."""
        found: dict[int, str] = {}
        for leaf in read_leaves([self.value]):
            if isinstance(leaf, Position):
                found[id(leaf)] = self._place(
                    Position(leaf.dtype, (*leaf.strides[:-1], ZERO), leaf.offset), piece, "1"
                )
            elif leaf.buffer.node is None:
                if leaf.gathered:
                    raise Unsupported(
                        "a row's result with an element that is looked up is not written in Ascend C"
                    )
                number = Load(leaf.dtype, leaf.buffer, (*leaf.strides[:-1], ZERO), leaf.offset)
                found[id(leaf)] = self._copy_in(number, piece, "1")
        return found

    def _from_float(self, into: str, tile: str, dtype: str, length: str) -> None:
        """Values of float as those of a result, rounded to the nearest."""
        if dtype == "bool":
            self.scope.shared.add("narrow")
            self.lines.add(f"Cast(narrow, {tile}, RoundMode::CAST_RINT, {length});")
            tile = "narrow"
        self.lines.add(f"Cast({into}, {tile}, RoundMode::CAST_RINT, {length});")

    def _write(
        self,
        expression: Expression,
        length: str,
        given: dict[Node, Operand],
        held: dict[int, str],
        into: str | None = None,
    ) -> Operand:
        vectors = {
            key: text.partition(":")[2] or text for key, text in held.items() if not text.startswith("=")
        }
        numbers = {key: text[1:] for key, text in held.items() if text.startswith("=")}
        writer = Writer(
            self.scope, self.lines, vectors, numbers, given, reserved=self.loaded_slots, length=length
        )
        before = len(self.lines.text)
        result = writer.write(expression, into)
        self.uses_read |= "kw_read_first" in self.lines.text[before:]
        return result

    def _compute_and_store(
        self,
        piece: Piece,
        length: str,
        out: str,
        target: str,
        given: dict[Node, Operand],
        held: dict[int, str] | None = None,
    ) -> None:
        kind = TYPES[self.step.target.dtype]
        held = self._load(piece, [self.value], length, list(given)) if held is None else held
        queue = self._queue_for(self.step.target, out)
        self.lines.add(f"LocalTensor<{kind}> {out}_tile = {queue}.AllocTensor<{kind}>();")
        if kind == "float":
            self._write(self.value, length, given, held, into=f"{out}_tile")
        else:
            value = self._write(self.value, length, given, held)
            if not value.vector:
                slot = self._reserve()
                self.lines.add(f"Duplicate({slot}, {value.text}, {length});")
                value = Operand(slot, True)
            self._from_float(f"{out}_tile", value.text, self.step.target.dtype, length)
        self._let_go(held)
        self._copy_out(out, kind, queue, target, length)

    def _copy_out(self, out: str, kind: str, queue: str, target: str, length: str) -> None:
        lines = self.lines
        lines.add(f"{queue}.EnQue({out}_tile);")
        lines.add(f"LocalTensor<{kind}> {out}_done = {queue}.DeQue<{kind}>();")
        lines.add(
            f"DataCopyPad({out}_global[{target}], {out}_done, "
            f"DataCopyExtParams{{1, static_cast<uint32_t>({length} * sizeof({kind})), 0, 0, 0}});"
        )
        lines.add(f"{queue}.FreeTensor({out}_done);")

    def _queue_for(self, buffer: Buffer, name: str) -> str:
        queue = super()._queue_for(buffer, name)
        if buffer is self.step.target:
            self.out_queue = queue
        return queue

    # ---- the whole

    def _finish(self, work: Size, each: int, comment: str) -> KernelText:
        head = Lines()
        size = 0
        head.add(f"constexpr uint32_t TILE = {self.tile};")
        head.add("TPipe pipe;")
        if self.bound_queue:
            head.add("TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> through;")
            head.add(f"pipe.InitBuffer(through, {self.buffers}, TILE * sizeof(float));")
            size += self.buffers * self.tile * 4
        if (len(self.queues) - (self.out_queue in self.queues)) * self.buffers > _EVENTS:
            raise DoesNotFit
        for queue, dtype in self.queues.items():
            where = "VECOUT" if queue == self.out_queue else "VECIN"
            factor = self.factors.get(queue, 1)
            tiles = "TILE" if factor == 1 else f"{factor} * TILE"
            head.add(f"TQue<TPosition::{where}, 1> {queue};")
            head.add(f"pipe.InitBuffer({queue}, {self.buffers}, {tiles} * sizeof({TYPES[dtype]}));")
            size += self.buffers * self.tile * factor * BYTES[dtype]
        slots = self.scope.slots + (1 if self.reduces else 0)
        if slots:
            head.add("TBuf<TPosition::VECCALC> work;")
            head.add(
                f"pipe.InitBuffer(work, {slots} * TILE * sizeof(float){' + 64' if self.reduces else ''});"
            )
            size += slots * self.tile * 4 + 64
        for slot in range(self.scope.slots):
            head.add(
                f"LocalTensor<float> work{slot} = work.GetWithOffset<float>(TILE, {slot} * TILE * sizeof(float));"
            )
        if self.scope.small:
            head.add("TBuf<TPosition::VECCALC> small;")
            head.add(f"pipe.InitBuffer(small, {self.scope.small} * 64 * sizeof(float));")
            size += self.scope.small * 256
            for number in range(self.scope.small):
                place = f"{number} * 64 * sizeof(float)"
                head.add(f"LocalTensor<float> small{number} = small.GetWithOffset<float>(64, {place});")
        if self.reduces:
            head.add(
                f"LocalTensor<float> scratch = work.GetWithOffset<float>(TILE, {slots - 1} * TILE * sizeof(float));"
            )
            head.add(
                f"LocalTensor<float> reduced = work.GetWithOffset<float>(16, {slots} * TILE * sizeof(float));"
            )
            if self.spreads:  # Brcb reads eight of it
                head.add("Duplicate(reduced, 0.0f, 16);")
        for name in sorted(self.scope.shared):
            lines, taken = SHARED[name]
            for line in lines:
                head.add(line)
            size += taken(self.tile)
        for line in self.setup:
            head.add(line)
        size += self.setup_bytes
        if size > UNIFIED_BUFFER_BYTES:
            raise DoesNotFit
        for parameter in self.scope.tensors:
            assert parameter.buffer is not None
            kind = TYPES[parameter.buffer.dtype]
            head.add(f"GlobalTensor<{kind}> {parameter.name}_global;")
            head.add(
                f"{parameter.name}_global.SetGlobalBuffer(reinterpret_cast<__gm__ {kind}*>({parameter.name}));"
            )
        return KernelText(self.scope, f"{head.text}\n{self.lines.text}", work, each, comment, self.uses_read)


def strides_of(expression: Expression, nodes: Sequence[Node] = ()) -> list[tuple[Size, ...]]:
    """Those of every leaf but the results of `nodes`."""
    return [
        leaf.strides
        for leaf in leaves(expression)
        if isinstance(leaf, Position) or (isinstance(leaf, Load) and leaf.buffer.node not in nodes)
    ]


def _check_coordinates(value: Value) -> None:
    """
    Raises:
        Unsupported: the expression reads coordinates that float does not hold exactly.
    """
    for leaf in leaves(value.expression):
        if isinstance(leaf, Position):
            steps = zip(leaf.strides, value.shape, strict=True)
            if abs(leaf.offset.value) + sum(abs(s.value) * e.value for s, e in steps) > _EXACT:
                raise Unsupported("coordinates beyond 2^24 are not written in Ascend C")
