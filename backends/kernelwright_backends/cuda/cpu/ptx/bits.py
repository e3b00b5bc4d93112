"""Instructions on the bits of a word."""

from collections.abc import Callable

from kernelwright_backends.cuda.cpu.ptx.arithmetic import unary
from kernelwright_backends.cuda.cpu.ptx.instruction import (
    Instruction,
    PtxError,
    Table,
    get_operand,
    need_operands,
    set_operand,
)


def _bitwise(sign: str) -> Callable[[Instruction], str]:
    def make(i: Instruction) -> str:
        d, a, b = need_operands(i, 3)
        t = i.type()
        return set_operand(d, f"({t})({get_operand(a, t)} {sign} {get_operand(b, t)})")

    return make


def _shift(name: str) -> Callable[[Instruction], str]:
    def make(i: Instruction) -> str:
        d, a, b = need_operands(i, 3)
        t = i.type()
        return set_operand(d, f"kw::ptx::{name}<{t}>({get_operand(a, t)}, {get_operand(b, 'uint32_t')})")

    return make


def _three(template: str) -> Callable[[Instruction], str]:
    def make(i: Instruction) -> str:
        d, *given = i.arguments
        return set_operand(
            d,
            template.format(
                *(get_operand(a, "uint32_t") for a in given), wrap="true" if i.has("wrap") else "false"
            ),
        )

    return make


def _field(i: Instruction) -> str:
    t = i.type()
    d, *given = i.arguments
    values = 2 if i.opcode == "bfi" else 1
    listed = [get_operand(a, t) for a in given[:values]] + [
        get_operand(a, "uint32_t") for a in given[values:]
    ]
    return set_operand(d, f"kw::ptx::{i.opcode}<{t}>({', '.join(listed)})")


def _mask_of_bits(i: Instruction) -> str:
    d, a, b = need_operands(i, 3)
    first, bits = get_operand(a, "uint32_t"), get_operand(b, "uint32_t")
    if i.has("wrap"):
        first, bits = f"({first} & 31u)", f"({bits} & 31u)"
    return set_operand(d, f"kw::ptx::shl<uint32_t>(~kw::ptx::shl<uint32_t>(~0u, {bits}), {first})")


def _permute(i: Instruction) -> str:
    if i.modifiers != ["b32"]:
        raise PtxError(f"the instruction '{i.text}'")
    d, a, b, c = need_operands(i, 4)
    return set_operand(d, f"kw_prmt({', '.join(get_operand(x, 'uint32_t') for x in (a, b, c))})")


INSTRUCTIONS: Table = {
    "and": _bitwise("&"),
    "or": _bitwise("|"),
    "xor": _bitwise("^"),
    "not": lambda i: set_operand(
        i.arguments[0], ("!" if i.type() == "bool" else "~") + get_operand(i.arguments[1], i.type())
    ),
    "shl": _shift("shl"),
    "shr": _shift("shr"),
    "bfe": _field,
    "bfi": _field,
    "lop3": _three("kw::ptx::lop3({0}, {1}, {2}, {3})"),
    "prmt": _permute,
    "bmsk": _mask_of_bits,
    "cnot": lambda i: set_operand(
        i.arguments[0], f"({i.type()})({get_operand(i.arguments[1], i.type())} == 0)"
    ),
    "popc": unary("__builtin_popcountll((unsigned long long){x})"),
    "brev": lambda i: set_operand(
        i.arguments[0], f"__brev{'ll' if i.has('b64') else ''}({get_operand(i.arguments[1], i.type())})"
    ),
    "clz": lambda i: set_operand(
        i.arguments[0],
        f"(uint32_t)__clz{'ll' if i.has('b64') else ''}({get_operand(i.arguments[1], i.type())})",
    ),
    "bfind": lambda i: unary(
        "kw::ptx::bfind_shift<{t}>({x})" if i.has("shiftamt") else "kw::ptx::bfind<{t}>({x})",
        modifiers=("shiftamt",),
    )(i),
    "shf": lambda i: _three(
        f"kw::ptx::shift_{'left' if i.has('l') else 'right'}({{0}}, {{1}}, {{2}}, {{wrap}})"
    )(i),
}
