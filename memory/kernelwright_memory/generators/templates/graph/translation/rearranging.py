"""Operators that move elements: padding, joining, splitting, repeating, gathering, and resampling by whole factors."""

from kernelwright_memory.generators.templates.graph.graph import (
    ZERO,
    Apply,
    Constant,
    Expression,
    Extent,
    Load,
    Position,
    Unsupported,
    Value,
    expand,
    permute,
    sliced,
    squeeze,
    unsqueeze,
)
from kernelwright_memory.generators.templates.graph.size import Size, product
from kernelwright_memory.generators.templates.graph.translation.builder import (
    Builder,
    Call,
    Result,
    Translation,
)
from kernelwright_memory.generators.templates.graph.translation.pointwise import apply
from kernelwright_memory.generators.templates.graph.translation.reductions import reduced
from kernelwright_memory.generators.templates.graph.translation.views import concatenated, reshaped, stored


def _along(shape: tuple[Size, ...], axis: int) -> Position:
    """The coordinate along an axis."""
    return Position("int64", tuple(Size.of(int(a == axis)) for a in range(len(shape))), ZERO)


def _padded(builder: Builder, call: Call) -> Result:
    value, fill = call.input(0), Constant(call.dtype, call.get("value", 0))
    pads = [int(p) for p in call.attributes["pad"]]
    for number in range(len(pads) // 2):
        axis = len(value.shape) - 1 - number
        before, after = pads[2 * number], pads[2 * number + 1]
        if not before and not after:
            continue
        extent = value.shape[axis]
        moved = sliced(value, axis, Size.of(-before), extent + (before + after), 1)
        place, result = _along(moved.shape, axis), moved.expression
        if after > 0:
            inside = Apply("bool", "lt", (place, Extent("int64", extent + before)))
            result = Apply(call.dtype, "where", (inside, result, fill), guarded=True)
        if before > 0:
            inside = Apply("bool", "ge", (place, Constant("int64", before)))
            result = Apply(call.dtype, "where", (inside, result, fill), guarded=True)
        value = Value(moved.shape, result)
    return [value]


def _stack(builder: Builder, call: Call) -> Result:
    values = call.inputs()
    axis = call.get("dim", 0) % (len(values[0].shape) + 1)
    return [stacked(values, axis, call.dtype)]


def stacked(values: list[Value], axis: int, dtype: str) -> Value:
    """The values one after the other along an axis of their own."""
    return concatenated([unsqueeze(v, axis) for v in values], axis, dtype)


def _split(builder: Builder, call: Call) -> Result:
    """split, split_with_sizes and unbind. Equal parts are taken for a share of the axis, others for constants of the model."""
    value = call.input(0)
    axis = call.get("dim", 0) % len(value.shape)
    extent, count = value.shape[axis], len(call.output_names)
    if call.name == "unbind":
        return [squeeze(sliced(value, axis, Size.of(n), Size.of(1), 1), [axis]) for n in range(count)]
    numbers = [builder.shape_of(name)[axis] for name in call.output_names]
    elsewhere = [s[axis] if (s := builder.counts.shape(name)) else None for name in call.output_names]
    share = extent.over(count) if len(set(numbers)) == 1 and len(set(elsewhere)) == 1 else None
    parts, start = [], ZERO
    for place, number in enumerate(numbers):
        if share is not None:
            length = share
        elif place == count - 1:
            length = extent - start
        else:
            length = builder.named(number, elsewhere[place], builder.sizes(), f"a part of '{call.name}'")
        parts.append(sliced(value, axis, start, length, 1))
        start = start + length
    return list(parts)


def _repeat(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    repeats = [int(r) for r in call.attributes["repeats"]]
    while len(value.shape) < len(repeats):
        value = unsqueeze(value, 0)
    shape = tuple(extent * times for extent, times in zip(value.shape, repeats, strict=True))
    for axis in reversed(range(len(repeats))):
        value = unsqueeze(value, axis)
    wide = [Size.of(repeats[a // 2]) if a % 2 == 0 else value.shape[a] for a in range(len(value.shape))]
    return [reshaped(expand(value, tuple(wide)), shape)]


def _roll(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    shifts, axes = call.attributes["shifts"], call.get("dims", [])
    shifts = list(shifts) if isinstance(shifts, list | tuple) else [shifts]
    axes = list(axes) if isinstance(axes, list | tuple) else [axes]
    if not axes:
        raise Unsupported("'roll' of a flattened tensor")
    for shift, axis in zip(shifts, axes, strict=True):
        axis %= len(value.shape)
        extent = value.shape[axis]
        if shift % extent.value == 0:
            continue
        first = Size.of(-shift) if shift < 0 else extent - shift
        ends = [sliced(value, axis, first, extent - first, 1), sliced(value, axis, ZERO, first, 1)]
        value = concatenated(ends, axis, call.dtype)
    return [value]


def _gathered(value: Value, axis: int, index: Value) -> Value:
    """value[..., index, ...] along an axis, for an index of the result's shape."""
    if not (isinstance(value.expression, Load) and value.expression.buffer.node is None):
        value = stored(value)
    load = value.expression
    assert isinstance(load, Load)
    strides = tuple(ZERO if a == axis else s for a, s in enumerate(load.strides))
    places = (*load.gathered, (index.expression, load.strides[axis]))
    return Value(index.shape, Load(load.dtype, load.buffer, strides, load.offset, places))


def _gather(builder: Builder, call: Call) -> Result:
    value, index = call.input(0), call.input(1)
    return [_gathered(value, call.attributes["dim"] % len(value.shape), index)]


def _index_select(builder: Builder, call: Call) -> Result:
    value, index = call.input(0), call.input(1)
    axis = call.attributes["dim"] % len(value.shape)
    shape = tuple(index.shape[0] if a == axis else extent for a, extent in enumerate(value.shape))
    for _ in range(len(shape) - 1 - axis):
        index = unsqueeze(index, len(index.shape))
    return [_gathered(value, axis, expand(index, shape))]


def _index(builder: Builder, call: Call) -> Result:
    """Rows, or what lies along another axis, picked by one tensor of indices."""
    if len(call.input_names) != 2:
        raise Unsupported("'index' by several tensors")
    value, index = call.input(0), call.input(1)
    if index.dtype == "bool":
        raise Unsupported("'index' by a mask, whose result has a size that its values decide")
    wanted = call.output_shape()
    numbers, chosen = tuple(e.value for e in value.shape), tuple(e.value for e in index.shape)
    axes = [a for a in range(len(numbers)) if (*numbers[:a], *chosen, *numbers[a + 1 :]) == wanted]
    if len(axes) != 1:
        raise Unsupported("'index' along an axis that the shapes do not tell")
    (axis,) = axes
    shape = (*value.shape[:axis], *index.shape, *value.shape[axis + 1 :])
    # The axis as many of extent 1 as the index has, so that both have the result's rank.
    for _ in range(len(shape) - axis - len(index.shape)):
        index = unsqueeze(index, len(index.shape))
    if not (isinstance(value.expression, Load) and value.expression.buffer.node is None):
        value = stored(value)
    load = value.expression
    assert isinstance(load, Load)
    zeros = (ZERO,) * len(chosen)
    strides = (*load.strides[:axis], *zeros, *load.strides[axis + 1 :])
    # Indices below zero count from the end.
    place = expand(index, shape).expression
    below = Apply("bool", "lt", (place, Constant(place.dtype, 0)))
    from_end = Apply(place.dtype, "add", (place, Extent(place.dtype, value.shape[axis])))
    place = Apply(place.dtype, "where", (below, from_end, place))
    places = (*load.gathered, (place, load.strides[axis]))
    return [Value(shape, Load(load.dtype, load.buffer, strides, load.offset, places))]


def _glu(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    axis = call.get("dim", -1) % len(value.shape)
    half = value.shape[axis].over(2)
    if half is None:
        raise Unsupported("'glu' of an axis that has no halves")
    gate = apply(builder, "sigmoid", call.dtype, sliced(value, axis, half, half, 1))
    return [apply(builder, "mul", call.dtype, sliced(value, axis, ZERO, half, 1), gate)]


def _upsampled(builder: Builder, call: Call) -> Result:
    """Nearest neighbours, by whole factors."""
    value, wanted = call.input(0), call.output_shape()
    shape: list[Size] = []
    wide: list[Size] = []
    for axis, (extent, number) in enumerate(zip(value.shape, wanted, strict=True)):
        if number % extent.value:
            raise Unsupported(f"'{call.name}' by a factor that is not whole")
        times = number // extent.value
        shape.append(extent * times)
        wide += [extent, Size.of(times)]
        value = unsqueeze(value, 2 * axis + 1)
    return [reshaped(expand(value, tuple(wide)), tuple(shape))]


def _pixel_shuffle(builder: Builder, call: Call) -> Result:
    value, factor = call.input(0), int(call.attributes["upscale_factor"])
    batch, channels, lines, columns = value.shape
    fewer = channels.over(factor * factor)
    if fewer is None:
        raise Unsupported("'pixel_shuffle' of channels that the factor does not divide")
    each = Size.of(factor)
    apart = permute(reshaped(value, (batch, fewer, each, each, lines, columns)), [0, 1, 4, 2, 5, 3])
    return [reshaped(apart, (batch, fewer, lines * factor, columns * factor))]


def _adaptive_pool(builder: Builder, call: Call) -> Result:
    """Adaptive pooling where the windows are all of one size."""
    value = call.input(0)
    sizes = [int(s) for s in call.attributes["output_size"]]
    lead = len(value.shape) - len(sizes)
    shape, axes = list(value.shape[:lead]), []
    for size, extent in zip(sizes, value.shape[lead:], strict=True):
        window = extent.over(size) if extent.value % size == 0 else None
        if window is None:
            raise Unsupported("adaptive pooling by windows of several sizes")
        axes.append(len(shape) + 1)
        shape += [Size.of(size), window]
    apart = reshaped(value, tuple(shape))
    if "max" in call.name:
        return [reduced(builder, "max", apart, axes, False)]
    total = reduced(builder, "sum", apart, axes, False)
    length = Value((), Extent(call.dtype, product(apart.shape[a] for a in axes)))
    return [apply(builder, "div", call.dtype, total, length)]


# ---- piecewise functions of one element ----------------------------------------------------------------------------------


def _piecewise(builder: Builder, call: Call) -> Result:
    value, dtype = call.input(0), call.dtype
    if call.name == "threshold":
        below = apply(builder, "le", "bool", value, call.attributes["threshold"])
        return [apply(builder, "where", dtype, below, call.attributes["value"], value)]
    bound = float(call.get("lambd", 0.5))
    above, below = (
        apply(builder, "gt", "bool", value, bound),
        apply(builder, "lt", "bool", value, -bound),
    )
    high, low = value, value
    if call.name == "softshrink":
        high, low = apply(builder, "sub", dtype, value, bound), apply(builder, "add", dtype, value, bound)
    zero: Expression = Constant(dtype, 0)
    rest = apply(builder, "where", dtype, below, low, Value((), zero))
    return [apply(builder, "where", dtype, above, high, rest)]


TRANSLATIONS: dict[str, Translation] = {
    "constant_pad_nd": _padded, "stack": _stack, "split": _split, "split_with_sizes": _split, "unbind": _split,
    "repeat": _repeat, "roll": _roll, "gather": _gather, "index_select": _index_select, "index": _index, "glu": _glu,
    "upsample_nearest1d": _upsampled, "upsample_nearest2d": _upsampled, "upsample_nearest3d": _upsampled,
    "pixel_shuffle": _pixel_shuffle, "_adaptive_avg_pool2d": _adaptive_pool, "_adaptive_avg_pool3d": _adaptive_pool,
    "adaptive_max_pool2d": _adaptive_pool, "adaptive_max_pool3d": _adaptive_pool,
    "threshold": _piecewise, "hardshrink": _piecewise, "softshrink": _piecewise,
}  # fmt: skip
