"""Pointwise operations: how each is written in CUDA C++.

In the texts `T` is the type of the arithmetic (float, or double for double tensors), a name such as `exp@` gets the suffix
of that type, and a number such as `0.5@` becomes a literal of it.
"""

import re
from typing import NamedTuple

CPP_TYPES = {
    "float64": "double", "float32": "float", "float16": "__half", "bfloat16": "__nv_bfloat16", "bool": "bool",
    "uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t",
}  # fmt: skip
TORCH_TYPES = {
    "float64": "torch::kFloat64", "float32": "torch::kFloat32", "float16": "torch::kFloat16",
    "bfloat16": "torch::kBFloat16", "bool": "torch::kBool", "uint8": "torch::kUInt8", "int8": "torch::kInt8",
    "int16": "torch::kInt16", "int32": "torch::kInt32", "int64": "torch::kInt64",
}  # fmt: skip
ATEN_TYPES = {"float16": "at::Half", "bfloat16": "at::BFloat16"}
HALVES = ("float16", "bfloat16")
FLOATING = ("float64", "float32", *HALVES)
HEADERS = {"float16": "<cuda_fp16.h>", "bfloat16": "<cuda_bf16.h>"}


class Operation(NamedTuple):
    """`inline` is an expression over {0}, {1}, ...; with `body` it is a device function of that text over a, b, c."""

    inline: str
    body: str | None = None


_INLINE = {
    "add": "({0} + {1})", "sub": "({0} - {1})", "mul": "({0} * {1})", "div": "({0} / {1})", "neg": "(-{0})",
    "abs": "fabs@({0})", "exp": "exp@({0})", "exp2": "exp2@({0})", "expm1": "expm1@({0})", "log": "log@({0})",
    "log1p": "log1p@({0})", "log2": "log2@({0})", "log10": "log10@({0})", "sqrt": "sqrt@({0})", "rsqrt": "rsqrt@({0})",
    "reciprocal": "(1.0@ / {0})", "square": "({0} * {0})", "sin": "sin@({0})", "cos": "cos@({0})", "tan": "tan@({0})",
    "asin": "asin@({0})", "acos": "acos@({0})", "atan": "atan@({0})", "sinh": "sinh@({0})", "cosh": "cosh@({0})",
    "tanh": "tanh@({0})", "erf": "erf@({0})", "erfc": "erfc@({0})", "floor": "floor@({0})", "ceil": "ceil@({0})",
    "trunc": "trunc@({0})", "round": "rint@({0})", "pow": "pow@({0}, {1})", "atan2": "atan2@({0}, {1})",
    "fmod": "fmod@({0}, {1})", "lt": "({0} < {1})", "le": "({0} <= {1})", "gt": "({0} > {1})", "ge": "({0} >= {1})",
    "eq": "({0} == {1})", "ne": "({0} != {1})", "logical_and": "({0} && {1})", "logical_or": "({0} || {1})",
    "logical_not": "(!{0})", "where": "({0} ? {1} : {2})", "isnan": "({0} != {0})",
    "integer_abs": "({0} < 0 ? -{0} : {0})",
}  # fmt: skip
_FUNCTIONS = {
    # fmin and fmax drop a NaN, PyTorch keeps it.
    "maximum": ("ab", "return a > b || a != a ? a : b;"),
    "minimum": ("ab", "return a < b || a != a ? a : b;"),
    "relu": ("a", "return a < 0.0@ ? 0.0@ : a;"),
    "sigmoid": ("a", "return 1.0@ / (1.0@ + exp@(-a));"),
    "silu": ("a", "return a / (1.0@ + exp@(-a));"),
    "gelu": ("a", "return 0.5@ * a * (1.0@ + erf@(a * 0.7071067811865476@));"),
    "gelu_tanh": (
        "a",
        "const T inner = 0.7978845608028654@ * (a + 0.044715@ * a * a * a);\n"
        "return 0.5@ * a * (1.0@ + tanh@(inner));",
    ),
    "leaky_relu": ("ab", "return a > 0.0@ ? a : a * b;"),
    "elu": ("abcd", "return a > 0.0@ ? c * a : c * b * expm1@(d * a);"),
    "softplus": ("abc", "return a * b > c ? a : log1p@(exp@(a * b)) / b;"),
    "hardsigmoid": ("a", "return fmin@(fmax@(a + 3.0@, 0.0@), 6.0@) / 6.0@;"),
    "hardswish": ("a", "return a * fmin@(fmax@(a + 3.0@, 0.0@), 6.0@) / 6.0@;"),
    # tanh(log(1 + e)) = (e^2 + 2 e) / (e^2 + 2 e + 2)
    "mish": (
        "a",
        "const T e = exp@(fmin@(a, 20.0@));\nconst T n = e * (e + 2.0@);\nreturn a > 20.0@ ? a : a * (n / (n + 2.0@));",
    ),
    "log_sigmoid": ("a", "return fmin@(a, 0.0@) - log1p@(exp@(-fabs@(a)));"),
    "xlogy": ("ab", "return a == 0.0@ ? 0.0@ : a * log@(b);"),
    "sign": ("a", "return a > 0.0@ ? 1.0@ : (a < 0.0@ ? -1.0@ : 0.0@);"),
    "smooth_l1": ("abc", "const T d = fabs@(a - b);\nreturn d < c ? 0.5@ * d * d / c : d - 0.5@ * c;"),
    "huber": ("abc", "const T d = fabs@(a - b);\nreturn d <= c ? 0.5@ * d * d : c * (d - 0.5@ * c);"),
}  # fmt: skip
OPERATIONS: dict[str, Operation] = {name: Operation(text) for name, text in _INLINE.items()} | {
    name: Operation(", ".join(f"{{{i}}}" for i in range(len(letters))), body)
    for name, (letters, body) in _FUNCTIONS.items()
}
PREDICATES = ("lt", "le", "gt", "ge", "eq", "ne", "logical_and", "logical_or", "logical_not", "isnan")
# What is as cheap as the load itself, so that computing it again costs nothing.
_CHEAP = ("add", "sub", "mul", "neg", "relu", "maximum", "minimum", "abs", "where", *PREDICATES)
_TYPED = re.compile(r"(?P<number>\d+\.\d+(?:e-?\d+)?)@|(?P<name>[a-z]\w*)@")


