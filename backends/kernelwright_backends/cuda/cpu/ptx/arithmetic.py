"""Instructions that compute with numbers."""

from collections.abc import Callable, Sequence

from kernelwright_backends.cuda.cpu.ptx.instruction import (
    Instruction,
    PtxError,
    Table,
    allow_only,
    finished,
    get_operand,
    need_operands,
    set_operand,
)

_FLOAT_MODIFIERS = (
    "rn",
    "rz",
    "rm",
    "rp",
    "ftz",
    "sat",
    "approx",
    "full",
    "relu",
    "lo",
    "hi",
    "wide",
    "NaN",
    "xorsign",
)
_SUFFIX = {"rn": "rn", "rz": "rz", "rm": "rd", "rp": "ru"}


def _arithmetic(sign: str) -> Callable[[Instruction], str]:
    def make(i: Instruction) -> str:
        allow_only(i, *_FLOAT_MODIFIERS)
        d, a, b = need_operands(i, 3)
        t = i.type()
        x, y = get_operand(a, t), get_operand(b, t)
        if i.types()[-1] == "f32x2":
            return set_operand(d, _pairwise(i, lambda of: rounded(i, f"{x}.{of}", f"{y}.{of}", "float")))
        integer = "int" in t
        if i.has("wide"):
            return set_operand(d, f"kw::ptx::mul_wide<{t}>({x}, {y})")
        if i.has("hi"):
            return set_operand(d, f"kw::ptx::mul_hi<{t}>({x}, {y})")
        if integer and i.has("sat"):
            return set_operand(d, f"kw::ptx::sat((int64_t){x} {sign} (int64_t){y})")
        if integer and sign == "/":
            return set_operand(d, f"kw::ptx::divide<{t}>({x}, {y})")
        if integer:
            return set_operand(d, f"({t})({x} {sign} {y})")
        return set_operand(d, finished(i, rounded(i, x, y, t), t))

    def rounded(i: Instruction, x: str, y: str, t: str) -> str:
        mode = next((m for m in i.modifiers if m in _SUFFIX), None)
        if mode and t in ("float", "double"):
            stem = {"+": "add", "-": "sub", "*": "mul", "/": "div"}[sign]
            return f"__{'f' if t == 'float' else 'd'}{stem}_{_SUFFIX[mode]}({x}, {y})"
        if t.startswith("__"):
            name = {"+": "__hadd", "-": "__hsub", "*": "__hmul"}.get(sign)
            if name is None:
                raise PtxError(f"the instruction '{i.text}'")
            return f"{name}{'2' if t.endswith('2') and t != '__nv_bfloat16' else ''}({x}, {y})"
        return f"({x} {sign} {y})"

    return make


def _pairwise(i: Instruction, value: Callable[[str], str]) -> str:
    """Both floats of a 64-bit register, each as `value` of its name has it."""
    return f"kw::ptx::FloatPair{{{', '.join(finished(i, value(of), 'float') for of in ('x', 'y'))}}}"


def _fused(i: Instruction) -> str:
    allow_only(i, *_FLOAT_MODIFIERS)
    d, a, b, c = need_operands(i, 4)
    t = i.type()
    if "int" in t:
        if i.has("wide"):
            return set_operand(
                d,
                f"kw::ptx::mul_wide<{t}>({get_operand(a, t)}, {get_operand(b, t)}) + {get_operand(c, f'kw::ptx::twice<{t}>')}",
            )
        product = (
            f"kw::ptx::mul_hi<{t}>({get_operand(a, t)}, {get_operand(b, t)})"
            if i.has("hi")
            else f"({t})({get_operand(a, t)} * {get_operand(b, t)})"
        )
        return set_operand(d, f"({t})({product} + {get_operand(c, t)})")
    x, y, z = (get_operand(p, t) for p in (a, b, c))
    if i.types()[-1] == "f32x2":
        return set_operand(
            d, _pairwise(i, lambda of: _rounded_fma(i, f"{x}.{of}, {y}.{of}, {z}.{of}", "float"))
        )
    return set_operand(d, finished(i, _rounded_fma(i, f"{x}, {y}, {z}", t), t))


