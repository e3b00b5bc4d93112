"""Products of matrices, and of batches of them."""

from collections.abc import Sequence

from kernelwright_memory.generators.templates.cuda.emit import Blocks, Tiles, index_text
from kernelwright_memory.generators.templates.cuda.product.kernel import Product
from kernelwright_memory.generators.templates.cuda.product.packing import load_of
from kernelwright_memory.generators.templates.graph.graph import ONE, ZERO
from kernelwright_memory.generators.templates.graph.size import contiguous

# Tile rows that blocks walk down before they go on to the next column of tiles.
_BAND = 8


class MatrixProduct(Product):
    """Packed factors [batch][line][depth]."""

    row_axis = -2

    @property
    def _batched(self) -> bool:
        return len(self.node.shape) == 3

    def ranges(self) -> None:
        lines, shape = self.lines, self.node.shape
        self.rows, self.columns = self.scope.size(shape[-2], "rows"), self.scope.size(shape[-1], "columns")
        lines.add(f"const int64_t tiles_down = ({self.rows} + TILE_ROWS - 1) / TILE_ROWS;")
        lines.add(f"const int64_t tiles_across = ({self.columns} + TILE_COLUMNS - 1) / TILE_COLUMNS;")
        number = "blockIdx.x"
        if self._batched:
            lines.add("const int64_t batch = blockIdx.x / (tiles_down * tiles_across);")
            number = "(blockIdx.x - batch * tiles_down * tiles_across)"
        lines.add(
            f"// Blocks walk down {_BAND} tile rows, then on to the next column: those that run together share factors in L2."
        )
        lines.add(
            f"const int64_t band = {number} / ({_BAND} * tiles_across) * {_BAND}, in_band = {number} % ({_BAND} * tiles_across);"
        )
        lines.add(f"const int64_t height = tiles_down - band < {_BAND} ? tiles_down - band : {_BAND};")
        lines.add("const int64_t first_row = (band + in_band % height) * TILE_ROWS;")
        lines.add("const int64_t first_column = in_band / height * TILE_COLUMNS;")

    def _line(self, value_shape: tuple, line: str, names: list[str]) -> str:  # type: ignore[type-arg]
        coordinates = ["batch", line, "0"] if self._batched else [line, "0"]
        return index_text(
            self.scope, coordinates, value_shape, names, contiguous(value_shape), ZERO
        ).removesuffix(" + 0")

    def left_line(self, row: str) -> str:
        return self._line(self.left.shape, row, [*(["batches"] if self._batched else []), "rows", "pitch"])

    def right_line(self, column: str) -> str:
        if self.tile.streamed:
            load = load_of(self.right)
            strides = (*load.strides[:-1], ZERO)
            coordinates = [*(["batch"] if self._batched else []), column, "0"]
            names = [*(["batches"] if self._batched else []), "columns", "depth"]
            return index_text(self.scope, coordinates, self.right.shape, names, strides, load.offset)
        return self._line(
            self.right.shape, column, [*(["batches"] if self._batched else []), "columns", "pitch"]
        )

    def before_tiles(self) -> None:
        """Nothing: the pitch of a line tells them."""

    def start_walk(self) -> None:
        lines = self.lines
        pitch = self.scope.size(self.left.shape[-1], "pitch")
        lines.add(f"int64_t left_walk = {self.first_tile('LINE_CHUNKS * 8')}chunk * 8;")
        lines.add("int64_t& right_walk = left_walk;")
        lines.add(f"bool inside = left_walk < {pitch};")

    def go_on(self) -> None:
        self.lines.add("left_walk += LINE_CHUNKS * 8;")
        self.lines.add(f"inside = left_walk < {self.scope.size(self.left.shape[-1], 'pitch')};")

    def tiles(self) -> str:
        return f"static_cast<int>(({self.scope.size(self.left.shape[-1], 'pitch')} + 63) / 64)"

    def column_coordinates(self, column: str) -> Sequence[str]:
        return [column]

    def coordinates(self, row: str, column: Sequence[str]) -> list[str]:
        return [*(["batch"] if self._batched else []), row, *column]

    def names(self) -> list[str]:
        return [*(["batches"] if self._batched else []), "rows", "columns"]

    def left_index(self, row: str) -> list[str]:
        return [*(["batch"] if self._batched else []), row]

    def right_index(self, column: Sequence[str]) -> list[str]:
        return [*(["batch"] if self._batched else []), *column]

    def grid(self) -> tuple[Blocks, ...]:
        shape = self.node.shape
        factors = [Blocks(shape[-2], self.tile.rows), Blocks(shape[-1], self.tile.columns)]
        return self.with_parts(
            (Tiles([*factors, Blocks(shape[0])] if self._batched else factors), Blocks(ONE))
        )
