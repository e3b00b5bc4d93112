"""Convolutions and transposed convolutions in one to three dimensions, with whatever follows pointwise as the epilogue.

Direct: every thread computes one place of the output for a few channels, so that each element of the input that it reads is
used for all of them, while the weights are the same for neighbouring threads. Packed: a launch before writes the weights of
neighbouring output channels side by side, so that a thread loads four of them at once.
"""

from typing import Any

from kernelwright_memory.generators.templates.cuda.emit import (
    Blocks,
    KernelText,
    Lines,
    Scope,
    Writer,
    bare,
    index_text,
)
from kernelwright_memory.generators.templates.graph.graph import (
    ONE,
    ZERO,
    Apply,
    Buffer,
    Constant,
    Extent,
    Load,
    Position,
    Value,
    permute,
    reshape,
)
from kernelwright_memory.generators.templates.graph.operators import (
    CPP_TYPES,
    computation_type,
    converted,
    literal,
)
from kernelwright_memory.generators.templates.graph.schedule import Schedule, Step
from kernelwright_memory.generators.templates.graph.size import Size, contiguous, product

_AXES = {1: ["column"], 2: ["line", "column"], 3: ["plane", "line", "column"]}


_PACKED = "packed"
_LANES = 4


def variants(step: Step) -> list[dict[str, Any]]:
    """The parameter space: threads a block, output channels and places a thread, and whether the weights are packed."""
    node = step.nodes[0]
    per_group = node.shape[1].over(node.attributes["groups"])
    at_most = per_group.value if per_group is not None else 1
    # Of a strided transposed convolution, neighbouring places use different taps: one place skips the others.
    strided = node.attributes["transposed"] and any(s != 1 for s in node.attributes["stride"])
    patches = (
        [(4, 1), (8, 1), (1, 1), (16, 1)]
        if strided
        else [(8, 4), (4, 4), (8, 2), (4, 1), (16, 2), (1, 4), (1, 1)]
    )
    packed_patches = (
        [(16, 1), (8, 1), (32, 1)] if strided else [(16, 4), (8, 4), (8, 8), (16, 2), (8, 2), (16, 1)]
    )
    fitting = [(c, p) for c, p in patches if c <= at_most or c == 1]
    plain = [{"block": block, "channels": c, "places": p} for block in (256, 128) for c, p in fitting]
    if not _packable(step):
        return plain
    packed = [
        {"block": block, "channels": c, "places": p, _PACKED: True}
        for block in (256, 128)
        for c, p in packed_patches
        if c <= at_most
    ]
    return [*packed, *plain]


def _packable(step: Step) -> bool:
    weight = _load(step.inputs[0][1])
    return CPP_TYPES[weight.buffer.dtype] == "float" and not weight.gathered


def _is_packed(step: Step) -> bool:
    return _load(step.inputs[0][1]).buffer.name.startswith(_PACKED)


def pack(planned: Schedule, step: Step, parameters: dict[str, Any]) -> tuple[Schedule, Step]:
    """The schedule with a launch before a convolution that writes its weights as [group][in][taps][out], out rounded up to
    the channels of a thread and filled with zeros; and the convolution that reads them there.
    """
    value, weight = step.inputs[0]
    attributes, rank = step.nodes[0].attributes, len(weight.shape) - 2
    groups, per_thread = attributes["groups"], parameters["channels"]
    first = weight.shape[0].over(groups)
    view = None
    if first is not None:
        view = reshape(weight, (Size.of(groups), first, *weight.shape[1:]))
    if view is None:
        return planned, step
    source, out = (1, 2) if attributes["transposed"] else (2, 1)
    taps = list(range(3, 3 + rank))
    view = permute(view, [0, source, *taps, out])
    channels = view.shape[-1]
    rounded = (channels + (per_thread - 1)).floor_divided(per_thread) * per_thread
    shape = (*view.shape[:-1], rounded)
    dtype = view.expression.dtype
    last = Position("int64", (*(ZERO for _ in shape[:-1]), ONE), ZERO)
    inside = Apply("bool", "lt", (last, Extent("int64", channels)))
    filled = Apply(dtype, "where", (inside, view.expression, Constant(dtype, 0)), guarded=True)
    buffer = Buffer(f"{_PACKED}{len(planned.temporaries)}", _load(weight).buffer.dtype, shape)
    before = Step("elementwise", Value(shape, filled), buffer)
    packed = Value(shape, Load(dtype, buffer, contiguous(shape)))
    after = Step(step.kind, step.value, step.target, step.nodes, ((value, packed),))
    steps = tuple(s for own in planned.steps for s in ((before, after) if own is step else (own,)))
    return Schedule(steps, (*planned.temporaries, buffer), planned.outputs), after


