"""Transposed convolutions. With strides (a, b), the lines and columns of the result fall into a times b phases; within one, it is a
convolution of stride 1 with those taps that meet it. A piece takes lines of one phase and all phases of their columns, which lie
one behind the other until they are gathered into rows."""

from typing import ClassVar

from kernelwright_memory.generators.templates.ascendc.convolution import ConvolutionKernel
from kernelwright_memory.generators.templates.ascendc.window import ROW, times
from kernelwright_memory.generators.templates.graph.graph import Unsupported
from kernelwright_memory.generators.templates.graph.schedule import Step
from kernelwright_memory.generators.templates.graph.size import Size


class TransposedConvolutionKernel(ConvolutionKernel):
    """Writes one step of kind "convolution" that is transposed."""

    names: ClassVar[tuple[str, ...]] = (
        *ConvolutionKernel.names, "phase", "phase_line", "phase_lines", "phase_columns", "phase_pitch", "shift", "spread", "quotient",
    )  # fmt: skip

    def __init__(self, step: Step, parameters: dict[str, int]) -> None:
        super().__init__(step, parameters)
        self.lines_apart, self.columns_apart = super()._steps()
        if self.columns_apart != 1:
            self.row_pitch = "phase_pitch"

    def _farthest(self) -> int:
        along = self._along("column")
        assert along is not None
        _, padding, dilation = self._along_axis("column")
        reach = (self.taps[2 + along].value - 1) * dilation - padding
        return max(padding, reach) // self.columns_apart + 1

    def _in_channels(self) -> Size:
        per_group = self.in_shape[1].over(self.groups)
        if per_group is None:
            raise Unsupported("groups of channels that the input's channels do not show")
        return per_group

    def _steps(self) -> tuple[int, int]:
        return 1, 1

    def _weight(self) -> str:
        return f"(static_cast<uint64_t>({self._channel('c', self.in_channels)}) * {self.out_channels} + first + o)"

    def _pieces(self) -> None:
        lines, shape = self.lines, self.node.shape
        columns, count = (
            self._extent(shape, "column", "out_columns"),
            self._extent(shape, "line", "out_lines"),
        )
        apart = self.columns_apart
        lines.add(f"const uint32_t phase_columns = {self._in_phase(columns, apart)};")
        lines.add(f"const uint32_t phase_lines = {self._in_phase(count, self.lines_apart)};")
        room = self.tile // apart // ROW * ROW
        lines.add(f"const uint32_t span = phase_columns < {room} ? phase_columns : {room};")
        lines.add(f"const uint32_t {self.row_pitch} = (span + {ROW - 1}) / {ROW} * {ROW};")
        lines.add(
            f"const uint32_t rows = {room} / {self.row_pitch} < phase_lines ? {room} / {self.row_pitch} : phase_lines;"
        )
        if apart != 1:
            lines.add(f"const uint32_t pitch = ({times('span', apart)} + {ROW - 1}) / {ROW} * {ROW};")
            self._prepare_order(apart)
        lines.add("const uint32_t across = (phase_columns + span - 1) / span;")
        lines.add("const uint32_t down = (phase_lines + rows - 1) / rows;")
        lines.add(f"const uint32_t sets = ({self.out_channels} + {self.channels - 1}) / {self.channels};")
        phases = [str(self.lines_apart)] if self.lines_apart != 1 else []
        lines.add(f"const uint32_t tiles = {' * '.join([*self._counts(), *phases, 'down', 'across'])};")
        lines.open("for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum())")
        lines.add("const uint32_t left = tile % across * span;")
        start, wide = times("left", apart), times("span", apart)
        lines.add(f"const uint32_t width = {columns} - {start} < {wide} ? {columns} - {start} : {wide};")
        lines.add("const uint32_t top = tile / across % down * rows;")
        lines.add("uint32_t rest = tile / across / down;")
        whole = "phase_lines"
        if self.lines_apart != 1:
            lines.add(f"const uint32_t phase_line = rest % {self.lines_apart};")
            lines.add(f"rest /= {self.lines_apart};")
            whole = f"({count} + {self.lines_apart - 1} - phase_line) / {self.lines_apart}"
            self._skip_if(f"top >= {whole}")
        lines.add(f"const uint32_t height = {whole} - top < rows ? {whole} - top : rows;")
        self._piece_of_channels()

    def _in_phase(self, extent: str, apart: int) -> str:
        return extent if apart == 1 else f"({extent} + {apart - 1}) / {apart}"

    def _prepare_order(self, apart: int) -> None:
        """Where the elements of a row lie among the phases: element j in phase j % apart, at j / apart."""
        self._offsets()
        self.setup += [
            "TBuf<TPosition::VECCALC> row_order;",
            "pipe.InitBuffer(row_order, 2 * TILE * sizeof(float));",
            "LocalTensor<float> spread = row_order.GetWithOffset<float>(TILE, 0);",
            "LocalTensor<float> quotient = row_order.GetWithOffset<float>(TILE, TILE * sizeof(float));",
        ]
        self.setup_bytes += 2 * self.tile * 4
        lines = self.lines
        lines.add("ArithProgression(places, static_cast<int32_t>(0), static_cast<int32_t>(1), pitch);")
        lines.add("Cast(spread, places, RoundMode::CAST_NONE, pitch);")
        lines.add("Adds(quotient, spread, 0.5f, pitch);")
        lines.add(f"Muls(quotient, quotient, {1 / apart!r}f, pitch);")
        lines.add("Cast(places, quotient, RoundMode::CAST_FLOOR, pitch);")
        lines.add("Cast(quotient, places, RoundMode::CAST_NONE, pitch);")
        lines.add(f"Axpy(spread, quotient, -{apart}.0f, pitch);")
        lines.add("Muls(spread, spread, static_cast<float>(rows * phase_pitch), pitch);")
        lines.add("Add(spread, spread, quotient, pitch);")
        lines.open("for (uint32_t line = 0; line < rows; ++line)")
        lines.add("Adds(quotient, spread, static_cast<float>(line * phase_pitch), pitch);")
        lines.add("Muls(quotient, quotient, static_cast<float>(sizeof(float)), pitch);")
        lines.add("Cast(places[line * pitch], quotient, RoundMode::CAST_RINT, pitch);")
        lines.close()

    def _open_lines(self, in_shape: tuple[Size, ...]) -> int:
        lines = self.lines
        depth = 1
        if self.planes:
            stride, padding, dilation = self._along_axis("plane")
            lines.open(f"for (uint32_t tap_plane = 0; tap_plane < {self._taps('plane')}; ++tap_plane)")
            depth += 1
            lines.add(
                f"const int32_t to_plane = static_cast<int32_t>(plane) + {padding} - static_cast<int32_t>({times('tap_plane', dilation)});"
            )
            extent = self._extent(in_shape, "plane", "planes")
            met = f" || to_plane % {stride} != 0" if stride != 1 else ""
            self._skip_if(f"to_plane < 0 || to_plane >= static_cast<int32_t>({times(extent, stride)}){met}")
            lines.add(f"const int32_t in_plane = to_plane{f' / {stride}' if stride != 1 else ''};")
        stride, padding, dilation = self._along_axis("line")
        extent = self._extent(in_shape, "line", "lines")
        lines.open(f"for (uint32_t tap_line = 0; tap_line < {self._taps('line')}; ++tap_line)")
        lines.add("// The rows of this piece that the tap meets and that come from inside of the input.")
        phase = "static_cast<int32_t>(phase_line)" if stride != 1 else "0"
        lines.add(
            f"int32_t shift = {phase} + {padding} - static_cast<int32_t>({times('tap_line', dilation)});"
        )
        if stride != 1:
            self._skip_if(f"shift % {stride} != 0")
            lines.add(f"shift /= {stride};")
        lines.add("const int32_t above = -(static_cast<int32_t>(top) + shift);")
        lines.add(f"const int32_t below = static_cast<int32_t>({extent}) + above;")
        lines.add("const uint32_t from = above > 0 ? static_cast<uint32_t>(above) : 0;")
        lines.add("const uint32_t reach = below < 0 ? 0 : static_cast<uint32_t>(below);")
        lines.add("const uint32_t to = reach < height ? reach : height;")
        self._skip_if("from >= to")
        lines.add("const uint32_t in_line = from - above;")
        return depth

    def _open_columns(self, in_shape: tuple[Size, ...]) -> None:
        lines, apart = self.lines, self.columns_apart
        _, padding, dilation = self._along_axis("column")
        lines.open(f"for (uint32_t tap_column = 0; tap_column < {self._taps('column')}; ++tap_column)")
        lines.add(
            f"const int32_t against = static_cast<int32_t>({times('tap_column', dilation)}) - {padding};"
        )
        if apart == 1:
            lines.add("const int32_t origin = static_cast<int32_t>(left) - against;")
            lines.add("const int32_t wanted = static_cast<int32_t>(width);")
        else:
            lines.add("// The phase that this tap meets.")
            lines.add(f"const int32_t phase = (against % {apart} + {apart}) % {apart};")
            lines.add(f"const int32_t origin = static_cast<int32_t>(left) + (phase - against) / {apart};")
            lines.add(
                f"const int32_t wanted = (static_cast<int32_t>(width) + {apart - 1} - phase) / {apart};"
            )
        self._bounds_of_row(in_shape)

    def _target_rows(self) -> str:
        if self.columns_apart == 1:
            return super()._target_rows()
        return "sums[o * TILE + phase * rows * phase_pitch + from * phase_pitch]"

    def _store(self) -> None:
        result = "sums[o * TILE]"
        if self.columns_apart != 1:
            self.lines.add(f"Gather(spread, {result}, order, 0, height * pitch);")
            result = "spread"
        plane = (
            f"(static_cast<uint64_t>(image) * {self.scope.size(self.node.shape[1], 'channels')} + channel)"
        )
        line = "top" if self.lines_apart == 1 else f"{times('top', self.lines_apart)} + phase_line"
        self._store_rows(plane, ["image", "channel"], result, line, times("left", self.columns_apart))
