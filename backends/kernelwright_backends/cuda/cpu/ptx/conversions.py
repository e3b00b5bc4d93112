"""Instructions that move a value, convert it, or put several into a word."""

import re

from kernelwright_backends.cuda.cpu.ptx.instruction import (
    TYPES,
    Instruction,
    PtxError,
    Table,
    allow_only,
    finished,
    get_operand,
    need_operands,
    set_operand,
)

_ROUNDING = {"rn": "nearest", "rz": "zero", "rm": "down", "rp": "up", "rni": "nearest", "rzi": "zero", "rmi": "down",
             "rpi": "up"}  # fmt: skip


def _move(i: Instruction) -> str:
    d, a = need_operands(i, 2)
    t = i.type()
    bits = int(re.sub(r"\D", "", i.types()[-1]) or "0")
    if a.kind == "vector":
        each = bits // len(a.parts)
        parts = " | ".join(
            f"(uint64_t){get_operand(p, f'uint{each}_t')} << {each * n}" for n, p in enumerate(a.parts)
        )
        return set_operand(d, f"(uint{bits}_t)({parts})")
    if d.kind == "vector":
        each = bits // len(d.parts)
        stores = " ".join(
            set_operand(p, f"(uint{each}_t)(kw_whole >> {each * n})") for n, p in enumerate(d.parts)
        )
        return f"const auto kw_whole = {get_operand(a, f'uint{bits}_t')}; {stores}"
    return set_operand(d, get_operand(a, t))


# Pairs of small numbers: bits of one, what encodes a float, what decodes it.
_SMALL_PAIRS = {
    "e4m3x2": (8, "kw::encode_e4m3({x}, true)", "kw::decode_e4m3((unsigned char){x})"),
    "e5m2x2": (8, "kw::encode_e5m2({x}, true)", "kw::decode_e5m2((unsigned char){x})"),
    "e2m1x2": (4, "kw::encode_e2m1({x}, cudaRoundNearest)", "kw::decode_e2m1({x})"),
    "ue8m0x2": (8, "kw::encode_e8m0({x}, true, {mode})", "kw::decode_e8m0((unsigned char){x})"),
}


def _convert(i: Instruction) -> str:
    allow_only(i, *_ROUNDING, "rna", "ftz", "sat", "satfinite", "relu", "tf32", *_SMALL_PAIRS)
    names = [m for m in i.modifiers if m in TYPES or m in ("tf32", *_SMALL_PAIRS)]
    if len(names) != 2:
        raise PtxError(f"the instruction '{i.text}'")
    to, source = names
    d = i.arguments[0]
    if to == "tf32":
        x = get_operand(need_operands(i, 2)[1], "float")
        return set_operand(d, f"kw::ptx::to_tf32_{'away' if i.has('rna') else 'even'}({x})")
    if to in _SMALL_PAIRS:
        if source == "f32":
            high, low = (get_operand(a, "float") for a in need_operands(i, 3)[1:])
        else:
            pair = get_operand(need_operands(i, 2)[1], TYPES[source])
            high, low = f"kw::wide({pair}.y)", f"kw::wide({pair}.x)"
        if i.has("relu"):
            high, low = f"__builtin_fmaxf({high}, 0.0f)", f"__builtin_fmaxf({low}, 0.0f)"
        bits, encode, _ = _SMALL_PAIRS[to]
        if to == "ue8m0x2":
            encode = encode.replace("{mode}", "cudaRoundPosInf" if i.has("rp") else "cudaRoundZero")
        above, below = encode.replace("{x}", high), encode.replace("{x}", low)
        return set_operand(d, f"({'uint16_t' if bits == 8 else 'uint8_t'})({above} << {bits} | {below})")
    if source in _SMALL_PAIRS:
        bits, _, decode = _SMALL_PAIRS[source]
        x = get_operand(need_operands(i, 2)[1], "uint16_t")
        half = "__nv_bfloat16" if to == "bf16x2" else "__half"
        both = (decode.replace("{x}", f"({x} >> {n * bits} & {(1 << bits) - 1})") for n in range(2))
        return set_operand(d, f"{half}2({', '.join(f'{half}({one})' for one in both)})")
    t, s = TYPES[to], TYPES[source]
    mode = f"kw::Rounding::{_ROUNDING.get(next((m for m in i.modifiers if m in _ROUNDING), 'rn'), 'nearest')}"
    if to in ("f16x2", "bf16x2"):
        _, upper, lower = need_operands(i, 3)
        half = t[:-1]
        parts = ", ".join(
            f"kw::ptx::convert<{mode}, {half}>({get_operand(p, 'float')})" for p in (lower, upper)
        )
        return set_operand(d, finished(i, f"{t}({parts})", t))
    x = get_operand(need_operands(i, 2)[1], s)
    if i.has("ftz") and s == "float":
        x = f"kw::ptx::ftz({x})"
    if "int" in t and "int" in s:
        return set_operand(d, f"kw::ptx::clamp_to<{t}>({x})" if i.has("sat") else f"({t}){x}")
    if t == s:
        rounds = any(m in ("rni", "rzi", "rmi", "rpi") for m in i.modifiers)
        return set_operand(d, finished(i, f"kw::ptx::to_integral<{mode}>({x})" if rounds else x, t))
    if "int" in t and mode == "kw::Rounding::nearest" and not i.has("rni"):
        mode = "kw::Rounding::zero"
    value = f"kw::ptx::convert<{mode}, {t}>({x})"
    return set_operand(d, value if "int" in t else finished(i, value, t))


def _pack(i: Instruction) -> str | None:
    """Two integers, each held to a narrower type, side by side above what `c` has."""
    match = re.fullmatch(r"sat\.([su])(16|8|4|2)\.s32(\.b32)?", ".".join(i.modifiers[1:]))
    if match is None:
        return None
    d, a, b, *rest = need_operands(i, 4 if match[3] else 3)
    bits = int(match[2])
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if match[1] == "s" else (0, (1 << bits) - 1)
    upper, lower = (f"kw::ptx::held({get_operand(x, 'int32_t')}, {low}, {high}, {bits})" for x in (a, b))
    above = f"({get_operand(rest[0], 'uint32_t')} << {2 * bits}) | " if rest else ""
    return set_operand(d, f"(uint32_t)({above}({upper} << {bits}) | {lower})")


INSTRUCTIONS: Table = {
    "mov": _move,
    "cvt": lambda i: _pack(i) if i.modifiers[:1] == ["pack"] else _convert(i),
}
