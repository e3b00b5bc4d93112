"""Every documented form of an interface compiles, runs without a finding, and computes what it says, for each element type.

A family is a set of interfaces that share their forms. For each type, programs are made of all interfaces and forms that have it: each
calls on one core and compares every element with `wanted`, an expression of double over x and y. In a call stand {api}, {T} for
the type, `c` for the result, `a` and `b` for the inputs, `work` for room; `wanted` sees x, y and i, and all inputs as xs and ys.
"""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.verifier import Verifier, read_candidate

CHECK = Path(__file__).resolve().parent / "programs" / "check.h"

N = 256
"""Elements of each tensor: two repeats of float at the least."""


_MOST = 24  # interfaces in a program: what a compiler takes in seconds


@dataclass(frozen=True)
class Api:
    name: str
    wanted: str
    low: float = 0.25
    high: float = 2.0
    types: tuple[str, ...] = ()
    """Instead of the family's."""
    tolerance: float = 0.0
    """Relative, beyond the type's own rounding."""


@dataclass(frozen=True)
class Family:
    name: str
    types: tuple[str, ...]
    forms: tuple[str, ...]
    apis: tuple[Api, ...]


def masked(arguments: str, strides: str, scalar: str = "") -> tuple[str, ...]:
    """The forms with repeats: the first of each repeat, by bits, by the mask set before, counted by the register."""
    rest = f"c, {arguments}{scalar}"
    bits = "uint64_t bits[2] = {~0ull, PER > 64 ? ~0ull : 0};"
    return (
        f"{{api}}({rest}, uint64_t(PER), N / PER, {{{{ {strides} }}}});",
        f"{{api}}<{{T}}, true>({rest}, uint64_t(PER), uint8_t(N / PER), {{{{ {strides} }}}});",
        bits.replace("{", "{{").replace("}", "}}") + f" {{api}}({rest}, bits, N / PER, {{{{ {strides} }}}});",
        f"SetVectorMask<{{T}}>(PER > 64 ? ~0ull : 0, ~0ull); {{api}}<{{T}}, false>({rest}, MASK_PLACEHOLDER, N / PER, {{{{ {strides} }}}}); ResetMask();",
        f"SetMaskCount(); SetVectorMask<{{T}}, MaskMode::COUNTER>(0, N); {{api}}<{{T}}, false>({rest}, MASK_PLACEHOLDER, 1, {{{{ {strides} }}}}); SetMaskNorm(); ResetMask();",
    )


REAL = ("half", "float")
WHOLE = ("int16_t", "int32_t")
ALL = REAL + WHOLE
_UNARY = "1, 1, 8, 8"
_BINARY = "1, 1, 1, 8, 8, 8"
# Of the library: with room or without, with a count or for the whole tensor, the source kept or given up.
_LIBRARY = (
    "{api}(c, a, work, N);",
    "{api}(c, a, work);",
    "{api}(c, a, N);",
    "{api}(c, a);",
    "{api}<{T}, false>(c, a, work, N);",
    "{api}<{T}, true>(c, a, N);",
)
_LIBRARY_OF_TWO = (
    "{api}(c, a, b, work, N);",
    "{api}(c, a, b, work);",
    "{api}(c, a, b, N);",
    "{api}(c, a, b);",
    "{api}<{T}, false>(c, a, b, work, N);",
)

