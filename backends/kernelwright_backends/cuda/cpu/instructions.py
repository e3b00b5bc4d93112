"""What a basic block of the traced object would be on the device: its x86 instructions by class."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

_HOOK = "__sanitizer_cov_trace_pc"
_LINE = re.compile(
    r"\s*([0-9a-f]+):\s+(?:(?:data16|rep|repz|repnz|lock|notrack|bnd|cs|ds|es|ss|fs|gs)\s+)*([a-z][a-z0-9]*)\s*(.*)"
)
_CALL = re.compile(r"<([^>+@]+)")
# Of the device's mathematical functions: arithmetic instructions and operations of the special function unit.
_MATH = {
    "exp": (8, 1), "exp2": (4, 1), "exp10": (9, 1), "expm1": (18, 1), "log": (12, 1), "log2": (10, 1), "log10": (13, 1),
    "log1p": (18, 1), "pow": (42, 3), "tanh": (20, 2), "sinh": (24, 2), "cosh": (18, 2), "sin": (18, 0), "cos": (18, 0),
    "tan": (30, 1), "sincos": (30, 0), "asin": (20, 1), "acos": (22, 1), "atan": (20, 1), "atan2": (28, 2), "erf": (22, 1),
    "erfc": (28, 2), "erfinv": (30, 2), "sqrt": (6, 1), "cbrt": (14, 2), "hypot": (16, 2), "fmod": (24, 1),
    "remainder": (24, 1), "lgamma": (60, 2), "tgamma": (70, 3), "asinh": (24, 2), "acosh": (22, 2), "atanh": (24, 2),
    "floor": (1, 0), "ceil": (1, 0), "trunc": (1, 0), "rint": (1, 0), "nearbyint": (1, 0), "round": (4, 0), "roundeven": (1, 0),
    "kw_fast_exp": (1, 1), "kw_fast_exp10": (1, 1), "kw_fast_log": (1, 1), "kw_fast_log2": (0, 1), "kw_fast_log10": (1, 1),
    "kw_fast_sin": (1, 1), "kw_fast_cos": (1, 1), "kw_fast_tan": (2, 3), "kw_fast_pow": (1, 2), "kw_fast_divide": (1, 1),
    "kw_fast_rsqrt": (1, 1),
    "lrint": (1, 0), "lround": (4, 0), "llrint": (1, 0), "fma": (1, 0), "ldexp": (4, 0), "frexp": (6, 0), "modf": (4, 0),
}  # fmt: skip
_FUNCTION = re.compile(r"([0-9a-f]+) <[^>]*>:$")
_FRAME = re.compile(r"\bsub\s+\$0x([0-9a-f]+),%rsp$")
_INTEGER = frozenset(
    "add sub imul mul lea shl shr sar sal rol ror and or xor not neg inc dec cmp test adc sbb bt bsr bsf popcnt lzcnt tzcnt "
    "andn bextr shlx shrx sarx rorx mulx".split()
)  # fmt: skip
_FP = re.compile(
    r"v?(add|sub|mul|div|sqrt|max|min|fn?m(?:add|sub)\w*?|u?comi|round|rndscale|rcp|rsqrt|cmp\w*?)(s|p)(s|d)$"
)


@dataclass
class Mix:
    """Device instructions of one execution by one warp, memory accesses not included."""

    fp32: float = 0.0
    fp64: float = 0.0
    fused: float = 0.0  # of these: a product and a sum in one
    conversions: float = 0.0
    half_conversions: float = 0.0  # between 16 bits and 32
    wide_conversions: float = 0.0  # between 64 bits and less
    special: float = 0.0
    integer: float = 0.0
    branches: float = 0.0


def mixes(disassembly: str, starts: Iterable[int]) -> dict[int, Mix]:
    """The mix of the block that begins at each of `starts` (addresses behind a call of the coverage hook)."""
    instructions: list[tuple[int, str, str]] = []
    for line in disassembly.splitlines():
        match = _LINE.match(line)
        if match is not None:
            instructions.append((int(match[1], 16), match[2], match[3]))
    place = {address: number for number, (address, _, _) in enumerate(instructions)}
    starting = [place[start] for start in starts if start in place]
    # The hook may be called by name or, where a function calls it often, by a register that holds its address.
    hooks = {instructions[at - 1][2] for at in starting if at and instructions[at - 1][1].startswith("call")}
    return {instructions[at][0]: _mix(instructions, at, hooks) for at in starting}


def frames(disassembly: str, starts: Iterable[int]) -> dict[int, int]:
    """Bytes of the stack frame of the function that each of `starts` lies in: what its threads keep beside registers."""
    begins: list[int] = []
    sizes: list[int] = []
    for line in disassembly.splitlines():
        if (function := _FUNCTION.match(line)) is not None:
            begins.append(int(function[1], 16))
            sizes.append(0)
        elif begins and (frame := _FRAME.search(line)) is not None and not sizes[-1]:
            sizes[-1] = int(frame[1], 16)
    places = ((start, bisect_right(begins, start) - 1) for start in starts)
    return {start: sizes[place] for start, place in places if place >= 0}


def _mix(instructions: list[tuple[int, str, str]], at: int, hooks: set[str]) -> Mix:
    mix = Mix()
    for _, name, operands in instructions[at:]:
        if name.startswith("call"):
            if _HOOK in operands or operands in hooks:
                break
            _call(mix, operands)
        elif name in ("ret", "retq", "hlt", "ud2", "jmp", "jmpq"):
            break
        elif name.startswith("j"):
            mix.branches += 1
        else:
            _plain(mix, name, operands)
    return mix


def _call(mix: Mix, operands: str) -> None:
    match = _CALL.search(operands)
    name = match[1] if match else ""
    double = not name.endswith("f")
    known = _MATH.get(name if double else name[:-1])
    if known is None:
        return
    arithmetic, special = known
    mix.fused += 1.0 if name in ("fma", "fmaf") else 0.0
    if double:
        mix.fp64 += 3 * arithmetic
    else:
        mix.fp32 += arithmetic
        mix.special += special


def _plain(mix: Mix, name: str, operands: str) -> None:
    arithmetic = _FP.match(name)
    if arithmetic is not None:
        operation, double = arithmetic[1], arithmetic[3] == "d"
        count, special = (
            (8.0, 1.0) if operation == "div" else (6.0, 1.0) if operation == "sqrt" else (1.0, 0.0)
        )
        if double:
            mix.fp64 += count
        else:
            mix.fp32 += count
            mix.special += special
        mix.fused += 1.0 if operation.startswith(("fm", "fnm")) else 0.0
    elif "cvtph" in name or "2ph" in name:
        mix.half_conversions += 1
    elif "cvt" in name and ("ss2sd" in name or "sd2s" in name or "si2sd" in name):
        mix.wide_conversions += 1
    elif "cvt" in name:
        mix.conversions += 1
    elif name in ("div", "idiv"):
        mix.integer += 40
    elif name.startswith(("cmov", "set")):
        mix.integer += 1
    elif name.rstrip("lqbw") in _INTEGER or name in _INTEGER:
        if "%rsp" in operands.rsplit(",", 1)[-1]:
            return  # the stack of the emulation
        first, _, second = operands.partition(",")
        if name.startswith("xor") and first == second:
            return  # a zero
        mix.integer += 1
