"""Convolutions and transposed convolutions in one to three dimensions, with whatever follows pointwise as the epilogue.

Direct: every thread computes one place of the output for a few channels, so that each element of the input that it reads is
used for all of them, while the weights are the same for neighbouring threads.
"""

from typing import Any

from kernelwright_memory.generators.templates.emit import (
    Blocks,
    KernelText,
    Lines,
    Scope,
    Writer,
    bare,
    index_text,
)
from kernelwright_memory.generators.templates.graph import ZERO, Load
from kernelwright_memory.generators.templates.operators import CPP_TYPES, computation_type, converted
from kernelwright_memory.generators.templates.schedule import Step
from kernelwright_memory.generators.templates.size import Size, contiguous, product

_AXES = {1: ["column"], 2: ["line", "column"], 3: ["plane", "line", "column"]}


def variants(step: Step) -> list[dict[str, Any]]:
    """The parameter space: threads a block and output channels a thread."""
    per_group = step.nodes[0].shape[1].over(step.nodes[0].attributes["groups"])
    at_most = per_group.value if per_group is not None else 1
    counts = [c for c in (4, 8, 16, 2, 1) if c == 1 or c <= at_most]
    space = [{"block": 256, "channels": count} for count in counts]
    space += [{"block": 128, "channels": count} for count in counts if count > 1]
    space += [{"block": 128, "channels": 1}]
    return space


def emit(step: Step, parameters: dict[str, Any], prefix: str, scalars: dict[float, str]) -> KernelText:
    return _Convolution(step, parameters, prefix, scalars).emit()


