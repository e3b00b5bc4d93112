"""What an entry may take of its task, in the order of a directive's `args`: each value with a name in C."""

import keyword
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from kernelwright_verifier.task.task import TaskDescription, TensorSpec

ArgumentKind = Literal["tensor", "output", "size", "number"]

# What no parameter may be called.
_TAKEN = frozenset(
    "alignas alignof and asm auto bool break case catch char class const constexpr continue default delete do double dynamic_cast "
    "else enum explicit export extern false float for friend goto half if inline int long mutable namespace new not operator or "
    "private protected public register return short signed sizeof static struct switch template this throw true try typedef "
    "typeid typename union unsigned using virtual void volatile while xor".split()
)
_MOST_SIZES = 8


class Argument(NamedTuple):
    """One parameter of an entry."""

    name: str
    """in C"""
    source: str
    """in the directive"""
    kind: ArgumentKind
    dtype: str
    """torch's name of a tensor's elements; int64, float64 or bool of a number"""
    tensor: TensorSpec | None = None


def arguments_of(
    description: TaskDescription, *, outputs: bool = True, sizes: bool = False
) -> tuple[Argument, ...]:
    """Everything that a kernel of the task may need: forward's tensors, parameters and buffers that the reference reads, numbers.

    Args:
        outputs: the outputs too, behind the inputs: the entry returns nothing.
        sizes: the number of elements of each output and the extents of forward's tensors: the entry cannot ask a tensor.
    """
    taken: set[str] = set()
    found: list[Argument] = []

    def add(
        wanted: str, source: str, kind: ArgumentKind, dtype: str, tensor: TensorSpec | None = None
    ) -> None:
        found.append(Argument(_free(wanted, taken), source, kind, dtype, tensor))

    inputs = [a.tensor for a in description.forward if a.tensor is not None]
    for tensor in (*inputs, *_read(description)):
        add(tensor.name, tensor.name, "tensor", tensor.dtype, tensor)
    written = [
        (f"out{i}" if len(description.outputs) > 1 else "out", o) for i, o in enumerate(description.outputs)
    ]
    if any(a.name == "out" for a in description.forward):
        written = [(f"out{i}", o) for i, (_, o) in enumerate(written)]
    if outputs:
        for name, tensor in written:
            add(name, name, "output", tensor.dtype, tensor)
    if sizes:
        for position, (name, _) in enumerate(written):
            add(f"count{position or ''}", f"{name}.numel()", "size", "int64")
        extents = [(tensor, axis) for tensor in inputs for axis in range(len(tensor.shape))]
        for tensor, axis in extents[:_MOST_SIZES]:
            add(f"{tensor.name}_dim{axis}", f"{tensor.name}.shape[{axis}]", "size", "int64")
    for name, source, value in _numbers(description):
        dtype = "bool" if isinstance(value, bool) else "int64" if isinstance(value, int) else "float64"
        add(name, source, "number", dtype)
    return tuple(found)


def _read(description: TaskDescription) -> Iterator[TensorSpec]:
    """Parameters and buffers that the reference reads; all of them where that is not known."""
    trace = description.trace
    read = {name for operator in trace.operators for name in operator.inputs} | set(trace.outputs)
    for tensor in (*description.parameters, *description.buffers):
        if not trace.operators or tensor.name in read:
            yield tensor


def _numbers(description: TaskDescription) -> Iterator[tuple[str, str, int | float | bool]]:
    """(name in C, source, value) of each number that forward and __init__ take."""
    seen: set[str] = set()
    tensors = {t.name for t in (*description.parameters, *description.buffers)}
    for argument in (*description.forward, *description.init):
        # A parameter of the model may be called as a number that it is made of: then `args` means the tensor.
        if argument.name in seen or argument.name in tensors or argument.tensor is not None:
            continue
        seen.add(argument.name)
        values = argument.value if isinstance(argument.value, tuple) else (argument.value,)
        for position, value in enumerate(values):
            if isinstance(value, bool | int | float):
                listed = isinstance(argument.value, tuple)
                source = f"{argument.name}[{position}]" if listed else argument.name
                yield source, source, value


def _free(wanted: str, taken: set[str]) -> str:
    """A name in C that is not taken yet."""
    plain = re.sub(r"\W+", "_", wanted).strip("_") or "value"
    if plain[0].isdigit() or plain in _TAKEN or keyword.iskeyword(plain):
        plain = f"{plain}_" if not plain[0].isdigit() else f"t{plain}"
    name, counter = plain, 2
    while name in taken:
        name, counter = f"{plain}_{counter}", counter + 1
    taken.add(name)
    return name