def _rounded_fma(i: Instruction, given: str, t: str) -> str:
    mode = next((m for m in i.modifiers if m in _SUFFIX), "rn")
    if mode != "rn" and t in ("float", "double"):
        return f"__fma{'f' if t == 'float' else ''}_{_SUFFIX[mode]}({given})"
    return f"kw::ptx::fma<{t}>({given})"


def _pick(name: str) -> Callable[[Instruction], str]:
    def make(i: Instruction) -> str:
        allow_only(i, "ftz", "relu")
        t = i.type()
        if len(i.arguments) == 4 and t == "float":  # three inputs
            d, a, b, c = i.arguments
            return set_operand(
                d,
                f"kw::ptx::{name}(kw::ptx::{name}({get_operand(a, t)}, {get_operand(b, t)}), {get_operand(c, t)})",
            )
        d, a, b = need_operands(i, 3)
        return set_operand(d, finished(i, f"kw::ptx::{name}({get_operand(a, t)}, {get_operand(b, t)})", t))

    return make


def unary(template: str, *types: str, modifiers: Sequence[str] = ()) -> Callable[[Instruction], str]:
    """`template` with {x} the operand and {t} its type."""

    def make(i: Instruction) -> str:
        allow_only(i, *modifiers)
        d, a = need_operands(i, 2)
        t = i.type()
        if types and t not in types:
            raise PtxError(f"the instruction '{i.text}'")
        return set_operand(d, finished(i, template.format(x=get_operand(a, t), t=t), t))

    return make


def _of_float(function: str) -> Callable[[Instruction], str | None]:
    """A function of the special unit; the rounded forms have their own."""

    def make(i: Instruction) -> str | None:
        allow_only(i, "approx", "ftz", *_SUFFIX)
        d, a = need_operands(i, 2)
        t = i.type()
        mode = next((m for m in i.modifiers if m in _SUFFIX), None)
        if mode and i.opcode in ("rcp", "sqrt") and t in ("float", "double"):
            return set_operand(
                d, f"__{'f' if t == 'float' else 'd'}{i.opcode}_{_SUFFIX[mode]}({get_operand(a, t)})"
            )
        if t == "float":
            x = f"kw::ptx::ftz({get_operand(a, t)})" if i.has("ftz") else get_operand(a, t)
            return set_operand(d, finished(i, function.format(x=x), t))
        if t in ("__half", "__nv_bfloat16"):
            return set_operand(d, f"{t}({function.format(x=f'kw::wide({get_operand(a, t)})')})")
        if t in ("__half2", "__nv_bfloat162"):
            x = get_operand(a, t)
            return set_operand(
                d, f"{t}({function.format(x=f'kw::wide({x}.x)')}, {function.format(x=f'kw::wide({x}.y)')})"
            )
        if t == "double" and i.opcode in ("rcp", "rsqrt"):
            return set_operand(
                d, f"1.0 / {get_operand(a, t)}" if i.opcode == "rcp" else f"rsqrt({get_operand(a, t)})"
            )
        return None

    return make


def _differences(i: Instruction) -> str:
    """`sad`: the distance of two integers, added to a third."""
    d, a, b, c = need_operands(i, 4)
    t = i.type()
    x, y = get_operand(a, t), get_operand(b, t)
    return set_operand(d, f"({t})({get_operand(c, t)} + ({x} < {y} ? {y} - {x} : {x} - {y}))")


def _product_of_24_bits(i: Instruction) -> str | None:
    """`mul24` and `mad24`: the lower 24 bits of each factor, the lower or upper 32 of the product's 48."""
    t = i.type()
    if t not in ("uint32_t", "int32_t") or i.has("sat"):
        return None
    d, a, b, *plus = need_operands(i, 4 if i.opcode == "mad24" else 3)
    wide = "int64_t" if t == "int32_t" else "uint64_t"
    x, y = (f"(({wide})(({t})({get_operand(p, t)} << 8) >> 8))" for p in (a, b))
    product = f"({t})({x} * {y} >> {16 if i.has('hi') else 0})"
    return set_operand(d, f"({t})({product} + {get_operand(plus[0], t)})" if plus else product)


