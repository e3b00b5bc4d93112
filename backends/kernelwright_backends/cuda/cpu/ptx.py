"""Inline PTX as C++: the text of an `asm` statement is parsed, each instruction becomes one expression over its registers.

What the instructions do stands in include/kernelwright/ptx.h; here is what their names and modifiers mean.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace


class PtxError(ValueError):
    """Something that is not PTX, or that this target does not execute; the message names it."""


@dataclass(frozen=True)
class Operand:
    """One operand of the asm statement, in the order of its numbers."""

    constraint: str  # =r, +f, l, n, ...
    name: str = ""  # [name]

    @property
    def written(self) -> bool:
        return self.constraint[0] in "=+"

    @property
    def letter(self) -> str:
        return self.constraint.lstrip("=+&")[:1]


# The variable that stands for an operand of a constraint.
STORAGE = {"r": "uint32_t", "h": "uint16_t", "l": "uint64_t", "f": "float", "d": "double", "n": "long long",
           "q": "unsigned __int128"}  # fmt: skip
# The type that an instruction's suffix names.
TYPES = {
    "b8": "uint8_t", "u8": "uint8_t", "s8": "int8_t", "b16": "uint16_t", "u16": "uint16_t", "s16": "int16_t",
    "b32": "uint32_t", "u32": "uint32_t", "s32": "int32_t", "b64": "uint64_t", "u64": "uint64_t", "s64": "int64_t",
    "b128": "unsigned __int128", "f32": "float", "f64": "double", "f16": "__half", "f16x2": "__half2", "bf16": "__nv_bfloat16",
    "bf16x2": "__nv_bfloat162", "f32x2": "kw::ptx::FloatPair", "pred": "bool",
}  # fmt: skip
# An opcode with one of PTX's types: no other assembly writes them so.
_TYPED = re.compile(r"\b[a-z]\w*(?:\.[\w:]+)*\.(?:[busf](?:8|16|32|64|128)|b?f16x2|f32x2|bf16|tf32|pred)\b")


def reads_as_ptx(text: str) -> bool:
    """Is it PTX, also where it is not known on whose side it stands, or no device knows the opcode?"""
    return _TYPED.search(text) is not None


_BYTES = {"8": 1, "16": 2, "32": 4, "64": 8, "128": 16}
_REGISTERS = {
    "pred": "bool",
    "f32": "float",
    "f64": "double",
    "f16x2": "uint32_t",
    "bf16x2": "uint32_t",
    "b8": "uint8_t",
}
_SPECIAL = {
    "%laneid": "kw_lane()", "%warpid": "kw_warp()", "%nwarpid": "((kw::block_threads() + 31) / 32)",
    "%smid": "kw_processor(blockIdx.x + (blockIdx.y + uint64_t(blockIdx.z) * gridDim.y) * gridDim.x)", "%nsmid": "132u", "%gridid": "1ull",
    "%clock": "(uint32_t)kw_clock()", "%clock_hi": "(uint32_t)(kw_clock() >> 32)", "%clock64": "(uint64_t)kw_clock()",
    "%globaltimer": "(uint64_t)kw_timer()", "%globaltimer_lo": "(uint32_t)kw_timer()",
    "%lanemask_eq": "(1u << kw_lane())", "%lanemask_lt": "((1u << kw_lane()) - 1)", "%lanemask_le": "((2u << kw_lane()) - 1)",
    "%lanemask_gt": "~((2u << kw_lane()) - 1)", "%lanemask_ge": "~((1u << kw_lane()) - 1)",
    "%dynamic_smem_size": "kw_dynamic_shared_bytes()", "WARP_SZ": "32u",
    "%cluster_ctarank": "kw_cluster_rank()", "%cluster_nctarank": "kw::cluster_blocks()", "%is_explicit_cluster": "(kw::cluster_blocks() > 1)",
    **{f"%cluster_ctaid.{axis}": f"kw::index_in_cluster().{axis}" for axis in "xyz"},
    **{f"%cluster_nctaid.{axis}": f"kw::cluster_size().{axis}" for axis in "xyz"},
    **{f"%clusterid.{axis}": f"(blockIdx.{axis} / kw::cluster_size().{axis})" for axis in "xyz"},
    **{f"%nclusterid.{axis}": f"(gridDim.{axis} / kw::cluster_size().{axis})" for axis in "xyz"},
    **{f"%{name}.{axis}": f"{variable}.{axis}" for axis in "xyz" for name, variable in (
        ("tid", "threadIdx"), ("ntid", "blockDim"), ("ctaid", "blockIdx"), ("nctaid", "gridDim"))},
}  # fmt: skip
_ROUNDING = {"rn": "nearest", "rz": "zero", "rm": "down", "rp": "up", "rni": "nearest", "rzi": "zero", "rmi": "down",
             "rpi": "up"}  # fmt: skip
# What says how a cache is to be used: of no meaning here.
_HINTS = re.compile(r"^(ca|cg|cs|lu|cv|wb|wt|nc|cta|gpu|sys|L1::.*|L2::.*|unified|level::.*|noftz)$")

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+U?|\d+\.\d*(?:[eE][-+]?\d+)?|\d+U?)"
    r"|(?P<operand>%\d+|%\[\w+\])|(?P<name>[%$]?[A-Za-z_$][\w$]*(?:\.[xyzw]\b)?)|(?P<sign>[-+\[\]{}|!,<>]))"
)


@dataclass
class _Instruction:
    text: str
    guard: str
    opcode: str
    modifiers: list[str]
    arguments: list["_Argument"]
    selectors: dict[int, str] = field(
        default_factory=dict
    )  # of video instructions: the half or byte of an argument

    def has(self, *names: str) -> bool:
        return any(name in self.modifiers for name in names)

    def types(self) -> list[str]:
        return [m for m in self.modifiers if m in TYPES]

    def type(self) -> str:
        """The one type, or the last."""
        named = self.types()
        if not named:
            raise PtxError(f"'{self.text}' names no type")
        return TYPES[named[-1]]


@dataclass(frozen=True)
class _Argument:
    kind: str  # value, constant, address, vector, sink, pair
    text: str = ""  # C++ of a value
    parts: tuple["_Argument", ...] = ()
    offset: int = 0
    negated: bool = False


@dataclass
class Registers:
    """What the asm statements of one function have declared and not closed: later statements may go on with it."""

    scopes: list[dict[str, str]] = field(default_factory=lambda: [{}])
    number: int = 0  # of the last variable: no two of a function have one name


@dataclass(frozen=True)
class Translated:
    """An asm statement as C++."""

    body: str  # statements over its operands
    declarations: str = ""  # what stands before it in its block, for later statements too
    outer: bool = False  # does the body name variables of its block?


@dataclass
class _Body:
    """One asm statement on its way."""

    operands: Sequence[Operand]
    scopes: list[dict[str, str]]
    number: int
    lines: list[str] = field(default_factory=list)
    declared: dict[str, str] = field(default_factory=dict)  # variable -> its type

    def register(self, name: str) -> str:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        stem = re.sub(r"\d+$", "", name)
        for scope in reversed(self.scopes):
            if stem + "<>" in scope:
                made = self.declare(name, scope[stem + "<>"])
                return made
        raise PtxError(f"the register '{name}' is not declared" if not name.startswith("%") else
                       f"the special register '{name}'")  # fmt: skip

    def declare(self, name: str, c_type: str) -> str:
        self.number += 1
        variable = f"kw_r{self.number}"
        self.scopes[-1][name] = variable
        self.declared[variable] = c_type
        return variable


def translate(
    template: str, operands: Sequence[Operand], registers: Registers | None = None, *, stays: bool = True
) -> Translated:
    """The statements of `template` as C++ statements over the variables kw_0, kw_1, ... of its operands.

    Args:
        registers: what earlier statements of the function left open, which this one may use and close.
        stays: what this one leaves open is for later ones.

    Raises:
        PtxError: it is no PTX, or holds an instruction that is not executed.
    """
    before = registers or Registers()
    body = _Body(operands, [dict(scope) for scope in before.scopes], before.number)
    text = _COMMENT.sub(" ", template).replace("%%", "%")
    for statement in _statements(text):
        if statement == "{":
            body.scopes.append({})
        elif statement == "}":
            if len(body.scopes) == 1:
                raise PtxError("a closing brace without an opening one")
            body.scopes.pop()
        elif statement.endswith(":"):
            body.lines.append(f"{_label(statement[:-1])}:;")
        elif statement.startswith("."):
            _directive(statement, body)
        else:
            _one(statement, body)
    staying: set[str] = set()
    if stays and registers is not None:
        staying = {variable for scope in body.scopes for variable in scope.values()}
        registers.scopes, registers.number = body.scopes, body.number
    # Before everything else: a jump may not pass a declaration.
    own = [f"{c_type} {name}{{}};" for name, c_type in body.declared.items() if name not in staying]
    shared = [f"{c_type} {name};" for name, c_type in body.declared.items() if name in staying]
    outer = bool(shared) or any(scope.values() for scope in before.scopes)
    return Translated(" ".join((*own, *body.lines)), "".join(f"{line} " for line in shared), outer)


def _statements(text: str) -> list[str]:
    """Instructions and directives without their semicolon, labels with their colon, the braces of scopes."""
    found: list[str] = []
    at, start = 0, 0
    while at < len(text):
        here = text[at]
        if here in "{}" and not text[start:at].strip():
            found.append(here)
            start = at + 1
        elif here == "{":
            at = text.find("}", at)
            if at < 0:
                raise PtxError("an opening brace without a closing one")
        elif here == ";":
            if text[start:at].strip():
                found.append(text[start:at].strip())
            start = at + 1
        elif here == ":" and re.fullmatch(r"\s*[$\w%{}=]+", text[start:at]) and text[at + 1 : at + 2] != ":":
            found.append(re.sub(r"%=", "", text[start:at].strip()) + ":")
            start = at + 1
        at += 1
    if text[start:].strip():
        found.append(text[start:].strip())
    return found


def _label(name: str) -> str:
    return "kw_label_" + re.sub(r"\W", "_", name.replace("%=", ""))


def _directive(statement: str, body: _Body) -> None:
    words = re.match(r"\.reg\s*(?:\.v\d\s+)?\.(\w+)\s+(.*)", statement, re.DOTALL)
    if words is None:
        if statement.startswith(".pragma"):
            return
        raise PtxError(f"'{statement.split()[0]}' within assembly")
    c_type = _REGISTERS.get(words[1]) or TYPES.get(words[1])
    if c_type is None:
        raise PtxError(f"registers of type '.{words[1]}'")
    if c_type.startswith("__"):
        c_type = "uint16_t"
    if c_type.startswith("int"):
        c_type = "u" + c_type
    for name in words[2].split(","):
        name = name.strip()
        many = re.fullmatch(r"(%?[\w$]+)<\d+>", name)
        if many:
            body.scopes[-1][many[1] + "<>"] = c_type
        else:
            body.declare(name, c_type)


def _one(statement: str, body: _Body) -> None:
    guard = ""
    match = re.match(r"@(!?)\s*([%\w$\[\]]+)\s+", statement)
    rest = statement
    if match:
        argument = _tokens(match[2], body)[0]
        guard = f"if ({match[1]}{argument.text}) "
        rest = statement[match.end() :]
    head = re.match(r"([a-z]\w*)((?:\.[\w:]+)*)\s*", rest)
    if head is None:
        raise PtxError(f"'{statement}'")
    opcode, modifiers = head[1], [m for m in head[2].split(".") if m]
    text = head[0].strip()
    if opcode == "bra":
        body.lines.append(f"{guard}goto {_label(rest[head.end() :].strip())};")
        return
    told, selectors = rest[head.end() :], {}
    if opcode in _VIDEO:  # of these an operand may have its part named
        selectors = {n: m[2] for n, part in enumerate(told.split(",")) if (m := _SELECTOR.search(part))}
        told = _SELECTOR.sub(r"\1", told)
    make = _TABLE.get(opcode)
    try:
        arguments = _tokens(told, body)
    except PtxError as error:
        raise PtxError(f"the instruction '{text}': {error}") from None
    instruction = _Instruction(text, guard, opcode, modifiers, arguments, selectors)
    made = make(instruction) if make is not None else None
    if made is None:
        raise PtxError(f"the instruction '{text}'")
    body.lines.append(f"{guard}{{ {made} }}")


def _tokens(text: str, body: _Body) -> list[_Argument]:
    tokens: list[tuple[str, str]] = []
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise PtxError(f"'{text[at:].strip()}'")
        tokens.append((str(match.lastgroup), match[str(match.lastgroup)]))
        at = match.end()
    arguments, at = [], 0
    while at < len(tokens):
        argument, at = _argument(tokens, at, body)
        arguments.append(argument)
        if at < len(tokens):
            if tokens[at][1] != ",":
                raise PtxError(f"'{text.strip()}'")
            at += 1
    return arguments


def _argument(tokens: list[tuple[str, str]], at: int, body: _Body) -> tuple[_Argument, int]:
    kind, word = tokens[at]
    if word == "[":
        base, at = _argument(tokens, at + 1, body)
        offset = 0
        while at < len(tokens) and tokens[at][1] in "+-":
            sign = -1 if tokens[at][1] == "-" else 1
            at += 1
            if tokens[at][1] == "-":
                sign, at = -sign, at + 1
            if tokens[at][0] == "operand":
                inner, at = _argument(tokens, at, body)
                base = _Argument("value", f"({base.text} + ({sign}) * (int64_t){inner.text})")
                continue
            offset += sign * int(tokens[at][1].rstrip("U"), 0)
            at += 1
        if at >= len(tokens) or tokens[at][1] != "]":
            raise PtxError("an address that is no register and number")
        return _Argument("address", base.text, offset=offset), at + 1
    if word == "{":
        parts: list[_Argument] = []
        at += 1
        while at < len(tokens) and tokens[at][1] != "}":
            part, at = _argument(tokens, at, body)
            parts.append(part)
            if at < len(tokens) and tokens[at][1] == ",":
                at += 1
        return _Argument("vector", parts=tuple(parts)), at + 1
    if word == "!":
        value, at = _argument(tokens, at + 1, body)
        return _Argument("value", f"!{value.text}"), at
    if word == "-":
        value, at = _argument(tokens, at + 1, body)
        return _Argument("constant" if value.kind == "constant" else "value", f"-{value.text}"), at
    if kind == "number":
        made = _Argument("constant", _number(word))
        while at + 2 < len(tokens) and tokens[at + 1][1] in "+-" and tokens[at + 2][0] == "number":
            at += 2
            made = _Argument("constant", f"({made.text} {tokens[at - 1][1]} {_number(tokens[at][1])})")
    elif kind == "operand":
        made = _Argument("value", _operand(word, body))
    elif word == "_":
        made = _Argument("sink", "kw_sink")
    elif word in _SPECIAL:
        made = _Argument("value", _SPECIAL[word])
    elif kind == "name":
        made = _Argument("value", body.register(word))
    else:
        raise PtxError(f"'{word}'")
    if at + 1 < len(tokens) and tokens[at + 1][1] == "|":
        second, after = _argument(tokens, at + 2, body)
        return _Argument("pair", parts=(made, second)), after
    return made, at + 1


def _operand(word: str, body: _Body) -> str:
    if word[1] == "[":
        for number, operand in enumerate(body.operands):
            if operand.name == word[2:-1]:
                return f"kw_{number}"
        raise PtxError(f"no operand is named {word[2:-1]}")
    if int(word[1:]) >= len(body.operands):
        raise PtxError(f"there is no operand {word}")
    return f"kw_{word[1:]}"


def _number(word: str) -> str:
    if word[:2] in ("0f", "0F"):
        return f"__uint_as_float(0x{word[2:]}u)"
    if word[:2] in ("0d", "0D"):
        return f"__longlong_as_double(0x{word[2:]}ll)"
    if "." in word:
        return word
    value = int(word.rstrip("U"), 0) if not re.fullmatch(r"0\d+", word) else int(word, 8)
    return f"{value}ll" if value < 1 << 63 else f"{value}ull"


# ---- instructions ----------------------------------------------------------------------------------------------------


def _get(argument: _Argument, c_type: str) -> str:
    if argument.kind == "constant":
        if c_type in ("float", "double") or "float" in argument.text or "." in argument.text:
            return f"kw::ptx::as<{c_type}>(({c_type if c_type in ('float', 'double') else 'float'})({argument.text}))"
        return f"kw::ptx::constant<{c_type}>({argument.text})"
    if argument.kind != "value":
        raise PtxError("an operand of another kind was expected")
    if c_type == "bool":
        return f"(bool)({argument.text})"
    return f"kw::ptx::as<{c_type}>({argument.text})"


def _set(argument: _Argument, value: str) -> str:
    if argument.kind == "sink":
        return f"(void)({value});"
    if argument.kind != "value":
        raise PtxError("a register to write was expected")
    return f"kw::ptx::put({argument.text}, {value});"


def _need(i: _Instruction, *counts: int) -> list[_Argument]:
    if len(i.arguments) not in counts:
        raise PtxError(f"'{i.text}' with {len(i.arguments)} operands")
    return i.arguments


def _only(i: _Instruction, *allowed: str) -> None:
    for modifier in i.modifiers:
        if modifier not in allowed and modifier not in TYPES and not _HINTS.match(modifier):
            raise PtxError(f"the instruction '{i.text}'")


def _finish(i: _Instruction, value: str, c_type: str) -> str:
    if i.has("ftz") and c_type == "float":
        value = f"kw::ptx::ftz({value})"
    if i.has("sat"):
        if c_type in ("float", "double"):
            value = f"kw::ptx::sat({value})"
        elif c_type in ("__half", "__nv_bfloat16"):
            value = f"kw::saturated_to_one({value})"
        else:
            raise PtxError(f"the instruction '{i.text}'")
    if i.has("relu"):
        value = (
            f"kw::ptx::max({value}, {c_type}{{}})"
            if "2" not in c_type
            else f"kw::ptx::max({value}, {c_type}({{}}, {{}}))"
        )
    return value


_INTRINSIC = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "div": "div",
    "fma": "fma",
    "rcp": "rcp",
    "sqrt": "sqrt",
}
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


def _arithmetic(sign: str) -> Callable[[_Instruction], str]:
    def make(i: _Instruction) -> str:
        _only(i, *_FLOAT_MODIFIERS)
        d, a, b = _need(i, 3)
        t = i.type()
        x, y = _get(a, t), _get(b, t)
        if i.types()[-1] == "f32x2":
            return _set(d, _pairwise(i, lambda of: rounded(i, f"{x}.{of}", f"{y}.{of}", "float")))
        integer = "int" in t
        if i.has("wide"):
            return _set(d, f"kw::ptx::mul_wide<{t}>({x}, {y})")
        if i.has("hi"):
            return _set(d, f"kw::ptx::mul_hi<{t}>({x}, {y})")
        if integer and i.has("sat"):
            return _set(d, f"kw::ptx::sat((int64_t){x} {sign} (int64_t){y})")
        if integer and sign == "/":
            return _set(d, f"kw::ptx::divide<{t}>({x}, {y})")
        if integer:
            return _set(d, f"({t})({x} {sign} {y})")
        return _set(d, _finish(i, rounded(i, x, y, t), t))

    def rounded(i: _Instruction, x: str, y: str, t: str) -> str:
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


def _pairwise(i: _Instruction, value: Callable[[str], str]) -> str:
    """Both floats of a 64-bit register, each as `value` of its name has it."""
    return f"kw::ptx::FloatPair{{{', '.join(_finish(i, value(of), 'float') for of in ('x', 'y'))}}}"


def _fused(i: _Instruction) -> str:
    _only(i, *_FLOAT_MODIFIERS)
    d, a, b, c = _need(i, 4)
    t = i.type()
    if "int" in t:
        if i.has("wide"):
            return _set(
                d, f"kw::ptx::mul_wide<{t}>({_get(a, t)}, {_get(b, t)}) + {_get(c, f'kw::ptx::twice<{t}>')}"
            )
        product = (
            f"kw::ptx::mul_hi<{t}>({_get(a, t)}, {_get(b, t)})"
            if i.has("hi")
            else f"({t})({_get(a, t)} * {_get(b, t)})"
        )
        return _set(d, f"({t})({product} + {_get(c, t)})")
    x, y, z = (_get(p, t) for p in (a, b, c))
    if i.types()[-1] == "f32x2":
        return _set(d, _pairwise(i, lambda of: _rounded_fma(i, f"{x}.{of}, {y}.{of}, {z}.{of}", "float")))
    return _set(d, _finish(i, _rounded_fma(i, f"{x}, {y}, {z}", t), t))


def _rounded_fma(i: _Instruction, given: str, t: str) -> str:
    mode = next((m for m in i.modifiers if m in _SUFFIX), "rn")
    if mode != "rn" and t in ("float", "double"):
        return f"__fma{'f' if t == 'float' else ''}_{_SUFFIX[mode]}({given})"
    return f"kw::ptx::fma<{t}>({given})"


def _pick(name: str) -> Callable[[_Instruction], str]:
    def make(i: _Instruction) -> str:
        _only(i, "ftz", "relu")
        t = i.type()
        if len(i.arguments) == 4 and t == "float":  # three inputs
            d, a, b, c = i.arguments
            return _set(d, f"kw::ptx::{name}(kw::ptx::{name}({_get(a, t)}, {_get(b, t)}), {_get(c, t)})")
        d, a, b = _need(i, 3)
        return _set(d, _finish(i, f"kw::ptx::{name}({_get(a, t)}, {_get(b, t)})", t))

    return make


def _unary(template: str, *types: str, modifiers: Sequence[str] = ()) -> Callable[[_Instruction], str]:
    """`template` with {x} the operand and {t} its type."""

    def make(i: _Instruction) -> str:
        _only(i, *modifiers)
        d, a = _need(i, 2)
        t = i.type()
        if types and t not in types:
            raise PtxError(f"the instruction '{i.text}'")
        return _set(d, _finish(i, template.format(x=_get(a, t), t=t), t))

    return make


def _bitwise(sign: str) -> Callable[[_Instruction], str]:
    def make(i: _Instruction) -> str:
        d, a, b = _need(i, 3)
        t = i.type()
        return _set(d, f"({t})({_get(a, t)} {sign} {_get(b, t)})")

    return make


def _shift(name: str) -> Callable[[_Instruction], str]:
    def make(i: _Instruction) -> str:
        d, a, b = _need(i, 3)
        t = i.type()
        return _set(d, f"kw::ptx::{name}<{t}>({_get(a, t)}, {_get(b, 'uint32_t')})")

    return make


def _of_float(function: str) -> Callable[[_Instruction], str | None]:
    """A function of the special unit; the rounded forms have their own."""

    def make(i: _Instruction) -> str | None:
        _only(i, "approx", "ftz", *_SUFFIX)
        d, a = _need(i, 2)
        t = i.type()
        mode = next((m for m in i.modifiers if m in _SUFFIX), None)
        if mode and i.opcode in ("rcp", "sqrt") and t in ("float", "double"):
            return _set(d, f"__{'f' if t == 'float' else 'd'}{i.opcode}_{_SUFFIX[mode]}({_get(a, t)})")
        if t == "float":
            x = f"kw::ptx::ftz({_get(a, t)})" if i.has("ftz") else _get(a, t)
            return _set(d, _finish(i, function.format(x=x), t))
        if t in ("__half", "__nv_bfloat16"):
            return _set(d, f"{t}({function.format(x=f'kw::wide({_get(a, t)})')})")
        if t in ("__half2", "__nv_bfloat162"):
            x = _get(a, t)
            return _set(
                d, f"{t}({function.format(x=f'kw::wide({x}.x)')}, {function.format(x=f'kw::wide({x}.y)')})"
            )
        if t == "double" and i.opcode in ("rcp", "rsqrt"):
            return _set(d, f"1.0 / {_get(a, t)}" if i.opcode == "rcp" else f"rsqrt({_get(a, t)})")
        return None

    return make


def _move(i: _Instruction) -> str:
    d, a = _need(i, 2)
    t = i.type()
    bits = int(re.sub(r"\D", "", i.types()[-1]) or "0")
    if a.kind == "vector":
        each = bits // len(a.parts)
        parts = " | ".join(
            f"(uint64_t){_get(p, f'uint{each}_t')} << {each * n}" for n, p in enumerate(a.parts)
        )
        return _set(d, f"(uint{bits}_t)({parts})")
    if d.kind == "vector":
        each = bits // len(d.parts)
        stores = " ".join(_set(p, f"(uint{each}_t)(kw_whole >> {each * n})") for n, p in enumerate(d.parts))
        return f"const auto kw_whole = {_get(a, f'uint{bits}_t')}; {stores}"
    return _set(d, _get(a, t))


_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">",
            "hs": ">="}  # fmt: skip


def _set_predicate(i: _Instruction) -> str:
    t = i.type()
    operation = i.modifiers[0]
    d, a, b = i.arguments[:3]
    x, y = (f"kw::wide({_get(p, t)})" if t in ("__half", "__nv_bfloat16") else _get(p, t) for p in (a, b))
    if t.endswith("2") and t.startswith("__"):
        raise PtxError(f"the instruction '{i.text}'")
    if operation in _COMPARE:
        # An ordered comparison is false where a NaN is met; x86's != is not.
        value = f"({x} {_COMPARE[operation]} {y})"
        if operation == "ne" and ("float" in t or "double" in t):
            value = f"({value} && !__builtin_isunordered({x}, {y}))"
    elif operation == "num":
        value = f"!__builtin_isunordered({x}, {y})"
    elif operation == "nan":
        value = f"__builtin_isunordered({x}, {y})"
    elif operation[:-1] in _COMPARE and operation[-1] == "u":
        value = f"({x} {_COMPARE[operation[:-1]]} {y} || __builtin_isunordered({x}, {y}))"
    else:
        raise PtxError(f"the instruction '{i.text}'")
    inverse = f"!{value}"
    if len(i.arguments) == 4:
        combine = next((m for m in i.modifiers[1:] if m in ("and", "or", "xor")), None)
        if combine is None:
            raise PtxError(f"the instruction '{i.text}'")
        sign = {"and": "&", "or": "|", "xor": "^"}[combine]
        other = _get(i.arguments[3], "bool")
        value, inverse = f"(bool)({value} {sign} {other})", f"(bool)({inverse} {sign} {other})"
    if i.opcode == "set":
        # All ones or none of them, or 1.0 or 0.0: the type of the result stands before that of the operands.
        result = TYPES[i.types()[-2]]
        return _set(d, f"({value} ? 1.0f : 0.0f)" if result == "float" else f"({result})({value} ? -1 : 0)")
    if d.kind == "pair":
        return f"const bool kw_yes = {value}, kw_no = {inverse}; {_set(d.parts[0], 'kw_yes')} {_set(d.parts[1], 'kw_no')}"
    return _set(d, value)


def _select(i: _Instruction) -> str:
    d, a, b, p = _need(i, 4)
    t = i.type()
    return _set(d, f"({_get(p, 'bool')} ? {_get(a, t)} : {_get(b, t)})")


# Pairs of small numbers: bits of one, what encodes a float, what decodes it.
_SMALL_PAIRS = {
    "e4m3x2": (8, "kw::encode_e4m3({x}, true)", "kw::decode_e4m3((unsigned char){x})"),
    "e5m2x2": (8, "kw::encode_e5m2({x}, true)", "kw::decode_e5m2((unsigned char){x})"),
    "e2m1x2": (4, "kw::encode_e2m1({x}, cudaRoundNearest)", "kw::decode_e2m1({x})"),
    "ue8m0x2": (8, "kw::encode_e8m0({x}, true, {mode})", "kw::decode_e8m0((unsigned char){x})"),
}


def _convert(i: _Instruction) -> str:
    _only(i, *_ROUNDING, "rna", "ftz", "sat", "satfinite", "relu", "tf32", *_SMALL_PAIRS)
    names = [m for m in i.modifiers if m in TYPES or m in ("tf32", *_SMALL_PAIRS)]
    if len(names) != 2:
        raise PtxError(f"the instruction '{i.text}'")
    to, source = names
    d = i.arguments[0]
    if to == "tf32":
        x = _get(_need(i, 2)[1], "float")
        return _set(d, f"kw::ptx::to_tf32_{'away' if i.has('rna') else 'even'}({x})")
    if to in _SMALL_PAIRS:
        if source == "f32":
            high, low = (_get(a, "float") for a in _need(i, 3)[1:])
        else:
            pair = _get(_need(i, 2)[1], TYPES[source])
            high, low = f"kw::wide({pair}.y)", f"kw::wide({pair}.x)"
        if i.has("relu"):
            high, low = f"__builtin_fmaxf({high}, 0.0f)", f"__builtin_fmaxf({low}, 0.0f)"
        bits, encode, _ = _SMALL_PAIRS[to]
        if to == "ue8m0x2":
            encode = encode.replace("{mode}", "cudaRoundPosInf" if i.has("rp") else "cudaRoundZero")
        above, below = encode.replace("{x}", high), encode.replace("{x}", low)
        return _set(d, f"({'uint16_t' if bits == 8 else 'uint8_t'})({above} << {bits} | {below})")
    if source in _SMALL_PAIRS:
        bits, _, decode = _SMALL_PAIRS[source]
        x = _get(_need(i, 2)[1], "uint16_t")
        half = "__nv_bfloat16" if to == "bf16x2" else "__half"
        both = (decode.replace("{x}", f"({x} >> {n * bits} & {(1 << bits) - 1})") for n in range(2))
        return _set(d, f"{half}2({', '.join(f'{half}({one})' for one in both)})")
    t, s = TYPES[to], TYPES[source]
    mode = f"kw::Rounding::{_ROUNDING.get(next((m for m in i.modifiers if m in _ROUNDING), 'rn'), 'nearest')}"
    if to in ("f16x2", "bf16x2"):
        _, upper, lower = _need(i, 3)
        half = t[:-1]
        parts = ", ".join(f"kw::ptx::convert<{mode}, {half}>({_get(p, 'float')})" for p in (lower, upper))
        return _set(d, _finish(i, f"{t}({parts})", t))
    x = _get(_need(i, 2)[1], s)
    if i.has("ftz") and s == "float":
        x = f"kw::ptx::ftz({x})"
    if "int" in t and "int" in s:
        return _set(d, f"kw::ptx::clamp_to<{t}>({x})" if i.has("sat") else f"({t}){x}")
    if t == s:
        rounds = any(m in ("rni", "rzi", "rmi", "rpi") for m in i.modifiers)
        return _set(d, _finish(i, f"kw::ptx::to_integral<{mode}>({x})" if rounds else x, t))
    if "int" in t and mode == "kw::Rounding::nearest" and not i.has("rni"):
        mode = "kw::Rounding::zero"
    value = f"kw::ptx::convert<{mode}, {t}>({x})"
    return _set(d, value if "int" in t else _finish(i, value, t))


def _address(i: _Instruction, a: _Argument, *, shared: bool | None = None) -> str:
    if a.kind != "address":
        raise PtxError(f"'{i.text}' without an address")
    if shared is None:
        shared = i.has("shared", "shared::cta")
    if i.has("param", "const::cluster"):
        raise PtxError(f"the instruction '{i.text}'")
    base = f"{a.text} + ({a.offset}ll)" if a.offset else a.text
    space = "cluster_shared" if i.has("shared::cluster") else "shared" if shared else "generic"
    return f"kw::ptx::{space}((uint64_t)({base}))"


_SPACE = ("global", "shared", "shared::cta", "shared::cluster", "cluster", "local", "const")
_ORDER = ("volatile", "relaxed", "acquire", "release")
_STATE = (*_SPACE, *_ORDER, "weak", "v2", "v4", "v8")


def _access(i: _Instruction) -> str:
    _only(i, *_STATE)
    register, memory = (
        (i.arguments[0], i.arguments[1]) if i.opcode in ("ld", "ldu") else (i.arguments[1], i.arguments[0])
    )
    parts = register.parts if register.kind == "vector" else (register,)
    named = i.types()[-1]
    t = TYPES[named]
    total = _BYTES[re.sub(r"\D", "", named.removesuffix("x2")) if not named.endswith("x2") else "32"] * len(
        parts
    )
    together = i.has("volatile", "relaxed", "acquire", "release")
    place = _address(i, memory)
    if i.opcode in ("ld", "ldu"):
        stores = " ".join(_set(p, f"kw_loaded[{n}]") for n, p in enumerate(parts))
        access = (
            f"kw::ptx::load_shared_with_others<{total}>(kw_loaded, {place});"
            if together
            else _load("kw_loaded", place, total)
        )
        return f"{t} kw_loaded[{len(parts)}]; {access} {stores}"
    values = ", ".join(_get(p, t) for p in parts)
    fence = "__threadfence(); " if i.has("release") else ""
    access = (
        f"kw::ptx::store_shared_with_others<{total}>({place}, kw_stored);"
        if together
        else _store(place, "kw_stored", total)
    )
    return f"{t} kw_stored[] = {{{values}}}; {fence}{access}"


# An access of the whole width, written out so that the checks see it on the user's line.
def _load(into: str, place: str, size: int) -> str:
    unit = min(size, 16)
    return (f"using kw_unit = kw::ptx::Unit<{unit}>::type; const kw_unit* const kw_from = (const kw_unit*){place}; "
            + " ".join(f"const kw_unit kw_got{n} = kw_from[{n}]; __builtin_memcpy((char*){into} + {16 * n}, &kw_got{n}, {unit});"
                       for n in range(max(1, size // 16))))  # fmt: skip


def _store(place: str, source: str, size: int) -> str:
    unit = min(size, 16)
    return (f"using kw_unit = kw::ptx::Unit<{unit}>::type; kw_unit* const kw_to = (kw_unit*){place}; "
            + " ".join(f"kw_unit kw_put{n}; __builtin_memcpy(&kw_put{n}, (const char*){source} + {16 * n}, {unit}); "
                       f"kw_to[{n}] = kw_put{n};" for n in range(max(1, size // 16))))  # fmt: skip


_CHANGES = {
    "add": "old + value", "min": "kw::ptx::min(old, value)", "max": "kw::ptx::max(old, value)", "and": "old & value",
    "or": "old | value", "xor": "old ^ value", "exch": "value", "inc": "old >= value ? kw_type(0) : kw_type(old + 1)",
    "dec": "old == 0 || old > value ? value : kw_type(old - 1)", "cas": "old == expected ? value : old",
}  # fmt: skip


def _atomic(i: _Instruction) -> str:
    operation = next((m for m in i.modifiers if m in _CHANGES), None)
    _only(i, *_SPACE, *_ORDER, *_CHANGES, "acq_rel")
    if operation is None or i.has("v2", "v4"):
        raise PtxError(f"the instruction '{i.text}'")
    given = i.arguments if i.opcode == "red" else i.arguments[1:]
    t = i.type()
    names = ["expected", "value"] if operation == "cas" else ["value"]
    if len(given) < 1 + len(names):
        raise PtxError(f"'{i.text}' with {len(i.arguments)} operands")
    values = " ".join(f"const {t} {n} = {_get(a, t)};" for n, a in zip(names, given[1:], strict=False))
    change = _CHANGES[operation]
    if t.startswith("__") and operation == "add":
        change = "__hadd2(old, value)" if i.types()[-1].endswith("x2") else "__hadd(old, value)"
    call = f"kw::ptx::atomic<kw_type>({_address(i, given[0])}, [=](kw_type old) -> kw_type {{ return {change}; }})"
    return f"using kw_type = {t}; {values} " + (
        f"{call};" if i.opcode == "red" else _set(i.arguments[0], call)
    )


def _multicast(i: _Instruction) -> str | None:
    """What reaches every device of a group, which has one here."""
    plain = [m for m in i.modifiers if m not in ("st", "red", "ld_reduce")]
    if i.has("st"):
        return _access(replace(i, opcode="st", modifiers=_as_bits(plain)))
    if i.has("red"):
        return _atomic(replace(i, opcode="red", modifiers=plain))
    if i.has("ld_reduce"):
        kept = [m for m in plain if m not in _CHANGES and not m.startswith("acc::")]
        return _access(replace(i, opcode="ld", modifiers=_as_bits(kept)))
    return None


def _as_bits(modifiers: list[str]) -> list[str]:
    """What is only moved has the width of its type."""
    return ["b32" if m in ("f16x2", "bf16x2") else m for m in modifiers]


def _copy(i: _Instruction) -> str | None:
    if i.has("bulk", "reduce", "tensor"):
        return None
    if i.has("commit_group"):
        return "kw_async_commit();"
    if i.has("wait_group"):
        return f"kw::ptx::wait_group({_get(_need(i, 1)[0], 'uint32_t')});"
    if i.has("wait_all"):
        return "kw::ptx::wait_all();"
    if i.modifiers[1:2] == ["mbarrier"] or i.has("mbarrier"):
        return f"kw::ptx::mbarrier_arrive_with_copies({_address(i, _need(i, 1)[0])});"
    _only(i, "async", "shared", "shared::cta", "global")
    to, source, size = _need(i, 3, 4, 5)[:3]
    read = (
        _get(i.arguments[3], "uint32_t")
        if len(i.arguments) > 3 and not i.has("L2::cache_hint")
        else _get(size, "uint32_t")
    )
    if len(i.arguments) > 4:
        read = _get(i.arguments[3], "uint32_t")
    return (f"kw::ptx::copy_async({_address(i, to, shared=True)}, {_address(i, source, shared=False)}, "
            f"{_get(size, 'uint32_t')}, {read});")  # fmt: skip


def _matrices(i: _Instruction) -> str:
    _only(i, "sync", "aligned", "m8n8", "x1", "x2", "x4", "trans", "shared", "shared::cta")
    loads = i.opcode == "ldmatrix"
    registers, memory = (i.arguments[0], i.arguments[1]) if loads else (i.arguments[1], i.arguments[0])
    parts = registers.parts if registers.kind == "vector" else (registers,)
    count = next((int(m[1]) for m in i.modifiers if m in ("x1", "x2", "x4")), 1)
    if count != len(parts) or memory.kind != "address":
        raise PtxError(f"'{i.text}' with {len(parts)} registers")
    place = _address(i, memory, shared=True)
    kind = f"kw::ptx::Matrices<{count}, {'true' if i.has('trans') else 'false'}>"
    mine = f"if (kw_lane() < {8 * count})"
    if loads:
        stores = " ".join(_set(p, f"kw_rows.registers[{n}]") for n, p in enumerate(parts))
        return f"{kind} kw_rows; {mine} {{ {_load('kw_rows.row', place, 16)} }} kw::ptx::meet_for_load(kw_rows); {stores}"
    fills = " ".join(f"kw_rows.registers[{n}] = {_get(p, 'uint32_t')};" for n, p in enumerate(parts))
    return f"{kind} kw_rows; {fills} kw::ptx::meet_for_store(kw_rows); {mine} {{ {_store(place, 'kw_rows.row', 16)} }}"


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


def _multiply(i: _Instruction) -> str | None:
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
    to, left, right, plus, *places = _need(i, 6 if sparse else 4)
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
                value = _get(p, storage)
                fills.append(
                    f"kw_m.{name}[{n}] = "
                    + (f"kw::ptx::as<{register}>({value})" if storage != register else value)
                    + ";"
                )
    for name, place in zip(("chosen", "selector"), places, strict=False):
        fills.append(f"kw_m.{name} = {_get(place, 'uint32_t')};")
    parts = to.parts if to.kind == "vector" else (to,)
    stores = " ".join(_set(p, f"kw_m.d[{n}]") for n, p in enumerate(parts))
    return f"{product} kw_m; {' '.join(fills)} kw::ptx::multiply(kw_m); {stores}"


def _barrier(i: _Instruction) -> str | None:
    if i.has("cluster"):
        return "kw::ptx::cluster_arrive();" if i.has("arrive") else "kw::ptx::cluster_wait();"
    given = i.arguments
    if i.has("warp"):
        return f"kw::ptx::sync_warp({_get(_need(i, 1)[0], 'uint32_t')});"
    if i.has("red"):
        kind = 0 if i.has("popc") else 1 if i.has("and") else 2
        return _set(given[0], f"kw::ptx::block_vote({kind}, {_get(given[-1], 'bool')})")
    if i.has("sync") and len(given) == 1:
        return "kw::ptx::block_barrier();"
    if len(given) == 2 and i.has("sync", "arrive"):
        wait = "1" if i.has("sync") else "0"
        return f"kw::ptx::named_barrier({_get(given[0], 'uint32_t')}, {_get(given[1], 'uint32_t')}, {wait});"
    return None


def _memory_barrier(i: _Instruction) -> str | None:
    operation = next(
        (m for m in i.modifiers if m in ("init", "inval", "arrive", "arrive_drop", "test_wait", "try_wait")),
        None,
    )
    if operation is None or i.has("expect_tx", "complete_tx"):
        return None
    if operation == "inval":
        return ";"
    if operation == "init":
        at, count = _need(i, 2)
        return f"kw::ptx::mbarrier_initialise({_address(i, at)}, {_get(count, 'uint32_t')});"
    if operation in ("arrive", "arrive_drop"):
        if i.arguments[0].kind == "address":
            i.arguments.insert(0, _Argument("sink"))
        state, at = i.arguments[:2]
        arrivals = "1" if len(i.arguments) < 3 else _get(i.arguments[2], "uint32_t")
        drop = "1" if operation == "arrive_drop" else "0"
        return _set(state, f"kw::ptx::mbarrier_arrive({_address(i, at)}, {arrivals}, {drop})")
    done, at, phase = i.arguments[:3]
    if i.has("parity"):
        return _set(done, f"kw::ptx::mbarrier_test_parity({_address(i, at)}, {_get(phase, 'uint32_t')})")
    return _set(done, f"kw::ptx::mbarrier_test({_address(i, at)}, {_get(phase, 'uint64_t')})")


def _shuffle(i: _Instruction) -> str:
    _only(i, "sync", "up", "down", "bfly", "idx")
    kind = next(m for m in i.modifiers if m in ("up", "down", "bfly", "idx"))
    name = {"up": "KW_SHUFFLE_UP", "down": "KW_SHUFFLE_DOWN", "bfly": "KW_SHUFFLE_XOR", "idx": "KW_SHUFFLE"}[
        kind
    ]
    d, a, b, c, mask = _need(i, 5)
    given = ", ".join(_get(x, "uint32_t") for x in (a, b, c, mask))
    if d.kind == "pair":
        return (f"bool kw_inside = false; {_set(d.parts[0], f'kw::ptx::shuffle({name}, {given}, &kw_inside)')} "
                f"{_set(d.parts[1], 'kw_inside')}")  # fmt: skip
    return _set(d, f"kw::ptx::shuffle({name}, {given}, nullptr)")


def _vote(i: _Instruction) -> str | None:
    kind = next((m for m in i.modifiers if m in ("ballot", "any", "all", "uni")), None)
    if kind is None or not i.has("sync"):
        return None
    d, p, mask = _need(i, 3)
    if kind == "uni":  # the same in all lanes
        same = f"kw::ptx::uniform({_get(mask, 'uint32_t')}, {_get(p, 'bool')})"
        return _set(d, same)
    return _set(d, f"kw::ptx::vote(KW_{kind.upper()}, {_get(mask, 'uint32_t')}, {_get(p, 'bool')})")


def _reduce_lanes(i: _Instruction) -> str | None:
    operation = next((m for m in i.modifiers if m in ("add", "min", "max", "and", "or", "xor")), None)
    if operation is None or i.type() not in ("uint32_t", "int32_t"):
        return None
    signed = "_SIGNED" if operation in ("min", "max") and i.type() == "int32_t" else ""
    d, a, mask = _need(i, 3)
    return _set(
        d,
        f"kw::ptx::collective(KW_REDUCE_{operation.upper()}{signed}, {_get(mask, 'uint32_t')}, {_get(a, 'uint32_t')})",
    )


def _match(i: _Instruction) -> str | None:
    if not i.has("any"):
        return None
    d, a, mask = _need(i, 3)
    return _set(d, f"kw::ptx::collective(KW_MATCH_ANY, {_get(mask, 'uint32_t')}, {_get(a, i.type())})")


def _elect(i: _Instruction) -> str:
    d, mask = _need(i, 2)
    lane, elected = d.parts if d.kind == "pair" else (d, _Argument("sink"))
    return (f"const uint32_t kw_leader = kw::ptx::elect({_get(mask, 'uint32_t')}); {_set(lane, 'kw_leader')} "
            f"{_set(elected, 'kw_leader == kw_lane()')}")  # fmt: skip


def _transpose(i: _Instruction) -> str:
    _only(i, "sync", "aligned", "m8n8", "trans")
    d, a = _need(i, 2)
    return _set(d, f"kw::ptx::transpose({_get(a, 'uint32_t')})")


def _to_address(i: _Instruction) -> str:
    d, a = _need(i, 2)
    x = _get(a, "uint64_t")
    if not i.has("shared", "shared::cta"):
        return _set(d, x)
    return _set(d, f"({x} - kw_shared_window())" if i.has("to") else f"({x} + kw_shared_window())")


def _map_to_rank(i: _Instruction) -> str:
    d, a, rank = _need(i, 3)
    block = _get(rank, "uint32_t")
    if i.has("shared::cluster"):
        return _set(d, f"kw::ptx::cluster_address({_get(a, 'uint32_t')}, {block})")
    return _set(
        d, f"(uint64_t)(uintptr_t)kw_map_shared((const void*)(uintptr_t){_get(a, 'uint64_t')}, {block})"
    )


def _rank_of_address(i: _Instruction) -> str:
    d, a = _need(i, 2)
    if i.has("shared::cluster"):
        return _set(d, f"kw::ptx::cluster_address_rank({_get(a, 'uint32_t')})")
    return _set(d, f"kw_shared_rank((const void*)(uintptr_t){_get(a, 'uint64_t')})")


def _plain(text: str) -> Callable[[_Instruction], str]:
    return lambda i: text


def _three(template: str) -> Callable[[_Instruction], str]:
    def make(i: _Instruction) -> str:
        d, *given = i.arguments
        return _set(
            d,
            template.format(*(_get(a, "uint32_t") for a in given), wrap="true" if i.has("wrap") else "false"),
        )

    return make


def _field(i: _Instruction) -> str:
    t = i.type()
    d, *given = i.arguments
    values = 2 if i.opcode == "bfi" else 1
    listed = [_get(a, t) for a in given[:values]] + [_get(a, "uint32_t") for a in given[values:]]
    return _set(d, f"kw::ptx::{i.opcode}<{t}>({', '.join(listed)})")


def _pack(i: _Instruction) -> str | None:
    """Two integers, each held to a narrower type, side by side above what `c` has."""
    match = re.fullmatch(r"sat\.([su])(16|8|4|2)\.s32(\.b32)?", ".".join(i.modifiers[1:]))
    if match is None:
        return None
    d, a, b, *rest = _need(i, 4 if match[3] else 3)
    bits = int(match[2])
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if match[1] == "s" else (0, (1 << bits) - 1)
    upper, lower = (f"kw::ptx::held({_get(x, 'int32_t')}, {low}, {high}, {bits})" for x in (a, b))
    above = f"({_get(rest[0], 'uint32_t')} << {2 * bits}) | " if rest else ""
    return _set(d, f"(uint32_t)({above}({upper} << {bits}) | {lower})")


_VIDEO = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr")
_SELECTOR = re.compile(r"(%?\w+)\.([hb][0-3])\b")


def _part(i: _Instruction, argument: int) -> tuple[int, int]:
    """(bits, first bit) of what an argument's selector names; the whole word without one."""
    selector = i.selectors.get(argument, "")
    bits = {"h": 16, "b": 8}.get(selector[:1], 32)
    return bits, int(selector[1:] or 0) * bits