FAMILIES = (
    Family(
        "unary", REAL, ("{api}(c, a, N);", "{api}<{T}>(c, a, N);", *masked("a", _UNARY)),
        (
            Api("Abs", "std::fabs(x)", -2, 2), Api("Exp", "std::exp(x)"), Api("Ln", "std::log(x)"), Api("Sqrt", "std::sqrt(x)"),
            Api("Rsqrt", "1 / std::sqrt(x)", tolerance=2e-3), Api("Reciprocal", "1 / x", tolerance=2e-3),
            Api("Relu", "std::fmax(x, 0.0)", -2, 2, types=(*REAL, "int32_t")),
            Api("Not", "double(uint16_t(~uint16_t(x)))", 0, 9, types=("uint16_t",)),
        ),
    ),
    Family(
        "binary", ALL, ("{api}(c, a, b, N);", "{api}<{T}>(c, a, b, N);", *masked("a, b", _BINARY)),
        (
            Api("Add", "x + y", 1, 9), Api("Sub", "x - y", 1, 9), Api("Mul", "x * y", 1, 9), Api("Max", "std::fmax(x, y)", 1, 9),
            Api("Min", "std::fmin(x, y)", 1, 9), Api("Div", "x / y", 1, 9, types=REAL),
            Api("And", "double(int(x) & int(y))", 0, 99, types=("int16_t", "uint16_t")),
            Api("Or", "double(int(x) | int(y))", 0, 99, types=("int16_t", "uint16_t")),
            Api("AddRelu", "std::fmax(x + y, 0.0)", -9, 9, types=(*REAL, "int16_t")),
            Api("SubRelu", "std::fmax(x - y, 0.0)", -9, 9, types=(*REAL, "int16_t")),
        ),
    ),
    Family(
        "accumulating", REAL,
        tuple("Duplicate(c, {T}(2), N); " + form for form in ("{api}(c, a, b, N);", *(f.replace("{api}<{T}, ", "{api}<{T}, {T}, ") for f in masked("a, b", _BINARY)))),
        (Api("MulAddDst", "x * y + 2", 1, 9, tolerance=1e-3),),
    ),
    Family(
        "fused", REAL,
        tuple("Duplicate(c, {T}(2), N); " + form for form in ("{api}(c, a, b, N);", "{api}<{T}>(c, a, b, N);", *masked("a, b", _BINARY))),
        (Api("FusedMulAdd", "x * 2 + y", 1, 9, tolerance=1e-3), Api("FusedMulAddRelu", "std::fmax(x * 2 + y, 0.0)", -9, 9, tolerance=1e-3)),
    ),
    Family(
        "scalar", ALL, ("{api}(c, a, {T}(2), N);", "{api}<{T}>(c, a, {T}(2), N);", "{api}<{T}, false>(c, a, {T}(2), N);", *masked("a", _UNARY, ", {T}(2)")),
        (
            Api("Adds", "x + 2", 1, 9), Api("Muls", "x * 2", 1, 9), Api("Maxs", "std::fmax(x, 2.0)", 1, 9), Api("Mins", "std::fmin(x, 2.0)", 1, 9),
            Api("LeakyRelu", "x > 0 ? x : 2 * x", -9, 9, types=REAL),
            Api("ShiftLeft", "double(int64_t(x) << 2)", 1, 9, types=("int16_t", "int32_t", "uint16_t", "uint32_t")),
            Api("ShiftRight", "double(int64_t(x) >> 2)", 1, 99, types=("int16_t", "int32_t", "uint16_t", "uint32_t")),
        ),
    ),
    Family(
        "axpy", REAL,
        tuple(
            "Duplicate(c, {T}(3), N); " + form
            for form in (
                "{api}(c, a, {T}(2), N);", "{api}<{T}, {T}>(c, a, {T}(2), N);", "{api}<{T}, {T}, false>(c, a, {T}(2), work, N);",
                *(f.replace("{api}<{T}, ", "{api}<{T}, {T}, ") for f in masked("a", _UNARY, ", {T}(2)")),
            )
        ),
        (Api("Axpy", "3 + 2 * x", 1, 9, tolerance=1e-3),),
    ),
    Family(
        "filling", ALL,
        (
            "{api}(c, {T}(5), N);", "{api}<{T}>(c, {T}(5), N);", "{api}(c, {T}(5), uint64_t(PER), N / PER, 1, 8);",
            "uint64_t bits[2] = {{~0ull, PER > 64 ? ~0ull : 0}}; {api}(c, {T}(5), bits, N / PER, 1, 8);",
            "SetVectorMask<{T}>(PER > 64 ? ~0ull : 0, ~0ull); {api}<{T}, false>(c, {T}(5), MASK_PLACEHOLDER, N / PER, 1, 8); ResetMask();",
        ),
        (Api("Duplicate", "5"),),
    ),
    Family(
        "moving", ALL,
        (
            "{api}(c, a, uint64_t(PER), N / PER, {{1, 1, 8, 8}});", "{api}<{T}, true>(c, a, uint64_t(PER), N / PER, {{1, 1, 8, 8}});",
            "uint64_t bits[2] = {{~0ull, PER > 64 ? ~0ull : 0}}; {api}(c, a, bits, N / PER, {{1, 1, 8, 8}});",
            "{api}(c, a, N);",
        ),
        (Api("Copy", "x", 1, 9),),
    ),
    Family(
        "copying", ALL,
        ("{api}(c, a, N);", "{api}(c, a, DataCopyParams(1, N * sizeof({T}) / 32, 0, 0));", "{api}(c, a, {{2, uint16_t(N * sizeof({T}) / 64), 0, 0}});"),
        (Api("DataCopy", "x", 1, 9),),
    ),
    Family(
        "library", REAL, _LIBRARY,
        (
            Api("Tanh", "std::tanh(x)", -2, 2), Api("Sigmoid", "1 / (1 + std::exp(-x))", -2, 2), Api("Sin", "std::sin(x)", -2, 2), Api("Cos", "std::cos(x)", -2, 2),
            Api("Tan", "std::tan(x)", -1, 1), Api("Asin", "std::asin(x)", -0.9, 0.9), Api("Acos", "std::acos(x)", -0.9, 0.9), Api("Atan", "std::atan(x)", -2, 2),
            Api("Sinh", "std::sinh(x)", -2, 2), Api("Cosh", "std::cosh(x)", -2, 2), Api("Asinh", "std::asinh(x)", -2, 2), Api("Acosh", "std::acosh(x)", 1.1, 3),
            Api("Atanh", "std::atanh(x)", -0.9, 0.9), Api("Floor", "std::floor(x)", -9, 9), Api("Ceil", "std::ceil(x)", -9, 9), Api("Round", "std::nearbyint(x)", -9, 9),
            Api("Trunc", "std::trunc(x)", -9, 9), Api("Frac", "x - std::trunc(x)", -9, 9), Api("Sign", "double((x > 0) - (x < 0))", -9, 9), Api("Log", "std::log(x)"),
            Api("Log2", "std::log2(x)"), Api("Log10", "std::log10(x)"), Api("Erf", "std::erf(x)", -2, 2), Api("Erfc", "std::erfc(x)", -2, 2),
            Api("Lgamma", "std::lgamma(x)", 0.5, 4), Api("Silu", "x / (1 + std::exp(-x))", -2, 2),
        ),
    ),
    Family(
        "series", REAL, ("{api}<{T}, 0>(c, a, work, N);", "{api}<{T}, 12>(c, a, N);", "{api}<{T}, 15, false>(c, a, work, N);"), (Api("Exp", "std::exp(x)", -1, 2),)
    ),
    Family(
        "gelu", REAL,
        ("{api}(c, a, work, N);", "{api}(c, a, N);", "{api}<{T}>(c, a, work, N);", "{api}<{T}, true>(c, a, N);", "{api}<{T}, false, true>(c, a, work, N);"),
        (Api("Gelu", "x * 0.5 * (1 + std::erf(x / std::sqrt(2.0)))", -2, 2, tolerance=2e-3), Api("FasterGelu", "x / (1 + std::exp(-1.702 * x))", -2, 2, tolerance=2e-3)),
    ),
    Family(
        "swish", REAL, ("{api}(c, a, N, {T}(1));", "{api}<{T}, false>(c, a, work, N, {T}(1));"), (Api("Swish", "x / (1 + std::exp(-x))", -2, 2),)
    ),
    Family(
        "gated", REAL, _LIBRARY_OF_TWO,
        (Api("ReGlu", "x * std::fmax(y, 0.0)", -2, 2), Api("GeGLU", "x * y * 0.5 * (1 + std::erf(y / std::sqrt(2.0)))", -2, 2, tolerance=2e-3), Api("Fmod", "std::fmod(x, y)", 1, 9)),
    ),
    Family(
        "swiglu", REAL,
        ("{api}(c, a, b, 1.0f, N);", "{api}(c, a, b, 1.0f);", "{api}(c, a, b, 1.0f, work, N);", "{api}(c, a, b, 1.0f, work);", "{api}<{T}, false>(c, a, b, 1.0f, work, N);"),
        (Api("SwiGLU", "x * y / (1 + std::exp(-y))", -2, 2, tolerance=1e-3),),
    ),
    Family(
        "bits", WHOLE, _LIBRARY_OF_TWO, (Api("Xor", "double(int(x) ^ int(y))", 0, 99, types=("int16_t", "uint16_t")),)
    ),
    Family(
        "power", (*REAL, "int32_t"), _LIBRARY_OF_TWO, (Api("Power", "std::pow(x, y)", 1, 3, tolerance=2e-3),)
    ),
    Family(
        "power_of_a_number", REAL,
        ("{api}(c, a, {T}(2), work, N);", "{api}(c, a, {T}(2), work);", "{api}(c, a, {T}(2), N);", "{api}(c, a, {T}(2));", "{api}<{T}, false>(c, a, {T}(2), N);"),
        (Api("Power", "x * x", 1, 3, tolerance=2e-3),),
    ),
    Family(
        "number_to_the_power", REAL,
        ("{api}(c, {T}(2), a, work, N);", "{api}(c, {T}(2), a, work);", "{api}(c, {T}(2), a, N);", "{api}(c, {T}(2), a);", "{api}<{T}, false>(c, {T}(2), a, N);"),
        (Api("Power", "std::pow(2.0, x)", 1, 3, tolerance=2e-3),),
    ),
    Family(
        "clamping", REAL, ("{api}(c, a, {T}(1), N);", "{api}(c, a, work, {T}(1), N);", "{api}<{T}, false>(c, a, work, {T}(1), N);"),
        (Api("ClampMax", "std::fmin(x, 1.0)", -2, 2), Api("ClampMin", "std::fmax(x, 1.0)", -2, 2)),
    ),
    Family(
        "progression", ALL, ("{api}(c, {T}(3), {T}(2), N);", "{api}<{T}>(c, {T}(3), {T}(2), N);"), (Api("ArithProgression", "3.0 + 2.0 * i"),)
    ),
    Family("index", ALL, ("{api}(c, {T}(3), N);", "{api}<{T}>(c, {T}(3), N);"), (Api("CreateVecIndex", "3.0 + i"),)),
    Family(
        "whole_reduction", REAL,
        tuple(
            "Duplicate(c, {T}(0), N); " + form
            for form in (
                "{api}(c, a, PER, N / PER, 1, 1, 8);", "{api}<{T}>(c, a, PER, N / PER, 1, 1, 8);",
                "uint64_t bits[2] = {{~0ull, PER > 64 ? ~0ull : 0}}; {api}(c, a, bits, N / PER, 1, 1, 8);",
            )
        ),
        (Api("WholeReduceSum", "i < N / PER ? folded(xs, i * PER, PER, 0) : 0", tolerance=4e-3),),
    ),
    Family(
        "whole_extremes", REAL,
        tuple(
            "Duplicate(c, {T}(0), N); " + form
            for form in (
                "{api}(c, a, PER, N / PER, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);", "{api}<{T}, true>(c, a, PER, N / PER, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);",
                "uint64_t bits[2] = {{~0ull, PER > 64 ? ~0ull : 0}}; {api}(c, a, bits, N / PER, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);",
            )
        ),
        (Api("WholeReduceMax", "i < N / PER ? folded(xs, i * PER, PER, 1) : 0"), Api("WholeReduceMin", "i < N / PER ? folded(xs, i * PER, PER, 2) : 0")),
    ),
    Family(
        "block_reduction", REAL,
        tuple(
            "Duplicate(c, {T}(0), N); " + form
            for form in (
                "{api}(c, a, N / PER, PER, 1, 1, 8);", "{api}<{T}, true>(c, a, N / PER, PER, 1, 1, 8);",
                "uint64_t bits[2] = {{~0ull, PER > 64 ? ~0ull : 0}}; {api}(c, a, N / PER, bits, 1, 1, 8);",
            )
        ),
        (
            Api("BlockReduceSum", "i < N / BLOCK ? folded(xs, i * BLOCK, BLOCK, 0) : 0", tolerance=4e-3),
            Api("BlockReduceMax", "i < N / BLOCK ? folded(xs, i * BLOCK, BLOCK, 1) : 0"), Api("BlockReduceMin", "i < N / BLOCK ? folded(xs, i * BLOCK, BLOCK, 2) : 0"),
            Api("PairReduceSum", "i < N / 2 ? folded(xs, i * 2, 2, 0) : 0", tolerance=1e-3),
        ),
    ),
    Family(
        "reduction", REAL,
        tuple(
            "Duplicate(c, {T}(0), N); " + form
            for form in (
                "{api}(c, a, some, N);", "{api}<{T}>(c, a, some, N);", "{api}(c, a, some, PER, N / PER, 8);", "{api}<{T}>(c, a, some, PER, N / PER, 8);",
                "uint64_t bits[2] = {{~0ull, PER > 64 ? ~0ull : 0}}; {api}(c, a, some, bits, N / PER, 8);",
            )
        ),
        (
            Api("ReduceSum", "i ? 0 : folded(xs, 0, N, 0)", tolerance=1e-2), Api("ReduceMax", "i ? 0 : folded(xs, 0, N, 1)"), Api("ReduceMin", "i ? 0 : folded(xs, 0, N, 2)"),
        ),
    ),
    Family(
        "row_reduction", REAL,
        tuple(
            "Duplicate(c, {T}(0), N); uint32_t shape[2] = {{8, N / 8}}; " + form
            for form in ("{api}<{T}, Pattern::Reduce::AR>(c, a, work, shape, true);", "{api}<{T}, Pattern::Reduce::AR, false>(c, a, shape, true);")
        ),
        (
            Api("ReduceSum", "i < 8 ? folded(xs, i * (N / 8), N / 8, 0) : 0", types=("float",), tolerance=1e-3),
            Api("ReduceMax", "i < 8 ? folded(xs, i * (N / 8), N / 8, 1) : 0"), Api("ReduceMin", "i < 8 ? folded(xs, i * (N / 8), N / 8, 2) : 0"),
        ),
    ),
    Family(
        "sums_of_rows", REAL,
        tuple(
            "Duplicate(c, {T}(0), N); SumParams p{{8, N / 8, N / 8}}; " + form
            for form in ("{api}(c, a, p);", "{api}(c, a, work, p);", "{api}<{T}, -1, false, false>(c, a, work, p);")
        ),
        (Api("Sum", "i < 8 ? folded(xs, i * (N / 8), N / 8, 0) : 0", tolerance=1e-2),),
    ),
    Family(
        "means_of_rows", REAL,
        tuple(
            "Duplicate(c, {T}(0), N); MeanParams p{{8, N / 8, N / 8}}; " + form for form in ("{api}(c, a, p);", "{api}(c, a, work, p);", "{api}<{T}, float>(c, a, work, p);")
        ),
        (Api("Mean", "i < 8 ? folded(xs, i * (N / 8), N / 8, 0) / (N / 8) : 0", tolerance=1e-2),),
    ),
    Family(
        "broadcasting", REAL,
        tuple(
            "const uint32_t to[2] = {{16, N / 16}}, from[2] = {{16, 1}}; " + form
            for form in (
                "{api}<{T}, 2, 1>(c, a, to, from);", "{api}<{T}, 2, 1>(c, a, to, from, work);", "{api}<{T}, 2, 1, false>(c, a, to, from);",
            )
        ),
        (Api("BroadCast", "xs[i / (N / 16)]"), Api("Broadcast", "xs[i / (N / 16)]")),
    ),
    Family(
        "gathering", ("half", "float", "int16_t", "int32_t"),
        tuple(
            "auto places = some.template ReinterpretCast<int32_t>(); CreateVecIndex(places, 0, N); Muls(places, places, -int32_t(sizeof({T})), N); "
            "Adds(places, places, int32_t((N - 1) * sizeof({T})), N); auto offsets = some.template ReinterpretCast<uint32_t>(); " + form
            for form in (
                "{api}(c, a, offsets, 0u, N);", "{api}<{T}>(c, a, offsets, 0u, N);", "{api}(c, a, offsets, 0u, uint64_t(PER), uint8_t(N / PER), uint16_t(8));",
                "uint64_t bits[2] = {{~0ull, PER > 64 ? ~0ull : 0}}; {api}(c, a, offsets, 0u, bits, uint8_t(N / PER), uint16_t(8));",
            )
        ),
        (Api("Gather", "xs[N - 1 - i]", 1, 9),),
    ),
    Family(
        "choosing", REAL,
        tuple(
            "LocalTensor<uint8_t> bits = some.template ReinterpretCast<uint8_t>(); Compare(bits, a, b, CMPMODE::LT, N); " + form
            for form in (
                "{api}(c, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, N);", "{api}(c, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, uint64_t(PER), N / PER, {{1, 1, 1, 8, 8, 8}});",
                "uint64_t m[2] = {{~0ull, PER > 64 ? ~0ull : 0}}; {api}(c, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, m, N / PER, {{1, 1, 1, 8, 8, 8}});",
            )
        ),
        (Api("Select", "std::fmin(x, y)"),),
    ),
    Family(
        "choosing_a_number", REAL,
        tuple(
            "LocalTensor<uint8_t> bits = some.template ReinterpretCast<uint8_t>(); CompareScalar(bits, a, {T}(1), CMPMODE::LT, N); " + form
            for form in (
                "{api}(c, bits, a, {T}(1), SELMODE::VSEL_TENSOR_SCALAR_MODE, N);", "{api}(c, bits, a, {T}(1), SELMODE::VSEL_TENSOR_SCALAR_MODE, uint64_t(PER), N / PER, {{1, 1, 1, 8, 8, 8}});",
                "uint64_t m[2] = {{~0ull, PER > 64 ? ~0ull : 0}}; {api}(c, bits, a, {T}(1), SELMODE::VSEL_TENSOR_SCALAR_MODE, m, N / PER, {{1, 1, 1, 8, 8, 8}});",
            )
        ),
        (Api("Select", "std::fmin(x, 1.0)"),),
    ),
    Family(
        "spreading", ("half", "float", "int16_t", "int32_t"), ("{api}(c, a, N / 8 / BLOCK, {{1, 8}});", "{api}<{T}>(c, a, uint8_t(N / 8 / BLOCK), BrcbRepeatParams(1, 8));"),
        (Api("Brcb", "xs[i / BLOCK]", 1, 9),),
    ),
)  # fmt: skip