def _negate(i: Instruction) -> str:
    d, a = need_operands(i, 2)
    t = i.type()
    if t.startswith("__"):
        return set_operand(d, f"__hneg{'2' if i.types()[-1].endswith('x2') else ''}({get_operand(a, t)})")
    return set_operand(d, f"({t})(-{get_operand(a, t)})")


def _dot(i: Instruction) -> str | None:
    """`dp4a` of four bytes and four; `dp2a` of two halves and the lower or upper two bytes."""
    kinds = i.types()
    if len(kinds) != 2 or any(kind not in ("u32", "s32") for kind in kinds):
        return None
    d, a, b, c = need_operands(i, 4)
    signs = ", ".join("true" if kind == "s32" else "false" for kind in kinds)
    first = f"_of_halves<{'2' if i.has('hi') else '0'}, " if i.opcode == "dp2a" else "<"
    return set_operand(
        d, f"kw::ptx::dot{first}{signs}>({', '.join(get_operand(x, 'uint32_t') for x in (a, b, c))})"
    )


def _carrying(plain: Callable[[Instruction], str | None]) -> Callable[[Instruction], str | None]:
    """Addition, subtraction and multiplication with addition that set the carry (`.cc`) or take it (`addc`)."""

    def make(i: Instruction) -> str | None:
        takes = i.opcode.endswith("c")
        if not takes and not i.has("cc"):
            return plain(i)
        allow_only(i, "cc", "lo", "hi")
        t = {"int32_t": "uint32_t", "int64_t": "uint64_t"}.get(i.type(), i.type())
        if t not in ("uint32_t", "uint64_t"):
            return None
        sets = "true" if i.has("cc") else "false"
        with_carry = f"<{'true' if takes else 'false'}, {sets}, {t}>"
        stem = i.opcode.removesuffix("c")
        if stem in ("add", "sub"):
            d, a, b = need_operands(i, 3)
            return set_operand(
                d, f"kw::ptx::{stem}_carry{with_carry}({get_operand(a, t)}, {get_operand(b, t)})"
            )
        d, a, b, c = need_operands(i, 4)
        kind = i.type() if i.has("hi") else t
        x, y = get_operand(a, kind), get_operand(b, kind)
        product = f"({t})kw::ptx::mul_hi<{kind}>({x}, {y})" if i.has("hi") else f"({t})({x} * {y})"
        return set_operand(d, f"kw::ptx::add_carry{with_carry}({product}, {get_operand(c, t)})")

    return make


INSTRUCTIONS: Table = {
    "add": _carrying(_arithmetic("+")),
    "sub": _carrying(_arithmetic("-")),
    "addc": _carrying(_arithmetic("+")),
    "subc": _carrying(_arithmetic("-")),
    "madc": _carrying(lambda i: None),
    "mul": _arithmetic("*"),
    "div": _arithmetic("/"),
    "mul24": _product_of_24_bits,
    "mad24": _product_of_24_bits,
    "sad": _differences,
    "rem": lambda i: set_operand(
        i.arguments[0],
        f"kw::ptx::remainder<{i.type()}>({get_operand(i.arguments[1], i.type())}, "
        f"{get_operand(i.arguments[2], i.type())})",
    ),
    "mad": _carrying(_fused),
    "fma": _fused,
    "min": _pick("min"),
    "max": _pick("max"),
    "abs": unary("kw::ptx::abs<{t}>({x})", modifiers=("ftz",)),
    "neg": _negate,
    "dp4a": _dot,
    "dp2a": _dot,
    "ex2": _of_float("__builtin_exp2f({x})"),
    "lg2": _of_float("__builtin_log2f({x})"),
    "rcp": _of_float("(1.0f / {x})"),
    "rsqrt": _of_float("rsqrtf({x})"),
    "sqrt": _of_float("__builtin_sqrtf({x})"),
    "sin": _of_float("__builtin_sinf({x})"),
    "cos": _of_float("__builtin_cosf({x})"),
    "tanh": _of_float("kw::coarse(__builtin_tanhf({x}))"),
    "copysign": lambda i: set_operand(
        i.arguments[0],
        f"__builtin_copysign{'f' if i.type() == 'float' else ''}("
        f"{get_operand(i.arguments[2], i.type())}, {get_operand(i.arguments[1], i.type())})",
    ),
}