def _selected(i: _Instruction, argument: int, source: "_Argument", t: str) -> str:
    bits, first = _part(i, argument)
    if bits == 32:
        return _get(source, t)
    return f"({t})({'' if t.startswith('u') else '(int' + str(bits) + '_t)'}(({_get(source, 'uint32_t')} >> {first}) & {(1 << bits) - 1}u))"


def _video(i: _Instruction) -> str | None:
    """Scalar video instructions on words, halves and bytes, with their second operation or what they are put into."""
    names = [m for m in i.modifiers if m in ("u32", "s32")]
    rest = [m for m in i.modifiers if m not in ("u32", "s32")]
    second = rest.pop() if rest and rest[-1] in ("add", "min", "max") else None
    shifts = i.opcode in ("vshl", "vshr")
    if len(names) != 3 or (rest not in (["clamp"], ["wrap"]) if shifts else rest):
        return None
    merged = 0 in i.selectors
    if merged and second:
        return None
    d, a, b, *third = _need(i, 4 if second or merged else 3)
    x = _selected(i, 1, a, TYPES[names[1]])
    y = _selected(i, 2, b, TYPES[names[2]])
    if shifts and i.selectors:
        return None
    if shifts:
        amount = f"({_get(b, 'uint32_t')} & 31u)" if rest == ["wrap"] else _get(b, "uint32_t")
        value = f"kw::ptx::{i.opcode[1:]}<{TYPES[names[1]]}>({x}, {amount})"
    else:
        wide = f"(long long){x}", f"(long long){y}"
        value = {
            "vadd": "{0} + {1}", "vsub": "{0} - {1}", "vabsdiff": "__builtin_llabs({0} - {1})",
            "vmin": "({0} < {1} ? {0} : {1})", "vmax": "({0} > {1} ? {0} : {1})",
        }[i.opcode].format(*wide)  # fmt: skip
    value = f"({TYPES[names[0]]})({value})"
    if second:
        c = _get(third[0], TYPES[names[0]])
        value = (
            f"{value} + {c}"
            if second == "add"
            else f"({value} {'<' if second == 'min' else '>'} {c} ? {value} : {c})"
        )
    if merged:
        bits, first = _part(i, 0)
        mask = ((1 << bits) - 1) << first
        return _set(
            d, f"({_get(third[0], 'uint32_t')} & ~{mask}u) | (((uint32_t)({value}) << {first}) & {mask}u)"
        )
    return _set(d, f"(uint32_t)({value})")


