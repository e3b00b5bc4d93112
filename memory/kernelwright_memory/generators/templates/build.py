"""From the operator trace of a task to its graph: every operator by its meaning, views as strides, composites taken apart."""

from collections.abc import Callable
from typing import Any

from kernelwright_memory.generators.templates.graph import (
    ONE,
    ZERO,
    Apply,
    Buffer,
    Constant,
    Expression,
    Extent,
    Load,
    Node,
    Position,
    Unsupported,
    Value,
    count,
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
from kernelwright_memory.generators.templates.operators import FLOATING, PREDICATES
from kernelwright_memory.generators.templates.size import Atom, Size, contiguous, product
from kernelwright_verifier.task import Operator, TaskDescription

Number = int | float | bool


class Graph:
    """The task as values. `inputs` are the tensors that its outputs depend on, in binding order."""

    def __init__(self, description: TaskDescription) -> None:
        self.description = description
        # Extents that the operators force to be equal get one name; each round may find more.
        equal: dict[Atom, Atom] = {}
        while True:
            builder = _Builder(description, equal)
            try:
                outputs = builder.build()
            except Unsupported:
                # A view may only be possible once two extents are known to be one.
                if builder.equal == equal:
                    raise
            if builder.equal == equal:
                break
            equal = builder.equal
        self.buffers: dict[str, Buffer] = builder.buffers
        self.outputs: tuple[Value, ...] = tuple(outputs)
        self.extents: dict[str, tuple[Size, ...]] = {name: b.shape for name, b in builder.buffers.items()}


def tensor_inputs(description: TaskDescription) -> list[tuple[str, str, tuple[int, ...], bool]]:
    """(name, dtype, shape, contiguous) of every tensor that can be bound, in the order of the default binding."""
    specs = [a.tensor for a in description.forward if a.tensor is not None]
    specs += [*description.parameters, *description.buffers]
    return [(s.name, s.dtype, s.shape, s.contiguous) for s in specs]


class _Builder:
    def __init__(self, description: TaskDescription, equal: dict[Atom, Atom]) -> None:
        self._trace = description.trace
        self.equal = dict(equal)
        self.values: dict[str, Value] = {}
        self.buffers: dict[str, Buffer] = {}
        for name, dtype, shape, whole in tensor_inputs(description):
            sizes = tuple(
                ONE if extent == 1 else Size.of(self._same(Atom(f"{name}.shape[{axis}]", extent)))
                for axis, extent in enumerate(shape)
            )
            self.buffers[name] = Buffer(name, dtype, sizes)
            if whole:
                self.values[name] = Value(sizes, Load(dtype, self.buffers[name], contiguous(sizes)))
        for name, number_ in self._trace.numbers.items():
            self.values[name] = Value((), Constant(self._trace.values[name].dtype, number_))

    def _same(self, atom: Atom) -> Atom:
        while atom in self.equal:
            atom = self.equal[atom]
        return atom

    def unify(self, a: Size, b: Size) -> Size:
        """Two sizes that must be equal: the older name wins."""
        if (
            a != b
            and len(a.atoms) == 1
            and len(b.atoms) == 1
            and a == Size.of(a.atoms[0])
            and b == Size.of(b.atoms[0])
        ):
            first, second = a.atoms[0], b.atoms[0]
            order = list(self.buffers)
            names = [atom.name.split(".shape[")[0] for atom in (first, second)]
            if all(n in order for n in names):
                if order.index(names[0]) > order.index(names[1]):
                    first, second = second, first
                self.equal[second] = first
        return b if a.constant is not None and b.constant is None and a.value != b.value else a

    def build(self) -> list[Value]:
        for operator in self._trace.operators:
            self._operator(operator)
        return [self.value(name) for name in self._trace.outputs]

    def value(self, name: str) -> Value:
        if name not in self.values:
            if name in self.buffers:
                raise Unsupported(f"the input '{name}' is not contiguous")
            raise Unsupported(f"the value '{name}' is made outside of forward")
        return self.values[name]

    def _operator(self, operator: Operator) -> None:
        # They are made of what stands here.
        from kernelwright_memory.generators.templates.rearranging import TRANSLATIONS

        translate = _TRANSLATIONS.get(operator.name) or TRANSLATIONS.get(operator.name)
        if translate is None:
            if operator.name in _POINTWISE:
                translate = _pointwise
            elif all(not self._wanted(name) for name in operator.outputs):
                return
            else:
                raise Unsupported(f"no template knows the operator '{operator.name}'")
        results = translate(self, _Call(self, operator))
        for name, result in zip(operator.outputs, results, strict=False):
            if result is not None:
                self.values[name] = result

    def shape_of(self, name: str) -> tuple[int, ...]:
        """The shape of a value of the trace, as the reference has it."""
        return self._trace.values[name].shape

    def _wanted(self, name: str) -> bool:
        return name in self._trace.outputs or any(name in o.inputs for o in self._trace.operators)


class _Call:
    """An operator call with its arguments at hand."""

    def __init__(self, builder: _Builder, operator: Operator) -> None:
        self.builder = builder
        self.name = operator.name
        self.overload = operator.overload
        self.attributes = operator.attributes
        self.input_names = operator.inputs
        self.output_names = operator.outputs
        self.output_dtypes = [
            builder._trace.values[n].dtype if n in builder._trace.values else "float32"
            for n in operator.outputs
        ]

    @property
    def dtype(self) -> str:
        return self.output_dtypes[0]

    def input(self, position: int) -> Value:
        if position >= len(self.input_names):
            raise Unsupported(f"'{self.name}' with a form of arguments that no template knows")
        return self.builder.value(self.input_names[position])

    def inputs(self) -> list[Value]:
        return [self.builder.value(name) for name in self.input_names]

    def get(self, name: str, default: Any = None) -> Any:
        value = self.attributes.get(name)
        return default if value is None else value

    def axes(self, rank: int, name: str = "dim") -> list[int]:
        """Reduced axes; all where none is named."""
        given = self.attributes.get(name)
        if given is None or given == []:
            return list(range(rank))
        given = given if isinstance(given, list | tuple) else [given]
        return sorted({int(a) % max(rank, 1) for a in given})

    def output_shape(self) -> tuple[int, ...]:
        return self.builder._trace.values[self.output_names[0]].shape


Result = list[Value | None]


# ---- pointwise --------------------------------------------------------------------------------------------------------


def number(value: Number, dtype: str) -> Expression:
    return Constant(dtype, value)


def broadcast(builder: _Builder, values: list[Value]) -> tuple[tuple[Size, ...], list[Expression]]:
    """The common shape and every expression in it."""
    rank = max(len(v.shape) for v in values)
    shape: list[Size] = []
    for axis in range(rank):
        extents = [v.shape[axis - rank + len(v.shape)] for v in values if axis - rank + len(v.shape) >= 0]
        result = extents[0]
        for extent in extents[1:]:
            # An extent that is 1 at these sizes only is another one at others.
            if result.value == 1 and (extent.value != 1 or result == ONE):
                result = extent
            elif extent.value != 1:
                result = builder.unify(result, extent)
        shape.append(result)
    return tuple(shape), [expand(v, tuple(shape)).expression for v in values]


def apply(
    builder: _Builder, operation: str, dtype: str, *values: Value | Number, guarded: bool = False
) -> Value:
    """A pointwise operation with broadcasting; numbers take the dtype of the arithmetic."""
    tensors = [v for v in values if isinstance(v, Value)]
    shape, expressions = broadcast(builder, tensors)
    kind = dtype
    if operation in PREDICATES:
        kinds = [e.dtype for e in expressions]
        kind = next((k for k in FLOATING if k in kinds), kinds[0])
    waiting = iter(expressions)
    arguments = tuple(next(waiting) if isinstance(v, Value) else number(v, kind) for v in values)
    return Value(shape, Apply(dtype, operation, arguments, guarded))


_POINTWISE = {
    "abs": "abs", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log1p": "log1p", "log2": "log2",
    "log10": "log10", "sqrt": "sqrt", "rsqrt": "rsqrt", "reciprocal": "reciprocal", "square": "square", "neg": "neg",
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "erf": "erf", "erfc": "erfc", "floor": "floor", "ceil": "ceil", "trunc": "trunc",
    "round": "round", "sign": "sign", "sgn": "sign", "relu": "relu", "sigmoid": "sigmoid", "silu": "silu", "mish": "mish",
    "hardsigmoid": "hardsigmoid", "hardswish": "hardswish", "isnan": "isnan", "logical_not": "logical_not",
    "mul": "mul", "maximum": "maximum", "minimum": "minimum", "fmod": "fmod", "atan2": "atan2", "xlogy": "xlogy",
    "lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "eq": "eq", "ne": "ne", "logical_and": "logical_and",
    "logical_or": "logical_or", "bitwise_and": "logical_and", "bitwise_or": "logical_or", "bitwise_not": "logical_not",
}  # fmt: skip
_LOGICAL = ("bitwise_and", "bitwise_or", "bitwise_not")


def _operands(call: _Call) -> list[Value | Number]:
    """self and other, either of which may be a number."""
    tensors = call.inputs()
    if "self" in call.attributes and call.attributes["self"] is not None:
        return [call.attributes["self"], *tensors]
    if "other" in call.attributes and call.attributes["other"] is not None:
        return [*tensors, call.attributes["other"]]
    return list(tensors)


def _pointwise(builder: _Builder, call: _Call) -> Result:
    operation = _POINTWISE[call.name]
    if call.name in _LOGICAL and call.dtype != "bool":
        raise Unsupported(f"'{call.name}' of integers")
    if call.name == "round" and call.get("decimals", 0):
        raise Unsupported("'round' to decimals")
    if operation == "abs" and call.dtype not in FLOATING:
        operation = "integer_abs"
    if operation in ("maximum", "minimum") and call.dtype not in FLOATING:
        first, second = _operands(call)
        less = apply(builder, "gt" if operation == "maximum" else "lt", "bool", first, second)
        return [apply(builder, "where", call.dtype, less, first, second)]
    return [apply(builder, operation, call.dtype, *_operands(call))]


def _add(builder: _Builder, call: _Call) -> Result:
    operation = "sub" if call.name in ("sub", "rsub") else "add"
    operands = _operands(call)
    alpha = call.get("alpha", 1)
    if call.name == "rsub":
        operands.reverse()
        if alpha != 1:
            raise Unsupported("'rsub' with alpha")
    elif alpha != 1:
        second = operands[1]
        operands[1] = (
            second * alpha
            if not isinstance(second, Value)
            else apply(builder, "mul", call.dtype, second, alpha)
        )
    return [apply(builder, operation, call.dtype, *operands)]


def _div(builder: _Builder, call: _Call) -> Result:
    operands = _operands(call)
    rounding = call.get("rounding_mode")
    if rounding is not None and call.dtype not in FLOATING:
        raise Unsupported("'div' of integers with rounding")
    result = apply(builder, "div", call.dtype, *operands)
    if rounding is not None:
        result = apply(builder, rounding, call.dtype, result)
    return [result]


def _pow(builder: _Builder, call: _Call) -> Result:
    if "exponent" in call.attributes and call.attributes["exponent"] is not None:
        base, exponent = call.input(0), call.attributes["exponent"]
        if exponent == 2:
            return [apply(builder, "square", call.dtype, base)]
        if exponent == 3:
            return [apply(builder, "mul", call.dtype, apply(builder, "square", call.dtype, base), base)]
        if exponent in (0.5, -0.5, -1) and call.dtype in FLOATING:
            name = {0.5: "sqrt", -0.5: "rsqrt", -1: "reciprocal"}[exponent]
            return [apply(builder, name, call.dtype, base)]
        if call.dtype not in FLOATING:
            raise Unsupported("'pow' of integers")
        return [apply(builder, "pow", call.dtype, base, exponent)]
    return [apply(builder, "pow", call.dtype, *_operands(call))]


def _gelu(builder: _Builder, call: _Call) -> Result:
    name = "gelu_tanh" if call.get("approximate", "none") == "tanh" else "gelu"
    return [apply(builder, name, call.dtype, call.input(0))]


def _elu(builder: _Builder, call: _Call) -> Result:
    alpha, scale, input_scale = call.get("alpha", 1.0), call.get("scale", 1.0), call.get("input_scale", 1.0)
    return [apply(builder, "elu", call.dtype, call.input(0), alpha, scale, input_scale)]


def _clamp(builder: _Builder, call: _Call) -> Result:
    low = call.get("min_val" if call.name == "hardtanh" else "min", -1.0 if call.name == "hardtanh" else None)
    high = call.get("max_val" if call.name == "hardtanh" else "max", 1.0 if call.name == "hardtanh" else None)
    if call.name == "relu6":
        low, high = 0.0, 6.0
    if len(call.input_names) > 1:
        raise Unsupported(f"'{call.name}' with tensors as bounds")
    result = call.input(0)
    for bound, operation, comparison in ((low, "maximum", "gt"), (high, "minimum", "lt")):
        if bound is None:
            continue
        if call.dtype in FLOATING:
            result = apply(builder, operation, call.dtype, result, bound)
        else:
            inside = apply(builder, comparison, "bool", result, bound)
            result = apply(builder, "where", call.dtype, inside, result, bound)
    return [result]


def _with_numbers(operation: str, *names: tuple[str, float]) -> Callable[[_Builder, _Call], Result]:
    def translate(builder: _Builder, call: _Call) -> Result:
        numbers = [call.get(name, default) for name, default in names]
        return [apply(builder, operation, call.dtype, *call.inputs(), *numbers)]

    return translate


def _where(builder: _Builder, call: _Call) -> Result:
    operands: list[Value | Number] = list(call.inputs())
    if call.get("self") is not None:
        operands.insert(1, call.attributes["self"])
    if call.get("other") is not None:
        operands.append(call.attributes["other"])
    return [apply(builder, "where", call.dtype, *operands)]


def _masked_fill(builder: _Builder, call: _Call) -> Result:
    fill: Value | Number = call.attributes["value"] if call.get("value") is not None else call.input(2)
    return [apply(builder, "where", call.dtype, call.input(1), fill, call.input(0))]


def _convert(builder: _Builder, call: _Call) -> Result:
    value = call.input(0)
    if call.dtype == value.dtype:
        return [value]
    return [Value(value.shape, Apply(call.dtype, "convert", (value.expression,)))]


def _addc(builder: _Builder, call: _Call) -> Result:
    first, second, third = call.inputs()
    inner = apply(builder, "mul" if call.name == "addcmul" else "div", call.dtype, second, third)
    factor = call.get("value", 1)
    if factor != 1:
        inner = apply(builder, "mul", call.dtype, inner, factor)
    return [apply(builder, "add", call.dtype, first, inner)]


def _lerp(builder: _Builder, call: _Call) -> Result:
    first, second = call.input(0), call.input(1)
    weight: Value | Number = call.attributes["weight"] if call.get("weight") is not None else call.input(2)
    step = apply(builder, "mul", call.dtype, apply(builder, "sub", call.dtype, second, first), weight)
    return [apply(builder, "add", call.dtype, first, step)]


def _fill(builder: _Builder, call: _Call) -> Result:
    """zeros_like, full, ...: a constant of a known shape."""
    value = {"zeros": 0, "ones": 1}.get(call.name.split("_")[0], call.get("fill_value", 0))
    if call.name == "scalar_tensor":
        value = call.attributes["s"]
    if call.input_names:
        shape = call.input(0).shape
    else:
        shape = tuple(Size.of(e) for e in call.output_shape())
        if any(e.value > 1 for e in shape):
            raise Unsupported(f"'{call.name}' of a size that no input has")
    return [Value(shape, number(value, call.dtype))]


# ---- views ------------------------------------------------------------------------------------------------------------


def _view_shape(builder: _Builder, old: tuple[Size, ...], new: tuple[int, ...]) -> tuple[Size, ...]:
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


def _view(builder: _Builder, call: _Call) -> Result:
    value = call.input(0)
    return [reshaped(value, _view_shape(builder, value.shape, call.output_shape()))]


def _transpose(builder: _Builder, call: _Call) -> Result:
    value = call.input(0)
    order = list(range(len(value.shape)))
    if call.name == "permute":
        return [permute(value, list(call.attributes["dims"]))]
    if len(order) < 2:
        return [value]
    a, b = (0, 1) if call.name in ("t", "numpy_T") else (call.attributes["dim0"], call.attributes["dim1"])
    order[a], order[b] = order[b], order[a]
    return [permute(value, order)]


def _squeeze(builder: _Builder, call: _Call) -> Result:
    axes = call.attributes.get("dim")
    wanted = None if axes is None else list(axes) if isinstance(axes, list | tuple) else [int(axes)]
    return [squeeze(call.input(0), wanted)]


def _unsqueeze(builder: _Builder, call: _Call) -> Result:
    return [unsqueeze(call.input(0), call.attributes["dim"])]


def _expand(builder: _Builder, call: _Call) -> Result:
    value = call.input(0)
    wanted = call.output_shape()
    missing = len(wanted) - len(value.shape)
    shape = []
    for axis, extent in enumerate(wanted):
        own = value.shape[axis - missing] if axis >= missing else ONE
        if own.value == extent:
            shape.append(own)
        else:
            shape.append(_known(builder, extent))
    return [expand(value, tuple(shape))]


def _known(builder: _Builder, extent: int) -> Size:
    """A repeated extent in symbols: that of an input's axis where exactly that many elements lie along one."""
    if extent == 1:
        return ONE
    for buffer in builder.buffers.values():
        for size in buffer.shape:
            if size.value == extent and size.constant is None:
                return size
    return Size.of(extent)


_CLOSE = 4


def _slice(builder: _Builder, call: _Call) -> Result:
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


def _select(builder: _Builder, call: _Call) -> Result:
    value = call.input(0)
    axis = call.attributes["dim"] % len(value.shape)
    index = call.attributes["index"]
    start = value.shape[axis] + index if index < 0 else Size.of(index)
    return [squeeze(sliced(value, axis, start, ONE, 1), [axis])]


def _flip(builder: _Builder, call: _Call) -> Result:
    return [flip(call.input(0), list(call.attributes["dims"]))]


def _identity(builder: _Builder, call: _Call) -> Result:
    return [call.input(0)]


def _diagonal(builder: _Builder, call: _Call) -> Result:
    value = call.input(0)
    if call.get("offset", 0) or len(value.shape) != 2:
        raise Unsupported("'diagonal' of more than the main diagonal of a matrix")
    extent = value.shape[0] if value.shape[0].value <= value.shape[1].value else value.shape[1]

    def change(strides: tuple[Size, ...]) -> tuple[tuple[Size, ...], Size]:
        return (strides[0] + strides[1],), ZERO

    return [restride(value, (extent,), change)]


def _cat(builder: _Builder, call: _Call) -> Result:
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


def _triangle(builder: _Builder, call: _Call) -> Result:
    value = call.input(0)
    rank = len(value.shape)
    strides = tuple(Size.of({rank - 1: 1, rank - 2: -1}.get(a, 0)) for a in range(rank))
    # column - row - diagonal, which is >= 0 on and above the diagonal.
    distance = Position("int64", strides, Size.of(-call.get("diagonal", 0)))
    kept = Apply("bool", "ge" if call.name == "triu" else "le", (distance, Constant("int64", 0)))
    return [Value(value.shape, Apply(call.dtype, "where", (kept, value.expression, Constant(call.dtype, 0))))]


def _arange(builder: _Builder, call: _Call) -> Result:
    (extent,) = call.output_shape()
    size = _known(builder, extent)
    start = call.get("start", 0)
    step = call.get("step", 1)
    if not isinstance(start, int) or not isinstance(step, int):
        raise Unsupported("'arange' with fractions")
    position: Expression = Position("int64", (Size.of(step),), Size.of(start))
    if call.dtype != "int64":
        position = Apply(call.dtype, "convert", (position,))
    return [Value((size,), position)]


# ---- reductions and what is made of them --------------------------------------------------------------------------------


def reduced(
    builder: _Builder, operation: str, value: Value, axes: list[int], keep: bool, dtype: str | None = None
) -> Value:
    kept = tuple(e for a, e in enumerate(value.shape) if a not in axes)
    plain = operation in ("sum", "prod", "max", "min") and dtype in (None, value.dtype)
    if plain and all(value.shape[a] == ONE for a in axes):
        return value if keep else squeeze(value, axes)
    node = Node("reduce", operation, (value,), kept, dtype or value.dtype, {"axes": tuple(axes)})
    result = node.result()
    if keep:
        for axis in axes:
            result = unsqueeze(result, axis)
    return result


def extent_of(value: Value, axes: list[int], dtype: str) -> Value:
    return Value((), Extent(dtype, product(value.shape[a] for a in axes)))


def mean_of(builder: _Builder, value: Value, axes: list[int], keep: bool) -> Value:
    total = reduced(builder, "sum", value, axes, keep)
    return apply(builder, "div", value.dtype, total, extent_of(value, axes, value.dtype))


def centred_mean_square(builder: _Builder, value: Value, mean: Value, axes: list[int]) -> Value:
    deviation = apply(builder, "sub", value.dtype, value, mean)
    return mean_of(builder, apply(builder, "square", value.dtype, deviation), axes, True)


def _sum(builder: _Builder, call: _Call) -> Result:
    value = _floating_input(call)
    return [
        reduced(
            builder, "sum", value, call.axes(len(value.shape)), bool(call.get("keepdim", False)), call.dtype
        )
    ]


def _floating_input(call: _Call) -> Value:
    value = call.input(0)
    if value.dtype != call.dtype and value.dtype not in FLOATING:
        return Value(value.shape, Apply(call.dtype, "convert", (value.expression,)))
    return value


def _mean(builder: _Builder, call: _Call) -> Result:
    value = _floating_input(call)
    return [mean_of(builder, value, call.axes(len(value.shape)), bool(call.get("keepdim", False)))]


def _variance(builder: _Builder, call: _Call) -> Result:
    value = settled(call.input(0))
    axes = call.axes(len(value.shape))
    keep = bool(call.get("keepdim", False))
    correction = call.get("correction", 1 if call.get("unbiased", True) else 0)
    mean = mean_of(builder, value, axes, True)
    square = apply(builder, "square", value.dtype, apply(builder, "sub", value.dtype, value, mean))
    total = reduced(builder, "sum", square, axes, keep)
    length = Value((), Extent(value.dtype, product(value.shape[a] for a in axes) - int(correction)))
    variance = apply(builder, "div", value.dtype, total, length)
    spread = apply(builder, "sqrt", value.dtype, variance) if call.name.startswith("std") else variance
    return [spread, mean if keep else squeeze(mean, axes)] if call.name.endswith("_mean") else [spread]


def _extremum(builder: _Builder, call: _Call) -> Result:
    """max, min, amax, amin; with a dimension the first two also give indices."""
    value = call.input(0)
    if len(call.input_names) > 1:
        operation = {"max": "maximum", "min": "minimum"}[call.name]
        return [apply(builder, operation, call.dtype, *call.inputs())]
    operation = "max" if "max" in call.name else "min"
    axes, keep = call.axes(len(value.shape)), bool(call.get("keepdim", False))
    results: Result = [reduced(builder, operation, value, axes, keep)]
    if len(call.output_names) > 1 and call.attributes.get("dim") is not None:
        results.append(reduced(builder, f"arg{operation}", value, axes, keep, "int64"))
    return results


def _argument(builder: _Builder, call: _Call) -> Result:
    value = call.input(0)
    axes, keep = call.axes(len(value.shape)), bool(call.get("keepdim", False))
    return [reduced(builder, call.name, value, axes, keep, "int64")]


def _product(builder: _Builder, call: _Call) -> Result:
    value = _floating_input(call)
    return [
        reduced(
            builder, "prod", value, call.axes(len(value.shape)), bool(call.get("keepdim", False)), call.dtype
        )
    ]


def _any(builder: _Builder, call: _Call) -> Result:
    value = call.input(0)
    if value.dtype != "bool":
        value = apply(builder, "ne", "bool", value, 0)
    operation = "max" if call.name == "any" else "min"
    return [
        reduced(
            builder, operation, value, call.axes(len(value.shape)), bool(call.get("keepdim", False)), "bool"
        )
    ]


def _norm(builder: _Builder, call: _Call) -> Result:
    value = call.input(0)
    order = call.get("ord", call.get("p", 2))
    axes, keep = call.axes(len(value.shape)), bool(call.get("keepdim", False))
    dtype = call.dtype
    magnitude = apply(builder, "abs", dtype, value)
    if order in (2, 2.0):
        total = reduced(builder, "sum", apply(builder, "square", dtype, value), axes, keep)
        return [apply(builder, "sqrt", dtype, total)]
    if order in (1, 1.0):
        return [reduced(builder, "sum", magnitude, axes, keep)]
    if order in (float("inf"), float("-inf"), "inf", "-inf"):
        return [reduced(builder, "max" if float(order) > 0 else "min", magnitude, axes, keep)]
    total = reduced(builder, "sum", apply(builder, "pow", dtype, magnitude, float(order)), axes, keep)
    return [apply(builder, "pow", dtype, total, 1 / float(order))]


def _softmax(builder: _Builder, call: _Call) -> Result:
    value = call.input(0)
    return [softmax(builder, value, call.axes(len(value.shape)), call.dtype, "log" in call.name)]


def softmax(builder: _Builder, value: Value, axes: list[int], dtype: str, logarithm: bool) -> Value:
    value = settled(value)
    shifted = apply(builder, "sub", dtype, value, reduced(builder, "max", value, axes, True))
    exponential = apply(builder, "exp", dtype, shifted)
    total = reduced(builder, "sum", exponential, axes, True)
    if logarithm:
        return apply(builder, "sub", dtype, shifted, apply(builder, "log", dtype, total))
    return apply(builder, "div", dtype, exponential, total)


def _logsumexp(builder: _Builder, call: _Call) -> Result:
    value = settled(call.input(0))
    axes = call.axes(len(value.shape))
    largest = reduced(builder, "max", value, axes, True)
    total = reduced(
        builder,
        "sum",
        apply(builder, "exp", call.dtype, apply(builder, "sub", call.dtype, value, largest)),
        axes,
        True,
    )
    result = apply(builder, "add", call.dtype, apply(builder, "log", call.dtype, total), largest)
    return [result if call.get("keepdim", False) else squeeze(result, axes)]


def normalised(
    builder: _Builder, value: Value, axes: list[int], eps: float, weight: Value | None, bias: Value | None
) -> tuple[Value, Value, Value]:
    """(value - mean) / sqrt(variance + eps) * weight + bias, with the mean and the reciprocal deviation."""
    dtype = value.dtype
    value = settled(value)
    mean = mean_of(builder, value, axes, True)
    variance = centred_mean_square(builder, value, mean, axes)
    scale = apply(builder, "rsqrt", dtype, apply(builder, "add", dtype, variance, eps))
    result = apply(builder, "mul", dtype, apply(builder, "sub", dtype, value, mean), scale)
    if weight is not None:
        result = apply(builder, "mul", dtype, result, weight)
    if bias is not None:
        result = apply(builder, "add", dtype, result, bias)
    return result, mean, scale


def _affine(call: _Call, first: int) -> tuple[Value | None, Value | None]:
    """weight and bias, either of which may be absent."""
    found: list[Value | None] = []
    position = first
    for name in ("weight", "bias"):
        if name in call.attributes:
            found.append(None)
        elif position < len(call.input_names):
            found.append(call.input(position))
            position += 1
        else:
            found.append(None)
    return found[0], found[1]


def _layer_norm(builder: _Builder, call: _Call) -> Result:
    value = call.input(0)
    rank = len(call.attributes["normalized_shape"])
    axes = list(range(len(value.shape) - rank, len(value.shape)))
    weight, bias = _affine(call, 1)
    return list(normalised(builder, value, axes, call.get("eps", 1e-5), weight, bias))


def _rms_norm(builder: _Builder, call: _Call) -> Result:
    value = call.input(0)
    rank = len(call.attributes["normalized_shape"])
    axes = list(range(len(value.shape) - rank, len(value.shape)))
    eps = call.get("eps", 1.1920928955078125e-07)
    mean = mean_of(builder, apply(builder, "square", call.dtype, value), axes, True)
    scale = apply(builder, "rsqrt", call.dtype, apply(builder, "add", call.dtype, mean, eps))
    result = apply(builder, "mul", call.dtype, value, scale)
    if "weight" not in call.attributes and len(call.input_names) > 1:
        result = apply(builder, "mul", call.dtype, result, call.input(1))
    return [result, scale]


def _per_channel(value: Value, rank: int) -> Value:
    """A vector over channels as a tensor that broadcasts over batch and space."""
    for _ in range(rank - 2):
        value = unsqueeze(value, len(value.shape))
    return value


def _group_norm(builder: _Builder, call: _Call) -> Result:
    value = call.input(0)
    groups = int(call.attributes["group"])
    batch, channels = value.shape[0], value.shape[1]
    per_group = channels.over(groups)
    space = product(value.shape[2:])
    assert per_group is not None
    inner = reshaped(value, (batch, Size.of(groups), per_group, space))
    for vector in _affine(call, 1):
        if vector is not None:
            builder.unify(channels, vector.shape[0])
    weight, bias = (
        None if v is None else unsqueeze(reshaped(v, (Size.of(groups), per_group)), 2)
        for v in _affine(call, 1)
    )
    result, mean, scale = normalised(builder, inner, [2, 3], call.get("eps", 1e-5), weight, bias)
    return [reshaped(result, value.shape), mean, scale]


def _batch_norm(builder: _Builder, call: _Call) -> Result:
    value = call.input(0)
    rank = len(value.shape)
    names = ["weight", "bias", "running_mean", "running_var"]
    position, given = 1, {}
    for name in names:
        if name not in call.attributes and position < len(call.input_names):
            given[name] = _per_channel(call.input(position), rank)
            position += 1
    training = call.get("training", True) and "no_training" not in call.name
    eps = call.get("eps", 1e-5)
    axes = [a for a in range(rank) if a != 1]
    if training or "running_mean" not in given:
        result, mean, scale = normalised(builder, value, axes, eps, given.get("weight"), given.get("bias"))
        return [result, squeeze(mean, axes), squeeze(scale, axes)]
    dtype = value.dtype
    scale = apply(builder, "rsqrt", dtype, apply(builder, "add", dtype, given["running_var"], eps))
    result = apply(builder, "mul", dtype, apply(builder, "sub", dtype, value, given["running_mean"]), scale)
    for name, operation in (("weight", "mul"), ("bias", "add")):
        if name in given:
            result = apply(builder, operation, dtype, result, given[name])
    return [result]


# ---- losses -------------------------------------------------------------------------------------------------------------


def _loss_reduction(builder: _Builder, call: _Call, value: Value) -> Value:
    reduction = call.get("reduction", 1)
    axes = list(range(len(value.shape)))
    if reduction == 0:
        return value
    return (
        mean_of(builder, value, axes, False)
        if reduction == 1
        else reduced(builder, "sum", value, axes, False)
    )


def _pair_loss(operation: str, number_name: str | None) -> Callable[[_Builder, _Call], Result]:
    def translate(builder: _Builder, call: _Call) -> Result:
        numbers = [call.get(number_name, 1.0)] if number_name else []
        if operation == "square":
            value = apply(builder, "square", call.dtype, apply(builder, "sub", call.dtype, *call.inputs()))
        else:
            value = apply(builder, operation, call.dtype, *call.inputs(), *numbers)
        return [_loss_reduction(builder, call, value)]

    return translate


def _nll_loss(builder: _Builder, call: _Call) -> Result:
    scores, target = call.input(0), call.input(1)
    if len(call.input_names) > 2 or len(scores.shape) != 2:
        raise Unsupported("'nll_loss' with weights or over images")
    if not (isinstance(scores.expression, Load) and scores.expression.buffer.node is None):
        scores = stored(scores)
    load = scores.expression
    assert isinstance(load, Load)
    rows = builder.unify(scores.shape[0], target.shape[0])
    gathered = Load(
        load.dtype,
        load.buffer,
        (load.strides[0],),
        load.offset,
        (*load.gathered, (target.expression, load.strides[1])),
    )
    ignored = Apply("bool", "eq", (target.expression, Constant("int64", call.get("ignore_index", -100))))
    lost: Expression = Apply(call.dtype, "neg", (gathered,))
    lost = Apply(call.dtype, "where", (ignored, Constant(call.dtype, 0), lost), guarded=True)
    value = Value((rows,), lost)
    if call.get("reduction", 1) != 1:
        return [_loss_reduction(builder, call, value)]
    one = Value(
        (rows,), Apply(call.dtype, "where", (ignored, Constant(call.dtype, 0), Constant(call.dtype, 1)))
    )
    total, counted = reduced(builder, "sum", value, [0], False), reduced(builder, "sum", one, [0], False)
    return [apply(builder, "div", call.dtype, total, counted), counted]


def _embedding(builder: _Builder, call: _Call) -> Result:
    table, index = call.input(0), call.input(1)
    if not (isinstance(table.expression, Load) and len(table.shape) == 2):
        raise Unsupported("'embedding' of a computed table")
    load = table.expression
    wide = expand(unsqueeze(index, len(index.shape)), (*index.shape, table.shape[1]))
    strides = (*(ZERO for _ in index.shape), load.strides[1])
    return [
        Value(
            wide.shape,
            Load(load.dtype, load.buffer, strides, load.offset, ((wide.expression, load.strides[0]),)),
        )
    ]


# ---- products ------------------------------------------------------------------------------------------------------------


def plain(value: Value) -> Value:
    """A load, or what is as cheap; else by way of memory, since a product reads every element many times."""
    return value if isinstance(value.expression, Load) else stored(value)


def multiplied(builder: _Builder, left: Value, right: Value, dtype: str) -> Value:
    """Matrices, or batches of matrices."""
    batched = len(left.shape) == 3
    if batched:
        builder.unify(left.shape[0], right.shape[0])
    builder.unify(left.shape[-1], right.shape[-2])
    shape = (*left.shape[:-1], right.shape[-1])
    return Node("matmul", "matmul", (plain(left), plain(right)), shape, dtype).result()


def _matmul(builder: _Builder, call: _Call) -> Result:
    return [multiplied(builder, call.input(0), call.input(1), call.dtype)]


def _addmm(builder: _Builder, call: _Call) -> Result:
    bias, left, right = call.inputs()
    result = multiplied(builder, left, right, call.dtype)
    alpha, beta = call.get("alpha", 1), call.get("beta", 1)
    if alpha != 1:
        result = apply(builder, "mul", call.dtype, result, alpha)
    if beta != 1:
        bias = apply(builder, "mul", call.dtype, bias, beta)
    return [apply(builder, "add", call.dtype, result, bias)]


def _matvec(builder: _Builder, call: _Call) -> Result:
    left, right = call.input(0), call.input(1)
    builder.unify(left.shape[-1], right.shape[0])
    value = apply(builder, "mul", call.dtype, left, right)
    return [reduced(builder, "sum", value, [len(left.shape) - 1], False)]


def _attention(builder: _Builder, call: _Call) -> Result:
    query, key, value = (call.input(i) for i in range(3))
    if call.get("dropout_p", 0.0) or len(call.input_names) > 3:
        raise Unsupported("attention with dropout or a mask tensor")
    rank = len(query.shape)
    head = query.shape[-1]
    batch = product(query.shape[:-2])
    flat = [reshaped(v, (batch, *v.shape[-2:])) for v in (query, key, value)]
    scores = multiplied(builder, flat[0], permute(flat[1], [0, 2, 1]), call.dtype)
    scale = call.get("scale")
    if scale is None:
        root = Value((), Apply(call.dtype, "rsqrt", (Extent(call.dtype, head),)))
        scores = apply(builder, "mul", call.dtype, scores, root)
    else:
        scores = apply(builder, "mul", call.dtype, scores, scale)
    if call.get("is_causal", False):
        strides = (ZERO, Size.of(-1), ONE)
        kept = Apply("bool", "le", (Position("int64", strides, ZERO), Constant("int64", 0)))
        hidden = Constant(call.dtype, float("-inf"))
        scores = Value(scores.shape, Apply(call.dtype, "where", (kept, scores.expression, hidden)))
    weights = softmax(builder, scores, [2], call.dtype, False)
    result = multiplied(builder, weights, flat[2], call.dtype)
    shape = (*query.shape[: rank - 1], value.shape[-1])
    return [reshaped(result, shape)]


# ---- convolutions, pooling, scans ------------------------------------------------------------------------------------------


def _convolution(builder: _Builder, call: _Call) -> Result:
    value, weight = plain(call.input(0)), plain(call.input(1))
    rank = len(value.shape) - 2
    transposed, groups = bool(call.get("transposed", False)), int(call.get("groups", 1))
    stride, padding, dilation, extra = (
        _as_list(call.get(name, default), rank)
        for name, default in (("stride", 1), ("padding", 0), ("dilation", 1), ("output_padding", 0))
    )
    space = []
    for d in range(rank):
        extent, taps = value.shape[2 + d], weight.shape[2 + d]
        if transposed:
            whole = (extent - 1) * stride[d] + (taps - 1) * dilation[d] + (extra[d] + 1 - 2 * padding[d])
            space.append(whole.named())
        else:
            reach = extent - (taps - 1) * dilation[d] + (2 * padding[d] - 1)
            space.append((reach.floor_divided(stride[d]) + 1).named())
    channels = weight.shape[1] * groups if transposed else weight.shape[0]
    if groups == 1:
        builder.unify(value.shape[1], weight.shape[0 if transposed else 1])
    attributes = {
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "groups": groups,
        "transposed": transposed,
    }
    shape = (value.shape[0], channels, *space)
    result = Node("convolution", "convolution", (value, weight), shape, call.dtype, attributes).result()
    if "bias" not in call.attributes and len(call.input_names) > 2:
        bias = call.input(2)
        builder.unify(channels, bias.shape[0])
        result = apply(builder, "add", call.dtype, result, _per_channel(bias, len(shape)))
    return [result]


def _as_list(value: Any, rank: int) -> list[int]:
    values = list(value) if isinstance(value, list | tuple) else [value]
    return [int(v) for v in (values * rank if len(values) == 1 else values)][:rank]


def _pool(builder: _Builder, call: _Call) -> Result:
    value = call.input(0)
    rank = int(call.name.split("pool")[1][0])
    window = _as_list(call.attributes["kernel_size"], rank)
    stride = _as_list(call.get("stride") or window, rank)
    padding, dilation = _as_list(call.get("padding", 0), rank), _as_list(call.get("dilation", 1), rank)
    space = []
    for d in range(rank):
        extent = value.shape[len(value.shape) - rank + d]
        reach = extent + (2 * padding[d] - (window[d] - 1) * dilation[d] - 1)
        if call.get("ceil_mode", False):
            raise Unsupported("pooling with ceil_mode")
        space.append((reach.floor_divided(stride[d]) + 1).named())
    shape = (*value.shape[:-rank], *space)
    operation = "max" if "max" in call.name else "mean"
    attributes = {
        "window": window, "stride": stride, "padding": padding, "dilation": dilation,
        "counts_padding": bool(call.attributes.get("count_include_pad", True)), "divisor": call.get("divisor_override"),
    }  # fmt: skip
    return [Node("pool", operation, (value,), shape, call.dtype, attributes).result()]


def _scan(builder: _Builder, call: _Call) -> Result:
    value = _floating_input(call)
    axis = call.get("dim", 0) % max(len(value.shape), 1)
    operation = "sum" if call.name == "cumsum" else "prod"
    return [Node("scan", operation, (value,), value.shape, call.dtype, {"axis": axis}).result()]


Translation = Callable[[_Builder, _Call], Result]
_TRANSLATIONS: dict[str, Translation] = {
    "add": _add, "sub": _add, "rsub": _add, "div": _div, "true_divide": _div, "pow": _pow, "gelu": _gelu, "elu": _elu,
    "clamp": _clamp, "clamp_min": _clamp, "clamp_max": _clamp, "hardtanh": _clamp, "relu6": _clamp,
    "leaky_relu": _with_numbers("leaky_relu", ("negative_slope", 0.01)),
    "prelu": _with_numbers("leaky_relu"), "_prelu_kernel": _with_numbers("leaky_relu"),
    "softplus": _with_numbers("softplus", ("beta", 1.0), ("threshold", 20.0)),
    "log_sigmoid_forward": _with_numbers("log_sigmoid"), "log_sigmoid": _with_numbers("log_sigmoid"),
    "where": _where, "masked_fill": _masked_fill, "_to_copy": _convert, "to": _convert,
    "addcmul": _addc, "addcdiv": _addc, "lerp": _lerp,
    "zeros_like": _fill, "ones_like": _fill, "full_like": _fill, "zeros": _fill, "ones": _fill, "full": _fill,
    "scalar_tensor": _fill,
    "view": _view, "_unsafe_view": _view, "reshape": _view, "_reshape_alias": _view, "flatten": _view, "unflatten": _view,
    "transpose": _transpose, "t": _transpose, "permute": _transpose, "numpy_T": _transpose,
    "squeeze": _squeeze, "unsqueeze": _unsqueeze, "expand": _expand, "slice": _slice, "select": _select, "flip": _flip,
    "diagonal": _diagonal, "cat": _cat, "triu": _triangle, "tril": _triangle, "arange": _arange,
    "clone": _identity, "contiguous": _identity, "detach": _identity, "alias": _identity, "lift_fresh_copy": _identity,
    "dropout": _identity,
    "sum": _sum, "mean": _mean, "var": _variance, "std": _variance, "var_mean": _variance, "std_mean": _variance,
    "max": _extremum, "min": _extremum, "amax": _extremum, "amin": _extremum, "argmax": _argument, "argmin": _argument,
    "prod": _product, "any": _any, "all": _any, "linalg_vector_norm": _norm, "norm": _norm, "logsumexp": _logsumexp,
    "_softmax": _softmax, "_log_softmax": _softmax, "_safe_softmax": _softmax, "softmax": _softmax, "log_softmax": _softmax,
    "native_layer_norm": _layer_norm, "_fused_rms_norm": _rms_norm, "native_group_norm": _group_norm,
    "native_batch_norm": _batch_norm, "_native_batch_norm_legit": _batch_norm, "cudnn_batch_norm": _batch_norm,
    "_native_batch_norm_legit_no_training": _batch_norm,
    "mse_loss": _pair_loss("square", None), "smooth_l1_loss": _pair_loss("smooth_l1", "beta"),
    "huber_loss": _pair_loss("huber", "delta"), "nll_loss_forward": _nll_loss, "embedding": _embedding,
    "mm": _matmul, "bmm": _matmul, "addmm": _addmm, "baddbmm": _addmm, "mv": _matvec, "dot": _matvec,
    "_scaled_dot_product_flash_attention_for_cpu": _attention, "_scaled_dot_product_flash_attention": _attention,
    "_scaled_dot_product_efficient_attention": _attention, "_scaled_dot_product_attention_math": _attention,
    "scaled_dot_product_attention": _attention,
    "convolution": _convolution, "_convolution": _convolution,
    "max_pool2d_with_indices": _pool, "max_pool3d_with_indices": _pool, "avg_pool2d": _pool, "avg_pool3d": _pool,
    "cumsum": _scan, "cumprod": _scan,
}  # fmt: skip
__all__ = ["Graph", "count", "tensor_inputs"]
