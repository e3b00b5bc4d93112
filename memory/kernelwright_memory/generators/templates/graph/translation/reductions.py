"""Reductions, and what is made of them: means, variances, softmax."""

from kernelwright_memory.generators.templates.graph.graph import (
    ONE,
    Apply,
    Extent,
    Node,
    Value,
    squeeze,
    unsqueeze,
)
from kernelwright_memory.generators.templates.graph.operators import FLOATING
from kernelwright_memory.generators.templates.graph.size import product
from kernelwright_memory.generators.templates.graph.translation.builder import (
    Builder,
    Call,
    Result,
    Translation,
)
from kernelwright_memory.generators.templates.graph.translation.pointwise import apply
from kernelwright_memory.generators.templates.graph.translation.views import settled


def reduced(
    builder: Builder, operation: str, value: Value, axes: list[int], keep: bool, dtype: str | None = None
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


def mean_of(builder: Builder, value: Value, axes: list[int], keep: bool) -> Value:
    total = reduced(builder, "sum", value, axes, keep)
    return apply(builder, "div", value.dtype, total, extent_of(value, axes, value.dtype))


def centred_mean_square(builder: Builder, value: Value, mean: Value, axes: list[int]) -> Value:
    deviation = apply(builder, "sub", value.dtype, value, mean)
    return mean_of(builder, apply(builder, "square", value.dtype, deviation), axes, True)


def _sum(builder: Builder, call: Call) -> Result:
    value = floating_input(call)
    return [
        reduced(
            builder, "sum", value, call.axes(len(value.shape)), bool(call.get("keepdim", False)), call.dtype
        )
    ]


def floating_input(call: Call) -> Value:
    value = call.input(0)
    if value.dtype != call.dtype and value.dtype not in FLOATING:
        return Value(value.shape, Apply(call.dtype, "convert", (value.expression,)))
    return value


def _mean(builder: Builder, call: Call) -> Result:
    value = floating_input(call)
    return [mean_of(builder, value, call.axes(len(value.shape)), bool(call.get("keepdim", False)))]


def _variance(builder: Builder, call: Call) -> Result:
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


def _extremum(builder: Builder, call: Call) -> Result:
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


def _argument(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    axes, keep = call.axes(len(value.shape)), bool(call.get("keepdim", False))
    return [reduced(builder, call.name, value, axes, keep, "int64")]


def _product(builder: Builder, call: Call) -> Result:
    value = floating_input(call)
    return [
        reduced(
            builder, "prod", value, call.axes(len(value.shape)), bool(call.get("keepdim", False)), call.dtype
        )
    ]


def _any(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    if value.dtype != "bool":
        value = apply(builder, "ne", "bool", value, 0)
    operation = "max" if call.name == "any" else "min"
    return [
        reduced(
            builder, operation, value, call.axes(len(value.shape)), bool(call.get("keepdim", False)), "bool"
        )
    ]


def _norm(builder: Builder, call: Call) -> Result:
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


def _softmax(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    return [softmax(builder, value, call.axes(len(value.shape)), call.dtype, "log" in call.name)]


def softmax(builder: Builder, value: Value, axes: list[int], dtype: str, logarithm: bool) -> Value:
    value = settled(value)
    shifted = apply(builder, "sub", dtype, value, reduced(builder, "max", value, axes, True))
    exponential = apply(builder, "exp", dtype, shifted)
    total = reduced(builder, "sum", exponential, axes, True)
    if logarithm:
        return apply(builder, "sub", dtype, shifted, apply(builder, "log", dtype, total))
    return apply(builder, "div", dtype, exponential, total)


def _logsumexp(builder: Builder, call: Call) -> Result:
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


TRANSLATIONS: dict[str, Translation] = {
    "sum": _sum,
    "mean": _mean,
    "var": _variance,
    "std": _variance,
    "var_mean": _variance,
    "std_mean": _variance,
    "max": _extremum,
    "min": _extremum,
    "amax": _extremum,
    "amin": _extremum,
    "argmax": _argument,
    "argmin": _argument,
    "prod": _product,
    "any": _any,
    "all": _any,
    "linalg_vector_norm": _norm,
    "norm": _norm,
    "logsumexp": _logsumexp,
    "_softmax": _softmax,
    "_log_softmax": _softmax,
    "_safe_softmax": _softmax,
    "softmax": _softmax,
    "log_softmax": _softmax,
}
