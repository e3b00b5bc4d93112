"""Convolutions as products (implicit im2col): rows are output channels, columns are places, the depth is taps and channels.

A transposed convolution falls into phases, one for each remainder of the output's coordinates by the strides; within a phase it
is a convolution of stride 1 with the taps that meet it.
"""

from collections.abc import Sequence
from math import gcd, prod
from typing import Any

from kernelwright_memory.generators.templates.cuda.emit import Blocks, Tiles, index_text
from kernelwright_memory.generators.templates.cuda.product.kernel import Product
from kernelwright_memory.generators.templates.cuda.product.tile import CHUNK
from kernelwright_memory.generators.templates.graph.graph import ZERO, Node
from kernelwright_memory.generators.templates.graph.schedule import Step
from kernelwright_memory.generators.templates.graph.size import Size, contiguous, product

AXES = {1: ["column"], 2: ["line", "column"], 3: ["plane", "line", "column"]}


def borders(node: Node) -> tuple[tuple[Size, Size], ...]:
    """The zeros before and behind each axis of the input that taps may reach."""
    weight, attributes = node.inputs[1], node.attributes
    found = []
    for d, taps in enumerate(weight.shape[2:]):
        stride, padding, dilation = (attributes[name][d] for name in ("stride", "padding", "dilation"))
        if attributes["transposed"]:
            reach = (taps - 1) * dilation
            before, behind = (
                reach.floor_divided(stride) + 1,
                (reach + max(stride, dilation)).floor_divided(stride),
            )
            found.append((before, behind))
        else:
            found.append((Size.of(padding), Size.of(padding)))
    return tuple(found)