def is_cheap(operation: str) -> bool:
    return operation in _CHEAP


def computation_type(dtype: str) -> str:
    """The C++ type in which values of a dtype are computed: half types in float."""
    return "float" if dtype in HALVES else CPP_TYPES[dtype]


def typed(text: str, cpp_type: str) -> str:
    """Fill in the suffixes of a type."""
    suffix = "f" if cpp_type == "float" else ""
    text = _TYPED.sub(lambda m: (m["number"] or m["name"]) + suffix, text)
    return re.sub(r"\bT\b", cpp_type, text)


def function_text(operation: str, name: str, cpp_type: str) -> str:
    """The device function of an operation that has a body."""
    letters, body = _FUNCTIONS[operation]
    parameters = ", ".join(f"{cpp_type} {letter}" for letter in letters)
    lines = "\n".join(f"    {line}" for line in typed(body, cpp_type).split("\n"))
    return f"__device__ __forceinline__ {cpp_type} {name}({parameters}) {{\n{lines}\n}}\n"


def literal(value: int | float | bool, cpp_type: str) -> str:
    """A number as a literal of a type."""
    if cpp_type == "bool":
        return "true" if value else "false"
    if cpp_type in ("float", "double"):
        number = float(value)
        if number != number:
            return "NAN"
        if number in (float("inf"), float("-inf")):
            return "INFINITY" if number > 0 else "-INFINITY"
        text = repr(number)
        return text + ("f" if cpp_type == "float" else "")
    return str(int(value))


def converted(text: str, source: str, target: str) -> str:
    """`text`, of C++ type `source`, as `target`."""
    if source == target:
        return text
    if source == "__half":
        return converted(f"__half2float({text})", "float", target)
    if source == "__nv_bfloat16":
        return converted(f"__bfloat162float({text})", "float", target)
    if target == "__half":
        return f"__float2half({converted(text, source, 'float')})"
    if target == "__nv_bfloat16":
        return f"__float2bfloat16({converted(text, source, 'float')})"
    if target == "bool":
        return f"({text} != 0)"
    return f"static_cast<{target}>({text})"