def emit(step: Step, parameters: dict[str, Any], prefix: str, scalars: dict[float, str]) -> KernelText:
    return _Convolution(step, parameters, prefix, scalars).emit()


class _Convolution:
    def __init__(
        self, step: Step, parameters: dict[str, Any], prefix: str, scalars: dict[float, str]
    ) -> None:
        self.step, self.prefix = step, prefix
        self.node = step.nodes[0]
        self.scope, self.lines = Scope(prefix, scalars), Lines()
        self.block, self.count, self.places = (
            parameters["block"],
            parameters["channels"],
            parameters["places"],
        )
        self.value, self.weight = step.inputs[0]
        self.rank = len(self.node.shape) - 2
        self.axes = _AXES[self.rank]
        self.kind = computation_type(self.node.dtype)
        self.transposed: bool = self.node.attributes["transposed"]
        self.groups: int | Size = self.node.attributes["groups"]
        self.packed = _is_packed(step)

    def emit(self) -> KernelText:
        scope, lines, node, axes = self.scope, self.lines, self.node, self.axes
        taken = ("batch", "group", "channel", "c", "o", "p", "place", "factor", "element")
        for name in (
            *taken,
            *axes,
            "factors",
            *(f"{what}_{a}" for a in axes for what in ("k", "in", "inside", "reach")),
        ):
            scope.fresh(name)
        channels_per_group = node.shape[1].over(self.groups) or node.shape[1]
        in_per_group = self.value.shape[1].over(self.groups) or self.value.shape[1]
        all_places = node.shape[0] * product(node.shape[2:])
        scope.buffer(_load(self.value).buffer)
        scope.buffer(_load(self.weight).buffer)
        self.out_channels = scope.size(channels_per_group, "out_channels")
        self.in_channels = scope.size(in_per_group, "in_channels")
        self.all_places = scope.size(all_places, "places")
        lines.add(f"constexpr int CHANNELS = {self.count}, PLACES = {self.places}, THREADS = {self.block};")
        lines.add("const int64_t first = int64_t(blockIdx.y) * CHANNELS;")
        lines.add("const int64_t first_place = int64_t(blockIdx.x) * (THREADS * PLACES) + threadIdx.x;")
        self.first_in = self.first_out = ""
        if self.groups != 1:
            lines.add("const int64_t group = blockIdx.z;")
            self.first_in = f"group * {self.in_channels} + "
            self.first_out = f"group * {self.out_channels} + "
        self._decode_places()
        lines.add(f"{self.kind} sum[CHANNELS][PLACES] = {{}};")
        self._sum()
        self._store()
        grid: tuple[Blocks, ...] = (
            Blocks(all_places, self.block * self.places),
            Blocks(channels_per_group, self.count),
        )
        if self.groups != 1:
            grid = (*grid, Blocks(Size.of(self.groups)))
        comment = (
            f"{_counted(self.count, 'output channel')} of {_counted(self.places, 'place')} a thread: "
            "an element serves all its channels, a weight all its places."
        )
        if self.packed:
            comment = f"{comment.rstrip('.')}; weights of neighbouring channels lie side by side."
        return KernelText(
            self.prefix,
            scope.arguments,
            str(self.block),
            lines.text,
            scope.functions,
            grid,
            (self.block,),
            comment=comment,
        )

    def _decode_places(self) -> None:
        """Coordinates of the thread's places. Beyond the last one the last one is computed again and not stored."""
        lines, axes = self.lines, self.axes
        lines.add(f"int64_t {', '.join(f'{a}[PLACES]' for a in ('batch', *axes))};")
        self._each_place()
        lines.add("const int64_t own = first_place + p * THREADS;")
        lines.add(f"const int64_t place = own < {self.all_places} ? own : {self.all_places} - 1;")
        rest = "place"
        for axis, extent in zip(reversed(axes), reversed(self.node.shape[2:]), strict=True):
            name = self.scope.size(extent, f"out_{axis}s")
            lines.add(f"{axis}[p] = {rest} % {name};")
            rest = f"{rest} / {name}"
        lines.add(f"batch[p] = {rest};")
        lines.close()

    def _each_place(self) -> None:
        self.lines.add("#pragma unroll")
        self.lines.open("for (int p = 0; p < PLACES; ++p)")

    def _sum(self) -> None:
        lines, scope, axes = self.lines, self.scope, self.axes
        lines.open(f"for (int64_t c = 0; c < {self.in_channels}; ++c)")
        guard = ""
        for d, axis in enumerate(axes):
            taps = scope.size(self.weight.shape[2 + d], f"taps_{axis}")
            lines.open(f"for (int64_t k_{axis} = 0; k_{axis} < {taps}; ++k_{axis})")
            if d < self.rank - 1:
                guard = self._outer_axis(d, axis, guard)
        self._elements(axes[-1], guard)
        self._multiply()
        for _ in axes:
            lines.close()
        lines.close()

    def _outer_axis(self, d: int, axis: str, guard: str) -> str:
        """The input's coordinate along all axes but the last, once for all taps along the last."""
        lines = self.lines
        lines.add(f"int64_t in_{axis}[PLACES];")
        condition = self._condition(d, axis)
        if condition or guard:
            lines.add(f"bool inside_{axis}[PLACES];")
        self._each_place()
        self._coordinate(d, axis, f"in_{axis}[p] = ")
        conditions = [c for c in (guard, condition.replace(f"in_{axis} ", f"in_{axis}[p] ")) if c]
        if conditions:
            lines.add(f"inside_{axis}[p] = {' && '.join(conditions)};")
        lines.close()
        if not conditions:
            return ""
        self._skip(f"inside_{axis}[0]")
        return f"inside_{axis}[p]"

    def _skip(self, condition: str) -> None:
        """A single place has nothing to do where its tap lies outside."""
        if self.places == 1:
            self.lines.open(f"if (!{condition})")
            self.lines.add("continue;")
            self.lines.close()

    def _coordinate(self, d: int, axis: str, target: str) -> None:
        """Where tap k of a place reads, or for a transposed convolution which element reaches the place by it."""
        attributes = self.node.attributes
        stride, padding, dilation = (attributes[n][d] for n in ("stride", "padding", "dilation"))
        tap = f"k_{axis}" if dilation == 1 else f"k_{axis} * {dilation}"
        if not self.transposed:
            place = f"{axis}[p]" if stride == 1 else f"{axis}[p] * {stride}"
            self.lines.add(f"{target}{place} + {tap}{f' - {padding}' if padding else ''};")
            return
        reach = f"{axis}[p]{f' + {padding}' if padding else ''} - {tap}"
        if stride == 1:
            self.lines.add(f"{target}{reach};")
        else:
            self.lines.add(f"const int64_t reach_{axis} = {reach};")
            self.lines.add(f"{target}reach_{axis} / {stride};")

    def _condition(self, d: int, axis: str) -> str:
        """When the coordinate lies inside of the input; nothing where it always does."""
        stride, padding = (self.node.attributes[n][d] for n in ("stride", "padding"))
        extent = self.scope.size(self.value.shape[2 + d], f"{axis}s")
        if self.transposed and stride != 1:
            return f"reach_{axis} >= 0 && reach_{axis} % {stride} == 0 && in_{axis} < {extent}"
        return f"in_{axis} >= 0 && in_{axis} < {extent}" if padding or self.transposed else ""

    def _elements(self, axis: str, guard: str) -> None:
        lines = self.lines
        lines.add(f"{self.kind} element[PLACES];")
        condition = self._condition(self.rank - 1, axis)
        self._each_place()
        self._coordinate(self.rank - 1, axis, f"const int64_t in_{axis} = ")
        channel = f"({self.first_in}c)" if self.first_in else "c"
        coordinates = ["batch[p]", channel, *(f"in_{a}[p]" for a in self.axes[:-1]), f"in_{axis}"]
        load = _load(self.value)
        index = self._index(
            coordinates, self.value.shape, [f"{a}s" for a in self.axes], load.strides, load.offset
        )
        pointer = self.scope.buffer(load.buffer)
        element = converted(f"{pointer}[{index}]", CPP_TYPES[load.buffer.dtype], self.kind)
        conditions = [c for c in (guard, condition) if c]
        if conditions:
            lines.add(f"const bool inside = {' && '.join(conditions)};")
            element = f"inside ? {element} : {literal(0, self.kind)}"
        lines.add(f"element[p] = {element};")
        lines.close()

    def _multiply_packed(self) -> None:
        """Beyond the last channel there are zeros, so nothing is asked."""
        lines, weight = self.lines, _load(self.weight)
        coordinates = ["group" if self.groups != 1 else "0", "c", *(f"k_{a}" for a in self.axes), "first"]
        names = ["groups", "channels", *(f"taps_{a}" for a in self.axes), "padded_channels"]
        index = index_text(
            self.scope, coordinates, self.weight.shape, names, contiguous(self.weight.shape), ZERO
        )
        pointer = self.scope.buffer(weight.buffer)
        lines.add(f"const float4* factors = reinterpret_cast<const float4*>(&{pointer}[{index}]);")
        lines.add("#pragma unroll")
        lines.open(f"for (int o = 0; o < CHANNELS; o += {_LANES})")
        lines.add(f"const float4 factor = factors[o / {_LANES}];")
        self._each_place()
        for lane, part in enumerate("xyzw"):
            lines.add(f"sum[o{f' + {lane}' if lane else ''}][p] += element[p] * factor.{part};")
        lines.close()
        lines.close()

    def _multiply(self) -> None:
        if self.packed:
            self._multiply_packed()
            return
        lines = self.lines
        lines.add("#pragma unroll")
        lines.open("for (int o = 0; o < CHANNELS; ++o)")
        self._open_channel_guard()
        weight = _load(self.weight)
        taps = [f"k_{a}" for a in self.axes]
        if self.transposed:
            coordinates = [f"({self.first_in}c)" if self.first_in else "c", "(first + o)", *taps]
        else:
            coordinates = [f"({self.first_out}first + o)", "c", *taps]
        index = self._index(
            coordinates, self.weight.shape, [f"taps_{a}" for a in self.axes], weight.strides, weight.offset
        )
        pointer = self.scope.buffer(weight.buffer)
        factor = converted(f"{pointer}[{index}]", CPP_TYPES[weight.buffer.dtype], self.kind)
        lines.add(f"const {self.kind} factor = {factor};")
        self._each_place()
        lines.add("sum[o][p] += element[p] * factor;")
        lines.close()
        self._close_channel_guard()
        lines.close()

    def _open_channel_guard(self) -> None:
        if self.count > 1:
            self.lines.open(f"if (first + o < {self.out_channels})")

    def _close_channel_guard(self) -> None:
        if self.count > 1:
            self.lines.close()

    def _index(
        self,
        coordinates: list[str],
        shape: tuple[Size, ...],
        names: list[str],
        strides: tuple[Size, ...],
        offset: Size,
    ) -> str:
        return index_text(self.scope, coordinates, shape, ["batches", "channels", *names], strides, offset)

    def _store(self) -> None:
        lines, scope, step = self.lines, self.scope, self.step
        lines.add("#pragma unroll")
        lines.open("for (int o = 0; o < CHANNELS; ++o)")
        self._open_channel_guard()
        lines.add(f"const int64_t channel = {self.first_out}first + o;")
        self._each_place()
        lines.open(f"if (first_place + p * THREADS < {self.all_places})")
        coordinates = ["batch[p]", "channel", *(f"{a}[p]" for a in self.axes)]
        names = [f"out_{a}s" for a in self.axes]

        def index(strides: tuple[Size, ...], offset: Size) -> str:
            return self._index(coordinates, step.value.shape, names, strides, offset)

        writer = Writer(scope, lines, index, {step.nodes[0]: ("sum[o][p]", self.kind)})
        result = writer.write(step.value.expression, CPP_TYPES[step.target.dtype])
        place = index(contiguous(step.value.shape), ZERO)
        lines.add(f"{scope.buffer(step.target, written=True)}[{place}] = {bare(result)};")
        lines.close()
        lines.close()
        self._close_channel_guard()
        lines.close()


def _load(value: Value) -> Load:
    """Factors of a convolution lie in memory."""
    assert isinstance(value.expression, Load)
    return value.expression


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' if count > 1 else ''}"
