"""An instruction of PTX with its modifiers and arguments, and how these are read and written in C++."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


class PtxError(ValueError):
    """Something that is not PTX, or that this target does not execute; the message names it."""


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
# What says how a cache is to be used: of no meaning here.
_HINTS = re.compile(r"^(ca|cg|cs|lu|cv|wb|wt|nc|cta|gpu|sys|L1::.*|L2::.*|unified|level::.*|noftz)$")


@dataclass
class Instruction:
    """One instruction as it was parsed."""

    text: str  # opcode and modifiers, for messages
    guard: str
    opcode: str
    modifiers: list[str]
    arguments: list["Argument"]
    # Of video instructions: the half or byte of an argument, by its number.
    selectors: dict[int, str] = field(default_factory=dict)

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
class Argument:
    """One argument of an instruction."""

    kind: str  # value, constant, address, vector, sink, pair
    text: str = ""  # C++ of a value
    parts: tuple["Argument", ...] = ()
    offset: int = 0
    negated: bool = False


def get_operand(argument: Argument, c_type: str) -> str:
    """The value of an argument as an expression of type `c_type`. Raises PtxError where it is none."""
    if argument.kind == "constant":
        if c_type in ("float", "double") or "float" in argument.text or "." in argument.text:
            return f"kw::ptx::as<{c_type}>(({c_type if c_type in ('float', 'double') else 'float'})({argument.text}))"
        return f"kw::ptx::constant<{c_type}>({argument.text})"
    if argument.kind != "value":
        raise PtxError("an operand of another kind was expected")
    if c_type == "bool":
        return f"(bool)({argument.text})"
    return f"kw::ptx::as<{c_type}>({argument.text})"


def set_operand(argument: Argument, value: str) -> str:
    """The statement that writes an argument. Raises PtxError where it is no register."""
    if argument.kind == "sink":
        return f"(void)({value});"
    if argument.kind != "value":
        raise PtxError("a register to write was expected")
    return f"kw::ptx::put({argument.text}, {value});"


def need_operands(i: Instruction, *counts: int) -> list[Argument]:
    """All arguments. Raises PtxError where there are not as many as one of `counts`."""
    if len(i.arguments) not in counts:
        raise PtxError(f"'{i.text}' with {len(i.arguments)} operands")
    return i.arguments


def allow_only(i: Instruction, *allowed: str) -> None:
    """Raises PtxError for a modifier that is neither allowed, nor a type, nor a hint about a cache."""
    for modifier in i.modifiers:
        if modifier not in allowed and modifier not in TYPES and not _HINTS.match(modifier):
            raise PtxError(f"the instruction '{i.text}'")


def finished(i: Instruction, value: str, c_type: str) -> str:
    """`value` behind what `.ftz`, `.sat` and `.relu` make of a result."""
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


def always(text: str) -> Callable[[Instruction], str]:
    """What an instruction without arguments of interest becomes."""
    return lambda i: text


# By opcode, what makes C++ of an instruction; None of one that is not executed.
Table = Mapping[str, Callable[[Instruction], str | None]]
