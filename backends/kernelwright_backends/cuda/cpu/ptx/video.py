"""Video instructions: on halves and bytes of words, named by selectors or side by side."""

import re

from kernelwright_backends.cuda.cpu.ptx.comparisons import COMPARE
from kernelwright_backends.cuda.cpu.ptx.instruction import (
    TYPES,
    Argument,
    Instruction,
    Table,
    get_operand,
    need_operands,
    set_operand,
)

VIDEO = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr")
SELECTOR = re.compile(r"(%?\w+)\.([hb][0-3])\b")


def _part(i: Instruction, argument: int) -> tuple[int, int]:
    """(bits, first bit) of what an argument's selector names; the whole word without one."""
    selector = i.selectors.get(argument, "")
    bits = {"h": 16, "b": 8}.get(selector[:1], 32)
    return bits, int(selector[1:] or 0) * bits


def _selected(i: Instruction, argument: int, source: "Argument", t: str) -> str:
    bits, first = _part(i, argument)
    if bits == 32:
        return get_operand(source, t)
    return f"({t})({'' if t.startswith('u') else '(int' + str(bits) + '_t)'}(({get_operand(source, 'uint32_t')} >> {first}) & {(1 << bits) - 1}u))"


def _video(i: Instruction) -> str | None:
    """Scalar video instructions on words, halves and bytes, with their second operation or what they are put into."""
    names = [m for m in i.modifiers if m in ("u32", "s32")]
    rest = [m for m in i.modifiers if m not in ("u32", "s32")]
    second = rest.pop() if rest and rest[-1] in ("add", "min", "max") else None
    shifts = i.opcode in ("vshl", "vshr")
    saturates = not shifts and "sat" in rest
    if saturates:
        rest.remove("sat")
    if len(names) != 3 or (rest not in (["clamp"], ["wrap"]) if shifts else rest):
        return None
    merged = 0 in i.selectors
    if merged and second:
        return None
    d, a, b, *third = need_operands(i, 4 if second or merged else 3)
    x = _selected(i, 1, a, TYPES[names[1]])
    y = _selected(i, 2, b, TYPES[names[2]])
    if shifts and i.selectors:
        return None
    if shifts:
        amount = f"({get_operand(b, 'uint32_t')} & 31u)" if rest == ["wrap"] else get_operand(b, "uint32_t")
        value = f"kw::ptx::{i.opcode[1:]}<{TYPES[names[1]]}>({x}, {amount})"
    else:
        wide = f"(long long){x}", f"(long long){y}"
        value = {
            "vadd": "{0} + {1}", "vsub": "{0} - {1}", "vabsdiff": "__builtin_llabs({0} - {1})",
            "vmin": "({0} < {1} ? {0} : {1})", "vmax": "({0} > {1} ? {0} : {1})",
        }[i.opcode].format(*wide)  # fmt: skip
    if saturates:
        value = f"kw::ptx::saturated<{TYPES[names[0]]}>({value})"
    value = f"({TYPES[names[0]]})({value})"
    if second:
        c = get_operand(third[0], TYPES[names[0]])
        value = (
            f"{value} + {c}"
            if second == "add"
            else f"({value} {'<' if second == 'min' else '>'} {c} ? {value} : {c})"
        )
    if merged:
        bits, first = _part(i, 0)
        mask = ((1 << bits) - 1) << first
        return set_operand(
            d,
            f"({get_operand(third[0], 'uint32_t')} & ~{mask}u) | (((uint32_t)({value}) << {first}) & {mask}u)",
        )
    return set_operand(d, f"(uint32_t)({value})")


_SIMD = re.compile(r"(vadd|vsub|vavrg|vabsdiff|vmin|vmax|vset)([24])")
_OF_LANES = {
    "vadd": "x + y", "vsub": "x - y", "vavrg": "(x + y + (x + y >= 0)) >> 1", "vabsdiff": "x < y ? y - x : x - y",
    "vmin": "x < y ? x : y", "vmax": "x < y ? y : x",
}  # fmt: skip


def _simd_video(i: Instruction) -> str | None:
    """Video instructions on two halves or four bytes of a word, their results side by side or summed up."""
    match = _SIMD.fullmatch(i.opcode)
    names = [m for m in i.modifiers if m in ("u32", "s32")]
    rest = [m for m in i.modifiers if m not in ("u32", "s32")]
    if match is None:
        return None
    compared = [m for m in rest if m in COMPARE] if match[1] == "vset" else []
    change = f"x {COMPARE[compared[0]]} y" if compared else _OF_LANES.get(match[1])
    if change is None or any(m not in ("add", "sat", *compared) for m in rest):
        return None
    if compared:
        names = ["u32", *names]
    if len(names) != 3:
        return None
    d, a, b, *third = need_operands(i, 3, 4)
    signs = ", ".join("true" if name == "s32" else "false" for name in names)
    flags = ", ".join("true" if i.has(name) else "false" for name in ("sat", "add"))
    c = get_operand(third[0], "uint32_t") if third else "0u"
    return set_operand(
        d,
        f"kw::ptx::video<{match[2]}, {signs}, {flags}>({get_operand(a, 'uint32_t')}, {get_operand(b, 'uint32_t')}, {c}, "
        f"[](long long x, long long y) -> long long {{ return {change}; }})",
    )


INSTRUCTIONS: Table = {
    **dict.fromkeys(VIDEO, _video),
    **{f"{name}{lanes}": _simd_video for name in (*_OF_LANES, "vset") for lanes in (2, 4)},
}
