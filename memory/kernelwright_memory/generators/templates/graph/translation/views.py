"""Operators that only look at elements in another way: shapes, strides, slices; and values made of nothing."""

from kernelwright_memory.generators.templates.graph.graph import (
    ONE,
    ZERO,
    Apply,
    Constant,
    Expression,
    Extent,
    Load,
    Node,
    Position,
    Unsupported,
    Value,
    expand,
    flip,
    nodes,
    permute,
    reshape,
    restride,
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


def _view_shape(builder: Builder, old: tuple[Size, ...], new: tuple[int, ...]) -> tuple[Size, ...]:
    """The target of a reshape in symbols: merged axes become products; where an axis is split, all parts but the last are
    taken for constants of the model."""
    result: list[Size] = []
    i = j = 0
    while j < len(new):
        if new[j] == 1 and (i == len(old) or old[i].value != 1):
            result.append(ONE)
            j += 1
            continue
        if i == len(old):
            raise Unsupported("a reshape that no template can follow")
        left, i = old[i], i + 1
        if left.value == 1 and new[j] != 1:
            continue
        targets, j = [new[j]], j + 1
        while left.value != _numbers(targets):
            if left.value < _numbers(targets) or j == len(new):
                if i == len(old):
                    raise Unsupported("a reshape that no template can follow")
                left, i = left * old[i], i + 1
            else:
                targets.append(new[j])
                j += 1
        parts = [Size.of(t) for t in targets[:-1]]
        last = left.over(product(parts)) if parts else left
        if last is None:
            raise Unsupported("a reshape that no template can follow")
        result += [*parts, last]
    return tuple(result)


def _numbers(values: list[int]) -> int:
    total = 1
    for value in values:
        total *= value
    return total


def reshaped(value: Value, shape: tuple[Size, ...]) -> Value:
    """A view where strides allow it, else through a temporary copy."""
    view = reshape(value, shape)
    if view is not None:
        return view
    view = reshape(stored(value), shape)
    if view is None:
        raise Unsupported("a reshape that no template can follow")
    return view


def stored(value: Value) -> Value:
    """The value by way of memory: what cannot be computed at an arbitrary place."""
    return Node("copy", "copy", (value,), value.shape, value.dtype).result()


def settled(value: Value) -> Value:
    """What is read in several passes: work behind a node is done once, as its epilogue, and not in each pass."""
    return stored(value) if isinstance(value.expression, Apply) and nodes(value.expression) else value


def _view(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    return [reshaped(value, _view_shape(builder, value.shape, call.output_shape()))]


def _transpose(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    order = list(range(len(value.shape)))
    if call.name == "permute":
        return [permute(value, list(call.attributes["dims"]))]
    if len(order) < 2:
        return [value]
    a, b = (0, 1) if call.name in ("t", "numpy_T") else (call.attributes["dim0"], call.attributes["dim1"])
    order[a], order[b] = order[b], order[a]
    return [permute(value, order)]


def _squeeze(builder: Builder, call: Call) -> Result:
    axes = call.attributes.get("dim")
    wanted = None if axes is None else list(axes) if isinstance(axes, list | tuple) else [int(axes)]
    return [squeeze(call.input(0), wanted)]


def _unsqueeze(builder: Builder, call: Call) -> Result:
    return [unsqueeze(call.input(0), call.attributes["dim"])]


def _expand(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    wanted = call.output_shape()
    missing = len(wanted) - len(value.shape)
    shape = []
    for axis, extent in enumerate(wanted):
        own = value.shape[axis - missing] if axis >= missing else ONE
        if own.value == extent:
            shape.append(own)
        else:
            shape.append(known_extent(builder, extent))
    return [expand(value, tuple(shape))]


def known_extent(builder: Builder, extent: int) -> Size:
    """A repeated extent in symbols: that of an input's axis where exactly that many elements lie along one."""
    if extent == 1:
        return ONE
    for buffer in builder.buffers.values():
        for size in buffer.shape:
            if size.value == extent and size.constant is None:
                return size
    return Size.of(extent)


_CLOSE = 4


def _slice(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    axis = call.get("dim", 0) % len(value.shape)
    extent = value.shape[axis]
    start, end, step = call.get("start", 0), call.get("end", extent.value), call.get("step", 1)
    total = extent.value
    start = min(start + total if start < 0 else start, total)
    end = min(end + total if end < 0 else end, total)
    if step == 1 and start == 0 and end == total:
        return [value]
    # An end close to the axis' own is meant relative to it (x[:-1]), a small one as it stands (x[:4]).
    length = extent - (total - end + start) if total - end <= _CLOSE else Size.of(end - start)
    if step != 1:
        length = (length + (step - 1)).floor_divided(step)
    return [sliced(value, axis, Size.of(start), length, step)]


def _select(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    axis = call.attributes["dim"] % len(value.shape)
    index = call.attributes["index"]
    start = value.shape[axis] + index if index < 0 else Size.of(index)
    return [squeeze(sliced(value, axis, start, ONE, 1), [axis])]


def _flip(builder: Builder, call: Call) -> Result:
    return [flip(call.input(0), list(call.attributes["dims"]))]


def _identity(builder: Builder, call: Call) -> Result:
    return [call.input(0)]


def _diagonal(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    if call.get("offset", 0) or len(value.shape) != 2:
        raise Unsupported("'diagonal' of more than the main diagonal of a matrix")
    extent = value.shape[0] if value.shape[0].value <= value.shape[1].value else value.shape[1]

    def change(strides: tuple[Size, ...]) -> tuple[tuple[Size, ...], Size]:
        return (strides[0] + strides[1],), ZERO

    return [restride(value, (extent,), change)]


def _cat(builder: Builder, call: Call) -> Result:
    values = call.inputs()
    return [concatenated(values, call.get("dim", 0) % len(values[0].shape), call.dtype)]


def concatenated(values: list[Value], axis: int, dtype: str) -> Value:
    """The values one after the other along an axis."""
    total = values[0].shape[axis]
    for value in values[1:]:
        total = total + value.shape[axis]
    shape = tuple(total if a == axis else e for a, e in enumerate(values[0].shape))
    along = tuple(ONE if a == axis else ZERO for a in range(len(shape)))
    start, parts = ZERO, []
    for value in values:
        moved = sliced(Value(shape, value.expression), axis, start * -1, total, 1)
        parts.append((start + value.shape[axis], moved.expression))
        start = start + value.shape[axis]
    result = parts[-1][1]
    for end, expression in reversed(parts[:-1]):
        inside = Apply("bool", "lt", (Position("int64", along, ZERO), Extent("int64", end)))
        result = Apply(dtype, "where", (inside, expression, result), guarded=True)
    return Value(shape, result)


def _triangle(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    rank = len(value.shape)
    strides = tuple(Size.of({rank - 1: 1, rank - 2: -1}.get(a, 0)) for a in range(rank))
    # column - row - diagonal, which is >= 0 on and above the diagonal.
    distance = Position("int64", strides, Size.of(-call.get("diagonal", 0)))
    kept = Apply("bool", "ge" if call.name == "triu" else "le", (distance, Constant("int64", 0)))
    return [Value(value.shape, Apply(call.dtype, "where", (kept, value.expression, Constant(call.dtype, 0))))]


def _arange(builder: Builder, call: Call) -> Result:
    (extent,) = call.output_shape()
    size = known_extent(builder, extent)
    start = call.get("start", 0)
    step = call.get("step", 1)
    if not isinstance(start, int) or not isinstance(step, int):
        raise Unsupported("'arange' with fractions")
    position: Expression = Position("int64", (Size.of(step),), Size.of(start))
    if call.dtype != "int64":
        position = Apply(call.dtype, "convert", (position,))
    return [Value((size,), position)]


def plain(value: Value) -> Value:
    """A load, or what is as cheap; else by way of memory, since a product reads every element many times."""
    return value if isinstance(value.expression, Load) else stored(value)


TRANSLATIONS: dict[str, Translation] = {
    "view": _view,
    "_unsafe_view": _view,
    "reshape": _view,
    "_reshape_alias": _view,
    "flatten": _view,
    "unflatten": _view,
    "transpose": _transpose,
    "t": _transpose,
    "permute": _transpose,
    "numpy_T": _transpose,
    "squeeze": _squeeze,
    "unsqueeze": _unsqueeze,
    "expand": _expand,
    "slice": _slice,
    "select": _select,
    "flip": _flip,
    "diagonal": _diagonal,
    "cat": _cat,
    "triu": _triangle,
    "tril": _triangle,
    "arange": _arange,
    "clone": _identity,
    "contiguous": _identity,
    "detach": _identity,
    "alias": _identity,
    "lift_fresh_copy": _identity,
    "dropout": _identity,
}
