"""The kernel of a product of packed factors: the pipeline of stages, what a warp multiplies, and how its sums are stored.

Where lines of the factors lie, and how the depth is walked, is told by an `Operands`: matrices.py and windows.py.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from kernelwright_memory.generators.templates.cuda.elementwise import _carrier
from kernelwright_memory.generators.templates.cuda.emit import (
    Blocks,
    KernelText,
    Lines,
    Scope,
    Writer,
    bare,
    index_text,
    joined,
    term,
)
from kernelwright_memory.generators.templates.cuda.product.instructions import product_functions
from kernelwright_memory.generators.templates.cuda.product.packing import load_of
from kernelwright_memory.generators.templates.cuda.product.tile import Tile
from kernelwright_memory.generators.templates.graph.graph import ZERO, Load
from kernelwright_memory.generators.templates.graph.operators import CPP_TYPES
from kernelwright_memory.generators.templates.graph.schedule import Step
from kernelwright_memory.generators.templates.graph.size import Size, contiguous, product

_ROW = re.compile(r"\brow\b")
RUN = 4
"""Neighbouring columns that a thread stores at once."""
_STORED_BYTES = {"float": 4, "__half": 2, "__nv_bfloat16": 2}
_NAMES = (
    "lane", "warp", "group", "quad", "total", "sum", "left", "right", "m", "n", "e", "k", "half", "row", "column", "batch", "tile",
    "tiles", "stage", "next", "load", "inside", "chunk", "line", "pass", "first_row", "first_column", "warp_row", "warp_column",
    "left_tile", "right_tile", "left_from", "right_from", "left_walk", "right_walk", "depth_chunk", "part", "stages", "both",
    "values", "own", "own_sum", "sums", "row_scales", "of_run", "first_tile", "all_tiles", "part_out", "first_line", "to_next", "rows_here", "busy", "i", "r", "four", "to", "from", "share", "row_scale", "column_scale", "place", "channel", "plane",
    "scales", "numbers", "number", "read", "keep", "at", "first", "second", "largest", "scale", "large", "small", "in_fours", "column_scales",
    "read_chunk", "read_line",
)  # fmt: skip


class Product(ABC):
    """Writes one step whose factors are packed: inputs are (left, right, largest of left, largest of right)."""

    def __init__(
        self, step: Step, parameters: dict[str, Any], prefix: str, scalars: dict[float, str]
    ) -> None:
        self.step, self.node, self.prefix = step, step.nodes[0], prefix
        self.tile = Tile.of(parameters)
        self.scope, self.lines = Scope(prefix, scalars), Lines()
        self.function = self.scope.function_name("x")[:-2]
        for name in _NAMES:
            self.scope.fresh(name)
        self.left, self.right, left_largest, right_largest = step.inputs[0]
        self.left_largest, self.right_largest = load_of(left_largest), load_of(right_largest)
        self.left_name = self.scope.buffer(load_of(self.left).buffer)
        self.right_name = self.scope.buffer(load_of(self.right).buffer)

    # ---- what matrices and windows differ in ------------------------------------------------------------------------------

    rows: str
    columns: str

    @abstractmethod
    def ranges(self) -> None:
        """Declares `first_row`, `first_column` and what else the number of a block tells."""

    @abstractmethod
    def left_line(self, row: str) -> str:
        """Where the line of a row begins, as an index of the packed left factor."""

    @abstractmethod
    def right_line(self, column: str) -> str:
        """The same of a column; may add declarations."""

    @abstractmethod
    def start_walk(self) -> None:
        """Declares `inside`, `left_walk` and `right_walk`: where the thread's chunk of the first tile is."""

    @abstractmethod
    def go_on(self) -> None:
        """Moves these to the next tile."""

    @abstractmethod
    def tiles(self) -> str:
        """How many tiles of depth there are."""

    @abstractmethod
    def column_coordinates(self, column: str) -> Sequence[str]:
        """The coordinates of the result along all axes but the rows', in order; may add declarations."""

    @abstractmethod
    def coordinates(self, row: str, column: Sequence[str]) -> list[str]:
        """The coordinates of an element of the result."""

    @abstractmethod
    def names(self) -> list[str]:
        """Names of the result's extents."""

    @abstractmethod
    def grid(self) -> tuple[Blocks, ...]: ...

    def with_parts(self, grid: tuple[Blocks, ...]) -> tuple[Blocks, ...]:
        """The grid with a third axis for the parts of the depth, where it is split, and without axes of one block."""
        if self.tile.split > 1:
            return (*grid, Blocks(Size.of(self.tile.split)))
        return grid if grid[1].size != Size.of(1) else grid[:1]

    def first_tile(self, each: str) -> str:
        """What the tiles before this part's first one come to, as the first term of a sum."""
        return f"first_tile * {each} + " if self.tile.split > 1 else ""

    runs_contiguous = True
    """Neighbouring columns of a row lie side by side in memory"""

    # ---- the kernel ----------------------------------------------------------------------------------------------------------

    def emit(self) -> KernelText:
        lines, tile = self.lines, self.tile
        self._constants()
        lines.add("extern __shared__ __align__(128) unsigned char shared_memory[];")
        lines.add("__half* const stages = reinterpret_cast<__half*>(shared_memory);")
        lines.add("const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;")
        lines.add(
            "const int warp_row = warp / WARPS_ACROSS * WARP_ROWS, warp_column = warp % WARPS_ACROSS * WARP_COLUMNS;"
        )
        self.ranges()
        self._sources()
        if tile.split > 1:
            self._share()
            self.start_walk()
        else:
            self.start_walk()
            lines.add(f"const int tiles = {self.tiles()};")
        if tile.streamed:
            self._read()
        self._load()
        self._pipeline()
        self._store()
        blocks = tile.blocks_a_processor
        return KernelText(
            self.prefix,
            self.scope.arguments,
            f"{tile.threads}, {blocks}" if blocks > 1 else str(tile.threads),
            lines.text,
            (*product_functions(self.function, streamed=tile.streamed), *self.scope.functions),
            self.grid(),
            (tile.threads,),
            comment=tile.described(),
            dynamic_bytes=tile.shared_bytes,
        )

    def _constants(self) -> None:
        add, tile = self.lines.add, self.tile
        add(
            f"constexpr int TILE_ROWS = {tile.rows}, TILE_COLUMNS = {tile.columns}, STAGES = {tile.stages}, THREADS = {tile.threads};"
        )
        add(
            f"constexpr int WARP_ROWS = {tile.warp_rows}, WARP_COLUMNS = {tile.warp_columns}, WARPS_ACROSS = TILE_COLUMNS / WARP_COLUMNS;"
        )
        add("constexpr int ROW_STEPS = WARP_ROWS / 16, COLUMN_STEPS = WARP_COLUMNS / 8;")
        parts = "large and small" if tile.parts == 2 else "large ones only"
        add(
            f"constexpr int LINE_CHUNKS = 8, PARTS = {tile.parts}, TILE_CHUNKS = LINE_CHUNKS / PARTS;  // of eight elements; {parts}"
        )
        add("constexpr int LINES_A_PASS = THREADS / LINE_CHUNKS;")
        add(
            "constexpr int LEFT_PASSES = TILE_ROWS / LINES_A_PASS, RIGHT_PASSES = TILE_COLUMNS / LINES_A_PASS;"
        )
        add("constexpr int LEFT_SIZE = TILE_ROWS * 64, STAGE_SIZE = LEFT_SIZE + TILE_COLUMNS * 64;")

    def _sources(self) -> None:
        """Where the thread's lines begin. Beyond the last line the last one is read again; its sums are not stored."""
        lines = self.lines
        lines.add(
            "// A thread copies one chunk of several lines; beyond the last line the last one, whose sums are not stored."
        )
        lines.add("const int chunk = threadIdx.x % LINE_CHUNKS, line = threadIdx.x / LINE_CHUNKS;")
        for side, extent, first, count, name in (
            ("left", self.rows, "first_row", "LEFT_PASSES", self.left_name),
            ("right", self.columns, "first_column", "RIGHT_PASSES", self.right_name),
        ):
            if side == "right" and self.tile.streamed:
                self._streamed_sources()
                continue
            what = "row" if side == "left" else "column"
            lines.add(f"const __half* {side}_from[{count}];")
            lines.add("#pragma unroll")
            lines.open(f"for (int pass = 0; pass < {count}; ++pass)")
            lines.add(f"const int64_t own = {first} + line + pass * LINES_A_PASS;")
            lines.add(f"const int64_t {what} = own < {extent} ? own : {extent} - 1;")
            index = self.left_line(what) if side == "left" else self.right_line(what)
            lines.add(f"{side}_from[pass] = {name} + {index};")
            lines.close()

    def _streamed_sources(self) -> None:
        lines = self.lines
        lines.add("// Of the right factor four threads read the 32 numbers of a line.")
        lines.add("constexpr int READ_LINES = THREADS / 4, READS = TILE_COLUMNS / READ_LINES;")
        lines.add("const int read_chunk = threadIdx.x % 4, read_line = threadIdx.x / 4;")
        lines.add("const float* right_from[READS];")
        lines.add("#pragma unroll")
        lines.open("for (int pass = 0; pass < READS; ++pass)")
        lines.add("const int64_t own = first_column + read_line + pass * READ_LINES;")
        lines.add(f"const int64_t column = own < {self.columns} ? own : {self.columns} - 1;")
        lines.add(f"right_from[pass] = {self.right_name} + {self.right_line('column')};")
        lines.close()

    def _read(self) -> None:
        """Declares `read`, which brings numbers of the right factor into registers, and `keep`, which splits and stores them."""
        lines, function = self.lines, self.function
        depth = self.scope.size(self.right.shape[-1], "depth")
        load = load_of(self.right)
        pitches = [self.scope.size(s, "pitch") for s in load.strides[:-1] if s != ZERO]
        conditions = [f"{pitch} % 4 == 0" for pitch in dict.fromkeys(pitches)]
        if load.offset != ZERO:
            conditions.append(f"{self.scope.size(load.offset, 'offset')} % 4 == 0")
        conditions.append(f"reinterpret_cast<uintptr_t>({self.right_name}) % 16 == 0")
        lines.add(f"const bool in_fours = {' && '.join(conditions)};")
        lines.add("float* const column_scales = reinterpret_cast<float*>(stages + STAGES * STAGE_SIZE);")
        lines.add("float numbers[READS][8];")
        lines.open("const auto read = [&](int number)")
        lines.add("const int64_t at = int64_t(number) * 32 + read_chunk * 8;")
        lines.add("#pragma unroll")
        lines.open("for (int pass = 0; pass < READS; ++pass)")
        lines.open(f"if (in_fours && at + 8 <= {depth})")
        lines.add("const float4* from = reinterpret_cast<const float4*>(right_from[pass] + at);")
        lines.add("const float4 first = from[0], second = from[1];")
        for n, part in enumerate("xyzw"):
            lines.add(f"numbers[pass][{n}] = first.{part}, numbers[pass][{n + 4}] = second.{part};")
        lines.close("} else {")
        lines.depth += 1
        lines.add("#pragma unroll")
        lines.open("for (int e = 0; e < 8; ++e)")
        lines.add(f"numbers[pass][e] = at + e < {depth} ? right_from[pass][at + e] : 0.0f;")
        lines.close()
        lines.close()
        lines.close()
        lines.close("};")
        lines.open("const auto keep = [&](int stage)")
        lines.add("__half* const to = stages + stage * STAGE_SIZE + LEFT_SIZE;")
        lines.add("#pragma unroll")
        lines.open("for (int pass = 0; pass < READS; ++pass)")
        lines.add("float largest = 0.0f;")
        lines.add("#pragma unroll")
        lines.open("for (int e = 0; e < 8; ++e)")
        lines.add("largest = fmaxf(largest, fabsf(numbers[pass][e]));")
        lines.close()
        lines.add("largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, 1));")
        lines.add("largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, 2));")
        lines.add(f"const float scale = {function}_scale(largest);")
        lines.add("alignas(16) __half2 large[4], small[4];")
        lines.add("#pragma unroll")
        lines.open("for (int e = 0; e < 4; ++e)")
        lines.add(
            f"{function}_pack(numbers[pass][2 * e] * scale, numbers[pass][2 * e + 1] * scale, large[e], small[e]);"
        )
        lines.close()
        lines.add("const int own = read_line + pass * READ_LINES;")
        for name, after in (("large", ""), ("small", " + 1")):
            place = f"{function}_place(own, read_chunk * 2{after})"
            lines.add(f"*reinterpret_cast<uint4*>(to + {place}) = *reinterpret_cast<const uint4*>({name});")
        lines.open("if (read_chunk == 0)")
        lines.add("column_scales[stage * TILE_COLUMNS + own] = 1.0f / scale;")
        lines.close()
        lines.close()
        lines.close("};")

    def _load(self) -> None:
        lines = self.lines
        lines.open("const auto load = [&](__half* stage)")
        for side, count, to in (
            ("left", "LEFT_PASSES", f"stage + {self.function}_place(line + pass * LINES_A_PASS, chunk)"),
            ("right", "RIGHT_PASSES",
             f"stage + LEFT_SIZE + {self.function}_place(line + pass * LINES_A_PASS, chunk)"),
        ):  # fmt: skip
            if side == "right" and self.tile.streamed:
                continue
            lines.add("#pragma unroll")
            lines.open(f"for (int pass = 0; pass < {count}; ++pass)")
            lines.add(f"{self.function}_copy({to}, {side}_from[pass] + {side}_walk, inside);")
            lines.close()
        self.go_on()
        lines.close("};")

    def _share(self) -> None:
        """Declares which tiles of depth are this part's."""
        lines = self.lines
        self.before_tiles()
        lines.add(
            f"const int all_tiles = {self.tiles()}, share = (all_tiles + {self.tile.split - 1}) / {self.tile.split};"
        )
        lines.add("const int first_tile = blockIdx.z * share < all_tiles ? blockIdx.z * share : all_tiles;")
        lines.add("const int tiles = all_tiles - first_tile < share ? all_tiles - first_tile : share;")

    @abstractmethod
    def before_tiles(self) -> None:
        """Declares what `tiles` needs."""

    def _pipeline(self) -> None:
        lines = self.lines
        lines.open("for (int stage = 0; stage < STAGES - 1; ++stage)")
        lines.open("if (stage < tiles)")
        lines.add("load(stages + stage * STAGE_SIZE);")
        streamed = self.tile.streamed
        first = "first_tile + " if self.tile.split > 1 else ""
        if streamed:
            lines.add(f"read({first}stage);")
            lines.add("keep(stage);")
        lines.close()
        lines.add(f"{self.function}_commit();")
        lines.close()
        lines.add("float total[ROW_STEPS][COLUMN_STEPS][4] = {};")
        lines.add("// A warp whose tile lies beyond the result copies for the others only.")
        lines.add(
            f"const bool busy = first_row + warp_row < {self.rows} && first_column + warp_column < {self.columns};"
        )
        lines.add("int stage = 0, next = STAGES - 1;")
        lines.open("for (int tile = 0; tile < tiles; ++tile)")
        lines.add(
            "// The tile is here for this thread, behind the barrier for all; and all have left the stage that is filled next."
        )
        lines.add(f"{self.function}_wait<STAGES - 2>();")
        lines.add("__syncthreads();")
        lines.open("if (tile + STAGES - 1 < tiles)")
        lines.add("load(stages + next * STAGE_SIZE);")
        if streamed:
            lines.add(f"read({first}tile + STAGES - 1);")
        lines.close()
        lines.add(f"{self.function}_commit();")
        lines.add("const __half* left_tile = stages + stage * STAGE_SIZE;")
        lines.add("const __half* right_tile = left_tile + LEFT_SIZE;")
        lines.open("if (busy)")
        self._multiply()
        lines.close()
        if streamed:
            lines.open("if (tile + STAGES - 1 < tiles)")
            lines.add("keep(next);")
            lines.close()
        lines.add("stage = stage + 1 == STAGES ? 0 : stage + 1;")
        lines.add("next = next + 1 == STAGES ? 0 : next + 1;")
        lines.close()

    def _multiply(self) -> None:
        lines, small = self.lines, self.tile.parts == 2
        sums = "sum" if small else "total"
        if small:
            lines.add(
                "// The tensor core truncates as it adds: sums of a tile start from zero and join the total in float32."
            )
            lines.add("float sum[ROW_STEPS][COLUMN_STEPS][4] = {};")
        lines.add("#pragma unroll")
        lines.open("for (int k = 0; k < TILE_CHUNKS; k += 2)")
        names = ("right", "right_small") if small else ("right",)
        lines.add(f"uint32_t {', '.join(f'{n}[COLUMN_STEPS][2]' for n in names)};")
        lines.add("#pragma unroll")
        lines.open("for (int n = 0; n < COLUMN_STEPS; n += 2)")
        lines.add(
            "const int own = warp_column + n * 8 + lane / 16 * 8 + lane % 8, from = (k + lane / 8 % 2) * PARTS;"
        )
        lines.add("uint32_t both[4];")
        for part, name in enumerate(names):
            lines.add(
                f"{self.function}_ldmatrix(both, right_tile + {self.function}_place(own, from{' + 1' if part else ''}));"
            )
            lines.add(f"{name}[n][0] = both[0], {name}[n][1] = both[1];")
            lines.add(f"{name}[n + 1][0] = both[2], {name}[n + 1][1] = both[3];")
        lines.close()
        lines.add("#pragma unroll")
        lines.open("for (int m = 0; m < ROW_STEPS; ++m)")
        lines.add("const int own = warp_row + m * 16 + lane % 16, from = (k + lane / 16) * PARTS;")
        lines.add(f"uint32_t left[4]{', left_small[4]' if small else ''};")
        lines.add(f"{self.function}_ldmatrix(left, left_tile + {self.function}_place(own, from));")
        pairs = [("left", "right")]
        if small:
            lines.add(
                f"{self.function}_ldmatrix(left_small, left_tile + {self.function}_place(own, from + 1));"
            )
            pairs = [("left_small", "right"), ("left", "right_small"), *pairs]
        for a, b in pairs:
            lines.add("#pragma unroll")
            lines.open("for (int n = 0; n < COLUMN_STEPS; ++n)")
            lines.add(f"{self.function}_mma({sums}[m][n], {a}, {b}[n]);")
            lines.close()
        lines.close()
        lines.close()
        if not small:
            return
        if self.tile.streamed:
            self._add_scaled()
            return
        for head in ("m = 0; m < ROW_STEPS; ++m", "n = 0; n < COLUMN_STEPS; ++n", "e = 0; e < 4; ++e"):
            lines.add("#pragma unroll")
            lines.open(f"for (int {head})")
        lines.add("total[m][n][e] += sum[m][n][e];")
        for _ in range(3):
            lines.close()

    def _add_scaled(self) -> None:
        """The scales of a tile's columns are undone tile by tile."""
        lines = self.lines
        lines.add("#pragma unroll")
        lines.open("for (int n = 0; n < COLUMN_STEPS; ++n)")
        lines.add(
            "const float2 scales = *reinterpret_cast<const float2*>("
            "column_scales + stage * TILE_COLUMNS + warp_column + n * 8 + lane % 4 * 2);"
        )
        lines.add("#pragma unroll")
        lines.open("for (int m = 0; m < ROW_STEPS; ++m)")
        for e in range(4):
            lines.add(f"total[m][n][{e}] += sum[m][n][{e}] * scales.{'xy'[e % 2]};")
        lines.close()
        lines.close()

    # ---- the epilogue ---------------------------------------------------------------------------------------------------------

    def _store(self) -> None:
        """Sums go by way of shared memory: what a warp stores lies side by side, and a thread has one column."""
        lines = self.lines
        lines.add("// By way of shared memory, so that a warp stores neighbouring columns of a row.")
        lines.add("constexpr int PITCH = TILE_COLUMNS + 8;")
        lines.add("float* const sums = reinterpret_cast<float*>(shared_memory);")
        lines.add("float* const row_scales = sums + TILE_ROWS * PITCH;")
        lines.add(f"{self.function}_wait<0>();")
        lines.add("__syncthreads();")
        lines.add("#pragma unroll")
        lines.open("for (int m = 0; m < ROW_STEPS; ++m)")
        lines.add("#pragma unroll")
        lines.open("for (int n = 0; n < COLUMN_STEPS; ++n)")
        lines.add(
            "float* to = sums + (warp_row + m * 16 + lane / 4) * PITCH + warp_column + n * 8 + lane % 4 * 2;"
        )
        lines.add("*reinterpret_cast<float2*>(to) = make_float2(total[m][n][0], total[m][n][1]);")
        lines.add("*reinterpret_cast<float2*>(to + 8 * PITCH) = make_float2(total[m][n][2], total[m][n][3]);")
        lines.close()
        lines.close()
        lines.open("for (int i = threadIdx.x; i < TILE_ROWS; i += THREADS)")
        lines.add(f"const int64_t row = first_row + i < {self.rows} ? first_row + i : {self.rows} - 1;")
        lines.add(f"row_scales[i] = {self._scale(self.left_largest, self.left_index('row'))};")
        lines.close()
        lines.add("__syncthreads();")
        lines.add(
            f"const int rows_here = static_cast<int>({self.rows} - first_row < TILE_ROWS ? {self.rows} - first_row : TILE_ROWS);"
        )
        out = self.scope.buffer(self.step.target, written=True)
        if self.tile.split > 1:
            results = self.scope.size(product(self.node.shape), "results")
            lines.add(f"float* const part_out = {out} + int64_t(blockIdx.z) * {results};")
            out = "part_out"
        kind = CPP_TYPES[self.step.target.dtype]
        if not self.runs_contiguous or kind not in _STORED_BYTES:
            self._columns(out, 1)
            return
        size = RUN * _STORED_BYTES[kind]
        width = self.scope.size(self.step.value.shape[-1], "width")
        lines.open(f"if ({width} % {RUN} == 0 && reinterpret_cast<uintptr_t>({out}) % {size} == 0)")
        self._columns(out, RUN)
        lines.close("} else {")
        lines.depth += 1
        self._columns(out, 1)
        lines.close()

    def _columns(self, out: str, run: int) -> None:
        """A thread stores `run` neighbouring columns, row by row."""
        lines = self.lines
        across = "TILE_COLUMNS" if run == 1 else f"(TILE_COLUMNS / {run})"
        lines.add(f"const int own = threadIdx.x % {across}{f' * {run}' if run > 1 else ''};")
        lines.add("const int64_t column = first_column + own;")
        lines.open(f"if (column < {self.columns})")
        at = list(self.column_coordinates("column"))
        several = run > 1 and self.scales_of_columns_differ and not self.tile.streamed
        if self.tile.streamed:
            lines.add("const float column_scale = 1.0f;")
        elif several:
            lines.add(f"float column_scale[{run}];")
            lines.add("#pragma unroll")
            lines.open(f"for (int r = 0; r < {run}; ++r)")
            lines.add(
                f"column_scale[r] = {self._scale(self.right_largest, self.right_index([*at[:-1], f'({at[-1]} + r)']))};"
            )
            lines.close()
        else:
            lines.add(f"const float column_scale = {self._scale(self.right_largest, self.right_index(at))};")
        lines.add(f"const int first_line = threadIdx.x / {across};")
        first = self._place(at, "(first_row + first_line)")
        kind = CPP_TYPES[self.step.target.dtype]
        lines.add(f"{kind}* to = {out} + {first};")
        stride = self.scope.size(contiguous(self.step.value.shape)[self.row_axis], "row_pitch")
        lines.add(f"const int64_t to_next = (THREADS / {across}) * {stride};")
        lines.add("#pragma unroll 4")
        lines.open(f"for (int i = first_line; i < rows_here; i += THREADS / {across}, to += to_next)")
        begin = len(lines.lines)
        if run == 1:
            self._value(at, "sums[i * PITCH + own]", "column_scale", "*to")
        else:
            lines.add("const float4 four = *reinterpret_cast<const float4*>(sums + i * PITCH + own);")
            lines.add("const float of_run[4] = {four.x, four.y, four.z, four.w};")
            lines.add(f"alignas({run * _STORED_BYTES[kind]}) {kind} values[{run}];")
            lines.add("#pragma unroll")
            lines.open(f"for (int r = 0; r < {run}; ++r)")
            scale = f"column_scale{'[r]' if several else ''}"
            self._value([*at[:-1], f"({at[-1]} + r)"], "of_run[r]", scale, "values[r]")
            lines.close()
            carrier = _carrier(self.step.target.dtype, run)
            lines.add(f"*reinterpret_cast<{carrier}*>(to) = *reinterpret_cast<const {carrier}*>(values);")
        if any(_ROW.search(line) for line in lines.lines[begin:]):
            lines.lines.insert(begin, "    " * lines.depth + "const int64_t row = first_row + i;")
        lines.close()
        lines.close()

    @abstractmethod
    def left_index(self, row: str) -> list[str]:
        """Coordinates of a row in the packed left factor, all but the depth."""

    @abstractmethod
    def right_index(self, column: Sequence[str]) -> list[str]:
        """Coordinates of a column in the packed right factor, all but the depth."""

    def _scale(self, largest: Load, coordinates: Sequence[str]) -> str:
        """What undoes the scale of a line."""
        terms = [
            term(self.scope, c, s) for c, s in zip(coordinates, largest.strides, strict=False) if s != ZERO
        ]
        return f"1.0f / {self.function}_scale({self.scope.buffer(largest.buffer)}[{joined(terms)}])"

    def _value(self, column: Sequence[str], sum_text: str, column_scale: str, target: str) -> None:
        """Computes an element from its sum and stores it."""
        coordinates = self.coordinates("row", column)

        def index(strides: tuple[Size, ...], offset: Size) -> str:
            return index_text(self.scope, coordinates, self.step.value.shape, self.names(), strides, offset)

        self.lines.add(f"const float own_sum = {sum_text} * row_scales[i] * {column_scale};")
        writer = Writer(self.scope, self.lines, index, {self.node: ("own_sum", "float")})
        result = writer.write(self.step.value.expression, CPP_TYPES[self.step.target.dtype])
        self.lines.add(f"{target} = {bare(result)};")

    def _place(self, column: Sequence[str], row: str) -> str:
        shape = self.step.value.shape
        return index_text(
            self.scope, self.coordinates(row, column), shape, self.names(), contiguous(shape), ZERO
        )

    row_axis = 1
    """The axis of the result that rows lie along"""

    scales_of_columns_differ = True
    """Neighbouring columns have scales of their own"""