_SIMD = re.compile(r"(vadd|vsub|vavrg|vabsdiff|vmin|vmax|vset)([24])")
_OF_LANES = {
    "vadd": "x + y", "vsub": "x - y", "vavrg": "(x + y + (x + y >= 0)) >> 1", "vabsdiff": "x < y ? y - x : x - y",
    "vmin": "x < y ? x : y", "vmax": "x < y ? y : x",
}  # fmt: skip


def _simd_video(i: _Instruction) -> str | None:
    """Video instructions on two halves or four bytes of a word, their results side by side or summed up."""
    match = _SIMD.fullmatch(i.opcode)
    names = [m for m in i.modifiers if m in ("u32", "s32")]
    rest = [m for m in i.modifiers if m not in ("u32", "s32")]
    if match is None:
        return None
    compared = [m for m in rest if m in _COMPARE] if match[1] == "vset" else []
    change = f"x {_COMPARE[compared[0]]} y" if compared else _OF_LANES.get(match[1])
    if change is None or any(m not in ("add", "sat", *compared) for m in rest):
        return None
    if compared:
        names = ["u32", *names]
    if len(names) != 3:
        return None
    d, a, b, *third = _need(i, 3, 4)
    signs = ", ".join("true" if name == "s32" else "false" for name in names)
    flags = ", ".join("true" if i.has(name) else "false" for name in ("sat", "add"))
    c = _get(third[0], "uint32_t") if third else "0u"
    return _set(
        d,
        f"kw::ptx::video<{match[2]}, {signs}, {flags}>({_get(a, 'uint32_t')}, {_get(b, 'uint32_t')}, {c}, "
        f"[](long long x, long long y) -> long long {{ return {change}; }})",
    )


