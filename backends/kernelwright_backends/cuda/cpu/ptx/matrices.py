"""Instructions of the matrix units."""

import re
from collections.abc import Mapping

from kernelwright_backends.cuda.cpu.ptx.instruction import (
    Instruction,
    PtxError,
    Table,
    allow_only,
    get_operand,
    need_operands,
    set_operand,
)
from kernelwright_backends.cuda.cpu.ptx.memory_access import address, load, store


def _matrices(i: Instruction) -> str:
    allow_only(i, "sync", "aligned", "m8n8", "x1", "x2", "x4", "trans", "shared", "shared::cta")
    loads = i.opcode == "ldmatrix"
    registers, memory = (i.arguments[0], i.arguments[1]) if loads else (i.arguments[1], i.arguments[0])
    parts = registers.parts if registers.kind == "vector" else (registers,)
    count = next((int(m[1]) for m in i.modifiers if m in ("x1", "x2", "x4")), 1)
    if count != len(parts) or memory.kind != "address":
        raise PtxError(f"'{i.text}' with {len(parts)} registers")
    place = address(i, memory, shared=True)
    kind = f"kw::ptx::Matrices<{count}, {'true' if i.has('trans') else 'false'}>"
    mine = f"if (kw_lane() < {8 * count})"
    if loads:
        stores = " ".join(set_operand(p, f"kw_rows.registers[{n}]") for n, p in enumerate(parts))
        return f"{kind} kw_rows; {mine} {{ {load('kw_rows.row', place, 16)} }} kw::ptx::meet_for_load(kw_rows); {stores}"
    fills = " ".join(f"kw_rows.registers[{n}] = {get_operand(p, 'uint32_t')};" for n, p in enumerate(parts))
    return f"{kind} kw_rows; {fills} kw::ptx::meet_for_store(kw_rows); {mine} {{ {store(place, 'kw_rows.row', 16)} }}"


_ELEMENTS = {"f16": "__half", "bf16": "__nv_bfloat16", "tf32": "kw::TensorFloat", "s8": "int8_t", "u8": "uint8_t",
             "s4": "kw::Int4", "u4": "kw::UInt4", "e4m3": "__nv_fp8_e4m3", "e5m2": "__nv_fp8_e5m2", "f64": "double",
             "b1": "kw::BitAnd"}  # fmt: skip
_SUMS = {"f32": "float", "f16": "__half", "s32": "int32_t", "f64": "double"}
# Bits of an element: values of k, of products with sixteen rows, with eight, and with half of A's elements left out.
_SHAPES: Mapping[str, Mapping[int, tuple[int, ...]]] = {
    "16": {16: (8, 16), 32: (4, 8), 8: (16, 32), 4: (32, 64), 64: (4, 8, 16), 1: (128, 256)},
    "8": {8: (16,), 4: (32,), 64: (4,), 1: (128,)},
    "sparse": {16: (16, 32), 32: (8, 16), 8: (32, 64)},
}
_BITS = {"tf32": 32, "f16": 16, "bf16": 16, "s4": 4, "u4": 4, "f64": 64, "b1": 1}  # of the others: 8
_SPARSE = ("sp", "sp::ordered_metadata")


def _multiply(i: Instruction) -> str | None:
    shape = next((found for m in i.modifiers if (found := re.fullmatch(r"m(8|16)n8k(\d+)", m))), None)
    kinds = [m for m in i.modifiers if m in _ELEMENTS or m in _SUMS]
    known = (
        "sync",
        "aligned",
        "row",
        "col",
        "satfinite",
        "kind::f8f6f4",
        "and",
        "xor",
        "popc",
        *_SPARSE,
        *_ELEMENTS,
        *_SUMS,
    )
    if shape is None or len(kinds) != 4 or any(m not in known and m != shape[0] for m in i.modifiers):
        return None
    d, a, b, c = kinds
    rows, k = int(shape[1]), int(shape[2])
    if a not in _ELEMENTS or b not in _ELEMENTS or d not in _SUMS or c not in _SUMS:
        return None
    bits, sparse = _BITS.get(a, 8), i.has(*_SPARSE)
    integral = d == "s32"
    if (
        _BITS.get(b, 8) != bits
        or k not in _SHAPES["sparse" if sparse else shape[1]].get(bits, ())
        or (c == "s32") != integral
        or (a[0] in "su" or a == "b1") != integral
        or (c == "f64") != (a == "f64")
        or (i.has("satfinite") and not integral)
        or (sparse and rows != 16)
    ):
        return None
    to, left, right, plus, *places = need_operands(i, 6 if sparse else 4)
    element = "kw::BitXor" if a == "b1" and i.has("xor") else _ELEMENTS[a]
    flags = ", ".join("true" if flag else "false" for flag in (i.has("satfinite"), sparse))
    product = f"kw::WarpProduct<{rows}, {k}, {element}, {_ELEMENTS[b]}, {_SUMS[c]}, {_SUMS[d]}, {flags}>"
    register = "uint64_t" if bits == 64 else "uint32_t"
    halves, tall = k * bits // 128 if bits < 64 else k // 4, rows // 8
    counts = {
        "a": tall * halves // (2 if sparse else 1), "b": halves, "c": (1 if c == "f16" else 2) * tall, "d": (1 if d == "f16" else 2) * tall,
    }  # fmt: skip
    fills = []
    for name, argument in (("a", left), ("b", right), ("c", plus), ("d", to)):
        parts = argument.parts if argument.kind == "vector" else (argument,)
        if len(parts) != counts[name]:
            raise PtxError(
                f"'{i.text}' with {len(parts)} registers of {name.upper()} where {counts[name]} are due"
            )
        if name != "d":
            for n, p in enumerate(parts):
                storage = (
                    _SUMS[c] if name == "c" and c in ("f32", "f64") else "double" if a == "f64" else register
                )
                value = get_operand(p, storage)
                fills.append(
                    f"kw_m.{name}[{n}] = "
                    + (f"kw::ptx::as<{register}>({value})" if storage != register else value)
                    + ";"
                )
    for name, place in zip(("chosen", "selector"), places, strict=False):
        fills.append(f"kw_m.{name} = {get_operand(place, 'uint32_t')};")
    parts = to.parts if to.kind == "vector" else (to,)
    stores = " ".join(set_operand(p, f"kw_m.d[{n}]") for n, p in enumerate(parts))
    return f"{product} kw_m; {' '.join(fills)} kw::ptx::multiply(kw_m); {stores}"


def _transpose(i: Instruction) -> str:
    allow_only(i, "sync", "aligned", "m8n8", "trans")
    d, a = need_operands(i, 2)
    return set_operand(d, f"kw::ptx::transpose({get_operand(a, 'uint32_t')})")


INSTRUCTIONS: Table = {
    "ldmatrix": _matrices,
    "stmatrix": _matrices,
    "mma": _multiply,
    "movmatrix": _transpose,
}
