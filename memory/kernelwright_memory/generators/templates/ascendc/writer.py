"""From expressions to lines of Ascend C: tensors of float in the unified buffer, numbers on the scalar unit."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from kernelwright_memory.generators.templates.ascendc.primitives import (
    BINARY,
    COMPARISON,
    ROUNDING,
    UNARY,
)
from kernelwright_memory.generators.templates.graph.graph import (
    ZERO,
    Apply,
    Buffer,
    Constant,
    Expression,
    Extent,
    Load,
    Node,
    Position,
    Unsupported,
)
from kernelwright_memory.generators.templates.graph.operators import literal
from kernelwright_memory.generators.templates.graph.size import Size

FLOAT_TYPES = {"float32": "float", "float16": "half", "bfloat16": "bfloat16_t"}
# What tensors may hold: integers are read, and written where they are places of extremes.
TYPES = {**FLOAT_TYPES, "bool": "uint8_t", "int32": "int32_t", "int64": "int64_t"}
BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "bool": 1, "int32": 4, "int64": 8}
# 192 KB, less what the system keeps, less room for a few rows of 32 bytes.
UNIFIED_BUFFER_BYTES = 192 * 1024 - 4096
_SWAPPED = {"add": "Adds", "mul": "Muls", "maximum": "Maxs", "minimum": "Mins"}


_SYMBOLS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_MIRRORED = {"LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE"}


class Lines:
    """Text with indentation."""

    def __init__(self, depth: int = 1) -> None:
        self._lines: list[str] = []
        self._depth = depth

    def add(self, text: str) -> None:
        self._lines += ["    " * self._depth + line if line else "" for line in text.split("\n")]

    def open(self, head: str) -> None:
        self.add(f"{head} {{" if head else "{")
        self._depth += 1

    def close(self) -> None:
        self._depth -= 1
        self.add("}")

    @property
    def text(self) -> str:
        return "\n".join(self._lines)


@dataclass(frozen=True)
class Parameter:
    """Of the kernel: a tensor or a size."""

    name: str
    buffer: Buffer | None = None
    size: Size | None = None
    written: bool = False


class Scope:
    """Names of one kernel: its parameters, its queues, its working tensors."""

    def __init__(self) -> None:
        self.parameters: dict[str, Parameter] = {}
        self._buffers: dict[Buffer, str] = {}
        self._sizes: dict[Size, str] = {}
        self._taken = {
            "pipe", "work", "row", "tile", "tiles", "begin", "length", "across", "step", "scratch", "reduced", "through",
            "small", "done", "read", "first", "bits", "compared_bits", "ramp", "counted", "narrow", "halves",
            "blocks", "block_offsets", "offsets",
        }  # fmt: skip
        self.shared: set[str] = set()
        """Working tensors of a kind of their own that the kernel needs: "bits" of a comparison, a "ramp" of 0, 1, 2, ..., and
        "narrow" ones of half, on the way from and to bytes."""
        self.small = 0
        """Working tensors of 64 floats each, whose first block holds one number eight times."""
        self.slots = 0
        """Working tensors of `TILE` floats each."""

    def fresh(self, wanted: str) -> str:
        wanted = re.sub(r"\W", "_", wanted)
        name, counter = wanted, 2
        while name in self._taken:
            name, counter = f"{wanted}{counter}", counter + 1
        self._taken.add(name)
        return name

    def buffer(self, buffer: Buffer, *, written: bool = False, indices: bool = False) -> str:
        """The parameter that holds a tensor.

        Args:
            indices: it is a result that holds places, not values.
        """
        if buffer.node is not None:
            raise Unsupported(
                f"the result of '{buffer.node.operation}' is needed at another place than its own"
            )
        integers = buffer.dtype in ("int32", "int64")
        if buffer.dtype not in TYPES or (written and integers and not indices):
            raise Unsupported(f"tensors of {buffer.dtype} are not written in Ascend C")
        if buffer not in self._buffers:
            name = self._buffers[buffer] = self.fresh(buffer.name)
            self.parameters[name] = Parameter(name, buffer=buffer, written=written)
        return self._buffers[buffer]

    def size(self, size: Size, wanted: str = "size") -> str:
        """A size: a literal where it is a constant of the model, else a parameter."""
        if size.constant is not None:
            return str(size.constant)
        if size not in self._sizes:
            name = self._sizes[size] = self.fresh(wanted)
            self.parameters[name] = Parameter(name, size=size)
        return self._sizes[size]

    @property
    def tensors(self) -> list[Parameter]:
        return [p for p in self.parameters.values() if p.buffer is not None]

    @property
    def ordered(self) -> list[Parameter]:
        return in_order(self.parameters.values())


def in_order(parameters: Iterable[Parameter]) -> list[Parameter]:
    """Inputs, outputs, sizes."""
    return sorted(parameters, key=lambda p: (p.buffer is None, p.written))


@dataclass(frozen=True)
class Operand:
    """A tensor of `length` floats by its name, a number by its text, or (`spread`) a number that fills the first block of a
    tensor."""

    text: str
    vector: bool
    slot: int | None = None
    spread: bool = False


LoadVector = Callable[[Load], str | None]
"""The name of a tensor of floats that holds a load; None where it is a number."""


class Writer:
    """Writes one expression over `length` elements.

    Args:
        vectors: leaves that are tensors of floats already, by identity.
        numbers: leaves that are the same for all elements, by identity, as text.
        given: results of reductions, as text of a number or as a tensor's name.
    """

    def __init__(
        self,
        scope: Scope,
        lines: Lines,
        vectors: Mapping[int, str],
        numbers: Mapping[int, str],
        given: Mapping[Node, Operand],
        *,
        reserved: int = 0,
        length: str = "length",
    ) -> None:
        self._scope, self._lines, self._length = scope, lines, length
        self._vectors, self._numbers, self._given = vectors, numbers, given
        self._reserved = reserved
        self._busy: set[int] = set()
        self._uses: dict[int, int] = {}
        self._made: dict[int, Operand] = {}

    def write(self, expression: Expression, into: str | None = None) -> Operand:
        """The value of an expression; a tensor result is put into `into` where that is given."""
        self._count(expression)
        result = self._value(expression, into)
        if into is not None and result.text != into:
            if result.vector:
                self._lines.add(f"Adds({into}, {result.text}, 0.0f, {self._length});")
            elif result.spread:
                raise Unsupported("one number for all elements of a row is not written in Ascend C")
            else:
                self._lines.add(f"Duplicate({into}, {result.text}, {self._length});")
            return Operand(into, True)
        return result

    def _count(self, e: Expression) -> None:
        self._uses[id(e)] = self._uses.get(id(e), 0) + 1
        if self._uses[id(e)] == 1 and isinstance(e, Apply):
            for argument in e.arguments:
                self._count(argument)

    def _value(self, e: Expression, into: str | None = None) -> Operand:
        if id(e) in self._made:
            return self._made[id(e)]
        if isinstance(e, Constant):
            return Operand(literal(float(e.value), "float"), False)
        if isinstance(e, Extent):
            return Operand(f"static_cast<float>({self._scope.size(e.size, 'extent')})", False)
        if isinstance(e, Load | Position):
            result = self._leaf(e)
        else:
            assert isinstance(e, Apply)
            result = self._apply(e, into)
        self._made[id(e)] = result
        return result

    def _leaf(self, e: Load | Position) -> Operand:
        if isinstance(e, Load) and e.buffer.node is not None and e.buffer.node in self._given:
            return self._given[e.buffer.node]
        if id(e) in self._vectors:
            return Operand(self._vectors[id(e)], True)
        if id(e) in self._numbers:
            return Operand(self._numbers[id(e)], False)
        name = e.buffer.name if isinstance(e, Load) else "a coordinate"
        raise Unsupported(f"'{name}' is read in an order that is not written in Ascend C")

    def _apply(self, e: Apply, into: str | None) -> Operand:
        if e.operation == "where":
            return self._choose(e, into)
        operands = [self._value(a) for a in e.arguments]
        if not any(o.vector for o in operands):
            return (
                self._on_spread(e, operands)
                if any(o.spread for o in operands)
                else self._on_scalars(e, operands)
            )
        for argument in e.arguments:
            self._release(argument)
        target = self._target(into)
        texts = [o.text for o in operands]
        if e.operation in COMPARISON:
            self._compare(e.operation, operands)
            return self._of_bits(target)
        if len(operands) == 1:
            self._lines.add(_of_one(e.operation, target.text, texts[0], self._length))
            return target
        left, right = operands
        if left.spread or right.spread:
            self._with_block(e.operation, target.text, left, right)
        elif left.vector and right.vector:
            self._lines.add(f"{BINARY[e.operation]}({target.text}, {texts[0]}, {texts[1]}, {self._length});")
        elif e.operation in _SWAPPED:
            tensor, number = (texts[0], texts[1]) if left.vector else (texts[1], texts[0])
            self._lines.add(f"{_SWAPPED[e.operation]}({target.text}, {tensor}, {number}, {self._length});")
        elif e.operation == "sub" and left.vector:
            self._lines.add(f"Adds({target.text}, {texts[0]}, -({texts[1]}), {self._length});")
        elif e.operation == "sub":
            self._lines.add(f"Muls({target.text}, {texts[1]}, -1.0f, {self._length});")
            self._lines.add(f"Adds({target.text}, {target.text}, {texts[0]}, {self._length});")
        elif left.vector:
            self._lines.add(f"Muls({target.text}, {texts[0]}, 1.0f / ({texts[1]}), {self._length});")
        else:  # a number over a tensor needs the number as a tensor; the tensor may lie in the target
            above = self._slot(beside=right)
            self._lines.add(f"Duplicate({above.text}, {texts[0]}, {self._length});")
            self._lines.add(f"Div({target.text}, {above.text}, {texts[1]}, {self._length});")
            self._free(above)
        return target

    # ---- what is true, and the choice by it

    def _compare(self, operation: str, operands: list[Operand], length: str | None = None) -> None:
        """Put the comparison into the tensor `bits`: whole repeats, of which the last elements may be nobody's."""
        how, whole = COMPARISON[operation], _repeats(length or self._length)
        left, right = operands
        if not left.vector and not left.spread:
            left, right, how = right, left, _MIRRORED.get(how, how)
        self._scope.shared.add("bits")
        if right.vector or right.spread:
            above = self._widened(left, length, beside=right)
            below = self._widened(right, length, beside=left)
            self._lines.add(f"Compare(bits, {above.text}, {below.text}, CMPMODE::{how}, {whole});")
            for side, made in ((left, above), (right, below)):
                if made is not side:
                    self._free(made)
        else:
            wide = self._widened(left, length)
            self._lines.add(f"CompareScalar(bits, {wide.text}, {right.text}, CMPMODE::{how}, {whole});")
            if wide is not left:
                self._free(wide)

    def _of_bits(self, target: Operand, length: str | None = None) -> Operand:
        """1 where a bit is set, else 0."""
        length = length or self._length
        self._lines.add(f"Duplicate({target.text}, 1.0f, {length});")
        self._lines.add(
            f"Select({target.text}, bits, {target.text}, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, {length});"
        )
        return target

    def _choose(self, e: Apply, into: str | None) -> Operand:
        """The second argument where the first is true, else the third."""
        condition, *branches = e.arguments
        fused = (
            isinstance(condition, Apply)
            and condition.operation in COMPARISON
            and self._uses[id(condition)] == 1
        )
        asked = list(condition.arguments) if fused and isinstance(condition, Apply) else [condition]
        compared = [self._value(a) for a in asked]
        chosen, other = (self._value(b) for b in branches)
        given = [*compared, chosen, other]
        if not fused:
            compared = [*compared, Operand("0.0f", False)]
        operation = condition.operation if fused and isinstance(condition, Apply) else "ne"
        if not any(o.vector or o.spread for o in given):
            name, symbol = self._scope.fresh("number"), _SYMBOLS[operation]
            self._lines.add(
                f"const float {name} = {compared[0].text} {symbol} {compared[1].text} ? {chosen.text} : {other.text};"
            )
            return Operand(name, False)
        if not any(o.vector for o in given):
            raise Unsupported("a choice between numbers of a row is not written in Ascend C")
        if any(o.vector or o.spread for o in compared):
            self._compare(operation, compared)
        else:
            wide = self._widened(compared[0])
            self._compare(operation, [wide, compared[1]])
            self._free(wide)
        for argument in [*asked, *branches]:
            self._release(argument)
        # What is compared is done with; the branches are still read.
        first = self._widened(chosen, beside=other)
        second = self._widened(other, beside=first) if other.spread else other
        target = self._target(into)
        mode = "VSEL_TENSOR_TENSOR_MODE" if second.vector else "VSEL_TENSOR_SCALAR_MODE"
        self._lines.add(
            f"Select({target.text}, bits, {first.text}, {second.text}, SELMODE::{mode}, {self._length});"
        )
        for made, before in ((first, chosen), (second, other)):
            if made is not before and made.text != target.text:
                self._free(made)
        return target

    def _widened(self, operand: Operand, length: str | None = None, beside: Operand | None = None) -> Operand:
        """As a tensor of `length` elements; a number in a block is taken again and again, by strides of 0."""
        if operand.vector or (operand.spread and length is not None):
            return operand
        wide = self._slot(beside=beside)
        if operand.spread:
            whole = f"static_cast<uint8_t>(({self._length} + 63) / 64)"
            self._lines.add(
                f"Adds({wide.text}, {operand.text}, 0.0f, 64, {whole}, UnaryRepeatParams(1, 0, 8, 0));"
            )
        else:
            self._lines.add(f"Duplicate({wide.text}, {operand.text}, {length or self._length});")
        return wide

    def _with_block(self, operation: str, target: str, left: Operand, right: Operand) -> None:
        """A tensor and a number in a block: the block is taken again and again, by strides of 0. Repeats of 64 floats, then the
        rest by its mask."""
        name, length = BINARY[operation], self._length
        blocks = "1, 0, 1" if left.spread else "1, 1, 0"
        repeats = "8, 0, 8" if left.spread else "8, 8, 0"
        strides = f"BinaryRepeatParams({blocks}, {repeats})"
        rest = [text.text if text.spread else f"{text.text}[{length} / 64 * 64]" for text in (left, right)]
        lines = self._lines
        lines.open(f"if ({length} >= 64)")
        lines.add(
            f"{name}({target}, {left.text}, {right.text}, 64, static_cast<uint8_t>({length} / 64), {strides});"
        )
        lines.close()
        lines.open(f"if ({length} % 64 != 0)")
        lines.add(f"{name}({target}[{length} / 64 * 64], {rest[0]}, {rest[1]}, {length} % 64, 1, {strides});")
        lines.close()

    def _on_spread(self, e: Apply, operands: list[Operand]) -> Operand:
        """Numbers in blocks: the same instructions over eight elements."""
        result = Operand(self.small(), False, spread=True)
        texts = [o.text for o in operands]
        if e.operation in COMPARISON:
            self._compare(e.operation, operands, "8")
            return self._of_bits(result, "8")
        if len(operands) == 1:
            self._lines.add(_of_one(e.operation, result.text, texts[0], "8"))
            return result
        left, right = operands
        if left.spread and right.spread:
            self._lines.add(f"{BINARY[e.operation]}({result.text}, {texts[0]}, {texts[1]}, 8);")
        elif e.operation in _SWAPPED:
            tensor, number = (texts[0], texts[1]) if left.spread else (texts[1], texts[0])
            self._lines.add(f"{_SWAPPED[e.operation]}({result.text}, {tensor}, {number}, 8);")
        else:
            side = 0 if left.spread else 1
            self._lines.add(f"Duplicate({result.text}, {texts[1 - side]}, 8);")
            texts[1 - side] = result.text
            self._lines.add(f"{BINARY[e.operation]}({result.text}, {texts[0]}, {texts[1]}, 8);")
        return result

    def small(self) -> str:
        """A small tensor of its own."""
        name = f"small{self._scope.small}"
        self._scope.small += 1
        return name

    def _on_scalars(self, e: Apply, operands: list[Operand]) -> Operand:
        """Numbers: what C++ writes with an operator is the scalar unit's, the rest the vector unit's on one block."""
        texts = [o.text for o in operands]
        symbol = {"add": "+", "sub": "-", "mul": "*", "div": "/"}.get(e.operation)
        if symbol is not None:
            name = self._scope.fresh("number")
            self._lines.add(f"const float {name} = {texts[0]} {symbol} {texts[1]};")
            return Operand(name, False)
        if e.operation in ("maximum", "minimum"):
            name, sign = self._scope.fresh("number"), ">" if e.operation == "maximum" else "<"
            self._lines.add(f"const float {name} = {texts[0]} {sign} {texts[1]} ? {texts[0]} : {texts[1]};")
            return Operand(name, False)
        if e.operation in COMPARISON:
            name = self._scope.fresh("number")
            self._lines.add(
                f"const float {name} = {texts[0]} {_SYMBOLS[e.operation]} {texts[1]} ? 1.0f : 0.0f;"
            )
            return Operand(name, False)
        slot, name = self._slot(), self._scope.fresh("number")
        self._lines.add(f"Duplicate({slot.text}, {texts[0]}, 8);")
        self._lines.add(_of_one(e.operation, slot.text, slot.text, "8"))
        self._lines.add(f"const float {name} = kw_read_first({slot.text});")
        self._free(slot)
        return Operand(name, False)

    def _release(self, argument: Expression) -> None:
        self._uses[id(argument)] -= 1
        made = self._made.get(id(argument))
        if made is not None and self._uses[id(argument)] == 0:
            self._free(made)

    def _target(self, into: str | None) -> Operand:
        return Operand(into, True) if into is not None else self._slot()

    def _slot(self, beside: Operand | None = None) -> Operand:
        """A free working tensor, another than that of an operand that was let go and is still read."""
        taken = self._busy | ({beside.slot} if beside is not None else set())
        number = next(n for n in range(self._reserved, self._reserved + 64) if n not in taken)
        self._busy.add(number)
        self._scope.slots = max(self._scope.slots, number + 1)
        return Operand(f"work{number}", True, number)

    def _free(self, operand: Operand) -> None:
        if operand.slot is not None:
            self._busy.discard(operand.slot)


def is_number(load: Load) -> bool:
    return all(stride == ZERO for stride in load.strides)


def _of_one(operation: str, target: str, source: str, length: str) -> str:
    """The instruction of an operation with one argument."""
    if operation in ROUNDING:
        return f"Cast({target}, {source}, RoundMode::{ROUNDING[operation]}, {length});"
    return f"{UNARY[operation]}({target}, {source}, {length});"


def _repeats(length: str) -> str:
    """A number of elements up to the end of its last repeat of 256 bytes."""
    return "64" if length.isdecimal() else f"({length} + 63) / 64 * 64"