class WindowProduct(Product):
    """Packed weights [group][channel][taps][depth] and places [image][group][places with borders][depth]."""

    def __init__(
        self, step: Step, parameters: dict[str, Any], prefix: str, scalars: dict[float, str]
    ) -> None:
        super().__init__(step, parameters, prefix, scalars)
        attributes = self.node.attributes
        self.rank = len(self.node.shape) - 2
        self.axes = [self.scope.fresh(f"{axis}_at") for axis in AXES[self.rank]]
        self.taps = [self.scope.fresh(f"{axis}_tap") for axis in AXES[self.rank]]
        self.groups: int | Size = attributes["groups"]
        self.stride, self.dilation, self.padding = (
            attributes["stride"],
            attributes["dilation"],
            attributes["padding"],
        )
        self.phased = attributes["transposed"]
        if self.phased:
            self.tap_step = [s // gcd(s, d) for s, d in zip(self.stride, self.dilation, strict=True)]
            self.reach = [
                -(t * d) // s for t, d, s in zip(self.tap_step, self.dilation, self.stride, strict=True)
            ]
        else:
            self.tap_step, self.reach = [1] * self.rank, list(self.dilation)
        self.strided = self.phased and any(s != 1 for s in self.stride)
        self.runs_contiguous = not self.strided
        self.scales_of_columns_differ = False
        for name in (
            "phase",
            "tap",
            "channels",
            "image",
            "places",
            "rest",
            "group_at",
            "depth_chunk",
            "channel_of_chunk",
            "own_chunk",
            "number",
            "tap_count",
            "find_tap",
            "find_left",
            "find_right",
            "left_of_tap",
            "right_of_tap",
        ):
            self.scope.fresh(name)

    # ---- the ranges of a block ---------------------------------------------------------------------------------------------

    def _phases(self) -> int:
        count = 1
        for s in self.stride:
            count *= s if self.phased else 1
        return count

    def ranges(self) -> None:
        lines, scope, shape = self.lines, self.scope, self.node.shape
        self.rows = scope.size(shape[1].over(self.groups) or shape[1], "out_channels")
        self.chunks = scope.size(
            self.left.shape[-1].over(CHUNK * self.tile.parts) or self.left.shape[-1], "chunks"
        )
        self.tap_names = [
            scope.size(e, f"{axis}_taps")
            for e, axis in zip(self.left.shape[2:-1], AXES[self.rank], strict=True)
        ]
        self.extents = [
            scope.size(e, f"out_{axis}s") for e, axis in zip(shape[2:], AXES[self.rank], strict=True)
        ]
        lines.add(f"const int64_t tiles_down = ({self.rows} + TILE_ROWS - 1) / TILE_ROWS;")
        lines.add("const int64_t first_row = blockIdx.x % tiles_down * TILE_ROWS;")
        if self.groups != 1:
            lines.add("const int64_t group_at = blockIdx.y;")
        if not self.strided:
            self.columns = scope.size(shape[0] * product(shape[2:]), "places")
            lines.add("const int64_t first_column = blockIdx.x / tiles_down * TILE_COLUMNS;")
            self.phase_extents = self.extents
            if self.phased:
                self._phase_taps(["0"] * self.rank)
            return
        self.columns = "columns"
        self.scope.fresh("columns")
        lines.add(
            "// Neighbouring blocks compute the phases of the same places: outputs whose coordinates leave one remainder."
        )
        lines.add(f"const int64_t phase = blockIdx.x / tiles_down % {self._phases()};")
        lines.add(
            f"const int64_t first_column = blockIdx.x / (tiles_down * {self._phases()}) * TILE_COLUMNS;"
        )
        rest = "phase"
        self.phase_names: list[str] = []
        for d in reversed(range(self.rank)):
            name = scope.fresh(f"{AXES[self.rank][d]}_phase")
            self.phase_names.insert(0, name)
            lines.add(f"const int {name} = static_cast<int>({rest}{f' % {self.stride[d]}' if d else ''});")
            rest = f"{rest} / {self.stride[d]}"
        self.phase_extents = []
        for d, axis in enumerate(AXES[self.rank]):
            own, s = scope.fresh(f"phase_{axis}s"), self.stride[d]
            lines.add(f"const int64_t {own} = ({self.extents[d]} - {self.phase_names[d]} + {s - 1}) / {s};")
            self.phase_extents.append(own)
        lines.add(
            f"const int64_t columns = {' * '.join([scope.size(shape[0], 'images'), *self.phase_extents])};"
        )
        lines.open("if (first_column >= columns)")
        lines.add("return;")
        lines.close()
        self._phase_taps(self.phase_names)

    def _phase_taps(self, phases: Sequence[str]) -> None:
        """Of each axis the first tap that meets the phase, how many do, and the input coordinate that the first one reads."""
        lines, scope = self.lines, self.scope
        self.first_tap, self.first_at, counts = [], [], []
        for d, (axis, phase, taps) in enumerate(zip(AXES[self.rank], phases, self.tap_names, strict=True)):
            s, dilation, padding = self.stride[d], self.dilation[d], self.padding[d]
            reach = (
                " + ".join([*([phase] if phase != "0" else []), *([str(padding)] if padding else [])]) or "0"
            )
            if s == 1:
                self.first_tap.append("0")
                self.first_at.append(reach)
                count = scope.fresh(f"{axis}_tap_count")
                lines.add(f"const int {count} = static_cast<int>({taps});")
                counts.append(count)
                continue
            first, count, at = (
                scope.fresh(f"{axis}_{what}") for what in ("first_tap", "tap_count", "first_at")
            )
            step = self.tap_step[d]
            lines.add(f"int {first} = 0;")
            lines.open(
                f"while ({first} < {step} && ({reach} - {first}{f' * {dilation}' if dilation > 1 else ''}) % {s} != 0)"
            )
            lines.add(f"++{first};")
            lines.close()
            lines.add(f"const int {count} = {first} < {step} && {first} < {taps}"
                      f" ? static_cast<int>(({taps} - {first} + {step - 1}) / {step}) : 0;")  # fmt: skip
            lines.add(
                f"const int {at} = ({reach} - {first}{f' * {dilation}' if dilation > 1 else ''}) / {s};"
            )
            self.first_tap.append(first)
            self.first_at.append(at)
            counts.append(count)
        self.tap_counts = counts

    # ---- lines of the factors --------------------------------------------------------------------------------------------

    def left_line(self, row: str) -> str:
        shape = self.left.shape
        group = "group_at" if self.groups != 1 else "0"
        coordinates = [group, row, *(["0"] * (self.rank + 1))]
        strides = contiguous(shape)
        kept = tuple(s if c != "0" else ZERO for s, c in zip(strides, coordinates, strict=True))
        return index_text(
            self.scope,
            coordinates,
            shape,
            ["groups", "out_channels", *self._names("taps"), "pitch"],
            kept,
            ZERO,
        )

    def _names(self, what: str) -> list[str]:
        return [f"{axis}_{what}" for axis in AXES[self.rank]]

    def _decode(self, column: str) -> list[str]:
        """Declares the coordinates of a place: its image, and where it is along each axis (of its phase)."""
        lines, rest = self.lines, column
        for axis in reversed(range(self.rank)):
            lines.add(f"const int64_t {self.axes[axis]} = {rest} % {self.phase_extents[axis]};")
            rest = f"{rest} / {self.phase_extents[axis]}"
        lines.add(f"const int64_t image = {rest};")
        return ["image", *self.axes]

    def right_line(self, column: str) -> str:
        _, *at = self._decode(column)
        shape = self.right.shape
        before = [b for b, _ in borders(self.node)]
        places = []
        for d, name in enumerate(at):
            if not self.phased:
                places.append(name if self.stride[d] == 1 else f"{name} * {self.stride[d]}")
                continue
            shift = self.scope.size(before[d], "border")
            first = self.first_at[d]
            places.append(f"({name} + {shift}{f' + {first}' if first != '0' else ''})")
        group = "group_at" if self.groups != 1 else "0"
        coordinates = ["image", group, *places, "0"]
        strides = contiguous(shape)
        kept = tuple(ZERO if c == "0" else s for s, c in zip(strides, coordinates, strict=True))
        return index_text(
            self.scope, coordinates, shape, ["images", "groups", *self._names("extent"), "pitch"], kept, ZERO
        )

    # ---- the walk along the depth ------------------------------------------------------------------------------------------

    def before_tiles(self) -> None:
        lines = self.lines
        lines.add(f"const int channel_chunks = static_cast<int>({self.chunks});")
        if self.phased:
            return
        self.tap_counts = [self.scope.fresh(f"{axis}_count") for axis in AXES[self.rank]]
        for name, count in zip(self.tap_counts, self.tap_names, strict=True):
            lines.add(f"const int {name} = static_cast<int>({count});")

    def start_walk(self) -> None:
        lines = self.lines
        if self.tile.split == 1:
            self.before_tiles()
        self._steps()
        self._table()
        lines.add(
            "// The thread's chunk of the tile: its tap, and its place among the chunks of the channels."
        )
        lines.add(f"const int depth_chunk = {self.first_tile('TILE_CHUNKS')}chunk / PARTS;")
        lines.add("const int channel_of_chunk = chunk % PARTS * 8;")
        lines.add("int tap = depth_chunk / channel_chunks, own_chunk = depth_chunk % channel_chunks;")
        left = "0" if self.phased else "depth_chunk * PARTS * 8 + channel_of_chunk"
        lines.add(f"int64_t left_walk = {left}, right_walk = 0;")
        lines.add("bool inside;")
        lines.open("const auto find_tap = [&]")
        lines.add("inside = tap < tap_count;")
        lines.open("if (inside)")
        if self.phased:
            lines.add("left_walk = right_walk = own_chunk * PARTS * 8 + channel_of_chunk;")
        else:
            lines.add("right_walk = own_chunk * PARTS * 8 + channel_of_chunk;")
        for side in self._sides():
            lines.add(f"{side}_walk += tap < TAPS ? {side}_of_tap[tap] : find_{side}(tap);")
        lines.close()
        lines.close("};")
        lines.add("find_tap();")

    def _sides(self) -> tuple[str, ...]:
        """The factors in which taps do not simply follow each other."""
        return ("left", "right") if self.phased else ("right",)

    def _table(self) -> None:
        """Declares how far each tap is from where the lines begin: found once a block, as far as the table reaches."""
        lines = self.lines
        taps = prod(e.value for e in self.left.shape[2:-1])
        size = next((n for n in (32, 64, 128, 256) if n >= taps), 512)
        lines.add(
            "// How far each tap is from where the lines begin; those beyond the table are found every time."
        )
        lines.add(f"constexpr int TAPS = {size};")
        lines.add(f"const int tap_count = {' * '.join(self.tap_counts)};")
        for side in self._sides():
            lines.open(f"const auto find_{side} = [&](int number) -> int64_t")
            rest = "number"
            for axis in reversed(range(self.rank)):
                part = f"{rest} % {self.tap_counts[axis]}" if axis else rest
                lines.add(f"const int {self.taps[axis]} = {part};")
                rest = f"{rest} / {self.tap_counts[axis]}"
            steps = self.left_steps if side == "left" else self.right_steps
            terms = [f"{tap} * {step}" for tap, step in zip(self.taps, steps, strict=True)]
            lines.add(f"return {' + '.join(terms)}{self.left_base if side == 'left' else ''};")
            lines.close("};")
            lines.add(f"__shared__ int64_t {side}_of_tap[TAPS];")
        lines.open("for (int i = threadIdx.x; i < TAPS && i < tap_count; i += THREADS)")
        for side in self._sides():
            lines.add(f"{side}_of_tap[i] = find_{side}(i);")
        lines.close()
        lines.add("__syncthreads();")

    def _steps(self) -> None:
        """Declares how far the next tap along each axis is from the one before."""
        scope = self.scope
        pitch = scope.size(self.left.shape[-1], "pitch")
        self.left_steps, self.right_steps = [], []
        base = ""
        for axis, name in enumerate(AXES[self.rank]):
            right = " * ".join(
                [scope.size(self.right.shape[2 + a], "extent") for a in range(axis + 1, self.rank)] + [pitch]
            )
            self.right_steps.append(self._named(f"{name}_step", right, self.reach[axis]))
            if self.phased:
                left = " * ".join([self.tap_names[a] for a in range(axis + 1, self.rank)] + [pitch])
                self.left_steps.append(self._named(f"{name}_tap_step", left, self.tap_step[axis]))
                if self.first_tap[axis] != "0":
                    base += f" + {self.first_tap[axis]} * {left}"
        self.left_base = base

    def _named(self, wanted: str, text: str, factor: int) -> str:
        name = self.scope.fresh(wanted)
        self.lines.add(f"const int64_t {name} = {text if factor == 1 else f'{text} * {factor}'};")
        return name

    def go_on(self) -> None:
        lines = self.lines
        lines.add("own_chunk += TILE_CHUNKS;")
        lines.open("while (own_chunk >= channel_chunks)")
        lines.add("own_chunk -= channel_chunks;")
        lines.add("++tap;")
        lines.close()
        if not self.phased:
            lines.add("left_walk += LINE_CHUNKS * 8;")
        lines.add("find_tap();")

    def tiles(self) -> str:
        return f"({' * '.join(self.tap_counts)} * channel_chunks + TILE_CHUNKS - 1) / TILE_CHUNKS"

    # ---- the result -----------------------------------------------------------------------------------------------------------

    def column_coordinates(self, column: str) -> Sequence[str]:
        image, *at = self._decode(column)
        if self.strided:
            at = [
                f"({n} * {s} + {p})" if s != 1 else n
                for n, s, p in zip(at, self.stride, self.phase_names, strict=True)
            ]
        return [image, *at]

    def coordinates(self, row: str, column: Sequence[str]) -> list[str]:
        image, *at = column
        channel = f"(group_at * {self.rows} + {row})" if self.groups != 1 else row
        return [image, channel, *at]

    def names(self) -> list[str]:
        return ["images", "channels", *(f"out_{axis}s" for axis in AXES[self.rank])]

    def left_index(self, row: str) -> list[str]:
        return ["group_at" if self.groups != 1 else "0", row]

    def right_index(self, column: Sequence[str]) -> list[str]:
        return [column[0]]

    def grid(self) -> tuple[Blocks, ...]:
        shape = self.node.shape
        channels = shape[1].over(self.groups) or shape[1]
        if self.strided:
            places = [((e + (s - 1)).floor_divided(s)) for e, s in zip(shape[2:], self.stride, strict=True)]
            count: Size = shape[0] * product(places)
        else:
            count = shape[0] * product(shape[2:])
        factors = [Blocks(channels, self.tile.rows), Blocks(count, self.tile.columns)]
        if self.strided:
            factors.append(Blocks(Size.of(self._phases())))
        return self.with_parts((Tiles(factors), Blocks(Size.of(self.groups))))
