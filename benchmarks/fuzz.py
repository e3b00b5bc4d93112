"""Random small kernels: what they compute on the CPU target against an evaluation of the same trees by numpy, bit for bit.

    python benchmarks/fuzz.py [--first 0] [--count 2000] [--batch 16] [--jobs 1] [--keep-failures FOLDER]
    python benchmarks/fuzz.py --emit PROGRAM.cu --first 0 --count 500      # for nvcc: prints "seed checksum"
    python benchmarks/fuzz.py --compare OUTPUT.txt --device "NVIDIA H200"  # what that program printed on a GPU

A kernel is made from its seed alone: integers and floating-point numbers of 32 and 64 bits (only operations whose result
IEEE 754 or the CUDA headers fix; none that a compiler may contract), branches, loops with breaks, switches, device functions,
shared memory with barriers, warp operations, votes, atomic operations that commute. By construction it has no race, so that
every finding of an error is a failure as well. NaNs are told apart from numbers only. `results/fuzz.json` and
`results/fuzz_gpu.json` hold the figures.
"""

import argparse
import asyncio
import json
import multiprocessing
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Lanes = npt.NDArray[np.bool_]

INPUTS = 512
NAMES = {"i": "int", "u": "unsigned", "l": "long long", "f": "float", "d": "double"}
TYPES: dict[str, Any] = {"i": np.int32, "u": np.uint32, "l": np.int64, "f": np.float32, "d": np.float64}


# ---- operations: how they are written, and what they mean


def _wrapping(operation: Callable[[Array, Array], Array], unsigned: Any, signed: Any) -> Callable[..., Array]:
    return lambda a, b: operation(a.astype(unsigned), b.astype(unsigned)).astype(signed)


def _fma(a: Array, b: Array, c: Array) -> Array:
    """float: the product is exact in double; the sum is rounded to odd, so that the second rounding changes nothing."""
    product, third = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
    total = product + third
    back = total - product
    error = (product - (total - back)) + (third - back)
    bits = total.view(np.int64)
    inexact = np.isfinite(total) & (error != 0) & ((bits & 1) == 0) & np.isfinite(error)
    away = (error > 0) == (total > 0)
    return np.where(inexact, np.where(away, bits + 1, bits - 1), bits).view(np.float64).astype(np.float32)


def _least(a: Array, b: Array) -> Array:
    """A number wins against a NaN, -0 against +0."""
    chosen = np.where((a < b) | ((a == b) & np.signbit(a)), a, b)
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, chosen)).astype(a.dtype)


def _greatest(a: Array, b: Array) -> Array:
    return (-_least(-a, -b)).astype(a.dtype)


def _to_integer(rounded: Callable[[Array], Array], target: Any) -> Callable[[Array], Array]:
    limits = np.iinfo(target)

    def convert(a: Array) -> Array:
        wide = rounded(a.astype(np.float64))
        # Of 64 bits, NaN is the highest bit alone; of 32 it is nothing.
        nan = limits.min if a.dtype == np.float64 else 0
        return np.where(np.isnan(wide), nan, np.clip(wide, limits.min, limits.max)).astype(target)

    return convert


def _population(a: Array) -> Array:
    v = a.astype(np.uint32)
    v = v - ((v >> np.uint32(1)) & np.uint32(0x55555555))
    v = (v & np.uint32(0x33333333)) + ((v >> np.uint32(2)) & np.uint32(0x33333333))
    v = (v + (v >> np.uint32(4))) & np.uint32(0x0F0F0F0F)
    return ((v * np.uint32(0x01010101)) >> np.uint32(24)).astype(np.int32)


def _leading(a: Array) -> Array:
    v = a.astype(np.uint32)
    for shift in (1, 2, 4, 8, 16):
        v = v | (v >> np.uint32(shift))
    return (32 - _population(v)).astype(np.int32)


def _first_set(a: Array) -> Array:
    v = a.astype(np.uint32)
    lowest = v & (np.uint32(0) - v)
    return np.where(v == 0, 0, 32 - _leading(lowest)).astype(np.int32)


def _reversed(a: Array) -> Array:
    v = a.astype(np.uint32)
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        v = ((v >> np.uint32(shift)) & np.uint32(mask)) | ((v & np.uint32(mask)) << np.uint32(shift))
    return (v >> np.uint32(16)) | (v << np.uint32(16))


def _permuted(a: Array, b: Array, selector: Array) -> Array:
    both = a.astype(np.uint64) | (b.astype(np.uint64) << np.uint64(32))
    out = np.zeros_like(both)
    for n in range(4):
        # Three bits of each digit count: unlike the instruction `prmt`, it repeats no sign.
        index = (selector.astype(np.uint64) >> np.uint64(4 * n)) & np.uint64(7)
        out |= ((both >> (index * np.uint64(8))) & np.uint64(0xFF)) << np.uint64(8 * n)
    return out.astype(np.uint32)


def _funnel(low: Array, high: Array, shift: Array) -> Array:
    both = low.astype(np.uint64) | (high.astype(np.uint64) << np.uint64(32))
    return ((both << (shift.astype(np.uint64) & np.uint64(31))) >> np.uint64(32)).astype(np.uint32)


