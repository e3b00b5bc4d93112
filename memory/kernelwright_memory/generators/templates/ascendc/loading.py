"""What expressions read, copied into the unified buffer: tensors of floats, numbers, coordinates, elements that are looked up."""

from collections.abc import Sequence
from dataclasses import dataclass

from kernelwright_memory.generators.templates.ascendc.working_tensors import BLOCK_BYTES
from kernelwright_memory.generators.templates.ascendc.writer import BYTES, FLOAT_TYPES, TYPES, Lines, Scope
from kernelwright_memory.generators.templates.cuda.emit import joined
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
)
from kernelwright_memory.generators.templates.graph.size import Size, contiguous


@dataclass
class Piece:
    """Coordinates of the work at hand, for offsets: one text for each axis but the innermost, and where the tile begins."""

    outer: list[str]
    begin: str


class Loader:
    """Writes the lines that bring leaves of expressions into the unified buffer."""

    def __init__(self) -> None:
        self.scope, self.lines = Scope(), Lines()
        self.queues: dict[str, str] = {}
        """Queue -> element type of its tensors."""
        self.factors: dict[str, int] = {}
        """Queues whose tensors hold more than a tile: how many."""
        self.loaded_slots = 0

    def _queue_for(self, buffer: Buffer, name: str) -> str:
        queue = f"{name}_queue"
        self.queues[queue] = buffer.dtype
        return queue

    def _reserve(self) -> str:
        """A working tensor that stays."""
        name = f"work{self.loaded_slots}"
        self.loaded_slots += 1
        self.scope.slots = max(self.scope.slots, self.loaded_slots)
        return name

    # ---- where they lie

    def _coordinates(self, index: str, shape: Sequence[Size]) -> list[str]:
        """Names of the coordinates of piece `index` of a shape."""
        if len(shape) <= 1:
            return [index] * len(shape)
        names = [self.scope.fresh(f"i{axis}") for axis in range(len(shape))]
        rest = index
        for axis in range(len(shape) - 1, 0, -1):
            extent = self.scope.size(shape[axis], "extent")
            self.lines.add(f"const uint32_t {names[axis]} = {rest} % {extent};")
            rest = f"{rest} / {extent}"
        self.lines.add(f"const uint32_t {names[0]} = {rest};")
        return names

    def _offset(self, coordinates: Sequence[str], strides: Sequence[Size], begin: str) -> str:
        terms = []
        for coordinate, stride in zip(coordinates, strides, strict=True):
            if stride == ZERO:
                continue
            factor = "" if stride == ONE else f" * {self.scope.size(stride, 'pitch')}"
            terms.append(f"static_cast<uint64_t>({coordinate}){factor}")
        if begin not in ("", "0"):
            terms.append(begin)
        return " + ".join(terms) or "0"

    def _constant(self, offset: Size) -> str:
        return "0" if offset == ZERO else self.scope.size(offset, "offset")

    def _load_offset(self, load: Load, piece: Piece, *, vector: bool) -> str:
        begin = _joined(piece.begin if vector else "0", self._constant(load.offset))
        return self._offset(piece.outer, load.strides[:-1] if piece.outer else (), begin)

    # ---- whole tiles, numbers and coordinates

    def _load(
        self, piece: Piece, expressions: Sequence[Expression], length: str, nodes: Sequence[Node]
    ) -> dict[int, str]:
        """Copy in what expressions read; identity of a load -> tensor or number."""
        found: dict[int, str] = {}
        named: dict[tuple[object, ...], str] = {}
        for leaf in read_leaves(expressions):
            if isinstance(leaf, Position):
                found[id(leaf)] = self._place(leaf, piece, length)
                continue
            if leaf.buffer.node is not None:
                continue
            key = leaf.buffer, leaf.strides, leaf.offset, *(id(index) for index, _ in leaf.gathered)
            if key not in named:
                named[key] = self._copy_in(leaf, piece, length)
            found[id(leaf)] = named[key]
        return found

    def _place(self, position: Position, piece: Piece, length: str) -> str:
        """An affine function of the coordinates: a number, or a ramp moved to where the tile begins."""
        scope, lines = self.scope, self.lines
        *outer, inner = position.strides or (ZERO,)
        coordinates = [*(piece.outer or ["0"] * len(outer)), piece.begin]
        terms = [
            self._signed(f"static_cast<int32_t>({coordinate})", stride)
            for coordinate, stride in zip(coordinates, [*outer, inner], strict=True)
            if stride != ZERO and coordinate != "0"
        ]
        if position.offset != ZERO:
            terms.append(scope.size(position.offset, "offset"))
        start = f"static_cast<float>({joined(terms)})"
        if inner == ZERO:
            name = scope.fresh("at")
            lines.add(f"const float {name} = {start};")
            return f"={name}"
        scope.shared.add("ramp")
        slot = self._reserve()
        if inner == ONE:
            lines.add(f"Adds({slot}, ramp, {start}, {length});")
        else:
            lines.add(f"Muls({slot}, ramp, static_cast<float>({scope.size(inner, 'pitch')}), {length});")
            lines.add(f"Adds({slot}, {slot}, {start}, {length});")
        return slot

    def _copy_in(self, load: Load, piece: Piece, length: str) -> str:
        scope, lines = self.scope, self.lines
        source = scope.buffer(load.buffer)
        kind = TYPES[load.buffer.dtype]
        if load.gathered:
            return self._look_up(load, piece, length)
        inner = load.strides[-1] if load.strides else ZERO
        if inner == ZERO:
            if kind == "bfloat16_t":
                raise Unsupported("single elements of bfloat16 are not written in Ascend C")
            name = scope.fresh(f"{source}_value")
            offset = self._load_offset(load, piece, vector=False)
            lines.add(f"const float {name} = static_cast<float>({source}_global.GetValue({offset}));")
            return f"={name}"
        if inner != ONE:
            raise Unsupported(f"'{load.buffer.name}' is read in an order that is not written in Ascend C")
        queue = self._queue_for(load.buffer, source)
        tile = scope.fresh(f"{source}_tile")
        offset = self._load_offset(load, piece, vector=True)
        lines.add(f"LocalTensor<{kind}> {tile}_in = {queue}.AllocTensor<{kind}>();")
        lines.add(
            f"DataCopyPad({tile}_in, {source}_global[{offset}], DataCopyExtParams{{1, static_cast<uint32_t>({length} * sizeof({kind})), "
            f"0, 0, 0}}, DataCopyPadExtParams<{kind}>{{false, 0, 0, 0}});"
        )
        lines.add(f"{queue}.EnQue({tile}_in);")
        lines.add(f"LocalTensor<{kind}> {tile} = {queue}.DeQue<{kind}>();")
        if kind == "float":
            return f"{queue}:{tile}"
        slot = self._reserve()
        self._to_float(slot, tile, load.buffer.dtype, length)
        lines.add(f"{queue}.FreeTensor({tile});")
        return slot

    def _to_float(self, into: str, tile: str, dtype: str, length: str) -> None:
        """Integers are exact in float up to 2^24."""
        if dtype == "bool":
            self.scope.shared.add("narrow")
            self.lines.add(f"Cast(narrow, {tile}, RoundMode::CAST_NONE, {length});")
            tile = "narrow"
        mode = "CAST_RINT" if dtype == "int64" else "CAST_NONE"
        self.lines.add(f"Cast({into}, {tile}, RoundMode::{mode}, {length});")

    def _let_go(self, held: dict[int, str]) -> None:
        for text in dict.fromkeys(held.values()):
            queue, colon, tile = text.partition(":")
            if colon:
                self.lines.add(f"{queue}.FreeTensor({tile});")

    def _signed(self, text: str, factor: Size) -> str:
        if factor == Size.of(-1):
            return f"-{text}"
        return text if factor == ONE else f"{text} * {self.scope.size(factor, 'pitch')}"

    # ---- elements that are looked up

    def _look_up(self, load: Load, piece: Piece, length: str) -> str:
        """Elements at places that a tensor of integers tells: a row where all share a place, else one by one."""
        if len(load.gathered) != 1:
            raise Unsupported("elements are looked up by one index at most in Ascend C")
        ((index, step),) = load.gathered
        if not isinstance(index, Load) or index.gathered or index.buffer.dtype not in ("int32", "int64"):
            raise Unsupported("places that are computed are not looked up in Ascend C")
        kind = FLOAT_TYPES.get(load.buffer.dtype)
        if kind is None:
            raise Unsupported(f"elements of {load.buffer.dtype} are not looked up in Ascend C")
        scope, lines = self.scope, self.lines
        source = scope.buffer(load.buffer)
        queue, tile = self._queue_for(load.buffer, source), scope.fresh(f"{source}_tile")
        lines.add(f"LocalTensor<{kind}> {tile}_in = {queue}.AllocTensor<{kind}>();")
        by_rows = not index.strides or index.strides[-1] == ZERO
        if by_rows:
            self._look_up_row(load, index, step, piece, length, f"{tile}_in")
        else:
            self.factors[queue] = BLOCK_BYTES // BYTES[load.buffer.dtype]
            self._look_up_elements(load, index, step, piece, length, f"{tile}_in")
        lines.add(f"{queue}.EnQue({tile}_in);")
        lines.add(f"LocalTensor<{kind}> {tile} = {queue}.DeQue<{kind}>();")
        if by_rows and kind == "float":
            return f"{queue}:{tile}"
        slot, held = self._reserve(), tile
        if not by_rows:
            held = slot if kind == "float" else "narrow"
            scope.shared |= {"blocks"} if kind == "float" else {"blocks", "narrow"}
            lines.add(f"Gather({held}, {tile}, blocks, 0, {length});")
        if kind != "float":
            self._to_float(slot, held, load.buffer.dtype, length)
        lines.add(f"{queue}.FreeTensor({tile});")
        return slot

    def _look_up_row(self, load: Load, index: Load, step: Size, piece: Piece, length: str, into: str) -> None:
        if not load.strides or load.strides[-1] != ONE:
            raise Unsupported(
                f"'{load.buffer.name}' is looked up in an order that is not written in Ascend C"
            )
        place = self._open_place(load, index, step, self._load_offset(index, piece, vector=False))
        offset = _joined(self._load_offset(load, piece, vector=True), self._times(place, step))
        self._copy_looked_up(load, into, offset, f"static_cast<uint32_t>({length} * sizeof({{kind}}))")
        self.lines.close()

    def _look_up_elements(
        self, load: Load, index: Load, step: Size, piece: Piece, length: str, into: str
    ) -> None:
        """Each into a block of its own: a copy begins at a block."""
        element = self.scope.fresh("element")
        self.lines.open(f"for (uint32_t {element} = 0; {element} < {length}; ++{element})")
        along = Piece(piece.outer, f"({piece.begin} + {element})")

        def offset_of(own: Load) -> str:
            inner = own.strides[-1] if own.strides else ZERO
            outer = self._load_offset(own, piece, vector=False)
            return outer if inner == ZERO else _joined(outer, self._times(along.begin, inner))

        place = self._open_place(load, index, step, offset_of(index))
        block = BLOCK_BYTES // BYTES[load.buffer.dtype]
        offset = _joined(offset_of(load), self._times(place, step))
        self._copy_looked_up(load, f"{into}[{element} * {block}]", offset, "sizeof({kind})")
        self.lines.close()
        self.lines.close()

    def _open_place(self, load: Load, index: Load, step: Size, bound: str) -> str:
        """Read a place, and open what is done where there is an element."""
        place, extent = self.scope.fresh("place"), self.scope.size(_extent_along(load.buffer, step), "extent")
        self.lines.add(f"const int64_t {place} = {self.scope.buffer(index.buffer)}_global.GetValue({bound});")
        self.lines.open(f"if ({place} >= 0 && {place} < static_cast<int64_t>({extent}))")
        return place

    def _copy_looked_up(self, load: Load, into: str, offset: str, length: str) -> None:
        kind, source = TYPES[load.buffer.dtype], self.scope.buffer(load.buffer)
        self.lines.add(
            f"DataCopyPad({into}, {source}_global[{offset}], DataCopyExtParams{{1, {length.format(kind=kind)}, 0, 0, 0}}, "
            f"DataCopyPadExtParams<{kind}>{{false, 0, 0, 0}});"
        )

    def _times(self, text: str, factor: Size) -> str:
        return f"static_cast<uint64_t>({text})" + (
            "" if factor == ONE else f" * {self.scope.size(factor, 'pitch')}"
        )


def read_leaves(expressions: Sequence[Expression]) -> list[Load | Position]:
    """The leaves that are read as such: not those that tell where an element is looked up."""
    found: dict[int, Load | Position] = {}
    waiting = list(expressions)
    while waiting:
        e = waiting.pop(0)
        if isinstance(e, Apply):
            waiting = [*e.arguments, *waiting]
        elif isinstance(e, Load | Position):
            found[id(e)] = e
    return list(found.values())


def _extent_along(buffer: Buffer, step: Size) -> Size:
    """How many elements lie `step` apart in a tensor."""
    for extent, stride in zip(buffer.shape, contiguous(buffer.shape), strict=True):
        if stride == step and extent != ONE:
            return extent
    raise Unsupported(f"'{buffer.name}' is looked up in an order that is not written in Ascend C")


def _joined(*terms: str) -> str:
    """A sum, without what is 0."""
    return " + ".join(term for term in terms if term != "0") or "0"
