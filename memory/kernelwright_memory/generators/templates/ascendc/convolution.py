"""Convolutions: for each tap a block of rows of the input is copied in as it lies under that tap, with zeros where it reaches beyond,
and added, times its weight, into tiles of several output channels that stay in the unified buffer."""

from kernelwright_memory.generators.templates.ascendc.tiles import KernelText, Piece, TileKernel
from kernelwright_memory.generators.templates.ascendc.writer import BYTES, TYPES, Operand
from kernelwright_memory.generators.templates.graph import (
    ZERO,
    Expression,
    Load,
    Unsupported,
    is_whole,
    leaves,
)
from kernelwright_memory.generators.templates.schedule import Step
from kernelwright_memory.generators.templates.size import Size, product

# What DataCopyPad can put before and behind a row.
_PADDING_BYTES = 32
# Rows in the unified buffer begin at multiples of so many elements, whatever their type.
_ROW = 16
_AXES = ("plane", "line", "column")


def _times(text: str, factor: int) -> str:
    return text if factor == 1 else f"{text} * {factor}"


class ConvolutionKernel(TileKernel):
    """Writes one step of kind "convolution"."""

    def __init__(self, step: Step, parameters: dict[str, int]) -> None:
        super().__init__(step, parameters)
        self.channels = parameters["channels"]
        self.node = step.nodes[0]
        self.groups: int = self.node.attributes["groups"]
        rank = len(self.node.shape) - 2
        self.axes = _AXES[3 - rank :] if rank > 1 else _AXES[1:]
        """A convolution along one axis is one over images of a single line."""
        self.planes = rank == 3

    def emit(self) -> KernelText:
        """
        Raises:
            Unsupported: a transposed convolution, a wide padding, or an order of accesses that is not written.
            DoesNotFit: the tiles are too large.
        """
        node, lines = self.node, self.lines
        if node.attributes["transposed"]:
            raise Unsupported("a transposed convolution is not written in Ascend C")
        image, weight = (self._whole(value.expression) for value in self.step.inputs[0])
        # The padding of a row has to fit what the copy can add on either side.
        if self._attribute("padding", "column") * BYTES[image.buffer.dtype] > _PADDING_BYTES:
            raise Unsupported("a convolution with so wide a padding is not written in Ascend C")
        for axis in self.axes:
            for name in (axis, f"tap_{axis}", f"in_{axis}"):
                self.scope.fresh(name)
        for name in (
            "left", "top", "width", "height", "image", "group", "first", "channels", "channel", "rest", "span", "pitch", "rows", "down",
            "sets", "c", "o", "sums", "factor", "above", "below", "skip", "end", "from", "to", "wanted", "origin", "reach", "loaded_pitch",
            "order", "picked", "inside", "taps", "number",
        ):  # fmt: skip
            self.scope.fresh(name)
        self._pieces()
        lines.add(f"Duplicate(sums, 0.0f, {self.channels} * TILE);")
        self._sum(image, weight)
        self._store()
        lines.close()
        self.setup += [
            "TBuf<TPosition::VECCALC> summed;",
            f"pipe.InitBuffer(summed, {self.channels} * TILE * sizeof(float));",
            "LocalTensor<float> sums = summed.Get<float>();",
        ]
        self.setup_bytes += self.channels * self.tile * 4
        return self._finish(
            product(node.shape[:-1]),
            1,
            f"Blocks of rows, {self.channels} output channels at once: a copied row serves all of them.",
        )

    def _whole(self, expression: Expression) -> Load:
        if not isinstance(expression, Load) or not is_whole(expression):
            raise Unsupported("a convolution of a tensor in another order is not written in Ascend C")
        if expression.buffer.dtype not in TYPES:
            raise Unsupported(f"tensors of {expression.buffer.dtype} are not written in Ascend C")
        return expression

    def _attribute(self, name: str, axis: str) -> int:
        """Stride, padding or dilation along an axis; those of a line that is not there change nothing."""
        along = self._along(axis)
        neutral = 0 if name == "padding" else 1
        return int(self.node.attributes[name][along]) if along is not None else neutral

    def _along(self, axis: str) -> int | None:
        place = self.axes.index(axis) - (len(self.axes) - (len(self.node.shape) - 2))
        return place if place >= 0 else None

    def _extent(self, shape: tuple[Size, ...], axis: str, wanted: str) -> str:
        along = self._along(axis)
        return "1" if along is None else self.scope.size(shape[2 + along], wanted)

    # ---- pieces of work

    def _pieces(self) -> None:
        """One piece: some output channels of a block of rows of one image."""
        scope, lines, shape = self.scope, self.lines, self.node.shape
        per_group = shape[1].over(self.groups)
        if per_group is None:
            raise Unsupported("groups of channels that the output's channels do not show")
        self.out_channels = scope.size(per_group, "out_channels")
        images = scope.size(shape[0], "images")
        out = {axis: self._extent(shape, axis, f"out_{axis}s") for axis in self.axes}
        lines.add(f"const uint32_t span = {out['column']} < TILE ? {out['column']} : TILE;")
        lines.add(f"const uint32_t pitch = (span + {_ROW - 1}) / {_ROW} * {_ROW};")
        lines.add(f"const uint32_t rows = TILE / pitch < {out['line']} ? TILE / pitch : {out['line']};")
        lines.add(f"const uint32_t across = ({out['column']} + span - 1) / span;")
        lines.add(f"const uint32_t down = ({out['line']} + rows - 1) / rows;")
        lines.add(f"const uint32_t sets = ({self.out_channels} + {self.channels - 1}) / {self.channels};")
        stride = self._attribute("stride", "column")
        if stride != 1:
            self._prepare_picking(stride)
        pieces = [images, *([out["plane"]] if self.planes else []), "sets", "down", "across"]
        if self.groups != 1:
            pieces.insert(1, str(self.groups))
        lines.add(f"const uint32_t tiles = {' * '.join(pieces)};")
        lines.open("for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum())")
        lines.add("const uint32_t left = tile % across * span;")
        lines.add(f"const uint32_t width = {out['column']} - left < span ? {out['column']} - left : span;")
        lines.add("const uint32_t top = tile / across % down * rows;")
        lines.add(f"const uint32_t height = {out['line']} - top < rows ? {out['line']} - top : rows;")
        lines.add("uint32_t rest = tile / across / down;")
        lines.add(f"const uint32_t first = rest % sets * {self.channels};")
        lines.add(
            f"const uint32_t channels = {self.out_channels} - first < {self.channels} ? {self.out_channels} - first : {self.channels};"
        )
        lines.add("rest /= sets;")
        if self.planes:
            lines.add(f"const uint32_t plane = rest % {out['plane']};")
            lines.add(f"rest /= {out['plane']};")
        if self.groups != 1:
            lines.add(f"const uint32_t group = rest % {self.groups};")
            lines.add(f"const uint32_t image = rest / {self.groups};")
        else:
            lines.add("const uint32_t image = rest;")

    def _prepare_picking(self, stride: int) -> None:
        """Where the elements under a tap lie that are `stride` apart: bytes from the start of what was copied in."""
        kind = TYPES[self.step.inputs[0][0].expression.buffer.dtype]  # type: ignore[attr-defined]
        lines = self.lines
        lines.add(f"const uint32_t loaded_pitch = ((span - 1) * {stride} + {_ROW}) / {_ROW} * {_ROW};")
        lines.open("for (uint32_t line = 0; line < rows; ++line)")
        lines.add(
            f"ArithProgression(places[line * pitch], static_cast<int32_t>(line * loaded_pitch * sizeof({kind})), "
            f"static_cast<int32_t>({stride} * sizeof({kind})), static_cast<int32_t>(pitch));"
        )
        lines.close()
        self.setup += [
            "TBuf<TPosition::VECCALC> ordered;",
            "pipe.InitBuffer(ordered, TILE * sizeof(uint32_t));",
            "LocalTensor<int32_t> places = ordered.Get<int32_t>();",
            "LocalTensor<uint32_t> order = places.ReinterpretCast<uint32_t>();",
            "TBuf<TPosition::VECCALC> taken;",
            f"pipe.InitBuffer(taken, TILE * sizeof({kind}));",
            f"LocalTensor<{kind}> picked = taken.Get<{kind}>();",
        ]
        self.setup_bytes += self.tile * (4 + (4 if kind == "float" else 2))

    # ---- sums

    def _sum(self, image: Load, weight: Load) -> None:
        scope, lines = self.scope, self.lines
        in_shape, taps = self.step.inputs[0][0].shape, self.step.inputs[0][1].shape
        self.in_channels = scope.size(taps[1], "in_channels")
        lines.open(f"for (uint32_t c = 0; c < {self.in_channels}; ++c)")
        depth = 1
        if self.planes:
            stride, padding, dilation = self._along_axis("plane")
            extent = self._extent(in_shape, "plane", "planes")
            lines.open(
                f"for (uint32_t tap_plane = 0; tap_plane < {self._extent(taps, 'plane', 'taps_plane')}; ++tap_plane)"
            )
            depth += 1
            lines.add(
                f"const int32_t in_plane = static_cast<int32_t>({_times('plane', stride)} + {_times('tap_plane', dilation)}) - {padding};"
            )
            lines.open(f"if (in_plane < 0 || in_plane >= static_cast<int32_t>({extent}))")
            lines.add("continue;")
            lines.close()
        stride, padding, dilation = self._along_axis("line")
        extent = self._extent(in_shape, "line", "lines")
        lines.open(
            f"for (uint32_t tap_line = 0; tap_line < {self._extent(taps, 'line', 'taps_line')}; ++tap_line)"
        )
        depth += 1
        lines.add("// The rows of this piece whose elements under the tap lie inside of the input.")
        lines.add(
            f"const int32_t above = {padding} - static_cast<int32_t>({_times('tap_line', dilation)} + {_times('top', stride)});"
        )
        lines.add(f"const int32_t below = static_cast<int32_t>({extent}) - 1 + above;")
        over = f"above + {stride - 1}" if stride != 1 else "above"
        share = f" / {stride}" if stride != 1 else ""
        lines.add(f"const uint32_t from = above > 0 ? static_cast<uint32_t>({over}){share} : 0;")
        lines.add(f"const uint32_t reach = below < 0 ? 0 : static_cast<uint32_t>(below){share} + 1;")
        lines.add("const uint32_t to = reach < height ? reach : height;")
        lines.open("if (from >= to)")
        lines.add("continue;")
        lines.close()
        lines.add(f"const uint32_t in_line = {_times('from', stride)} - above;")
        self._columns_of_tap(image, weight, in_shape, taps)
        for _ in range(depth):
            lines.close()

    def _along_axis(self, axis: str) -> tuple[int, int, int]:
        stride, padding, dilation = (self._attribute(n, axis) for n in ("stride", "padding", "dilation"))
        return stride, padding, dilation

    def _columns_of_tap(
        self, image: Load, weight: Load, in_shape: tuple[Size, ...], taps: tuple[Size, ...]
    ) -> None:
        scope, lines = self.scope, self.lines
        stride, padding, dilation = self._along_axis("column")
        columns = self._extent(in_shape, "column", "columns")
        lines.open(
            f"for (uint32_t tap_column = 0; tap_column < {self._extent(taps, 'column', 'taps_column')}; ++tap_column)"
        )
        lines.add("// Zeros, elements from the row, zeros.")
        lines.add(
            f"const int32_t origin = static_cast<int32_t>({_times('left', stride)} + {_times('tap_column', dilation)}) - {padding};"
        )
        reach = "width" if stride == 1 else f"(width - 1) * {stride} + 1"
        lines.add(f"const int32_t wanted = static_cast<int32_t>({reach});")
        lines.add("const int32_t skip = origin < 0 ? -origin : 0;")
        lines.add(f"const int32_t inside = static_cast<int32_t>({columns}) - origin;")
        lines.add("const int32_t end = inside < wanted ? inside : wanted;")
        lines.open("if (skip >= end)")
        lines.add("continue;")
        lines.close()
        value = self._rows_of_tap(image, in_shape, columns)
        lines.open("for (uint32_t o = 0; o < channels; ++o)")
        place = self._channel("first + o", self.out_channels)
        index = f"(static_cast<uint64_t>({place}) * {self.in_channels} + c)"
        for axis in self.axes:
            if self._along(axis) is not None:
                index = f"({index} * {self._extent(taps, axis, f'taps_{axis}')} + tap_{axis})"
        weights = scope.buffer(weight.buffer)
        if weight.buffer.dtype == "bfloat16":
            raise Unsupported("single elements of bfloat16 are not written in Ascend C")
        lines.add(f"const float factor = static_cast<float>({weights}_global.GetValue({index}));")
        lines.add(
            f"Axpy(sums[o * TILE + from * pitch], {value}, factor, static_cast<int32_t>((to - from) * pitch));"
        )
        lines.close()
        if self._frees:
            lines.add(self._frees)
        lines.close()

    _frees = ""

    def _rows_of_tap(self, image: Load, in_shape: tuple[Size, ...], columns: str) -> str:
        """Copy in the rows under a tap; the tensor of floats that holds them."""
        scope, lines = self.scope, self.lines
        kind, source = TYPES[image.buffer.dtype], scope.buffer(image.buffer)
        queue = self._queue_for(image.buffer, source)
        line_stride, stride = self._attribute("stride", "line"), self._attribute("stride", "column")
        channel = self._channel("c", self.in_channels)
        offset = f"(static_cast<uint64_t>(image) * {scope.size(in_shape[1], 'all_channels')} + {channel})"
        if self.planes:
            offset = f"({offset} * {self._extent(in_shape, 'plane', 'planes')} + in_plane)"
        if self._along("line") is not None:
            offset = f"({offset} * {self._extent(in_shape, 'line', 'lines')} + in_line)"
        pitch = "pitch" if stride == 1 else "loaded_pitch"
        lines.add(f"LocalTensor<{kind}> {source}_in = {queue}.AllocTensor<{kind}>();")
        lines.add(
            f"DataCopyPad({source}_in, {source}_global[{offset} * {columns} + origin + skip], "
            f"DataCopyExtParams{{static_cast<uint16_t>(to - from), static_cast<uint32_t>((end - skip) * sizeof({kind})), "
            f"static_cast<uint32_t>(({_times(columns, line_stride)} - (end - skip)) * sizeof({kind})), "
            f"static_cast<uint32_t>(({pitch} * sizeof({kind}) - (wanted * sizeof({kind}) + 31) / 32 * 32) / 32), 0}}, "
            f"DataCopyPadExtParams<{kind}>{{true, static_cast<uint8_t>(skip), static_cast<uint8_t>(wanted - end), 0}});"
        )
        lines.add(f"{queue}.EnQue({source}_in);")
        lines.add(f"LocalTensor<{kind}> {source}_tile = {queue}.DeQue<{kind}>();")
        free = f"{queue}.FreeTensor({source}_tile);"
        held = f"{source}_tile"
        if stride != 1:
            self.factors[queue] = stride
            lines.add(f"Gather(picked, {held}, order, 0, (to - from) * pitch);")
            lines.add(free)
            held, free = "picked", ""
        if kind != "float":
            slot = self._reserve()
            lines.add(f"Cast({slot}, {held}, RoundMode::CAST_NONE, (to - from) * pitch);")
            if free:
                lines.add(free)
            held, free = slot, ""
        self._frees = free
        return held

    def _channel(self, own: str, per_group: str) -> str:
        return own if self.groups == 1 else f"(group * {per_group} + {own})"

    # ---- results

    def _store(self) -> None:
        scope, lines, shape = self.scope, self.lines, self.node.shape
        out = scope.buffer(self.step.target, written=True)
        kind = TYPES[self.step.target.dtype]
        lines.open("for (uint32_t o = 0; o < channels; ++o)")
        lines.add(f"const uint32_t channel = {self._channel('first + o', self.out_channels)};")
        lines.add("const int32_t length = static_cast<int32_t>(height * pitch);")
        place = f"(static_cast<uint64_t>(image) * {scope.size(shape[1], 'channels')} + channel)"
        if self.planes:
            place = f"({place} * {self._extent(shape, 'plane', 'out_planes')} + plane)"
        place = f"({place} * {self._extent(shape, 'line', 'out_lines')} + top) * {self._extent(shape, 'column', 'out_columns')} + left"
        held = self._beside(place)
        given = {self.node: Operand("sums[o * TILE]", True)}
        queue = self._queue_for(self.step.target, out)
        lines.add(f"LocalTensor<{kind}> {out}_tile = {queue}.AllocTensor<{kind}>();")
        if kind == "float":
            self._write(self.value, "length", given, held, into=f"{out}_tile")
        else:
            value = self._write(self.value, "length", given, held)
            lines.add(f"Cast({out}_tile, {value.text}, RoundMode::CAST_RINT, length);")
        self._let_go(held)
        lines.add(f"{queue}.EnQue({out}_tile);")
        lines.add(f"LocalTensor<{kind}> {out}_done = {queue}.DeQue<{kind}>();")
        lines.add(
            f"DataCopyPad({out}_global[{place}], {out}_done, {self._block(shape, kind, 'pitch', inwards=False)});"
        )
        lines.add(f"{queue}.FreeTensor({out}_done);")
        lines.close()

    def _block(self, shape: tuple[Size, ...], kind: str, pitch: str, *, inwards: bool) -> str:
        """The parameters of a copy of the piece's rows between the unified buffer and a tensor of the result's shape."""
        beside = f"({self._extent(shape, 'column', 'out_columns')} - width) * sizeof({kind})"
        within = f"({pitch} * sizeof({kind}) - (width * sizeof({kind}) + 31) / 32 * 32) / 32"
        gaps = [
            f"static_cast<uint32_t>({gap})" for gap in ((beside, within) if inwards else (within, beside))
        ]
        return f"DataCopyExtParams{{static_cast<uint16_t>(height), static_cast<uint32_t>(width * sizeof({kind})), {gaps[0]}, {gaps[1]}, 0}}"

    def _beside(self, place: str) -> dict[int, str]:
        """What else the result reads: numbers of a channel, or tensors of the result's own shape."""
        found: dict[int, str] = {}
        shape, scope, lines = self.node.shape, self.scope, self.lines
        spatial = 2 if len(shape) > 3 else 1
        outer = ["image", "channel", *(["plane"] if self.planes else [])]
        for leaf in leaves(self.value):
            if not isinstance(leaf, Load) or leaf.buffer.node is self.node:
                continue
            strides = leaf.strides
            if all(stride == ZERO for stride in strides[-spatial:]):
                number = Load(leaf.dtype, leaf.buffer, (*strides[:-spatial], ZERO), leaf.offset)
                found[id(leaf)] = self._copy_in(number, Piece(outer, "0"), "1")
            elif is_whole(leaf) and ZERO not in strides:
                kind, source = TYPES[leaf.buffer.dtype], scope.buffer(leaf.buffer)
                queue, tile = self._queue_for(leaf.buffer, source), scope.fresh(f"{source}_rows")
                lines.add(f"LocalTensor<{kind}> {tile}_in = {queue}.AllocTensor<{kind}>();")
                lines.add(
                    f"DataCopyPad({tile}_in, {source}_global[{place}], {self._block(shape, kind, 'pitch', inwards=True)}, "
                    f"DataCopyPadExtParams<{kind}>{{false, 0, 0, 0}});"
                )
                lines.add(f"{queue}.EnQue({tile}_in);")
                lines.add(f"LocalTensor<{kind}> {tile} = {queue}.DeQue<{kind}>();")
                if kind == "float":
                    found[id(leaf)] = f"{queue}:{tile}"
                else:
                    slot = self._reserve()
                    lines.add(f"Cast({slot}, {tile}, RoundMode::CAST_NONE, length);")
                    lines.add(f"{queue}.FreeTensor({tile});")
                    found[id(leaf)] = slot
            else:
                raise Unsupported(f"'{leaf.buffer.name}' is read in an order that is not written in Ascend C")
        return found