def _differences(i: _Instruction) -> str:
    """`sad`: the distance of two integers, added to a third."""
    d, a, b, c = _need(i, 4)
    t = i.type()
    x, y = _get(a, t), _get(b, t)
    return _set(d, f"({t})({_get(c, t)} + ({x} < {y} ? {y} - {x} : {x} - {y}))")


def _product_of_24_bits(i: _Instruction) -> str | None:
    """`mul24` and `mad24`: the lower 24 bits of each factor, the lower or upper 32 of the product's 48."""
    t = i.type()
    if t not in ("uint32_t", "int32_t") or i.has("sat"):
        return None
    d, a, b, *plus = _need(i, 4 if i.opcode == "mad24" else 3)
    wide = "int64_t" if t == "int32_t" else "uint64_t"
    x, y = (f"(({wide})(({t})({_get(p, t)} << 8) >> 8))" for p in (a, b))
    product = f"({t})({x} * {y} >> {16 if i.has('hi') else 0})"
    return _set(d, f"({t})({product} + {_get(plus[0], t)})" if plus else product)


_KINDS_OF_NUMBERS = {
    "finite": "__builtin_isfinite({x})", "infinite": "__builtin_isinf({x})", "number": "!__builtin_isnan({x})",
    "notanumber": "__builtin_isnan({x})", "normal": "__builtin_isnormal({x})",
    "subnormal": "(__builtin_isfinite({x}) && {x} != 0 && !__builtin_isnormal({x}))",
}  # fmt: skip


