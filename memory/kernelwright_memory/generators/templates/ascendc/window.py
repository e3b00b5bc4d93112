"""What slides a window over lines: blocks of rows of the result, and under each tap the rows of the input that lie there."""

from typing import ClassVar

from kernelwright_memory.generators.templates.ascendc.loading import Piece
from kernelwright_memory.generators.templates.ascendc.tiles import TileKernel
from kernelwright_memory.generators.templates.ascendc.writer import BYTES, FLOAT_TYPES, TYPES, Operand
from kernelwright_memory.generators.templates.graph.graph import (
    ZERO,
    Load,
    Unsupported,
    Value,
    is_in_order,
    leaves,
)
from kernelwright_memory.generators.templates.graph.schedule import Step
from kernelwright_memory.generators.templates.graph.size import Size

# What DataCopyPad can put before and behind a row.
PADDING_BYTES = 32
# Rows in the unified buffer begin at multiples of so many elements, whatever their type.
ROW = 16
_AXES = ("plane", "line", "column")


def times(text: str, factor: int) -> str:
    return text if factor == 1 else f"{text} * {factor}"


class WindowKernel(TileKernel):
    """What convolutions and pools share. Its own tiles, "sums", take the results of a piece of work: rows of `pitch` elements."""

    names: ClassVar[tuple[str, ...]] = (
        "left", "top", "width", "height", "image", "rest", "span", "pitch", "rows", "down", "sums", "above", "below", "skip", "end",
        "from", "to", "wanted", "origin", "reach", "loaded_pitch", "order", "picked", "inside", "taps", "ahead", "copied",
    )  # fmt: skip
    beyond: ClassVar[str] = "0"
    """What lies around the input."""

    def __init__(self, step: Step, parameters: dict[str, int]) -> None:
        super().__init__(step, parameters)
        self.node = step.nodes[0]
        self.rank = len(self.node.attributes["stride"])
        self.lead = len(self.node.shape) - self.rank
        """Axes before those that the window slides along."""
        self.axes = _AXES[3 - self.rank :] if self.rank > 1 else _AXES[1:]
        """A window along one axis slides over images of a single line."""
        self.reaches_far = False
        self.planes = self.rank == 3
        for axis in self.axes:
            for name in (axis, f"tap_{axis}", f"in_{axis}"):
                self.scope.fresh(name)
        for name in self.names:
            self.scope.fresh(name)

    def _whole(self, value: Value) -> Load:
        expression = value.expression
        if not isinstance(expression, Load) or not is_in_order(expression, value.shape):
            raise Unsupported("a window over a tensor in another order is not written in Ascend C")
        if expression.buffer.dtype not in FLOAT_TYPES:
            raise Unsupported(f"tensors of {expression.buffer.dtype} are not written in Ascend C")
        return expression

    def _attribute(self, name: str, axis: str) -> int:
        """Stride, padding or dilation along an axis; those of a line that is not there change nothing."""
        along = self._along(axis)
        neutral = 0 if name == "padding" else 1
        return int(self.node.attributes[name][along]) if along is not None else neutral

    def _along_axis(self, axis: str) -> tuple[int, int, int]:
        stride, padding, dilation = (self._attribute(n, axis) for n in ("stride", "padding", "dilation"))
        return stride, padding, dilation

    def _along(self, axis: str) -> int | None:
        place = self.axes.index(axis) - (len(self.axes) - self.rank)
        return place if place >= 0 else None

    def _extent(self, shape: tuple[Size, ...], axis: str, wanted: str) -> str:
        along = self._along(axis)
        return "1" if along is None else self.scope.size(shape[len(shape) - self.rank + along], wanted)

    def _taps(self, axis: str) -> str:
        """How many taps the window has along an axis."""
        raise NotImplementedError

    def _reach_beyond(self, elements: int, dtype: str) -> None:
        """A row reaches so many elements beyond the input: more than a copy can pad is filled behind it."""
        self.reaches_far = elements * BYTES[dtype] > PADDING_BYTES

    def _keep(self, tiles: int) -> None:
        """Tiles for the results."""
        self.setup += [
            "TBuf<TPosition::VECCALC> summed;",
            f"pipe.InitBuffer(summed, {times('TILE', tiles)} * sizeof(float));",
            "LocalTensor<float> sums = summed.Get<float>();",
        ]
        self.setup_bytes += tiles * self.tile * 4

    # ---- pieces of work

    def _blocks_of_rows(self) -> None:
        """Rows that lie side by side in a tile."""
        lines, shape = self.lines, self.node.shape
        columns, count = (
            self._extent(shape, "column", "out_columns"),
            self._extent(shape, "line", "out_lines"),
        )
        lines.add(f"const uint32_t span = {columns} < TILE ? {columns} : TILE;")
        lines.add(f"const uint32_t pitch = (span + {ROW - 1}) / {ROW} * {ROW};")
        lines.add(f"const uint32_t rows = TILE / pitch < {count} ? TILE / pitch : {count};")
        lines.add(f"const uint32_t across = ({columns} + span - 1) / span;")
        lines.add(f"const uint32_t down = ({count} + rows - 1) / rows;")
        stride = self._attribute("stride", "column")
        if stride != 1:
            self._prepare_picking(stride)

    def _open_pieces(self, more: list[str]) -> None:
        """Open the loop over blocks of rows; `more` counts them beside those of one plane."""
        lines, shape = self.lines, self.node.shape
        columns, count = (
            self._extent(shape, "column", "out_columns"),
            self._extent(shape, "line", "out_lines"),
        )
        lines.add(f"const uint32_t tiles = {' * '.join([*more, 'down', 'across'])};")
        lines.open("for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum())")
        lines.add("const uint32_t left = tile % across * span;")
        lines.add(f"const uint32_t width = {columns} - left < span ? {columns} - left : span;")
        lines.add("const uint32_t top = tile / across % down * rows;")
        lines.add(f"const uint32_t height = {count} - top < rows ? {count} - top : rows;")
        lines.add("uint32_t rest = tile / across / down;")

    def _plane_of_piece(self) -> None:
        if self.planes:
            extent = self._extent(self.node.shape, "plane", "out_planes")
            self.lines.add(f"const uint32_t plane = rest % {extent};")
            self.lines.add(f"rest /= {extent};")

    def _prepare_picking(self, stride: int) -> None:
        """Where the elements under a tap lie that are `stride` apart: bytes from the start of what was copied in."""
        kind = TYPES[self.step.inputs[0][0].expression.buffer.dtype]  # type: ignore[attr-defined]
        lines = self.lines
        lines.add(f"const uint32_t loaded_pitch = ((span - 1) * {stride} + {ROW}) / {ROW} * {ROW};")
        lines.open("for (uint32_t line = 0; line < rows; ++line)")
        lines.add(
            f"ArithProgression(places[line * pitch], static_cast<int32_t>(line * loaded_pitch * sizeof({kind})), "
            f"static_cast<int32_t>({stride} * sizeof({kind})), static_cast<int32_t>(pitch));"
        )
        lines.close()
        self._offsets()
        self.setup += [
            "TBuf<TPosition::VECCALC> taken;",
            f"pipe.InitBuffer(taken, TILE * sizeof({kind}));",
            f"LocalTensor<{kind}> picked = taken.Get<{kind}>();",
        ]
        self.setup_bytes += self.tile * (4 if kind == "float" else 2)

    def _offsets(self) -> None:
        """A tile of the places that elements are gathered from."""
        self.setup += [
            "TBuf<TPosition::VECCALC> ordered;",
            "pipe.InitBuffer(ordered, TILE * sizeof(uint32_t));",
            "LocalTensor<int32_t> places = ordered.Get<int32_t>();",
            "LocalTensor<uint32_t> order = places.ReinterpretCast<uint32_t>();",
        ]
        self.setup_bytes += self.tile * 4

    # ---- taps

    def _open_lines(self, in_shape: tuple[Size, ...]) -> int:
        """Open the loops over the taps along planes and lines; rows `from` to `to` of the piece have an input under them.

        Returns:
            how many loops these are.
        """
        lines = self.lines
        depth = 1
        if self.planes:
            stride, padding, dilation = self._along_axis("plane")
            lines.open(f"for (uint32_t tap_plane = 0; tap_plane < {self._taps('plane')}; ++tap_plane)")
            depth += 1
            lines.add(
                f"const int32_t in_plane = static_cast<int32_t>({times('plane', stride)} + {times('tap_plane', dilation)}) - {padding};"
            )
            self._skip_if(
                f"in_plane < 0 || in_plane >= static_cast<int32_t>({self._extent(in_shape, 'plane', 'planes')})"
            )
        stride, padding, dilation = self._along_axis("line")
        extent = self._extent(in_shape, "line", "lines")
        lines.open(f"for (uint32_t tap_line = 0; tap_line < {self._taps('line')}; ++tap_line)")
        lines.add("// The rows of this piece whose elements under the tap lie inside of the input.")
        lines.add(
            f"const int32_t above = {padding} - static_cast<int32_t>({times('tap_line', dilation)} + {times('top', stride)});"
        )
        lines.add(f"const int32_t below = static_cast<int32_t>({extent}) - 1 + above;")
        over = f"above + {stride - 1}" if stride != 1 else "above"
        share = f" / {stride}" if stride != 1 else ""
        lines.add(f"const uint32_t from = above > 0 ? static_cast<uint32_t>({over}){share} : 0;")
        lines.add(f"const uint32_t reach = below < 0 ? 0 : static_cast<uint32_t>(below){share} + 1;")
        lines.add("const uint32_t to = reach < height ? reach : height;")
        self._skip_if("from >= to")
        lines.add(f"const uint32_t in_line = {times('from', stride)} - above;")
        return depth

    def _open_columns(self, in_shape: tuple[Size, ...]) -> None:
        """Open the loop over the taps along a row: `wanted` elements from `origin` on, of which `skip` to `end` lie in the row."""
        lines = self.lines
        stride, padding, dilation = self._along_axis("column")
        lines.open(f"for (uint32_t tap_column = 0; tap_column < {self._taps('column')}; ++tap_column)")
        lines.add(
            f"const int32_t origin = static_cast<int32_t>({times('left', stride)} + {times('tap_column', dilation)}) - {padding};"
        )
        reach = "width" if stride == 1 else f"(width - 1) * {stride} + 1"
        lines.add(f"const int32_t wanted = static_cast<int32_t>({reach});")
        self._bounds_of_row(in_shape)

    def _bounds_of_row(self, in_shape: tuple[Size, ...]) -> None:
        columns = self._extent(in_shape, "column", "columns")
        self.lines.add("const int32_t skip = origin < 0 ? -origin : 0;")
        self.lines.add(f"const int32_t inside = static_cast<int32_t>({columns}) - origin;")
        self.lines.add("const int32_t end = inside < wanted ? inside : wanted;")
        self._skip_if("skip >= end")

    def _skip_if(self, condition: str) -> None:
        self.lines.open(f"if ({condition})")
        self.lines.add("continue;")
        self.lines.close()

    def _rows_of_tap(
        self, image: Load, in_shape: tuple[Size, ...], plane: str, line_stride: int, stride: int
    ) -> tuple[str, str]:
        """Copy in the rows under a tap.

        Args:
            plane: number of the channel of the input, among all of them.
            line_stride, stride: input lines and elements from one of the result's to the next.

        Returns:
            the tensor of floats that holds them, and what frees it.
        """  # fmt: skip
        scope, lines = self.scope, self.lines
        kind, source = TYPES[image.buffer.dtype], scope.buffer(image.buffer)
        queue = self._queue_for(image.buffer, source)
        columns = self._extent(in_shape, "column", "columns")
        offset = plane
        if self.planes:
            offset = f"({offset} * {self._extent(in_shape, 'plane', 'planes')} + in_plane)"
        if self._along("line") is not None:
            offset = f"({offset} * {self._extent(in_shape, 'line', 'lines')} + in_line)"
        pitch = self.row_pitch if stride == 1 else "loaded_pitch"
        beyond = (
            self.beyond if self.beyond == "0" or kind == "float" else f"static_cast<{kind}>({self.beyond})"
        )
        into, left, right, copied = f"{source}_in", "skip", "wanted - end", "wanted"
        if self.reaches_far:
            block = PADDING_BYTES // BYTES[image.buffer.dtype]
            lines.add("// Whole blocks before and behind what is copied are filled afterwards.")
            lines.add(f"const int32_t ahead = skip / {block} * {block};")
            lines.add(f"const int32_t copied = (end - ahead + {block - 1}) / {block} * {block};")
            into, left, right, copied = f"{into}[ahead]", "skip - ahead", "ahead + copied - end", "copied"
        lines.add(f"LocalTensor<{kind}> {source}_in = {queue}.AllocTensor<{kind}>();")
        lines.add(
            f"DataCopyPad({into}, {source}_global[{offset} * {columns} + origin + skip], "
            f"DataCopyExtParams{{static_cast<uint16_t>(to - from), static_cast<uint32_t>((end - skip) * sizeof({kind})), "
            f"static_cast<uint32_t>(({times(columns, line_stride)} - (end - skip)) * sizeof({kind})), "
            f"static_cast<uint32_t>(({pitch} * sizeof({kind}) - ({copied} * sizeof({kind}) + 31) / 32 * 32) / 32), 0}}, "
            f"DataCopyPadExtParams<{kind}>{{true, static_cast<uint8_t>({left}), static_cast<uint8_t>({right}), {beyond}}});"
        )
        lines.add(f"{queue}.EnQue({source}_in);")
        lines.add(f"LocalTensor<{kind}> {source}_tile = {queue}.DeQue<{kind}>();")
        if self.reaches_far:
            self._fill_around(f"{source}_tile", kind, pitch)
        free = f"{queue}.FreeTensor({source}_tile);"
        held = f"{source}_tile"
        if stride != 1:
            self.factors[queue] = stride
            lines.add(f"Gather(picked, {held}, order, 0, (to - from) * pitch);")
            lines.add(free)
            held, free = "picked", ""
        if kind != "float":
            slot = self._reserve()
            lines.add(f"Cast({slot}, {held}, RoundMode::CAST_NONE, (to - from) * {self.row_pitch});")
            if free:
                lines.add(free)
            held, free = slot, ""
        return held, free

    def _fill_around(self, held: str, kind: str, pitch: str) -> None:
        lines = self.lines
        lines.open("for (uint32_t line = 0; line < to - from; ++line)")
        for condition, start, count in (
            ("ahead > 0", "", "ahead"),
            ("ahead + copied < wanted", " + ahead + copied", "wanted - ahead - copied"),
        ):
            lines.open(f"if ({condition})")
            lines.add(
                f"Duplicate({held}[line * {pitch}{start}], static_cast<{kind}>({self.beyond}), {count});"
            )
            lines.close()
        lines.close()

    row_pitch = "pitch"
    """From one row of `sums` to the next."""

    # ---- results

    def _store_rows(
        self, plane: str, outer: list[str], result: str, line: str = "top", column: str = "left"
    ) -> None:
        """Compute the value of a block of rows from its results and copy it out.

        Args:
            plane: number of the channel of the result, among all of them; `outer` are its coordinates.
            result: the tensor that holds them, rows of `pitch` elements.
            line, column: where the block begins.
        """  # fmt: skip
        scope, lines, shape = self.scope, self.lines, self.node.shape
        out = scope.buffer(self.step.target, written=True)
        kind = TYPES[self.step.target.dtype]
        lines.add("const int32_t length = static_cast<int32_t>(height * pitch);")
        place = plane
        if self.planes:
            place = f"({place} * {self._extent(shape, 'plane', 'out_planes')} + plane)"
        place = f"({place} * {self._extent(shape, 'line', 'out_lines')} + {line}) * {self._extent(shape, 'column', 'out_columns')} + {column}"
        held = self._beside(place, [*outer, *(["plane"] if self.planes else [])])
        given = {self.node: Operand(result, True)}
        queue = self._queue_for(self.step.target, out)
        lines.add(f"LocalTensor<{kind}> {out}_tile = {queue}.AllocTensor<{kind}>();")
        if kind == "float":
            self._write(self.value, "length", given, held, into=f"{out}_tile")
        else:
            value = self._write(self.value, "length", given, held)
            self._from_float(f"{out}_tile", value.text, self.step.target.dtype, "length")
        self._let_go(held)
        lines.add(f"{queue}.EnQue({out}_tile);")
        lines.add(f"LocalTensor<{kind}> {out}_done = {queue}.DeQue<{kind}>();")
        lines.add(f"DataCopyPad({out}_global[{place}], {out}_done, {self._block(kind, inwards=False)});")
        lines.add(f"{queue}.FreeTensor({out}_done);")

    lines_apart = 1
    """Lines of the result from one row of a block to the next."""

    def _block(self, kind: str, *, inwards: bool) -> str:
        """The parameters of a copy of the piece's rows between the unified buffer and a tensor of the result's shape."""
        columns = self._extent(self.node.shape, "column", "out_columns")
        beside = f"({times(columns, self.lines_apart)} - width) * sizeof({kind})"
        within = f"(pitch * sizeof({kind}) - (width * sizeof({kind}) + 31) / 32 * 32) / 32"
        gaps = [
            f"static_cast<uint32_t>({gap})" for gap in ((beside, within) if inwards else (within, beside))
        ]
        return f"DataCopyExtParams{{static_cast<uint16_t>(height), static_cast<uint32_t>(width * sizeof({kind})), {gaps[0]}, {gaps[1]}, 0}}"

    def _beside(self, place: str, outer: list[str]) -> dict[int, str]:
        """What else the result reads: numbers of a channel, or tensors of the result's own shape."""
        found: dict[int, str] = {}
        scope, lines = self.scope, self.lines
        spatial = min(self.rank, 2)
        for leaf in leaves(self.value):
            if not isinstance(leaf, Load) or leaf.gathered:
                raise Unsupported("positions beside a window are not written in Ascend C")
            if leaf.buffer.node is self.node:
                continue
            strides = leaf.strides
            if all(stride == ZERO for stride in strides[-spatial:]):
                number = Load(leaf.dtype, leaf.buffer, (*strides[:-spatial], ZERO), leaf.offset)
                found[id(leaf)] = self._copy_in(number, Piece(outer, "0"), "1")
            elif is_in_order(leaf, self.node.shape):
                kind, source = TYPES[leaf.buffer.dtype], scope.buffer(leaf.buffer)
                queue, tile = self._queue_for(leaf.buffer, source), scope.fresh(f"{source}_rows")
                lines.add(f"LocalTensor<{kind}> {tile}_in = {queue}.AllocTensor<{kind}>();")
                lines.add(
                    f"DataCopyPad({tile}_in, {source}_global[{place}], {self._block(kind, inwards=True)}, "
                    f"DataCopyPadExtParams<{kind}>{{false, 0, 0, 0}});"
                )
                lines.add(f"{queue}.EnQue({tile}_in);")
                lines.add(f"LocalTensor<{kind}> {tile} = {queue}.DeQue<{kind}>();")
                if kind == "float":
                    found[id(leaf)] = f"{queue}:{tile}"
                else:
                    slot = self._reserve()
                    self._to_float(slot, tile, leaf.buffer.dtype, "length")
                    lines.add(f"{queue}.FreeTensor({tile});")
                    found[id(leaf)] = slot
            else:
                raise Unsupported(f"'{leaf.buffer.name}' is read in an order that is not written in Ascend C")
        return found