def _quotient(a: Array, b: Array) -> Array:
    return np.trunc(a.astype(np.float64) / ((b & 7) + 1)).astype(np.int32)


def _product64(a: Array, b: Array) -> Array:
    return a.astype(np.int64) * b.astype(np.int64)


@dataclass(frozen=True)
class Operation:
    result: str
    operands: str
    text: str
    value: Callable[..., Array]


def _operations() -> Iterator[Operation]:
    u32, i32 = np.uint32, np.int32
    for sign, operation in (("+", np.add), ("-", np.subtract), ("*", np.multiply)):
        yield Operation(
            "i", "ii", f"(int)((unsigned)({{0}}) {sign} (unsigned)({{1}}))", _wrapping(operation, u32, i32)
        )
        yield Operation("u", "uu", f"(({{0}}) {sign} ({{1}}))", operation)
        yield Operation("l", "ll", f"(long long)((unsigned long long)({{0}}) {sign} (unsigned long long)({{1}}))",
                        _wrapping(operation, np.uint64, np.int64))  # fmt: skip
    for sign, bitwise in (("&", np.bitwise_and), ("|", np.bitwise_or), ("^", np.bitwise_xor)):
        for kind in "iul":
            yield Operation(kind, kind * 2, f"(({{0}}) {sign} ({{1}}))", bitwise)
    for kind in "iul":
        yield Operation(kind, kind, "(~({0}))", np.invert)
        yield Operation(
            kind, f"i{kind}{kind}", "(({0}) ? ({1}) : ({2}))", lambda c, a, b: np.where(c != 0, a, b)
        )
    yield Operation("i", "ii", "(int)((unsigned)({0}) << (({1}) & 31))",
                    lambda a, b: (a.astype(u32) << (b & 31).astype(u32)).astype(i32))  # fmt: skip
    yield Operation("i", "ii", "(({0}) >> (({1}) & 31))", lambda a, b: a >> (b & 31))
    yield Operation("u", "uu", "(({0}) << (({1}) & 31))", lambda a, b: a << (b & u32(31)))
    yield Operation("u", "uu", "(({0}) >> (({1}) & 31))", lambda a, b: a >> (b & u32(31)))
    yield Operation("l", "li", "(({0}) >> (({1}) & 63))", lambda a, b: a >> (b & 63).astype(np.int64))
    yield Operation("i", "ii", "(({0}) / ((({1}) & 7) + 1))", _quotient)
    yield Operation(
        "i", "ii", "(({0}) % ((({1}) & 7) + 1))", lambda a, b: a - _quotient(a, b) * ((b & 7) + 1)
    )
    yield Operation("u", "uu", "(({0}) / ((({1}) & 255u) + 1u))", lambda a, b: a // ((b & u32(255)) + u32(1)))
    yield Operation("u", "uu", "(({0}) % ((({1}) & 255u) + 1u))", lambda a, b: a % ((b & u32(255)) + u32(1)))
    for kind in "iu":
        yield Operation(kind, kind * 2, "min({0}, {1})", np.minimum)
        yield Operation(kind, kind * 2, "max({0}, {1})", np.maximum)
    yield Operation("i", "u", "__popc({0})", _population)
    yield Operation("i", "i", "__clz({0})", _leading)
    yield Operation("i", "i", "__ffs({0})", _first_set)
    yield Operation("u", "u", "__brev({0})", _reversed)
    yield Operation("u", "uuu", "__byte_perm({0}, {1}, {2})", _permuted)
    yield Operation("u", "uuu", "__funnelshift_l({0}, {1}, {2})", _funnel)
    yield Operation("u", "uu", "__umulhi({0}, {1})",
                    lambda a, b: ((a.astype(np.uint64) * b.astype(np.uint64)) >> np.uint64(32)).astype(u32))  # fmt: skip
    yield Operation("i", "ii", "__mulhi({0}, {1})", lambda a, b: (_product64(a, b) >> 32).astype(i32))
    for name, compare in (("<", np.less), ("<=", np.less_equal), ("==", np.equal), ("!=", np.not_equal)):
        for kind in "iulfd":
            yield Operation(
                "i", kind * 2, f"(int)(({{0}}) {name} ({{1}}))", lambda a, b, c=compare: c(a, b).astype(i32)
            )
    for to, kind in ("iu", "il", "ui", "ul", "li", "lu"):
        yield Operation(to, kind, f"({NAMES[to]})({{0}})", lambda a, t=TYPES[to]: a.astype(t))
    for name, rounded in (("rz", np.trunc), ("rn", np.rint), ("rd", np.floor), ("ru", np.ceil)):
        yield Operation("i", "f", f"__float2int_{name}({{0}})", _to_integer(rounded, i32))
        yield Operation("u", "f", f"__float2uint_{name}({{0}})", _to_integer(rounded, u32))
        yield Operation("i", "d", f"__double2int_{name}({{0}})", _to_integer(rounded, i32))
    for kind, letter, short in (("f", "f", "f"), ("d", "d", "")):
        yield Operation(kind, kind * 2, f"__{letter}add_rn({{0}}, {{1}})", np.add)
        yield Operation(kind, kind * 2, f"__{letter}sub_rn({{0}}, {{1}})", np.subtract)
        yield Operation(kind, kind * 2, f"__{letter}mul_rn({{0}}, {{1}})", np.multiply)
        yield Operation(kind, kind * 2, f"__{letter}div_rn({{0}}, {{1}})", np.divide)
        yield Operation(kind, kind, f"__{letter}sqrt_rn({{0}})", np.sqrt)
        yield Operation(kind, kind, "(-({0}))", np.negative)
        yield Operation(
            kind, f"i{kind}{kind}", "(({0}) ? ({1}) : ({2}))", lambda c, a, b: np.where(c != 0, a, b)
        )
        yield Operation(kind, kind * 2, f"fmin{short}({{0}}, {{1}})", _least)
        yield Operation(kind, kind * 2, f"fmax{short}({{0}}, {{1}})", _greatest)
        for name, unary in (
            ("fabs", np.abs),
            ("floor", np.floor),
            ("ceil", np.ceil),
            ("trunc", np.trunc),
            ("rint", np.rint),
        ):
            yield Operation(kind, kind, f"{name}{short}({{0}})", unary)
    yield Operation("f", "fff", "__fmaf_rn({0}, {1}, {2})", _fma)
    yield Operation("f", "i", "__int2float_rn({0})", lambda a: a.astype(np.float32))
    yield Operation("f", "u", "__uint2float_rn({0})", lambda a: a.astype(np.float32))
    yield Operation("f", "d", "__double2float_rn({0})", lambda a: a.astype(np.float32))
    yield Operation("d", "f", "(double)({0})", lambda a: a.astype(np.float64))
    yield Operation("d", "i", "__int2double_rn({0})", lambda a: a.astype(np.float64))
    yield Operation("d", "l", "__ll2double_rn({0})", lambda a: a.astype(np.float64))


OPERATIONS: dict[str, list[Operation]] = {kind: [] for kind in TYPES}
for _operation in _operations():
    OPERATIONS[_operation.result].append(_operation)


# ---- trees


@dataclass(frozen=True)
class Expression:
    kind: str
    text: str  # of a leaf
    operation: Operation | None = None
    operands: tuple["Expression", ...] = ()
    constant: Any = None

    def written(self) -> str:
        if self.operation is None:
            return self.text
        return self.operation.text.format(*(operand.written() for operand in self.operands))


@dataclass(frozen=True)
class Statement:
    what: str
    target: str = ""
    expressions: tuple[Expression, ...] = ()
    bodies: tuple[tuple["Statement", ...], ...] = ()
    numbers: tuple[int, ...] = ()
    word: str = ""


@dataclass
class Kernel:
    seed: int
    threads: int
    blocks: int
    two_dimensions: bool
    variables: dict[str, str] = field(default_factory=dict)
    functions: list[tuple[str, str, tuple[tuple[str, str], ...], Expression]] = field(default_factory=list)
    body: tuple[Statement, ...] = ()


class Generator:
    """Everything that follows from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.kernel = Kernel(
            seed, 32 * self.random.randint(1, 4), self.random.randint(1, 3), self.random.random() < 0.3
        )
        self.loops = 0
        self.operations_left = self.random.randint(20, 70)

    def make(self) -> Kernel:
        kernel = self.kernel
        for number in range(self.random.randint(4, 8)):
            kernel.variables[f"v{number}"] = self.random.choice("iiuulffd")
        for number in range(self.random.randint(0, 3)):
            kernel.functions.append(self.function(number))
        kernel.body = self.statements(self.random.randint(4, 9), 0, uniform=True)
        return kernel

    def function(self, number: int) -> tuple[str, str, tuple[tuple[str, str], ...], Expression]:
        parameters = tuple((f"p{n}", self.random.choice("iufd")) for n in range(self.random.randint(1, 3)))
        kind = self.random.choice("iufd")
        saved = self.kernel.variables
        self.kernel.variables = dict(parameters)
        body = self.expression(kind, 3, inside=True)
        self.kernel.variables = saved
        return f"f{number}", kind, parameters, body

    def expression(self, kind: str, depth: int, *, inside: bool = False) -> Expression:
        if depth <= 0 or self.operations_left <= 0 or self.random.random() < 0.2:
            return self.leaf(kind, inside)
        if not inside and self.kernel.functions and self.random.random() < 0.1:
            fitting = [f for f in self.kernel.functions if f[1] == kind]
            if fitting:
                name, _, parameters, _ = self.random.choice(fitting)
                operands = tuple(self.expression(k, depth - 1) for _, k in parameters)
                listed = ", ".join(f"{{{n}}}" for n in range(len(operands)))
                call = Operation(
                    kind, "".join(k for _, k in parameters), f"{name}_{self.kernel.seed}({listed})", np.add
                )
                return Expression(kind, name, call, operands)
        self.operations_left -= 1
        operation = self.random.choice(OPERATIONS[kind])
        operands = tuple(self.expression(k, depth - 1, inside=inside) for k in operation.operands)
        return Expression(kind, "", operation, operands)

    def leaf(self, kind: str, inside: bool) -> Expression:
        names = [name for name, of in self.kernel.variables.items() if of == kind]
        roll = self.random.random()
        if names and roll < 0.6:
            return Expression(kind, self.random.choice(names))
        if not inside and roll < 0.75 and kind in "iu":
            return Expression(kind, f"({NAMES[kind]}){self.random.choice(('tid', 'block', 'lane'))}")
        if not inside and roll < 0.9 and kind in "uf":
            index = self.random.randrange(INPUTS)
            taken = f"in[(tid * {index | 1} + {index}) % {INPUTS}]"
            if kind == "u":
                return Expression("u", taken, constant=("input", index))
            return Expression("f", f"__int2float_rn((int){taken} >> 8)", constant=("real input", index))
        return self.constant(kind)

    def constant(self, kind: str) -> Expression:
        if kind in "fd":
            value = self.random.choice(
                (0.0, -0.0, 1.0, 0.5, -2.5, 3.0e-3, 1.0e9, 1.0e-30, self.random.uniform(-100, 100))
            )
            value = float(np.float32(value))
            text = f"{value!r}{'f' if kind == 'f' else ''}"
            return Expression(kind, f"({text})", constant=TYPES[kind](value))
        value = self.random.choice((0, 1, 2, 7, 31, 255, 0x7FFFFFFF, self.random.getrandbits(31)))
        suffix = {"i": "", "u": "u", "l": "ll"}[kind]
        return Expression(kind, f"{value}{suffix}", constant=TYPES[kind](value))

    def variable(self, kinds: str = "iulfd") -> str | None:
        fitting = [name for name, kind in self.kernel.variables.items() if kind in kinds]
        return self.random.choice(fitting) if fitting else None

    def statements(self, count: int, depth: int, *, uniform: bool) -> tuple[Statement, ...]:
        return tuple(self.statement(depth, uniform=uniform) for _ in range(count))

    def statement(self, depth: int, *, uniform: bool) -> Statement:
        roll = self.random.random()
        if uniform and roll < 0.4:
            return self.together()
        if depth < 2 and self.operations_left > 0 and roll < 0.55:
            bodies = tuple(
                self.statements(self.random.randint(1, 3), depth + 1, uniform=False) for _ in range(2)
            )
            return Statement("if", expressions=(self.expression("i", 2),), bodies=bodies)
        if depth < 2 and self.operations_left > 0 and roll < 0.68:
            return self.loop(depth, uniform=uniform)
        if depth < 2 and self.operations_left > 0 and roll < 0.73:
            bodies = tuple(
                self.statements(self.random.randint(1, 2), depth + 1, uniform=False) for _ in range(4)
            )
            falls = tuple(int(self.random.random() < 0.3) for _ in range(4))
            return Statement("switch", expressions=(self.expression("u", 2),), bodies=bodies, numbers=falls)
        target = self.variable()
        assert target is not None
        return Statement("assign", target, (self.expression(self.kernel.variables[target], 3),))

    def loop(self, depth: int, *, uniform: bool) -> Statement:
        self.loops += 1
        name = f"k{self.loops}"
        together = uniform and self.random.random() < 0.5
        body = self.statements(self.random.randint(1, 3), depth + 1, uniform=together)
        if together:
            return Statement("repeat", name, bodies=(body,), numbers=(self.random.randint(1, 3),))
        jump = self.random.choice(("break", "continue", ""))
        expressions = (self.expression("u", 2), self.expression("i", 2))
        after = self.statements(1, depth + 1, uniform=False)
        return Statement("loop", name, expressions, (body, after), word=jump)

    def together(self) -> Statement:
        """What threads do with each other, where all of the block are."""
        choice = self.random.randrange(6)
        target = self.variable()
        assert target is not None
        kind = self.kernel.variables[target]
        if choice == 0:
            numbers = (self.random.randrange(1, 64, 2), self.random.randrange(128))
            return Statement("exchange", target, (self.expression(kind, 2),), numbers=numbers)
        if choice == 1:
            word = self.random.choice(
                ("__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync")
            )
            numbers = (self.random.randrange(32), self.random.choice((32, 32, 16, 8, 4)))
            return Statement("shuffle", target, (self.expression(kind, 2),), numbers=numbers, word=word)
        whole = self.variable("iu")
        if whole is None:
            return Statement("assign", target, (self.expression(kind, 3),))
        if choice == 2:
            word = self.random.choice(("__ballot_sync", "__any_sync", "__all_sync", "__match_any_sync"))
            return Statement("vote", whole, (self.expression("i", 2),), word=word)
        if choice == 3:
            word = self.random.choice(("add", "min", "max", "and", "or", "xor"))
            return Statement("reduce", whole, (self.expression("u", 2),), word=word)
        if choice == 4:
            word = self.random.choice(("__syncthreads_count", "__syncthreads_and", "__syncthreads_or"))
            return Statement("barrier", whole, (self.expression("i", 2),), word=word)
        word = self.random.choice(("Add", "Min", "Max", "And", "Or", "Xor"))
        kind = self.kernel.variables[whole]
        return Statement("atomic", whole, (self.expression(kind, 3), self.expression("i", 2)), word=word,
                         numbers=(self.random.getrandbits(16),))  # fmt: skip


# ---- as CUDA


def written(kernel: Kernel) -> str:
    seed = kernel.seed
    lines = []
    for name, kind, parameters, body in kernel.functions:
        listed = ", ".join(f"{NAMES[k]} {p}" for p, k in parameters)
        lines.append(f"__device__ {NAMES[kind]} {name}_{seed}({listed}) {{ return {body.written()}; }}")
    lines.append(f"__global__ void k{seed}(const unsigned* in, unsigned* out) {{")
    lines.append(
        "  const int tid = threadIdx.y * blockDim.x + threadIdx.x, block = blockIdx.x, lane = tid & 31;"
    )
    lines.append("  (void)lane;")
    shared = sorted({kernel.variables[s.target] for s in _all(kernel.body) if s.what == "exchange"})
    lines += [f"  __shared__ {NAMES[kind]} shared_{kind}[{kernel.threads}];" for kind in shared]
    atomics = sorted({kernel.variables[s.target] for s in _all(kernel.body) if s.what == "atomic"})
    lines += [f"  __shared__ {NAMES[kind]} total_{kind};" for kind in atomics]
    for number, (name, kind) in enumerate(kernel.variables.items()):
        lines.append(f"  {NAMES[kind]} {name} = ({NAMES[kind]})(int)(tid * {number + 3} + block + {number});")
    lines += _block(kernel, kernel.body, "  ")
    words = sum(2 if kind in "ld" else 1 for kind in kernel.variables.values())
    lines.append(f"  unsigned* mine = out + (block * {kernel.threads} + tid) * {words};")
    at = 0
    for name, kind in kernel.variables.items():
        lines.append(f"  put(mine + {at}, {name});")
        at += 2 if kind in "ld" else 1
    lines.append("}")
    return "\n".join(lines)


def _all(body: tuple[Statement, ...]) -> Iterator[Statement]:
    for statement in body:
        yield statement
        for inner in statement.bodies:
            yield from _all(inner)


def _block(kernel: Kernel, body: tuple[Statement, ...], indent: str) -> list[str]:
    lines: list[str] = []
    for s in body:
        e = [expression.written() for expression in s.expressions]
        kind = kernel.variables.get(s.target, "i")
        deeper = indent + "  "
        match s.what:
            case "assign":
                lines.append(f"{indent}{s.target} = {e[0]};")
            case "if":
                lines.append(f"{indent}if ({e[0]}) {{")
                lines += [
                    *_block(kernel, s.bodies[0], deeper),
                    f"{indent}}} else {{",
                    *_block(kernel, s.bodies[1], deeper),
                ]
                lines.append(f"{indent}}}")
            case "repeat":
                lines.append(
                    f"{indent}for (int {s.target} = 0; {s.target} < {s.numbers[0]}; ++{s.target}) {{"
                )
                lines += [*_block(kernel, s.bodies[0], deeper), f"{indent}}}"]
            case "loop":
                lines.append(
                    f"{indent}for (unsigned {s.target} = 0, end = ({e[0]}) & 3u; {s.target} < end; ++{s.target}) {{"
                )
                lines += _block(kernel, s.bodies[0], deeper)
                if s.word:
                    lines.append(f"{deeper}if ({e[1]}) {s.word};")
                lines += [*_block(kernel, s.bodies[1], deeper), f"{indent}}}"]
            case "switch":
                lines.append(f"{indent}switch (({e[0]}) & 3u) {{")
                for number, inner in enumerate(s.bodies):
                    lines.append(f"{indent}  case {number}:")
                    lines += _block(kernel, inner, deeper + "  ")
                    if not s.numbers[number]:
                        lines.append(f"{deeper}  break;")
                lines.append(f"{indent}}}")
            case "exchange":
                lines += [f"{indent}shared_{kind}[tid] = {e[0]};", f"{indent}__syncthreads();",
                          f"{indent}{s.target} = shared_{kind}[(tid * {s.numbers[0]} + {s.numbers[1]}) % {kernel.threads}];",
                          f"{indent}__syncthreads();"]  # fmt: skip
            case "shuffle":
                lines.append(
                    f"{indent}{s.target} = {s.word}(0xffffffffu, {e[0]}, {s.numbers[0]}, {s.numbers[1]});"
                )
            case "vote":
                lines.append(f"{indent}{s.target} = {s.word}(0xffffffffu, {e[0]});")
            case "reduce":
                lines.append(f"{indent}{s.target} = __reduce_{s.word}_sync(0xffffffffu, {e[0]});")
            case "barrier":
                lines.append(f"{indent}{s.target} = {s.word}({e[0]});")
            case "atomic":
                lines += [f"{indent}if (tid == 0) total_{kind} = {s.numbers[0]};", f"{indent}__syncthreads();",
                          f"{indent}if ({e[1]}) atomic{s.word}(&total_{kind}, {e[0]});", f"{indent}__syncthreads();",
                          f"{indent}{s.target} = total_{kind};", f"{indent}__syncthreads();"]  # fmt: skip
    return lines


PREAMBLE = """#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__device__ void put(unsigned* at, int v) { *at = (unsigned)v; }
__device__ void put(unsigned* at, unsigned v) { *at = v; }
__device__ void put(unsigned* at, float v) { *at = v != v ? 0x7fffffffu : __float_as_uint(v); }
__device__ void put(unsigned* at, long long v) {
  at[0] = (unsigned)v;
  at[1] = (unsigned)(v >> 32);
}
__device__ void put(unsigned* at, double v) { put(at, v != v ? 0x7fffffffffffffffll : __double_as_longlong(v)); }
"""


def program(kernels: list[Kernel]) -> str:
    """A file that needs nothing else: it prints the seed and the checksum of every kernel."""
    parts = [PREAMBLE, *(written(kernel) for kernel in kernels)]
    calls = []
    for kernel in kernels:
        words = sum(2 if kind in "ld" else 1 for kind in kernel.variables.values())
        block = f"dim3({kernel.threads // 8}, 8)" if kernel.two_dimensions else str(kernel.threads)
        calls.append(f"  run({kernel.seed}, k{kernel.seed}, {kernel.blocks}, {block}, "
                     f"{kernel.blocks * kernel.threads * words});")  # fmt: skip
    parts.append(
        f"""static void run(int seed, void (*kernel)(const unsigned*, unsigned*), int blocks, dim3 threads, int words) {{
  std::vector<unsigned> in({INPUTS}), out(words);
  unsigned state = (unsigned)seed * 2654435761u + 12345u;
  for (auto& word : in) word = state = state * 1664525u + 1013904223u;
  unsigned *x = nullptr, *y = nullptr;
  cudaMalloc(&x, in.size() * 4);
  cudaMalloc(&y, out.size() * 4);
  cudaMemcpy(x, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
  kernel<<<blocks, threads>>>(x, y);
  cudaError_t error = cudaMemcpy(out.data(), y, out.size() * 4, cudaMemcpyDeviceToHost);
  unsigned long long sum = 0xcbf29ce484222325ull;
  for (unsigned word : out) sum = (sum ^ word) * 0x100000001b3ull;
  printf("%d %016llx%s\\n", seed, sum, error == cudaSuccess ? "" : " failed");
  cudaFree(x);
  cudaFree(y);
}}

int main() {{
"""
        + "\n".join(calls)
        + "\n  return 0;\n}"
    )
    return "\n\n".join(parts) + "\n"


# ---- evaluated: all threads at once, one statement after the other


class Evaluation:
    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        count = kernel.blocks * kernel.threads
        everyone = np.arange(count, dtype=np.int32)
        self.tid, self.block = everyone % kernel.threads, everyone // kernel.threads
        state, words = np.uint32((kernel.seed * 2654435761 + 12345) & 0xFFFFFFFF), []
        for _ in range(INPUTS):
            state = np.uint32((int(state) * 1664525 + 1013904223) & 0xFFFFFFFF)
            words.append(state)
        self.inputs = np.array(words, dtype=np.uint32)
        self.values: dict[str, Array] = {
            name: (self.tid * (number + 3) + self.block + number).astype(TYPES[kind])
            for number, (name, kind) in enumerate(kernel.variables.items())
        }
        self.functions = {name: (parameters, body) for name, _, parameters, body in kernel.functions}

    def checksum(self) -> str:
        self.run(self.kernel.body, np.ones(self.tid.size, dtype=np.bool_))
        columns = []
        for name, kind in self.kernel.variables.items():
            value = self.values[name]
            if kind == "f":
                columns.append(np.where(np.isnan(value), np.uint32(0x7FFFFFFF), value.view(np.uint32)))
            elif kind in "iu":
                columns.append(value.astype(np.uint32))
            else:
                bits = (
                    np.where(np.isnan(value), np.int64(0x7FFFFFFFFFFFFFFF), value.view(np.int64))
                    if kind == "d"
                    else value
                )
                columns += [bits.astype(np.uint32), (bits >> 32).astype(np.uint32)]
        total = 0xCBF29CE484222325
        for word in np.stack(columns, axis=1).ravel().tolist():
            total = ((total ^ word) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
        return f"{total:016x}"

    def value(self, e: Expression, names: dict[str, Array] | None = None) -> Array:
        if e.operation is not None:
            operands = [self.value(operand, names) for operand in e.operands]
            if e.text:  # a device function
                parameters, body = self.functions[e.text]
                return self.value(body, dict(zip((p for p, _ in parameters), operands, strict=True)))
            return np.asarray(e.operation.value(*operands)).astype(TYPES[e.kind], copy=False)
        if isinstance(e.constant, tuple):
            what, index = e.constant
            taken = self.inputs[(self.tid * (index | 1) + index) % INPUTS]
            return taken if what == "input" else (taken.view(np.int32) >> 8).astype(np.float32)
        if e.constant is not None:
            return np.full(self.tid.size, e.constant, dtype=TYPES[e.kind])
        if names is not None:
            return names[e.text]
        if e.text in self.values:
            return self.values[e.text]
        word = e.text.rsplit(")", 1)[1]
        return {"tid": self.tid, "block": self.block, "lane": self.tid & 31}[word].astype(TYPES[e.kind])

    def put(self, name: str, value: Array, lanes: Lanes) -> None:
        kind = TYPES[self.kernel.variables[name]]
        self.values[name] = np.where(lanes, value.astype(kind), self.values[name])

    def run(self, body: tuple[Statement, ...], lanes: Lanes) -> None:
        for statement in body:
            if lanes.any():
                self.step(statement, lanes)

    def step(self, s: Statement, lanes: Lanes) -> None:
        blocks, threads = self.kernel.blocks, self.kernel.threads
        match s.what:
            case "if":
                taken = self.value(s.expressions[0]) != 0
                self.run(s.bodies[0], lanes & taken)
                self.run(s.bodies[1], lanes & ~taken)
                return
            case "repeat":
                for _ in range(s.numbers[0]):
                    self.run(s.bodies[0], lanes)
                return
            case "loop":
                end = self.value(s.expressions[0]) & np.uint32(3)
                left = lanes.copy()
                for turn in range(3):
                    here = left & (end > turn)
                    self.run(s.bodies[0], here)
                    if s.word and here.any():
                        jumps = here & (self.value(s.expressions[1]) != 0)
                        here = here & ~jumps
                        if s.word == "break":
                            left = left & ~jumps
                    self.run(s.bodies[1], here)
                return
            case "switch":
                chosen = self.value(s.expressions[0]) & np.uint32(3)
                inside = np.zeros_like(lanes)
                for number, body in enumerate(s.bodies):
                    inside = inside | (lanes & (chosen == number))
                    self.run(body, inside)
                    if not s.numbers[number]:
                        inside = np.zeros_like(lanes)
                return
        given = self.value(s.expressions[0])
        warps = given.reshape(-1, 32)
        everyone = np.arange(32)
        match s.what:
            case "assign":
                result = given
            case "exchange":
                index = (np.arange(threads) * s.numbers[0] + s.numbers[1]) % threads
                result = given.reshape(blocks, threads)[:, index].ravel()
            case "shuffle":
                operand, width = s.numbers
                start, last = everyone & ~(width - 1), (everyone & ~(width - 1)) + width - 1
                source = {
                    "__shfl_sync": start + (operand & (width - 1)),
                    "__shfl_up_sync": np.where(everyone - operand < start, everyone, everyone - operand),
                    "__shfl_down_sync": np.where(everyone + operand > last, everyone, everyone + operand),
                    "__shfl_xor_sync": np.where((everyone ^ operand) > last, everyone, everyone ^ operand),
                }[s.word]
                result = warps[:, source].ravel()
            case "vote":
                yes = warps != 0
                ballot = (yes.astype(np.uint64) << everyone.astype(np.uint64)).sum(axis=1).astype(np.uint32)
                if s.word == "__match_any_sync":
                    same = warps[:, :, None] == warps[:, None, :]
                    result = (
                        (same.astype(np.uint64) << everyone.astype(np.uint64))
                        .sum(axis=2)
                        .astype(np.uint32)
                        .ravel()
                    )
                else:
                    each = {
                        "__ballot_sync": ballot,
                        "__any_sync": yes.any(axis=1),
                        "__all_sync": yes.all(axis=1),
                    }[s.word]
                    result = np.repeat(each.astype(np.uint32), 32)
            case "reduce":
                reduced = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
                           "or": np.bitwise_or, "xor": np.bitwise_xor}[s.word].reduce(warps, axis=1)  # fmt: skip
                result = np.repeat(reduced.astype(np.uint32), 32)
            case "barrier":
                yes = given.reshape(blocks, threads) != 0
                each = {"__syncthreads_count": yes.sum(axis=1), "__syncthreads_and": yes.all(axis=1),
                        "__syncthreads_or": yes.any(axis=1)}[s.word]  # fmt: skip
                result = np.repeat(each.astype(np.int32), threads)
            case _:
                taken = self.value(s.expressions[1]).reshape(blocks, threads) != 0
                combine = {"Add": np.add, "Min": np.minimum, "Max": np.maximum, "And": np.bitwise_and,
                           "Or": np.bitwise_or, "Xor": np.bitwise_xor}[s.word]  # fmt: skip
                totals = []
                for row, mask in zip(given.reshape(blocks, threads), taken, strict=True):
                    start = np.array([s.numbers[0]], dtype=given.dtype)
                    totals.append(combine.reduce(np.concatenate([start, row[mask]])).astype(given.dtype))
                result = np.repeat(np.array(totals, dtype=given.dtype), threads)
        self.put(s.target, result, lanes)


def expected(kernel: Kernel) -> str:
    with np.errstate(all="ignore"):
        return Evaluation(kernel).checksum()


# ---- runs


async def on_cpu(kernels: list[Kernel], folder: Path) -> tuple[dict[int, str], list[str]]:
    """Checksums by seed, and what was told of these kernels, all of which are right."""
    from kernelwright_backends.core.registry import index_of, toolchain_for
    from kernelwright_backends.core.target import Target
    from kernelwright_backends.interfaces.confinement import Limits
    from kernelwright_backends.interfaces.run import RunRequest
    from kernelwright_verifier.sandbox import open_confinement

    target = Target.parse("cuda:sm_90@cpu")
    toolchain, confinement = toolchain_for(target), open_confinement("auto")
    text = program(kernels)
    path = folder / f"fuzz_{kernels[0].seed}.cu"
    path.write_text(text, encoding="utf-8")
    built = await toolchain.build(text, path, index_of("cuda", text), None, target, confinement)
    if built.object is None:
        return {}, [f"{f.line}: {f.code} {f.message}" for f in built.findings][:3]
    request = RunRequest(mapping=path, calls=(), limits=Limits(time_s=60.0))
    result = await toolchain.run(built, request, target, confinement)
    told = [f"{f.line}: {f.code} {f.message}" for f in result.findings if f.severity in ("error", "warning")]
    if result.status != "ok":
        told.append(f"{result.status}: {result.message}")
    return read_checksums(result.log), told


def judged(kernels: list[Kernel], folder: Path) -> tuple[dict[int, str], list[str]]:
    """The same, in smaller units where the compiler ran out of time: that is the machine's fault, not the kernels'."""
    got, told = asyncio.run(on_cpu(kernels, folder))
    if len(kernels) == 1 or not any("COMPILE_TIME" in each for each in told):
        return got, told
    half = len(kernels) // 2
    first, second = judged(kernels[:half], folder), judged(kernels[half:], folder)
    return {**first[0], **second[0]}, first[1] + second[1]


def judge_batch(seeds: range, folder: Path) -> tuple[list[int], list[str]]:
    """Seeds whose results differ, and what was told of these kernels."""
    kernels = [Generator(seed).make() for seed in seeds]
    got, told = judged(kernels, folder)
    return [kernel.seed for kernel in kernels if got.get(kernel.seed) != expected(kernel)], told


def read_checksums(log: str) -> dict[int, str]:
    return {int(m[1]): m[2] for m in re.finditer(r"^(\d+) ([0-9a-f]{16}( failed)?)$", log, re.MULTILINE)}


def compare(output: Path, device: str) -> int:
    from lib import record

    printed = read_checksums(output.read_text(encoding="utf-8"))
    wrong = [seed for seed, got in printed.items() if got != expected(Generator(seed).make())]
    figures = {
        "kernels": len(printed),
        "equal_share": round(1 - len(wrong) / max(1, len(printed)), 5),
        "device": device,
    }
    print(json.dumps(figures, indent=1))
    rows = [{"different_seed": seed} for seed in wrong]
    print(record.write("fuzz_gpu", seed=min(printed, default=0), figures=figures, rows=rows))
    return 1 if wrong or not printed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=16, help="kernels in one translation unit")
    parser.add_argument("--jobs", type=int, default=1, help="translation units at once")
    parser.add_argument("--emit", type=Path, help="write a program for nvcc instead of running")
    parser.add_argument("--compare", type=Path, help="hold what that program printed against the evaluation")
    parser.add_argument("--device", default="a GPU", help="what it is called, for the record")
    parser.add_argument("--keep-failures", type=Path, help="folder for the sources of what failed")
    arguments = parser.parse_args()
    if arguments.compare:
        return compare(arguments.compare, arguments.device)
    seeds = range(arguments.first, arguments.first + arguments.count)
    if arguments.emit:
        arguments.emit.write_text(program([Generator(seed).make() for seed in seeds]), encoding="utf-8")
        return 0
    import tempfile

    from lib import record

    different: list[int] = []
    told: list[str] = []
    started = time.perf_counter()
    batches = [seeds[at : at + arguments.batch] for at in range(0, arguments.count, arguments.batch)]
    with (
        tempfile.TemporaryDirectory(prefix="fuzz-") as temporary,
        ProcessPoolExecutor(max(1, arguments.jobs), mp_context=multiprocessing.get_context("spawn")) as pool,
    ):
        folder = arguments.keep_failures or Path(temporary)
        results = pool.map(judge_batch, batches, [folder] * len(batches))
        for batch, (wrong, accused) in zip(batches, results, strict=True):
            different += wrong
            told += [f"batch {batch[0]}: {each}" for each in accused]
            print(f"{time.perf_counter() - started:.0f} s, {batch[-1] + 1 - arguments.first} of {arguments.count}: {len(different)} different {wrong}, {len(told)} told {accused}",
                  file=sys.stderr, flush=True)  # fmt: skip
    figures = {
        "kernels": arguments.count,
        "first_seed": arguments.first,
        "equal_share": round(1 - len(different) / arguments.count, 5),
        "accusations": len(told),
        "jobs": arguments.jobs,
        "kernels_per_second": round(arguments.count / (time.perf_counter() - started), 2),
    }
    rows = [{"different_seed": seed} for seed in different] + [{"told": each} for each in told]
    print(json.dumps(figures, indent=1))
    print(record.write("fuzz", seed=arguments.first, figures=figures, rows=rows))
    return 1 if different or told else 0


if __name__ == "__main__":
    sys.exit(main())