def _test_of_number(i: _Instruction) -> str | None:
    kind = _KINDS_OF_NUMBERS.get(i.modifiers[0])
    d, a = _need(i, 2)
    return _set(d, f"(bool){kind.format(x=_get(a, i.type()))}") if kind else None


def _select_by_sign(i: _Instruction) -> str:
    """`slct`: the first where the third is not negative; its type stands last."""
    d, a, b, c = _need(i, 4)
    t, of = (TYPES[name] for name in i.types()[-2:])
    return _set(d, f"({_get(c, of)} >= 0 ? {_get(a, t)} : {_get(b, t)})")


def _mask_of_bits(i: _Instruction) -> str:
    d, a, b = _need(i, 3)
    first, bits = _get(a, "uint32_t"), _get(b, "uint32_t")
    if i.has("wrap"):
        first, bits = f"({first} & 31u)", f"({bits} & 31u)"
    return _set(d, f"kw::ptx::shl<uint32_t>(~kw::ptx::shl<uint32_t>(~0u, {bits}), {first})")


def _negate(i: _Instruction) -> str:
    d, a = _need(i, 2)
    t = i.type()
    if t.startswith("__"):
        return _set(d, f"__hneg{'2' if i.types()[-1].endswith('x2') else ''}({_get(a, t)})")
    return _set(d, f"({t})(-{_get(a, t)})")