_HEAD = f"""#include "check.h"
#include "lib/matmul_intf.h"
using namespace AscendC;
constexpr uint32_t N = {N};
constexpr uint32_t PER = 256 / sizeof(%s), BLOCK = 32 / sizeof(%s);
[[maybe_unused]] static double folded(const std::vector<double>& of, size_t from, size_t count, int how)
{{
    double made = of[from];
    for (size_t i = from + 1; i < from + count; ++i) made = how == 0 ? made + of[i] : how == 1 ? std::fmax(made, of[i]) : std::fmin(made, of[i]);
    return made;
}}
"""


def programs() -> Iterator[tuple[str, str]]:
    """(name, text) of one program for each type."""
    types = dict.fromkeys(
        t for family in FAMILIES for api in family.apis for t in (api.types or family.types)
    )
    for element in types:
        cases = [(f, api) for f in FAMILIES for api in f.apis if element in (api.types or f.types)]
        for first in range(0, len(cases), _MOST):
            yield f"{element}-{first // _MOST}", _program(cases[first : first + _MOST], element)


def _program(cases: list[tuple[Family, Api]], element: str) -> str:
    parts, checks = [_HEAD % (element, element)], []
    rounding = 2e-3 if element == "half" else 2e-5 if element == "float" else 0.0
    for number, (family, api) in enumerate(cases):
        calls = "\n".join(
            f"            case {at}: {{ {form.format(api=api.name, T=element)} break; }}"
            for at, form in enumerate(family.forms)
        )
        kernel = f"kernel_{number}"
        parts.append(
            f"__global__ __aicore__ void {kernel}(GM_ADDR x, GM_ADDR y, GM_ADDR z, int32_t form)\n{{\n"
            f"    on_core<{element}, {element}>(x, y, z, N, N, [form](LocalTensor<{element}> a, LocalTensor<{element}> b, LocalTensor<{element}> c, TBuf<TPosition::VECCALC>& scratch) {{\n"
            f"        [[maybe_unused]] LocalTensor<uint8_t> work = scratch.Get<uint8_t>(16 * 1024);\n"
            f"        [[maybe_unused]] LocalTensor<{element}> some = scratch.GetWithOffset<{element}>(16 * 1024 / sizeof({element}), 16 * 1024);\n"
            f"        switch (form) {{\n{calls}\n        }}\n    }});\n}}\n"
        )
        checks.append(
            f"    {{\n        auto xs0 = numbers<{element}>(N, {api.low}, {api.high}, 3), ys0 = numbers<{element}>(N, {api.low}, {api.high}, 7);\n"
            f"        std::vector<double> xs(xs0.begin(), xs0.end()), ys(ys0.begin(), ys0.end());\n"
            f"        for (int32_t form = 0; form < {len(family.forms)}; ++form) {{\n"
            f"            Device<{element}> a(xs0), b(ys0), c{{std::vector<{element}>(N)}};\n"
            f"            {kernel}<<<1, nullptr, nullptr>>>(a, b, c, form);\n"
            f"            char what[64];\n"
            f'            snprintf(what, sizeof what, "{api.name} of {element}, form %d", form);\n'
            f"            check(what, c, [&](size_t i) {{ [[maybe_unused]] double x = xs[i], y = ys[i]; return double({api.wanted}); }}, {rounding + api.tolerance});\n"
            f"        }}\n    }}\n"
        )
    return "".join(parts) + "int main()\n{\n" + "".join(checks) + "    return failures != 0;\n}\n"


PROGRAMS = dict(programs())


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("name", PROGRAMS)
async def test_every_form_computes_what_it_says(name: str, tmp_path: Path, verifier: Verifier) -> None:
    shutil.copy(CHECK, tmp_path)
    path = tmp_path / f"{name}.asc"
    path.write_text(PROGRAMS[name], encoding="utf-8")
    (plan,) = verifier.plan(read_candidate(path))
    verdict = await verifier.verdict(plan, VerifyOptions(latency=False))
    assert [f"{f.line}:{f.column} {f.code} {f.message}" for f in verdict.findings] == [], verdict.log
    assert verdict.feasible is True
