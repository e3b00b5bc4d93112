"""Products of matrices and vectors, and attention, which is made of them."""

from kernelwright_memory.generators.templates.graph.graph import (
    ONE,
    ZERO,
    Apply,
    Constant,
    Extent,
    Node,
    Position,
    Unsupported,
    Value,
    permute,
)
from kernelwright_memory.generators.templates.graph.size import Size, product
from kernelwright_memory.generators.templates.graph.translation.builder import (
    Builder,
    Call,
    Result,
    Translation,
)
from kernelwright_memory.generators.templates.graph.translation.pointwise import apply
from kernelwright_memory.generators.templates.graph.translation.reductions import reduced, softmax
from kernelwright_memory.generators.templates.graph.translation.views import plain, reshaped


def multiplied(builder: Builder, left: Value, right: Value, dtype: str) -> Value:
    """Matrices, or batches of matrices."""
    batched = len(left.shape) == 3
    if batched:
        builder.unify(left.shape[0], right.shape[0])
    builder.unify(left.shape[-1], right.shape[-2])
    if right.shape[-1].constant == 1:
        # A vector: every row is a sum of its own.
        turned = permute(right, [*range(len(right.shape) - 2), -1, -2])
        return reduced(
            builder, "sum", apply(builder, "mul", dtype, left, turned), [len(left.shape) - 1], True
        )
    shape = (*left.shape[:-1], right.shape[-1])
    return Node("matmul", "matmul", (plain(left), plain(right)), shape, dtype).result()


def _matmul(builder: Builder, call: Call) -> Result:
    return [multiplied(builder, call.input(0), call.input(1), call.dtype)]


def _addmm(builder: Builder, call: Call) -> Result:
    bias, left, right = call.inputs()
    result = multiplied(builder, left, right, call.dtype)
    alpha, beta = call.get("alpha", 1), call.get("beta", 1)
    if alpha != 1:
        result = apply(builder, "mul", call.dtype, result, alpha)
    if beta != 1:
        bias = apply(builder, "mul", call.dtype, bias, beta)
    return [apply(builder, "add", call.dtype, result, bias)]


def _matvec(builder: Builder, call: Call) -> Result:
    left, right = call.input(0), call.input(1)
    builder.unify(left.shape[-1], right.shape[0])
    value = apply(builder, "mul", call.dtype, left, right)
    return [reduced(builder, "sum", value, [len(left.shape) - 1], False)]


def _attention(builder: Builder, call: Call) -> Result:
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


TRANSLATIONS: dict[str, Translation] = {
    "mm": _matmul,
    "bmm": _matmul,
    "addmm": _addmm,
    "baddbmm": _addmm,
    "mv": _matvec,
    "dot": _matvec,
    "_scaled_dot_product_flash_attention_for_cpu": _attention,
    "_scaled_dot_product_flash_attention": _attention,
    "_scaled_dot_product_efficient_attention": _attention,
    "_scaled_dot_product_attention_math": _attention,
    "scaled_dot_product_attention": _attention,
}