def _permute(i: _Instruction) -> str:
    if i.modifiers != ["b32"]:
        raise PtxError(f"the instruction '{i.text}'")
    d, a, b, c = _need(i, 4)
    return _set(d, f"kw_prmt({', '.join(_get(x, 'uint32_t') for x in (a, b, c))})")


def _dot(i: _Instruction) -> str | None:
    """`dp4a` of four bytes and four; `dp2a` of two halves and the lower or upper two bytes."""
    kinds = i.types()
    if len(kinds) != 2 or any(kind not in ("u32", "s32") for kind in kinds):
        return None
    d, a, b, c = _need(i, 4)
    signs = ", ".join("true" if kind == "s32" else "false" for kind in kinds)
    first = f"_of_halves<{'2' if i.has('hi') else '0'}, " if i.opcode == "dp2a" else "<"
    return _set(d, f"kw::ptx::dot{first}{signs}>({', '.join(_get(x, 'uint32_t') for x in (a, b, c))})")


def _carrying(plain: Callable[[_Instruction], str | None]) -> Callable[[_Instruction], str | None]:
    """Addition, subtraction and multiplication with addition that set the carry (`.cc`) or take it (`addc`)."""

    def make(i: _Instruction) -> str | None:
        takes = i.opcode.endswith("c")
        if not takes and not i.has("cc"):
            return plain(i)
        _only(i, "cc", "lo", "hi")
        t = {"int32_t": "uint32_t", "int64_t": "uint64_t"}.get(i.type(), i.type())
        if t not in ("uint32_t", "uint64_t"):
            return None
        sets = "true" if i.has("cc") else "false"
        with_carry = f"<{'true' if takes else 'false'}, {sets}, {t}>"
        stem = i.opcode.removesuffix("c")
        if stem in ("add", "sub"):
            d, a, b = _need(i, 3)
            return _set(d, f"kw::ptx::{stem}_carry{with_carry}({_get(a, t)}, {_get(b, t)})")
        d, a, b, c = _need(i, 4)
        kind = i.type() if i.has("hi") else t
        x, y = _get(a, kind), _get(b, kind)
        product = f"({t})kw::ptx::mul_hi<{kind}>({x}, {y})" if i.has("hi") else f"({t})({x} * {y})"
        return _set(d, f"kw::ptx::add_carry{with_carry}({product}, {_get(c, t)})")

    return make


