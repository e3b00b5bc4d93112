"""Operators that work element by element, with their broadcasting."""

from kernelwright_memory.generators.templates.graph.graph import (
    ONE,
    Apply,
    Constant,
    Expression,
    Unsupported,
    Value,
    expand,
)
from kernelwright_memory.generators.templates.graph.operators import FLOATING, PREDICATES
from kernelwright_memory.generators.templates.graph.size import Size
from kernelwright_memory.generators.templates.graph.translation.builder import (
    Builder,
    Call,
    Number,
    Result,
    Translation,
)


def number(value: Number, dtype: str) -> Expression:
    return Constant(dtype, value)


def broadcast(builder: Builder, values: list[Value]) -> tuple[tuple[Size, ...], list[Expression]]:
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
    builder: Builder, operation: str, dtype: str, *values: Value | Number, guarded: bool = False
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


def _operands(call: Call) -> list[Value | Number]:
    """self and other, either of which may be a number."""
    tensors = call.inputs()
    if "self" in call.attributes and call.attributes["self"] is not None:
        return [call.attributes["self"], *tensors]
    if "other" in call.attributes and call.attributes["other"] is not None:
        return [*tensors, call.attributes["other"]]
    return list(tensors)


def _pointwise(builder: Builder, call: Call) -> Result:
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


def _add(builder: Builder, call: Call) -> Result:
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


def _div(builder: Builder, call: Call) -> Result:
    operands = _operands(call)
    rounding = call.get("rounding_mode")
    if rounding is not None and call.dtype not in FLOATING:
        raise Unsupported("'div' of integers with rounding")
    result = apply(builder, "div", call.dtype, *operands)
    if rounding is not None:
        result = apply(builder, rounding, call.dtype, result)
    return [result]


def _pow(builder: Builder, call: Call) -> Result:
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


def _gelu(builder: Builder, call: Call) -> Result:
    name = "gelu_tanh" if call.get("approximate", "none") == "tanh" else "gelu"
    return [apply(builder, name, call.dtype, call.input(0))]


def _elu(builder: Builder, call: Call) -> Result:
    alpha, scale, input_scale = call.get("alpha", 1.0), call.get("scale", 1.0), call.get("input_scale", 1.0)
    return [apply(builder, "elu", call.dtype, call.input(0), alpha, scale, input_scale)]


def _clamp(builder: Builder, call: Call) -> Result:
    low = call.get("min_val" if call.name == "hardtanh" else "min", -1.0 if call.name == "hardtanh" else None)
    high = call.get("max_val" if call.name == "hardtanh" else "max", 1.0 if call.name == "hardtanh" else None)
    if call.name == "relu6":
        low, high = 0.0, 6.0
    given: list[Value] = call.inputs()[1:]
    if given and call.name in ("clamp", "clamp_min", "clamp_max"):
        # What is not listed among the attributes is a tensor.
        if call.name != "clamp_max" and "min" not in call.attributes:
            low = given.pop(0)
        if given and call.name != "clamp_min":
            high = given.pop(0)
    if given:
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


def _with_numbers(operation: str, *names: tuple[str, float]) -> Translation:
    def translate(builder: Builder, call: Call) -> Result:
        numbers = [call.get(name, default) for name, default in names]
        return [apply(builder, operation, call.dtype, *call.inputs(), *numbers)]

    return translate


def _where(builder: Builder, call: Call) -> Result:
    operands: list[Value | Number] = list(call.inputs())
    if call.get("self") is not None:
        operands.insert(1, call.attributes["self"])
    if call.get("other") is not None:
        operands.append(call.attributes["other"])
    return [apply(builder, "where", call.dtype, *operands)]


def _masked_fill(builder: Builder, call: Call) -> Result:
    fill: Value | Number = call.attributes["value"] if call.get("value") is not None else call.input(2)
    return [apply(builder, "where", call.dtype, call.input(1), fill, call.input(0))]


def _convert(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    if call.dtype == value.dtype:
        return [value]
    return [Value(value.shape, Apply(call.dtype, "convert", (value.expression,)))]


def _addc(builder: Builder, call: Call) -> Result:
    first, second, third = call.inputs()
    inner = apply(builder, "mul" if call.name == "addcmul" else "div", call.dtype, second, third)
    factor = call.get("value", 1)
    if factor != 1:
        inner = apply(builder, "mul", call.dtype, inner, factor)
    return [apply(builder, "add", call.dtype, first, inner)]


def _lerp(builder: Builder, call: Call) -> Result:
    first, second = call.input(0), call.input(1)
    weight: Value | Number = call.attributes["weight"] if call.get("weight") is not None else call.input(2)
    step = apply(builder, "mul", call.dtype, apply(builder, "sub", call.dtype, second, first), weight)
    return [apply(builder, "add", call.dtype, first, step)]


def _fill(builder: Builder, call: Call) -> Result:
    """zeros_like, full, ...: a constant of a known shape."""
    value = {"zeros": 0, "ones": 1}.get(call.name.split("_")[0], call.get("fill_value", 0))
    if call.name == "scalar_tensor":
        value = call.attributes["s"]
    if call.input_names:
        shape = call.input(0).shape
    else:
        there = call.output_elsewhere()
        shape = tuple(
            builder.known_extent(extent, there[axis] if there else None)
            for axis, extent in enumerate(call.output_shape())
        )
    return [Value(shape, number(value, call.dtype))]


TRANSLATIONS: dict[str, Translation] = dict.fromkeys(_POINTWISE, _pointwise) | {
    "add": _add,
    "sub": _add,
    "rsub": _add,
    "div": _div,
    "true_divide": _div,
    "pow": _pow,
    "gelu": _gelu,
    "elu": _elu,
    "clamp": _clamp,
    "clamp_min": _clamp,
    "clamp_max": _clamp,
    "hardtanh": _clamp,
    "relu6": _clamp,
    "leaky_relu": _with_numbers("leaky_relu", ("negative_slope", 0.01)),
    "prelu": _with_numbers("leaky_relu"),
    "_prelu_kernel": _with_numbers("leaky_relu"),
    "softplus": _with_numbers("softplus", ("beta", 1.0), ("threshold", 20.0)),
    "log_sigmoid_forward": _with_numbers("log_sigmoid"),
    "log_sigmoid": _with_numbers("log_sigmoid"),
    "where": _where,
    "masked_fill": _masked_fill,
    "_to_copy": _convert,
    "to": _convert,
    "addcmul": _addc,
    "addcdiv": _addc,
    "lerp": _lerp,
    "zeros_like": _fill,
    "ones_like": _fill,
    "full_like": _fill,
    "zeros": _fill,
    "ones": _fill,
    "full": _fill,
    "scalar_tensor": _fill,
}
