"""Losses, and look-ups by index."""

from kernelwright_memory.generators.templates.graph.graph import (
    ZERO,
    Apply,
    Constant,
    Expression,
    Load,
    Unsupported,
    Value,
    expand,
    unsqueeze,
)
from kernelwright_memory.generators.templates.graph.translation.builder import (
    Builder,
    Call,
    Result,
    Translation,
)
from kernelwright_memory.generators.templates.graph.translation.pointwise import apply
from kernelwright_memory.generators.templates.graph.translation.reductions import mean_of, reduced
from kernelwright_memory.generators.templates.graph.translation.views import stored


def _loss_reduction(builder: Builder, call: Call, value: Value) -> Value:
    reduction = call.get("reduction", 1)
    axes = list(range(len(value.shape)))
    if reduction == 0:
        return value
    return (
        mean_of(builder, value, axes, False)
        if reduction == 1
        else reduced(builder, "sum", value, axes, False)
    )


def _pair_loss(operation: str, number_name: str | None) -> Translation:
    def translate(builder: Builder, call: Call) -> Result:
        numbers = [call.get(number_name, 1.0)] if number_name else []
        if operation == "square":
            value = apply(builder, "square", call.dtype, apply(builder, "sub", call.dtype, *call.inputs()))
        else:
            value = apply(builder, operation, call.dtype, *call.inputs(), *numbers)
        return [_loss_reduction(builder, call, value)]

    return translate


def _nll_loss(builder: Builder, call: Call) -> Result:
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


def _embedding(builder: Builder, call: Call) -> Result:
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


TRANSLATIONS: dict[str, Translation] = {
    "mse_loss": _pair_loss("square", None),
    "smooth_l1_loss": _pair_loss("smooth_l1", "beta"),
    "huber_loss": _pair_loss("huber", "delta"),
    "nll_loss_forward": _nll_loss,
    "embedding": _embedding,
}