_TABLE: Mapping[str, Callable[[_Instruction], str | None]] = {
    "add": _carrying(_arithmetic("+")), "sub": _carrying(_arithmetic("-")), "addc": _carrying(_arithmetic("+")),
    "subc": _carrying(_arithmetic("-")), "madc": _carrying(lambda i: None), "mul": _arithmetic("*"), "div": _arithmetic("/"),
    "mul24": _product_of_24_bits, "mad24": _product_of_24_bits, "sad": _differences,
    "rem": lambda i: _set(i.arguments[0], f"kw::ptx::remainder<{i.type()}>({_get(i.arguments[1], i.type())}, "
                                          f"{_get(i.arguments[2], i.type())})"),
    "mad": _carrying(_fused), "fma": _fused, "min": _pick("min"), "max": _pick("max"), "abs": _unary("kw::ptx::abs<{t}>({x})", modifiers=("ftz",)),
    "neg": _negate, "and": _bitwise("&"), "or": _bitwise("|"), "xor": _bitwise("^"),
    "not": lambda i: _set(i.arguments[0], ("!" if i.type() == "bool" else "~") + _get(i.arguments[1], i.type())),
    "shl": _shift("shl"), "shr": _shift("shr"), "bfe": _field, "bfi": _field, "lop3": _three("kw::ptx::lop3({0}, {1}, {2}, {3})"),
    "prmt": _permute, "dp4a": _dot, "dp2a": _dot, "bmsk": _mask_of_bits,
    "cnot": lambda i: _set(i.arguments[0], f"({i.type()})({_get(i.arguments[1], i.type())} == 0)"),
    "testp": _test_of_number, "slct": _select_by_sign,
    "popc": _unary("__builtin_popcountll((unsigned long long){x})"), "brev": lambda i: _set(
        i.arguments[0], f"__brev{'ll' if i.has('b64') else ''}({_get(i.arguments[1], i.type())})"),
    "clz": lambda i: _set(i.arguments[0], f"(uint32_t)__clz{'ll' if i.has('b64') else ''}({_get(i.arguments[1], i.type())})"),
    "bfind": lambda i: _unary("kw::ptx::bfind_shift<{t}>({x})" if i.has("shiftamt") else "kw::ptx::bfind<{t}>({x})",
                              modifiers=("shiftamt",))(i),
    "shf": lambda i: _three(f"kw::ptx::shift_{'left' if i.has('l') else 'right'}({{0}}, {{1}}, {{2}}, {{wrap}})")(i),
    "mov": _move, "selp": _select, "setp": _set_predicate, "set": _set_predicate, "cvt": lambda i: _pack(i) if i.modifiers[:1] == ["pack"] else _convert(i), "cvta": _to_address,
    "ex2": _of_float("__builtin_exp2f({x})"), "lg2": _of_float("__builtin_log2f({x})"), "rcp": _of_float("(1.0f / {x})"),
    "rsqrt": _of_float("rsqrtf({x})"), "sqrt": _of_float("__builtin_sqrtf({x})"), "sin": _of_float("__builtin_sinf({x})"),
    "cos": _of_float("__builtin_cosf({x})"), "tanh": _of_float("__builtin_tanhf({x})"),
    "copysign": lambda i: _set(i.arguments[0], f"__builtin_copysign{'f' if i.type() == 'float' else ''}("
                                               f"{_get(i.arguments[2], i.type())}, {_get(i.arguments[1], i.type())})"),
    "ld": _access, "ldu": _access, "st": _access, "atom": _atomic, "red": _atomic, "cp": _copy, "ldmatrix": _matrices,
    "stmatrix": _matrices, "mma": _multiply, "bar": _barrier, "barrier": _barrier, "mbarrier": _memory_barrier,
    "shfl": _shuffle, "vote": _vote, "redux": _reduce_lanes, "match": _match, "elect": _elect, "movmatrix": _transpose,
    "multimem": _multicast,
    "activemask": lambda i: _set(i.arguments[0], "__activemask()"),
    "membar": _plain("__threadfence();"), "fence": lambda i: None if any("tensormap" in m for m in i.modifiers) else "__threadfence();",
    "prefetch": _plain(";"), "prefetchu": _plain(";"), "discard": _plain(";"), "applypriority": _plain(";"),
    "createpolicy": lambda i: _set(i.arguments[0], "0ull"), "nanosleep": _plain("kw_fence();"), "trap": _plain("__trap();"),
    "exit": _plain("kw_end_thread();"), "mapa": _map_to_rank, "getctarank": _rank_of_address,
    "pmevent": _plain(";"), "setmaxnreg": _plain(";"), "brkpt": _plain(";"), **dict.fromkeys(_VIDEO, _video),
    **{f"{name}{lanes}": _simd_video for name in (*_OF_LANES, "vset") for lanes in (2, 4)},
    # A kernel starts when the one before it in its stream has ended.
    "griddepcontrol": lambda i: ";" if i.modifiers in (["wait"], ["launch_dependents"]) else None,
}  # fmt: skip
