"""Convolutions: for each tap a block of rows of the input is copied in as it lies under that tap, with zeros where it reaches beyond,
and added, times its weight, into tiles of several output channels that stay in the unified buffer."""

from typing import ClassVar

from kernelwright_memory.generators.templates.ascendc.tiles import KernelText
from kernelwright_memory.generators.templates.ascendc.window import WindowKernel
from kernelwright_memory.generators.templates.graph.graph import Load, Unsupported
from kernelwright_memory.generators.templates.graph.schedule import Step
from kernelwright_memory.generators.templates.graph.size import Size, product


class ConvolutionKernel(WindowKernel):
    """Writes one step of kind "convolution"."""

    names: ClassVar[tuple[str, ...]] = (
        *WindowKernel.names, "group", "first", "channels", "channel", "sets", "c", "o", "factor", "number",
    )  # fmt: skip

    def __init__(self, step: Step, parameters: dict[str, int]) -> None:
        super().__init__(step, parameters)
        self.channels = parameters["channels"]
        self.groups: int | Size = self.node.attributes["groups"]
        self.in_shape, self.taps = (value.shape for value in step.inputs[0])

    def emit(self) -> KernelText:
        """
        Raises:
            Unsupported: an order of accesses that is not written.
            DoesNotFit: the tiles are too large.
        """
        image, weight = (self._whole(value) for value in self.step.inputs[0])
        if weight.buffer.dtype == "bfloat16":
            raise Unsupported("single elements of bfloat16 are not written in Ascend C")
        per_group = self.node.shape[1].over(self.groups)
        if per_group is None:
            raise Unsupported("groups of channels that the output's channels do not show")
        self.out_channels = self.scope.size(per_group, "out_channels")
        self._reach_beyond(self._farthest(), image.buffer.dtype)
        self._pieces()
        self.lines.add(f"Duplicate(sums, 0.0f, {self.channels} * TILE);")
        self._sum(image, weight)
        self.lines.open("for (uint32_t o = 0; o < channels; ++o)")
        self.lines.add(f"const uint32_t channel = {self._channel('first + o', self.out_channels)};")
        self._store()
        self.lines.close()
        self.lines.close()
        self._keep(self.channels)
        return self._finish(product(self.node.shape[:-1]), 1, self._comment())

    def _comment(self) -> str:
        return f"Blocks of rows, {self.channels} output channels at once: a copied row serves all of them."

    def _farthest(self) -> int:
        """Elements that a row of the result reaches beyond a row of the input."""
        return self._attribute("padding", "column")

    def _taps(self, axis: str) -> str:
        return self._extent(self.taps, axis, f"taps_{axis}")

    def _pieces(self) -> None:
        """One piece: some output channels of a block of rows of one image."""
        self._blocks_of_rows()
        self.lines.add(
            f"const uint32_t sets = ({self.out_channels} + {self.channels - 1}) / {self.channels};"
        )
        self._open_pieces(self._counts())
        self._piece_of_channels()

    def _counts(self) -> list[str]:
        """How many pieces there are beside those of one plane."""
        groups = [self._group_count()] if self.groups != 1 else []
        planes = [self._extent(self.node.shape, "plane", "out_planes")] if self.planes else []
        return [self.scope.size(self.node.shape[0], "images"), *groups, *planes, "sets"]

    def _group_count(self) -> str:
        return self.scope.size(Size.of(self.groups), "groups")

    def _piece_of_channels(self) -> None:
        lines = self.lines
        lines.add(f"const uint32_t first = rest % sets * {self.channels};")
        lines.add(
            f"const uint32_t channels = {self.out_channels} - first < {self.channels} ? {self.out_channels} - first : {self.channels};"
        )
        lines.add("rest /= sets;")
        self._plane_of_piece()
        if self.groups != 1:
            lines.add(f"const uint32_t group = rest % {self._group_count()};")
            lines.add(f"const uint32_t image = rest / {self._group_count()};")
        else:
            lines.add("const uint32_t image = rest;")

    def _sum(self, image: Load, weight: Load) -> None:
        lines = self.lines
        self.in_channels = self.scope.size(self._in_channels(), "in_channels")
        lines.open(f"for (uint32_t c = 0; c < {self.in_channels}; ++c)")
        depth = self._open_lines(self.in_shape)
        self._open_columns(self.in_shape)
        channel = self._channel("c", self.in_channels)
        plane = f"(static_cast<uint64_t>(image) * {self.scope.size(self.in_shape[1], 'all_channels')} + {channel})"
        value, free = self._rows_of_tap(image, self.in_shape, plane, *self._steps())
        lines.open("for (uint32_t o = 0; o < channels; ++o)")
        index = self._weight()
        for axis in self.axes:
            if self._along(axis) is not None:
                index = f"({index} * {self._taps(axis)} + tap_{axis})"
        weights = self.scope.buffer(weight.buffer)
        lines.add(f"const float factor = static_cast<float>({weights}_global.GetValue({index}));")
        lines.add(
            f"Axpy({self._target_rows()}, {value}, factor, static_cast<int32_t>((to - from) * {self.row_pitch}));"
        )
        lines.close()
        if free:
            lines.add(free)
        for _ in range(depth + 2):
            lines.close()

    def _in_channels(self) -> Size:
        """Of one group."""
        return self.taps[1]

    def _steps(self) -> tuple[int, int]:
        """Input lines and elements from one of the result's to the next."""
        return self._attribute("stride", "line"), self._attribute("stride", "column")

    def _weight(self) -> str:
        """Which filter: its place among all of them."""
        return f"(static_cast<uint64_t>({self._channel('first + o', self.out_channels)}) * {self.in_channels} + c)"

    def _target_rows(self) -> str:
        return "sums[o * TILE + from * pitch]"

    def _channel(self, own: str, per_group: str) -> str:
        return own if self.groups == 1 else f"(group * {per_group} + {own})"

    def _store(self) -> None:
        plane = (
            f"(static_cast<uint64_t>(image) * {self.scope.size(self.node.shape[1], 'channels')} + channel)"
        )
        self._store_rows(plane, ["image", "channel"], "sums[o * TILE]")
