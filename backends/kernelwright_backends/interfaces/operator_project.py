"""The project of an operator around a kernel: its tensors, attributes and tiling structs, and the chip that it is built for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from kernelwright_backends.core.target import Target
from kernelwright_backends.host.header_search import HeaderSearch


@dataclass(frozen=True)
class TilingField:
    type: str
    name: str
    length: str | None = None  # of an array, as written


@dataclass(frozen=True)
class Port:
    name: str
    is_input: bool
    types: tuple[str, ...]  # C++ types, in the order of the definition
    zeroed: bool = False  # an output that the framework fills with zeros before the kernel starts
    dynamic: bool = False  # a list of tensors


@dataclass(frozen=True)
class OperatorAttribute:
    """A number, a list of numbers or a text that the operator takes besides tensors."""

    name: str
    kind: str  # Int, Float, Bool, String, ListInt, ListFloat, ListBool
    has_default: bool


@dataclass
class Project:
    """Of one kernel; empty where it stands alone."""

    structs: dict[str, tuple[TilingField, ...]] = field(default_factory=dict)
    classes: dict[str, str] = field(default_factory=dict)  # operator -> struct
    ports: tuple[Port, ...] = ()
    attributes: tuple[OperatorAttribute, ...] = ()
    operator: str | None = None
    constants: dict[str, str] = field(default_factory=dict)  # integers of the host files, as written
    hosts: tuple[
        Path, ...
    ] = ()  # where the operator is defined (OP_ADD), then where its tiling function is, if elsewhere

    @property
    def host(self) -> Path | None:
        """The file that defines the operator; None where no tiling function can be asked."""
        return next(iter(self.hosts), None)

    def struct_of(self, entry: str) -> str | None:
        """The struct that GET_TILING_DATA of this kernel reads; the last one defined where nothing says which."""
        wanted = entry.replace("_", "").lower()
        for operator, struct in self.classes.items():
            if operator.replace("_", "").lower() == wanted:
                return struct
        if self.operator in self.classes:
            return self.classes[self.operator]
        return next(reversed(self.classes.values()), None) or next(reversed(self.structs), None)


class NamedChip(NamedTuple):
    """A chip that a project is built for, and where its files say so."""

    chip: str
    file: Path
    line: int


class OperatorProjects(Protocol):
    """Of a dialect whose kernels lie in such projects."""

    def read_project(self, path: Path, text: str) -> Project:
        """The project around the kernel file `path`, whose text is `text`."""
        ...

    def surrounding_files(self, path: Path) -> list[Path]:
        """What a verdict on the kernel file `path` depends on besides what it includes."""
        ...

    def header_search(self, path: Path, folders: Sequence[Path]) -> HeaderSearch:
        """What finds the headers of a kernel file in its project."""
        ...

    def built_for(self, path: Path) -> Target | None:
        """The chip that the project around a kernel is built for; None where nothing says, or says only unknown ones."""
        ...

    def other_chip(self, path: Path) -> NamedChip | None:
        """The first chip that the project around a kernel names, where it names none that is known here."""
        ...
