"""The text of an `asm` statement: scopes, registers, labels and instructions, each of which becomes a statement of C++."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from kernelwright_backends.cuda.cpu.ptx.instruction import TYPES, Argument, Instruction, PtxError
from kernelwright_backends.cuda.cpu.ptx.table import TABLE
from kernelwright_backends.cuda.cpu.ptx.video import SELECTOR, VIDEO


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


# An opcode with one of PTX's types: no other assembly writes them so.
_TYPED = re.compile(r"\b[a-z]\w*(?:\.[\w:]+)*\.(?:[busf](?:8|16|32|64|128)|b?f16x2|f32x2|bf16|tf32|pred)\b")


def reads_as_ptx(text: str) -> bool:
    """Is it PTX, also where it is not known on whose side it stands, or no device knows the opcode?"""
    return _TYPED.search(text) is not None


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
    "%globaltimer_hi": "(uint32_t)(kw_timer() >> 32)",
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
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+U?|\d+\.\d*(?:[eE][-+]?\d+)?|\d+U?)"
    r"|(?P<operand>%\d+|%\[\w+\])|(?P<name>[%$]?[A-Za-z_$][\w$]*(?:\.[xyzw]\b)?)|(?P<sign>[-+\[\]{}|!,<>]))"
)


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
    operand_text, selectors = rest[head.end() :], {}
    if opcode in VIDEO:  # of these an operand may have its part named
        selectors = {
            n: m[2] for n, part in enumerate(operand_text.split(",")) if (m := SELECTOR.search(part))
        }
        operand_text = SELECTOR.sub(r"\1", operand_text)
    make = TABLE.get(opcode)
    try:
        arguments = _tokens(operand_text, body)
    except PtxError as error:
        raise PtxError(f"the instruction '{text}': {error}") from None
    instruction = Instruction(text, guard, opcode, modifiers, arguments, selectors)
    made = make(instruction) if make is not None else None
    if made is None:
        raise PtxError(f"the instruction '{text}'")
    body.lines.append(f"{guard}{{ {made} }}")


def _tokens(text: str, body: _Body) -> list[Argument]:
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


def _argument(tokens: list[tuple[str, str]], at: int, body: _Body) -> tuple[Argument, int]:
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
                base = Argument("value", f"({base.text} + ({sign}) * (int64_t){inner.text})")
                continue
            offset += sign * int(tokens[at][1].rstrip("U"), 0)
            at += 1
        if at >= len(tokens) or tokens[at][1] != "]":
            raise PtxError("an address that is no register and number")
        return Argument("address", base.text, offset=offset), at + 1
    if word == "{":
        parts: list[Argument] = []
        at += 1
        while at < len(tokens) and tokens[at][1] != "}":
            part, at = _argument(tokens, at, body)
            parts.append(part)
            if at < len(tokens) and tokens[at][1] == ",":
                at += 1
        return Argument("vector", parts=tuple(parts)), at + 1
    if word == "!":
        value, at = _argument(tokens, at + 1, body)
        return Argument("value", f"!{value.text}"), at
    if word == "-":
        value, at = _argument(tokens, at + 1, body)
        return Argument("constant" if value.kind == "constant" else "value", f"-{value.text}"), at
    if kind == "number":
        made = Argument("constant", _number(word))
        while at + 2 < len(tokens) and tokens[at + 1][1] in "+-" and tokens[at + 2][0] == "number":
            at += 2
            made = Argument("constant", f"({made.text} {tokens[at - 1][1]} {_number(tokens[at][1])})")
    elif kind == "operand":
        made = Argument("value", _operand(word, body))
    elif word == "_":
        made = Argument("sink", "kw_sink")
    elif word in _SPECIAL:
        made = Argument("value", _SPECIAL[word])
    elif kind == "name":
        made = Argument("value", body.register(word))
    else:
        raise PtxError(f"'{word}'")
    if at + 1 < len(tokens) and tokens[at + 1][1] == "|":
        second, after = _argument(tokens, at + 2, body)
        return Argument("pair", parts=(made, second)), after
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
