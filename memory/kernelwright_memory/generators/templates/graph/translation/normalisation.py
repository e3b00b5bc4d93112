"""Normalisations over the last axes, over groups and over batches."""

from kernelwright_memory.generators.templates.graph.graph import Unsupported, Value, squeeze, unsqueeze
from kernelwright_memory.generators.templates.graph.size import product
from kernelwright_memory.generators.templates.graph.translation.builder import (
    Builder,
    Call,
    Result,
    Translation,
)
from kernelwright_memory.generators.templates.graph.translation.pointwise import apply
from kernelwright_memory.generators.templates.graph.translation.reductions import centred_mean_square, mean_of
from kernelwright_memory.generators.templates.graph.translation.views import reshaped, settled


def normalised(
    builder: Builder, value: Value, axes: list[int], eps: float, weight: Value | None, bias: Value | None
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


def affine(call: Call, first: int) -> tuple[Value | None, Value | None]:
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


def _layer_norm(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    rank = len(call.attributes["normalized_shape"])
    axes = list(range(len(value.shape) - rank, len(value.shape)))
    weight, bias = affine(call, 1)
    return list(normalised(builder, value, axes, call.get("eps", 1e-5), weight, bias))


def _rms_norm(builder: Builder, call: Call) -> Result:
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


def per_channel(value: Value, rank: int) -> Value:
    """A vector over channels as a tensor that broadcasts over batch and space."""
    for _ in range(rank - 2):
        value = unsqueeze(value, len(value.shape))
    return value


def _group_norm(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    batch, channels = value.shape[0], value.shape[1]
    groups = call.size("group")
    per_group = channels.parted(groups)
    space = product(value.shape[2:])
    if per_group is None:
        raise Unsupported(f"'{call.name}' of channels that are no multiple of its groups at every size")
    inner = reshaped(value, (batch, groups, per_group, space))
    for vector in affine(call, 1):
        if vector is not None:
            builder.unify(channels, vector.shape[0])
    weight, bias = (
        None if v is None else unsqueeze(reshaped(v, (groups, per_group)), 2) for v in affine(call, 1)
    )
    result, mean, scale = normalised(builder, inner, [2, 3], call.get("eps", 1e-5), weight, bias)
    return [reshaped(result, value.shape), mean, scale]


def _batch_norm(builder: Builder, call: Call) -> Result:
    value = call.input(0)
    rank = len(value.shape)
    names = ["weight", "bias", "running_mean", "running_var"]
    position, given = 1, {}
    for name in names:
        if name not in call.attributes and position < len(call.input_names):
            given[name] = per_channel(call.input(position), rank)
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


TRANSLATIONS: dict[str, Translation] = {
    "native_layer_norm": _layer_norm,
    "_fused_rms_norm": _rms_norm,
    "native_group_norm": _group_norm,
    "native_batch_norm": _batch_norm,
    "_native_batch_norm_legit": _batch_norm,
    "cudnn_batch_norm": _batch_norm,
    "_native_batch_norm_legit_no_training": _batch_norm,
}