class _Convolution:
    def __init__(
        self, step: Step, parameters: dict[str, Any], prefix: str, scalars: dict[float, str]
    ) -> None:
        self.step, self.prefix = step, prefix
        self.node = step.nodes[0]
        self.scope, self.lines = Scope(prefix, scalars), Lines()
        self.block, self.count = parameters["block"], parameters["channels"]
        self.value, self.weight = step.inputs[0]
        self.rank = len(self.node.shape) - 2
        self.kind = computation_type(self.node.dtype)
        self.transposed: bool = self.node.attributes["transposed"]
        self.groups: int = self.node.attributes["groups"]

    def emit(self) -> KernelText:
        scope, lines, node = self.scope, self.lines, self.node
        axes = _AXES[self.rank]
        for name in (
            "batch",
            "group",
            "channel",
            "c",
            "k",
            "rest",
            *axes,
            *(f"k_{a}" for a in axes),
            *(f"in_{a}" for a in axes),
        ):
            scope.fresh(name)
        channels_per_group = node.shape[1].over(self.groups) or node.shape[1]
        in_per_group = self.value.shape[1].over(self.groups) or self.value.shape[1]
        space = product(node.shape[2:])
        scope.buffer(self._load(self.value).buffer)
        scope.buffer(self._load(self.weight).buffer)
        self.out_channels = scope.size(channels_per_group, "out_channels")
        self.in_channels = scope.size(in_per_group, "in_channels")
        places = scope.size(node.shape[0] * space, "places")
        extents = [scope.size(e, f"out_{a}s") for e, a in zip(node.shape[2:], axes, strict=True)]
        lines.add("const int64_t place = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;")
        lines.open(f"if (place >= {places})")
        lines.add("return;")
        lines.close()
        rest = "place"
        for axis, extent in zip(reversed(axes), reversed(extents), strict=True):
            lines.add(f"const int64_t {axis} = {rest} % {extent};")
            rest = f"{rest} / {extent}"
        lines.add(f"const int64_t batch = {rest};")
        self._channels(channels_per_group)
        self._sum(axes)
        self._store(axes)
        across: tuple[Blocks, ...] = (
            Blocks(node.shape[0] * space, self.block),
            Blocks(channels_per_group, self.count),
        )
        if self.groups != 1:
            across = (*across, Blocks(Size.of(self.groups)))
        comment = f"{self.count} output channel{'s' if self.count > 1 else ''} of one place a thread."
        return KernelText(
            self.prefix,
            scope.arguments,
            str(self.block),
            lines.text,
            scope.functions,
            across,
            (self.block,),
            comment=comment,
        )

    def _load(self, value: Any) -> Load:
        load = value.expression
        assert isinstance(load, Load)
        return load

    def _channels(self, per_group: Size) -> None:
        lines = self.lines
        lines.add(f"constexpr int CHANNELS = {self.count};")
        lines.add("const int64_t first = int64_t(blockIdx.y) * CHANNELS;")
        self.first_in = self.first_out = ""
        if self.groups != 1:
            lines.add("const int64_t group = blockIdx.z;")
            self.first_in = f"group * {self.in_channels} + "
            self.first_out = f"group * {self.out_channels} + "
        lines.add(f"{self.kind} sum[CHANNELS] = {{}};")

    def _sum(self, axes: list[str]) -> None:
        lines, scope, attributes = self.lines, self.scope, self.node.attributes
        lines.open(f"for (int64_t c = 0; c < {self.in_channels}; ++c)")
        for d, axis in enumerate(axes):
            taps = scope.size(self.weight.shape[2 + d], f"taps_{axis}")
            extent = scope.size(self.value.shape[2 + d], f"{axis}s")
            stride, padding, dilation = (attributes[n][d] for n in ("stride", "padding", "dilation"))
            lines.open(f"for (int64_t k_{axis} = 0; k_{axis} < {taps}; ++k_{axis})")
            tap = f"k_{axis}" if dilation == 1 else f"k_{axis} * {dilation}"
            if self.transposed:
                reach = f"{axis} - {tap}" if padding == 0 else f"{axis} + {padding} - {tap}"
                if stride == 1:
                    lines.add(f"const int64_t in_{axis} = {reach};")
                    skip = f"in_{axis} < 0 || in_{axis} >= {extent}"
                else:
                    lines.add(f"const int64_t reach_{axis} = {reach};")
                    lines.add(f"const int64_t in_{axis} = reach_{axis} / {stride};")
                    skip = f"reach_{axis} < 0 || reach_{axis} % {stride} != 0 || in_{axis} >= {extent}"
            else:
                place = axis if stride == 1 else f"{axis} * {stride}"
                lines.add(f"const int64_t in_{axis} = {place} + {tap}{f' - {padding}' if padding else ''};")
                skip = f"in_{axis} < 0 || in_{axis} >= {extent}" if padding else ""
            if skip:
                lines.open(f"if ({skip})")
                lines.add("continue;")
                lines.close()
        coordinates = ["batch", f"({self.first_in}c)" if self.first_in else "c", *(f"in_{a}" for a in axes)]
        load = self._load(self.value)
        index = self._index(coordinates, self.value.shape, [f"{a}s" for a in axes], load.strides, load.offset)
        element = f"{scope.buffer(load.buffer)}[{index}]"
        lines.add(
            f"const {self.kind} element = {converted(element, CPP_TYPES[load.buffer.dtype], self.kind)};"
        )
        lines.add("#pragma unroll")
        lines.open("for (int o = 0; o < CHANNELS; ++o)")
        weight = self._load(self.weight)
        taps_at = [f"k_{a}" for a in axes]
        if self.transposed:
            of_weight = [f"({self.first_in}c)" if self.first_in else "c", "(first + o)", *taps_at]
        else:
            of_weight = [f"({self.first_out}first + o)", "c", *taps_at]
        index = self._index(
            of_weight, self.weight.shape, [f"taps_{a}" for a in axes], weight.strides, weight.offset
        )
        factor = f"{scope.buffer(weight.buffer)}[{index}]"
        product_text = f"element * {converted(factor, CPP_TYPES[weight.buffer.dtype], self.kind)}"
        if self.count == 1:
            lines.add(f"sum[o] += {product_text};")
        else:
            lines.open(f"if (first + o < {self.out_channels})")
            lines.add(f"sum[o] += {product_text};")
            lines.close()
        lines.close()
        for _ in axes:
            lines.close()
        lines.close()

    def _index(
        self,
        coordinates: list[str],
        shape: tuple[Size, ...],
        names: list[str],
        strides: tuple[Size, ...],
        offset: Size,
    ) -> str:
        return index_text(self.scope, coordinates, shape, ["batches", "channels", *names], strides, offset)

    def _store(self, axes: list[str]) -> None:
        lines, scope, step = self.lines, self.scope, self.step
        if self.count > 1:
            lines.add("#pragma unroll")
        lines.open("for (int o = 0; o < CHANNELS; ++o)")
        if self.count > 1:
            lines.open(f"if (first + o < {self.out_channels})")
        lines.add(f"const int64_t channel = {self.first_out}first + o;")
        coordinates = ["batch", "channel", *axes]
        names = [f"out_{a}s" for a in axes]

        def index(strides: tuple[Size, ...], offset: Size) -> str:
            return self._index(coordinates, step.value.shape, names, strides, offset)

        writer = Writer(scope, lines, index, {step.nodes[0]: ("sum[o]", self.kind)})
        result = writer.write(step.value.expression, CPP_TYPES[step.target.dtype])
        place = index(contiguous(step.value.shape), ZERO)
        lines.add(f"{scope.buffer(step.target, written=True)}[{place}] = {bare(result)};")
        if self.count > 1:
            lines.close()
        lines.close()
