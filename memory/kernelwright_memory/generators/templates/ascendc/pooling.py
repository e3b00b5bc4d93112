"""Largest and mean of windows: for each tap the rows of the input under it are joined to a tile that stays."""

from kernelwright_memory.generators.templates.ascendc.tiles import KernelText
from kernelwright_memory.generators.templates.ascendc.window import WindowKernel, times
from kernelwright_memory.generators.templates.graph.schedule import Step
from kernelwright_memory.generators.templates.graph.size import Size, product


class PoolingKernel(WindowKernel):
    """Writes one step of kind "pool"."""

    def __init__(self, step: Step, parameters: dict[str, int]) -> None:
        super().__init__(step, parameters)
        self.largest = self.node.operation == "max"
        self.beyond = "-INFINITY" if self.largest else "0"  # type: ignore[misc]

    def emit(self) -> KernelText:
        """
        Raises:
            Unsupported: an order of accesses that is not written.
            DoesNotFit: the tiles are too large.
        """
        lines, shape, attributes = self.lines, self.node.shape, self.node.attributes
        image = self._whole(self.step.inputs[0][0])
        in_shape = self.step.inputs[0][0].shape
        self._reach_beyond(self._attribute("padding", "column"), image.buffer.dtype)
        self._blocks_of_rows()
        images = self.scope.size(product(shape[: self.lead]), "images")
        planes = [self._extent(shape, "plane", "out_planes")] if self.planes else []
        self._open_pieces([images, *planes])
        self._plane_of_piece()
        lines.add("const uint32_t image = rest;")
        outer = self._coordinates("image", shape[: self.lead])
        plane = "static_cast<uint64_t>(image)"
        lines.add(f"Duplicate(sums, {'-INFINITY' if self.largest else '0.0f'}, TILE);")
        depth = self._open_lines(in_shape)
        self._open_columns(in_shape)
        steps = self._attribute("stride", "line"), self._attribute("stride", "column")
        value, free = self._rows_of_tap(image, in_shape, plane, *steps)
        rows = "sums[from * pitch]"
        lines.add(f"{'Max' if self.largest else 'Add'}({rows}, {rows}, {value}, (to - from) * pitch);")
        if free:
            lines.add(free)
        for _ in range(depth + 1):
            lines.close()
        if any(attributes["padding"]) and not (
            self.largest or attributes["counts_padding"] or attributes["divisor"]
        ):
            self._divide_by_what_is_inside(in_shape)
        elif not self.largest:
            lines.add(
                f"Muls(sums, sums, 1.0f / {float(attributes['divisor'] or self._window())!r}f, height * pitch);"
            )
        self._store_rows(plane, outer, "sums")
        lines.close()
        self._keep(1)
        return self._finish(
            product(shape[:-1]), 1, "Blocks of rows; what lies under a tap is joined to a tile."
        )

    def _divide_by_what_is_inside(self, in_shape: tuple[Size, ...]) -> None:
        """Sums become means of the elements of each window that are no padding: how many they are is a product of numbers along
        the axes, of which those of the columns stand in a tile."""
        scope, lines = self.scope, self.lines
        scope.shared.add("ramp")
        under, end = self._reserve(), self._reserve()
        stride, padding, _ = self._along_axis("column")
        extent = self._extent(in_shape, "column", "columns")
        lines.add("// How many columns of the input lie under each column of the result.")
        lines.add(f"Muls({under}, ramp, {float(stride)}f, pitch);")
        lines.add(
            f"Adds({under}, {under}, static_cast<float>(static_cast<int32_t>({times('left', stride)}) - {padding}), pitch);"
        )
        lines.add(f"Adds({end}, {under}, {float(int(self._taps('column')))}f, pitch);")
        lines.add(f"Mins({end}, {end}, static_cast<float>({extent}), pitch);")
        lines.add(f"Maxs({under}, {under}, 0.0f, pitch);")
        lines.add(f"Sub({under}, {end}, {under}, pitch);")
        planes = [self._inside("plane", "plane", in_shape)] if self.planes else []
        lines.open("for (uint32_t line = 0; line < height; ++line)")
        count = " * ".join([self._inside("line", "(top + line)", in_shape), *planes])
        lines.add(f"const float share = 1.0f / static_cast<float>({count});")
        lines.add("Muls(sums[line * pitch], sums[line * pitch], share, width);")
        lines.add(f"Div(sums[line * pitch], sums[line * pitch], {under}, width);")
        lines.close()

    def _inside(self, axis: str, place: str, in_shape: tuple[Size, ...]) -> str:
        """The name of how many elements along an axis lie inside of the window at `place`."""
        scope, lines = self.scope, self.lines
        stride, padding, _ = self._along_axis(axis)
        extent = self._extent(in_shape, axis, f"{axis}s")
        first, last, count = (scope.fresh(f"{name}_{axis}") for name in ("first", "last", "under"))
        lines.add(f"const int32_t {first} = static_cast<int32_t>({times(place, stride)}) - {padding};")
        lines.add(
            f"const int32_t {last} = min({first} + {self._taps(axis)}, static_cast<int32_t>({extent}));"
        )
        lines.add(f"const int32_t {count} = {last} - max({first}, static_cast<int32_t>(0));")
        return count

    def _taps(self, axis: str) -> str:
        along = self._along(axis)
        return "1" if along is None else str(self.node.attributes["window"][along])

    def _window(self) -> int:
        taps = 1
        for extent in self.node.attributes["window"]:
            taps *= extent
        return taps
