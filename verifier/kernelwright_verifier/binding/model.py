"""An entry bound to its task: each C argument with where its value comes from, and no value yet."""

from typing import Literal

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.kernel import Parameter
from kernelwright_backends.core.model import Model
from kernelwright_backends.interfaces.build import ArgumentSlot, EntryCall

Role = Literal[
    "input",
    "parameter",
    "buffer",
    "output",
    "inout",
    "zeroed",
    "workspace",
    "scalar",
    "stream",
    "tiling",
    "alias",
    "nothing",
]


class BoundArgument(Model):
    """One C argument and where its value comes from."""

    slot: ArgumentSlot
    role: Role
    source: str = ""
    tensor: str | None = None
    output: int | None = None
    convert: str | None = None
    text: str | None = None
    texts: tuple[str, ...] = ()
    """of a tiling struct: the expression of each field"""
    members: tuple["BoundArgument", ...] = ()
    """while binding: of a list of tensors, each with its place in it"""


class Binding(Model):
    """An entry bound to a task; without values, so that it holds for all sizes."""

    call: EntryCall
    arguments: tuple[BoundArgument, ...]
    returned: tuple[int, ...] = ()
    grid: str | None = None
    block: str | None = None
    smem: str | None = None
    notes: tuple[str, ...] = ()


class BindingFailed(ValueError):
    """The entry does not fit its task; `findings` say where and why."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        super().__init__("; ".join(f.message for f in findings))
        self.findings = findings


def slot_of(
    parameter: Parameter,
    kind: Literal["tensor", "scalar", "workspace", "stream", "tiling", "number", "nothing"],
    element: str | None,
) -> ArgumentSlot:
    """The place of a parameter in the call; `element` is the type of what it holds or points to."""
    return ArgumentSlot(kind=kind, c_type=parameter.type, name=parameter.name, element=element)
