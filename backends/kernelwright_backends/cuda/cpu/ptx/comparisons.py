"""Instructions that compare, test and choose."""

from kernelwright_backends.cuda.cpu.ptx.instruction import (
    TYPES,
    Instruction,
    PtxError,
    Table,
    get_operand,
    need_operands,
    set_operand,
)

COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">",
            "hs": ">="}  # fmt: skip


def _set_predicate(i: Instruction) -> str:
    t = i.type()
    operation = i.modifiers[0]
    d, a, b = i.arguments[:3]
    x, y = (
        f"kw::wide({get_operand(p, t)})" if t in ("__half", "__nv_bfloat16") else get_operand(p, t)
        for p in (a, b)
    )
    if t.endswith("2") and t.startswith("__"):
        raise PtxError(f"the instruction '{i.text}'")
    if operation in COMPARE:
        # An ordered comparison is false where a NaN is met; x86's != is not.
        value = f"({x} {COMPARE[operation]} {y})"
        if operation == "ne" and ("float" in t or "double" in t):
            value = f"({value} && !__builtin_isunordered({x}, {y}))"
    elif operation == "num":
        value = f"!__builtin_isunordered({x}, {y})"
    elif operation == "nan":
        value = f"__builtin_isunordered({x}, {y})"
    elif operation[:-1] in COMPARE and operation[-1] == "u":
        value = f"({x} {COMPARE[operation[:-1]]} {y} || __builtin_isunordered({x}, {y}))"
    else:
        raise PtxError(f"the instruction '{i.text}'")
    inverse = f"!{value}"
    if len(i.arguments) == 4:
        combine = next((m for m in i.modifiers[1:] if m in ("and", "or", "xor")), None)
        if combine is None:
            raise PtxError(f"the instruction '{i.text}'")
        sign = {"and": "&", "or": "|", "xor": "^"}[combine]
        other = get_operand(i.arguments[3], "bool")
        value, inverse = f"(bool)({value} {sign} {other})", f"(bool)({inverse} {sign} {other})"
    if i.opcode == "set":
        # All ones or none of them, or 1.0 or 0.0: the type of the result stands before that of the operands.
        result = TYPES[i.types()[-2]]
        return set_operand(
            d, f"({value} ? 1.0f : 0.0f)" if result == "float" else f"({result})({value} ? -1 : 0)"
        )
    if d.kind == "pair":
        return f"const bool kw_yes = {value}, kw_no = {inverse}; {set_operand(d.parts[0], 'kw_yes')} {set_operand(d.parts[1], 'kw_no')}"
    return set_operand(d, value)


def _select(i: Instruction) -> str:
    d, a, b, p = need_operands(i, 4)
    t = i.type()
    return set_operand(d, f"({get_operand(p, 'bool')} ? {get_operand(a, t)} : {get_operand(b, t)})")


_KINDS_OF_NUMBERS = {
    "finite": "__builtin_isfinite({x})", "infinite": "__builtin_isinf({x})", "number": "!__builtin_isnan({x})",
    "notanumber": "__builtin_isnan({x})", "normal": "__builtin_isnormal({x})",
    "subnormal": "(__builtin_isfinite({x}) && {x} != 0 && !__builtin_isnormal({x}))",
}  # fmt: skip


def _test_of_number(i: Instruction) -> str | None:
    kind = _KINDS_OF_NUMBERS.get(i.modifiers[0])
    d, a = need_operands(i, 2)
    return set_operand(d, f"(bool){kind.format(x=get_operand(a, i.type()))}") if kind else None


def _select_by_sign(i: Instruction) -> str:
    """`slct`: the first where the third is not negative; its type stands last."""
    d, a, b, c = need_operands(i, 4)
    t, of = (TYPES[name] for name in i.types()[-2:])
    return set_operand(d, f"({get_operand(c, of)} >= 0 ? {get_operand(a, t)} : {get_operand(b, t)})")


INSTRUCTIONS: Table = {
    "testp": _test_of_number,
    "slct": _select_by_sign,
    "selp": _select,
    "setp": _set_predicate,
    "set": _set_predicate,
}
