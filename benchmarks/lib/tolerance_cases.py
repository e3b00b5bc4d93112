"""Operators with outputs of 8 and 16 bits and of integers, each with kernels that are right and kernels that are wrong.

A kernel is a function of the trial's tensors, written as the kernel computes: float32 throughout and rounded where it says so. Right are
any order of summation with one rounding at the end, kernels that round where the reference rounds, and kernels that round an operand of
a product to the type of the inputs. Wrong are zeros, factors, scales that are some per cent off, the unbiased variance, and what public
bug reports tell of.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

Tensors = dict[str, Any]
Kernel = Callable[[Tensors], Any]

NAMES = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
    "float8_e4m3fn": torch.float8_e4m3fn,
    "float8_e5m2": torch.float8_e5m2,
    "int8": torch.int8,
    "int32": torch.int32,
}
HALVES = ("bfloat16", "float16")
EIGHTS = ("float8_e4m3fn", "float8_e5m2")


@dataclass(frozen=True, slots=True)
class Operator:
    """One task, and its kernels by name."""

    name: str
    text: str
    right: dict[str, Kernel]
    wrong: dict[str, Kernel]


def task_text(body: str, inputs: str, init: str = "pass") -> str:
    return (
        "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\nclass Model(nn.Module):\n"
        f"    def __init__(self):\n        super().__init__()\n        {init}\n\n"
        f"    def forward(self, {inputs.partition(':')[0]}):\n        {body}\n\n\n"
        f"def get_inputs():\n    return [{inputs.partition(':')[2].strip()}]\n\n\ndef get_init_inputs():\n    return []\n"
    )


# ---- orders of summation ----


def one_by_one(terms: Any) -> Any:
    """float32 sum of the last dimension, in order."""
    total = torch.zeros(terms.shape[:-1], dtype=torch.float32)
    for k in range(terms.shape[-1]):
        total = total + terms[..., k]
    return total


def reversed_order(terms: Any) -> Any:
    return one_by_one(terms.flip(-1))


def strided(terms: Any) -> Any:
    """32 lanes, each every 32nd term, then a butterfly."""
    padded = torch.nn.functional.pad(terms, (0, -terms.shape[-1] % 32))
    lanes = one_by_one(padded.unflatten(-1, (-1, 32)).transpose(-1, -2))
    while lanes.shape[-1] > 1:
        half = lanes.shape[-1] // 2
        lanes = lanes[..., :half] + lanes[..., half:]
    return lanes[..., 0]


def split(terms: Any) -> Any:
    """Four stretches, as a split of K sums them."""
    return one_by_one(torch.stack([one_by_one(part) for part in terms.chunk(4, -1)], -1))


ORDERS = {"in order": one_by_one, "reversed": reversed_order, "strided": strided, "split": split}


def terms_of(a: Any, b: Any) -> Any:
    """The terms of a @ b.T, in float32."""
    return a.float()[..., :, None, :] * b.float()[..., None, :, :]


def with_common_mistakes(kernel: Kernel, output: Any, **others: Kernel) -> dict[str, Kernel]:
    """Mistakes that every output may have, and those of this operator. `kernel` gives float32 values before the last rounding."""

    def changed(change: Callable[[Any], Any]) -> Kernel:
        return lambda t: change(kernel(t)).to(output)

    return {
        "zeros": changed(torch.zeros_like),
        "twice": changed(lambda y: 2 * y),
        "half": changed(lambda y: y / 2),
        "3 % too large": changed(lambda y: 1.03 * y),
        "3 % too small": changed(lambda y: 0.97 * y),
        "other sign": changed(lambda y: -y),
        "last row left out": changed(lambda y: torch.cat([y[:-1], torch.zeros_like(y[-1:])])),
        "one row late": changed(lambda y: y.roll(1, 0)),
        **others,
    }


# ---- operators ----


def scores(dtype: str, m: int, n: int, k: int) -> Operator:
    t = NAMES[dtype]
    padded = (k + 7) // 8 * 8 + (8 if k % 8 == 0 else 0)

    def by(order: Callable[[Any], Any], scale: float) -> Kernel:
        return lambda x: order(terms_of(x["q"], x["k"])) * torch.tensor(scale)

    right: dict[str, Kernel] = {
        f"one rounding, {name}": lambda x, o=order: by(o, k**-0.5)(x).to(t) for name, order in ORDERS.items()
    }
    right["rounds the product too"] = lambda x: one_by_one(terms_of(x["q"], x["k"])).to(t) * k**-0.5
    if k <= 64:
        right["keeps a short sum in the type"] = lambda x: (
            narrow_sum(terms_of(x["q"], x["k"]), t) * k**-0.5
        ).to(t)
    right["rounds the scaled query"] = lambda x: strided(terms_of(x["q"] * k**-0.5, x["k"])).to(t)
    wrong = with_common_mistakes(
        by(one_by_one, k**-0.5),
        t,
        padded_scale=lambda x: by(one_by_one, padded**-0.5)(x).to(t),
        last_term=lambda x: (one_by_one(terms_of(x["q"], x["k"])[..., :-1]) * k**-0.5).to(t),
        no_scale=lambda x: by(one_by_one, 1.0)(x).to(t),
    )
    text = task_text(
        "return (q @ k.t()) * (q.shape[1] ** -0.5)",
        f"q, k: torch.randn({m}, {k}).to(torch.{dtype}), torch.randn({n}, {k}).to(torch.{dtype})",
    )
    return Operator(f"scores {dtype} {m}x{n}x{k}", text, right, wrong)


def narrow_sum(terms: Any, dtype: Any) -> Any:
    """A sum whose accumulator is of 16 bits."""
    total = torch.zeros(terms.shape[:-1], dtype=dtype)
    for k in range(terms.shape[-1]):
        total = (total.float() + terms[..., k].float()).to(dtype)
    return total


def product(source: str, dtype: str, m: int, n: int, k: int, bias: bool) -> Operator:
    """x @ w.T of `source`, in `dtype`; with bias and rectifier where asked for."""
    s, t = NAMES[source], NAMES[dtype]
    top = 448.0 if dtype == "float8_e4m3fn" else 57344.0 if dtype == "float8_e5m2" else math.inf

    def finish(x: Tensors, y: Any) -> Any:
        y = torch.relu(y + x["b"].float()) if bias else y
        return y.clamp(-top, top)

    def by(order: Callable[[Any], Any]) -> Kernel:
        return lambda x: finish(x, order(terms_of(x["x"], x["w"])))

    right: dict[str, Kernel] = {
        f"one rounding, {name}": lambda x, o=order: by(o)(x).to(t) for name, order in ORDERS.items()
    }
    if s is t:
        right["rounds the product too"] = lambda x: finish(
            x, one_by_one(terms_of(x["x"], x["w"])).to(t).float()
        ).to(t)
    wrong = with_common_mistakes(
        by(one_by_one), t, last_term=lambda x: finish(x, one_by_one(terms_of(x["x"], x["w"])[..., :-1])).to(t)
    )
    if bias:
        wrong["no bias"] = lambda x: torch.relu(one_by_one(terms_of(x["x"], x["w"]))).clamp(-top, top).to(t)
        wrong["no rectifier"] = lambda x: (
            (one_by_one(terms_of(x["x"], x["w"])) + x["b"].float()).clamp(-top, top).to(t)
        )
    if source != dtype and source == "float32":
        wrong["fourth of the terms"] = lambda x: (
            (4 * one_by_one(terms_of(x["x"], x["w"])[..., ::4])).clamp(-top, top).to(t)
        )
    body = "y = x @ w.t()" + (" + b" if bias else "")
    body += "\n        " + ("y = torch.relu(y)\n        " if bias else "")
    body += f"y = y.clamp({-top}, {top})\n        " if math.isfinite(top) else ""
    body += "return y" if source == dtype else f"return y.to(torch.{dtype})"
    made = f"torch.randn({m}, {k}).to(torch.{source}), torch.randn({n}, {k}).to(torch.{source})"
    made += f", torch.randn({n}).to(torch.{source})" if bias else ""
    text = task_text(body, ("x, w, b: " if bias else "x, w: ") + made)
    return Operator(f"product {source} {dtype} {m}x{n}x{k}{' bias' if bias else ''}", text, right, wrong)


def normalised(x: Any, order: Callable[[Any], Any], less: int = 0, epsilon: float = 1e-5) -> Any:
    """Rows to mean nought and variance one; the variance over `less` elements fewer."""
    n, wide = x.shape[-1], x.float()
    centred = wide - (order(wide) / n)[..., None]
    return centred * torch.rsqrt(order(centred * centred) / (n - less) + epsilon)[..., None]


def layer_norm(dtype: str, rows: int, width: int) -> Operator:
    t = NAMES[dtype]
    right: dict[str, Kernel] = {
        f"one rounding, {name}": lambda x, o=order: normalised(x["x"], o).to(t)
        for name, order in ORDERS.items()
    }
    wrong = with_common_mistakes(
        lambda x: normalised(x["x"], one_by_one),
        t,
        unbiased=lambda x: normalised(x["x"], one_by_one, 1).to(t),
        no_mean=lambda x: (
            x["x"].float() * torch.rsqrt(one_by_one(x["x"].float() ** 2) / width + 1e-5)[:, None]
        ).to(t),
        no_epsilon=lambda x: normalised(x["x"], one_by_one, epsilon=0.0).to(t),
    )
    text = task_text(
        f"return F.layer_norm(x, ({width},))", f"x: torch.randn({rows}, {width}).to(torch.{dtype})"
    )
    return Operator(f"layer_norm {dtype} {rows}x{width}", text, right, wrong)


def layer_norm_by_hand(dtype: str, rows: int, width: int) -> Operator:
    """As people write it: each step in the type of the input, a rounding behind each."""
    t = NAMES[dtype]

    def affine(x: Tensors, y: Any) -> Any:
        return y * x["g"].float() + x["b"].float()

    def stepwise(x: Tensors) -> Any:
        v = x["x"]
        centred = v - (strided(v.float()) / width).to(t)[:, None]
        variance = (strided((centred * centred).float()) / width).to(t)
        return centred / torch.sqrt(variance + 1e-5)[:, None] * x["g"] + x["b"]

    right: dict[str, Kernel] = {
        f"one rounding, {name}": lambda x, o=order: affine(x, normalised(x["x"], o)).to(t)
        for name, order in ORDERS.items()
    }
    right["rounds at each step"] = stepwise
    right["rounds before the weight"] = lambda x: normalised(x["x"], strided).to(t) * x["g"] + x["b"]
    right["rounds the normalised alone"] = lambda x: affine(x, normalised(x["x"], split).to(t).float()).to(t)
    wrong = with_common_mistakes(
        lambda x: affine(x, normalised(x["x"], one_by_one)),
        t,
        unbiased=lambda x: affine(x, normalised(x["x"], one_by_one, 1)).to(t),
        no_weight=lambda x: (normalised(x["x"], one_by_one) + x["b"].float()).to(t),
        no_bias=lambda x: (normalised(x["x"], one_by_one) * x["g"].float()).to(t),
    )
    body = (
        "c = x - x.mean(-1, keepdim=True)\n        v = (c * c).mean(-1, keepdim=True)\n"
        "        return c / torch.sqrt(v + 1e-5) * g + b"
    )
    made = f"torch.randn({rows}, {width}).to(torch.{dtype}), "
    made += ", ".join(f"torch.randn({width}).to(torch.{dtype})" for _ in range(2))
    return Operator(
        f"layer_norm by hand {dtype} {rows}x{width}", task_text(body, f"x, g, b: {made}"), right, wrong
    )


def rms_norm(dtype: str, rows: int, width: int) -> Operator:
    """As language models write it: float32 inside, rounded before the weight."""
    t = NAMES[dtype]

    def inside(x: Tensors, order: Callable[[Any], Any], n: float = 0.0) -> Any:
        v = x["x"].float()
        return v * torch.rsqrt(order(v * v) / (n or width) + 1e-6)[:, None]

    right: dict[str, Kernel] = {
        f"one rounding, {name}": lambda x, o=order: (inside(x, o) * x["g"].float()).to(t)
        for name, order in ORDERS.items()
    }
    right["rounds where the reference does"] = lambda x: inside(x, strided).to(t) * x["g"]
    wrong = with_common_mistakes(
        lambda x: inside(x, one_by_one) * x["g"].float(),
        t,
        unbiased=lambda x: (inside(x, one_by_one, width - 1) * x["g"].float()).to(t),
        padded=lambda x: (inside(x, one_by_one, (width + 15) // 8 * 8) * x["g"].float()).to(t),
        no_weight=lambda x: inside(x, one_by_one).to(t),
    )
    body = "v = x.float()\n        v = v * torch.rsqrt(v.pow(2).mean(-1, keepdim=True) + 1e-6)\n        return g * v.to(x.dtype)"
    made = f"torch.randn({rows}, {width}).to(torch.{dtype}), torch.randn({width}).to(torch.{dtype})"
    return Operator(f"rms_norm {dtype} {rows}x{width}", task_text(body, f"x, g: {made}"), right, wrong)


def softmax(dtype: str, rows: int, width: int) -> Operator:
    t = NAMES[dtype]

    def by(order: Callable[[Any], Any], base: float = 1.0, last: int | None = None) -> Kernel:
        def kernel(x: Tensors) -> Any:
            v = x["x"].float()
            e = torch.exp2((v - v.amax(-1, keepdim=True)) * (base * 1.44269504))
            return e / order(e[..., :last])[..., None]

        return kernel

    right: dict[str, Kernel] = {
        f"one rounding, {name}": lambda x, o=order: by(o)(x).to(t) for name, order in ORDERS.items()
    }
    wrong = with_common_mistakes(
        by(one_by_one),
        t,
        base_two=lambda x: by(one_by_one, 1 / 1.44269504)(x).to(t),
        temperature=lambda x: by(one_by_one, 0.97)(x).to(t),
        last_column=lambda x: by(one_by_one, last=-1)(x).to(t),
    )
    text = task_text("return torch.softmax(x, -1)", f"x: torch.randn({rows}, {width}).to(torch.{dtype})")
    return Operator(f"softmax {dtype} {rows}x{width}", text, right, wrong)


def attention(dtype: str, fused: bool, heads: int, length: int, width: int) -> Operator:
    t = NAMES[dtype]

    def by(x: Tensors, scale: float, rounded: bool = False, online: bool = False) -> Any:
        q, k, v = (x[n].float() for n in "qkv")
        s = (q @ k.transpose(-1, -2)) * scale
        top = s.amax(-1, keepdim=True)
        e = torch.exp(s - top)
        total = e.sum(-1, keepdim=True)
        e = e.to(t).float() if rounded else e
        return (e @ v) / total if online else (e / total) @ v

    def stepwise(x: Tensors) -> Any:
        p = torch.softmax((x["q"] @ x["k"].transpose(-1, -2)) * width**-0.5, -1)
        return p @ x["v"]

    # What is one operator rounds nothing inside.
    right: dict[str, Kernel] = {} if fused else {"rounds at each step": stepwise}
    right |= {
        "one rounding": lambda x: by(x, width**-0.5).to(t),
        "online": lambda x: by(x, width**-0.5, online=True).to(t),
        "rounds the weights": lambda x: by(x, width**-0.5, rounded=True, online=True).to(t),
    }
    padded = width + 4
    wrong = with_common_mistakes(
        lambda x: by(x, width**-0.5),
        t,
        padded_scale=lambda x: by(x, padded**-0.5).to(t),
        no_scale=lambda x: by(x, 1.0).to(t),
        last_key=lambda x: by({**x, "k": x["k"][..., :-1, :], "v": x["v"][..., :-1, :]}, width**-0.5).to(t),
        three_per_cent_of_total=lambda x: (by(x, width**-0.5) / 1.03).to(t),
    )
    body = (
        "return F.scaled_dot_product_attention(q, k, v)"
        if fused
        else "p = torch.softmax((q @ k.transpose(-1, -2)) * (q.shape[-1] ** -0.5), -1)\n        return p @ v"
    )
    made = ", ".join(f"torch.randn({heads}, {length}, {width}).to(torch.{dtype})" for _ in range(3))
    name = f"attention {'fused ' if fused else ''}{dtype} {heads}x{length}x{width}"
    return Operator(name, task_text(body, f"q, k, v: {made}"), right, wrong)


def gelu(dtype: str, rows: int, width: int) -> Operator:
    t = NAMES[dtype]

    def by(x: Tensors, tanh: Callable[[Any], Any], cubed: float = 0.044715) -> Any:
        v = x["x"].float()
        return 0.5 * v * (1 + tanh(0.7978845608 * (v + cubed * v * v * v)))

    right: dict[str, Kernel] = {
        "one rounding": lambda x: by(x, torch.tanh).to(t),
        "by exponentials": lambda x: by(x, lambda u: 1 - 2 / (torch.exp(2 * u.clamp(max=40)) + 1)).to(t),
    }
    wrong = with_common_mistakes(
        lambda x: by(x, torch.tanh),
        t,
        sigmoid=lambda x: (x["x"].float() * torch.sigmoid(1.702 * x["x"].float())).to(t),
        no_cube=lambda x: by(x, torch.tanh, 0.0).to(t),
    )
    text = task_text(
        "return F.gelu(x, approximate='tanh')", f"x: torch.randn({rows}, {width}).to(torch.{dtype})"
    )
    return Operator(f"gelu {dtype} {rows}x{width}", text, right, wrong)


def mean(dtype: str, rows: int, width: int) -> Operator:
    t = NAMES[dtype]
    right: dict[str, Kernel] = {
        f"one rounding, {name}": lambda x, o=order: (o(x["x"].float()) / width).to(t)
        for name, order in ORDERS.items()
    }
    wrong = with_common_mistakes(
        lambda x: one_by_one(x["x"].float()) / width,
        t,
        one_less=lambda x: (one_by_one(x["x"].float()) / (width - 1)).to(t),
        narrow_sum=lambda x: (narrow_sum(x["x"], t).float() / width).to(t),
    )
    text = task_text("return x.mean(-1)", f"x: torch.rand({rows}, {width}).to(torch.{dtype})")
    return Operator(f"mean {dtype} {rows}x{width}", text, right, wrong)


def quantised(dtype: str, rows: int, width: int, source: str = "float32") -> Operator:
    """To 8 bits, each row scaled by its largest."""
    t = NAMES[dtype]
    top = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}.get(dtype, 127.0)

    def by(x: Tensors, factor: float = 1.0) -> Any:
        v = x["x"].float()
        most = v.abs().amax(-1, keepdim=True).clamp(min=1e-6)
        return (v * (torch.tensor(top) / most) * factor).clamp(-top, top)

    def stored(y: Any) -> Any:
        return (torch.round(y) if dtype == "int8" else y).to(t)

    right: dict[str, Kernel] = {
        "as the reference": lambda x: stored(by(x)),
        "divides": lambda x: stored(
            (x["x"].float() / (x["x"].float().abs().amax(-1, keepdim=True).clamp(min=1e-6) / top)).clamp(
                -top, top
            )
        ),
    }
    wrong = {
        "zeros": lambda x: stored(torch.zeros_like(by(x))),
        "half": lambda x: stored(by(x, 0.5)),
        "3 % too small": lambda x: stored(by(x, 0.97)),
        "one row's scale for all": lambda x: stored(
            (x["x"].float() * (top / x["x"].float().abs().amax())).clamp(-top, top)
        ),
        "last row left out": lambda x: torch.cat([stored(by(x))[:-1].float(), torch.zeros(1, width)]).to(t),
        "other sign": lambda x: stored(-by(x)),
        "truncated": lambda x: truncated(by(x), dtype),
    }
    body = (
        f"v = x.float()\n        s = {top} / v.abs().amax(-1, keepdim=True).clamp(min=1e-6)\n        "
        f"y = (v * s).clamp({-top}, {top})\n        "
        + ("return torch.round(y).to(torch.int8)" if dtype == "int8" else f"return y.to(torch.{dtype})")
    )
    text = task_text(body, f"x: torch.randn({rows}, {width}).to(torch.{source})")
    return Operator(f"quantised {source} {dtype} {rows}x{width}", text, right, wrong)


def truncated(values: Any, dtype: str) -> Any:
    if dtype == "int8":
        return values.to(torch.int8)
    nearest = values.to(NAMES[dtype]).float()
    below = torch.where(
        nearest.abs() > values.abs(), values * (1 - 2.0 ** -(3 if dtype.endswith("fn") else 2)), nearest
    )
    return below.to(NAMES[dtype])


def product_to_int8(m: int, n: int, k: int, source: str) -> Operator:
    """A product in 16 or 32 bits, scaled and rounded to int8."""

    def by(x: Tensors, order: Callable[[Any], Any], factor: float = 4.0) -> Any:
        return torch.round(order(terms_of(x["x"], x["w"])) * factor).clamp(-128, 127).to(torch.int8)

    right: dict[str, Kernel] = {f"{name}": lambda x, o=order: by(x, o) for name, order in ORDERS.items()}
    wrong: dict[str, Kernel] = {
        "zeros": lambda x: torch.zeros_like(by(x, one_by_one)),
        "twice": lambda x: by(x, one_by_one, 8.0),
        "3 % too small": lambda x: by(x, one_by_one, 3.88),
        "truncated": lambda x: (one_by_one(terms_of(x["x"], x["w"])) * 4.0).clamp(-128, 127).to(torch.int8),
        "wraps": lambda x: (
            torch.round(one_by_one(terms_of(x["x"], x["w"])) * 4.0).to(torch.int32).to(torch.int8)
        ),
        "rounds half of it away": lambda x: by(x, lambda y: one_by_one(y[..., ::2]) * 2),
    }
    text = task_text(
        "return torch.round((x @ w.t()).float() * 4.0).clamp(-128, 127).to(torch.int8)",
        f"x, w: torch.randn({m}, {k}).to(torch.{source}), torch.randn({n}, {k}).to(torch.{source})",
    )
    return Operator(f"product to int8 {source} {m}x{n}x{k}", text, right, wrong)


def operators() -> Iterator[Operator]:
    """All of them."""
    for dtype in HALVES:
        yield scores(dtype, 32, 96, 60)
        yield scores(dtype, 17, 33, 128)
        yield product(dtype, dtype, 33, 40, 200, bias=True)
        yield product(dtype, dtype, 16, 24, 64, bias=False)
        yield product("float32", dtype, 24, 32, 96, bias=False)
        yield layer_norm(dtype, 100, 64)
        yield layer_norm(dtype, 37, 128)
        yield layer_norm_by_hand(dtype, 100, 64)
        yield layer_norm_by_hand(dtype, 64, 96)
        yield rms_norm(dtype, 100, 64)
        yield rms_norm(dtype, 50, 100)
        yield softmax(dtype, 64, 100)
        yield softmax(dtype, 31, 257)
        yield attention(dtype, False, 2, 48, 60)
        yield attention(dtype, True, 2, 40, 32)
        yield gelu(dtype, 60, 100)
        yield mean(dtype, 100, 300)
    for dtype in EIGHTS:
        yield product("bfloat16", dtype, 33, 40, 96, bias=True)
        yield product("float32", dtype, 33, 40, 96, bias=False)
        yield quantised(dtype, 60, 128)
        yield quantised(dtype, 60, 100, "bfloat16")
    yield quantised("int8", 60, 128)
    yield quantised("int8", 60, 100, "bfloat16")
    for source in ("float32", "bfloat16", "float16"):
        yield product_to_int8(32, 40, 96, source)
