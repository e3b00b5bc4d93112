"""Largest and mean of windows: for each tap the rows of the input under it are joined to a tile that stays."""

from kernelwright_memory.generators.templates.ascendc.tiles import KernelText
from kernelwright_memory.generators.templates.ascendc.window import WindowKernel
from kernelwright_memory.generators.templates.graph import Unsupported
from kernelwright_memory.generators.templates.schedule import Step
from kernelwright_memory.generators.templates.size import product


class PoolingKernel(WindowKernel):
    """Writes one step of kind "pool"."""

    def __init__(self, step: Step, parameters: dict[str, int]) -> None:
        super().__init__(step, parameters)
        self.largest = self.node.operation == "max"
        self.beyond = "-INFINITY" if self.largest else "0"  # type: ignore[misc]

    def emit(self) -> KernelText:
        """
        Raises:
            Unsupported: a mean that leaves the padding out, or an order of accesses that is not written.
            DoesNotFit: the tiles are too large.
        """
        lines, shape, attributes = self.lines, self.node.shape, self.node.attributes
        image = self._whole(self.step.inputs[0][0].expression)
        in_shape = self.step.inputs[0][0].shape
        self._reach_beyond(self._attribute("padding", "column"), image.buffer.dtype)
        if (
            not self.largest
            and any(attributes["padding"])
            and not attributes["counts_padding"]
            and not attributes["divisor"]
        ):
            raise Unsupported("a mean of windows without their padding is not written in Ascend C")
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
        if not self.largest:
            lines.add(
                f"Muls(sums, sums, 1.0f / {float(attributes['divisor'] or self._window())!r}f, height * pitch);"
            )
        self._store_rows(plane, outer, "sums")
        lines.close()
        self._keep(1)
        return self._finish(
            product(shape[:-1]), 1, "Blocks of rows; what lies under a tap is joined to a tile."
        )

    def _taps(self, axis: str) -> str:
        along = self._along(axis)
        return "1" if along is None else str(self.node.attributes["window"][along])

    def _window(self) -> int:
        taps = 1
        for extent in self.node.attributes["window"]:
            taps *= extent
        return taps
