"""Operators that slide a window: convolutions, pooling; and scans."""

from typing import Any

from kernelwright_memory.generators.templates.graph.graph import Node, Unsupported
from kernelwright_memory.generators.templates.graph.size import Size
from kernelwright_memory.generators.templates.graph.translation.builder import (
    Builder,
    Call,
    Result,
    Translation,
)
from kernelwright_memory.generators.templates.graph.translation.normalisation import per_channel
from kernelwright_memory.generators.templates.graph.translation.pointwise import apply
from kernelwright_memory.generators.templates.graph.translation.reductions import floating_input
from kernelwright_memory.generators.templates.graph.translation.views import plain


def _convolution(builder: Builder, call: Call) -> Result:
    value, weight = plain(call.input(0)), plain(call.input(1))
    rank = len(value.shape) - 2
    transposed, groups = bool(call.get("transposed", False)), int(call.get("groups", 1))
    stride, padding, dilation, extra = (
        as_list(call.get(name, default), rank)
        for name, default in (("stride", 1), ("padding", 0), ("dilation", 1), ("output_padding", 0))
    )
    space = []
    for d in range(rank):
        extent, taps = value.shape[2 + d], weight.shape[2 + d]
        if transposed:
            whole = (extent - 1) * stride[d] + (taps - 1) * dilation[d] + (extra[d] + 1 - 2 * padding[d])
            space.append(whole.named())
        else:
            space.append(_places(extent, (taps - 1) * dilation[d], padding[d], stride[d], False))
    channels = weight.shape[1] * groups if transposed else weight.shape[0]
    counted: int | Size = groups
    if groups == 1:
        builder.unify(value.shape[1], weight.shape[0 if transposed else 1])
    elif not transposed and weight.shape[1].value == 1 and weight.shape[0].value == groups:
        # Depthwise: there are as many groups as channels, whatever their number is.
        builder.unify(value.shape[1], weight.shape[0])
        counted = weight.shape[0]
    attributes = {
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "groups": counted,
        "transposed": transposed,
    }
    shape = (value.shape[0], channels, *space)
    result = Node("convolution", "convolution", (value, weight), shape, call.dtype, attributes).result()
    if "bias" not in call.attributes and len(call.input_names) > 2:
        bias = call.input(2)
        builder.unify(channels, bias.shape[0])
        result = apply(builder, "add", call.dtype, result, per_channel(bias, len(shape)))
    return [result]


def _places(extent: Size, reach: int | Size, padding: int, stride: int, up: bool) -> Size:
    """How many places a window has along an axis; `reach` is from its first element to its last. With `up`, one that begins
    inside and ends outside counts."""
    room = extent - reach + 2 * padding
    if stride == 1:
        return room.named()
    return ((room - 1 + (stride - 1 if up else 0)).floor_divided(stride) + 1).named()


def as_list(value: Any, rank: int) -> list[int]:
    values = list(value) if isinstance(value, list | tuple) else [value]
    return [int(v) for v in (values * rank if len(values) == 1 else values)][:rank]


def _pool(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    rank = int(call.name.split("pool")[1][0])
    window = as_list(call.attributes["kernel_size"], rank)
    stride = as_list(call.get("stride") or window, rank)
    padding, dilation = as_list(call.get("padding", 0), rank), as_list(call.get("dilation", 1), rank)
    space = []
    over = False
    for d in range(rank):
        extent = value.shape[len(value.shape) - rank + d]
        up = bool(call.get("ceil_mode", False)) and stride[d] > 1
        space.append(_places(extent, (window[d] - 1) * dilation[d], padding[d], stride[d], up))
        over |= up
        if up and (space[-1].value - 1) * stride[d] >= extent.value + padding[d]:
            raise Unsupported("pooling with ceil_mode whose last window begins behind its input")
    shape = (*value.shape[:-rank], *space)
    operation = "max" if "max" in call.name else "mean"
    counted = bool(call.attributes.get("count_include_pad", True))
    if over and operation == "mean" and any(padding) and (counted or call.get("divisor_override")):
        raise Unsupported("a mean of windows that hold padding before their input and end behind it")
    attributes = {
        "window": window, "stride": stride, "padding": padding, "dilation": dilation,
        "counts_padding": bool(call.attributes.get("count_include_pad", True)), "divisor": call.get("divisor_override"),
        "over": over,
    }  # fmt: skip
    return [Node("pool", operation, (value,), shape, call.dtype, attributes).result()]


def _scan(builder: Builder, call: Call) -> Result:
    value = floating_input(call)
    axis = call.get("dim", 0) % max(len(value.shape), 1)
    operation = "sum" if call.name == "cumsum" else "prod"
    return [Node("scan", operation, (value,), value.shape, call.dtype, {"axis": axis}).result()]


TRANSLATIONS: dict[str, Translation] = {
    "convolution": _convolution,
    "_convolution": _convolution,
    "max_pool2d_with_indices": _pool,
    "max_pool3d_with_indices": _pool,
    "avg_pool2d": _pool,
    "avg_pool3d": _pool,
    "cumsum": _scan,
    "cumprod": _scan,
}
